/** Records as JSON, from their lines in a serving file (models/serving/text.ts). */
import { ABSENT, type RecordDefinition } from '../../lib/record.ts';
import { INSIDE_SEPARATOR } from '../../models/inside.ts';
import { agentOf } from '../../models/marts/filings.ts';
import { COUNTED, TABLE_NAMES, TABLES, type TableName } from '../../models/serving/tables.ts';
import { REASON } from '../../models/serving/text.ts';
import type { Tables } from './tables.ts';

/** Names of the fields of a full record. */
export function allFields(table: TableName): readonly string[] {
  const { columns, causes }: RecordDefinition = TABLES[table];
  const names = columns.map((column) => column.name);
  return causes === undefined ? names : [...names, ABSENT];
}

const LINES = new Map(
  TABLE_NAMES.map((table) => [table, new Map(TABLES[table].columns.map(({ name }, line) => [name, line]))]),
);

const [SOURCE = 0, AGENT = 0, COUNT = 0] = ['source', 'registered_agent_name', COUNTED].map((field) =>
  Number(LINES.get('filings')?.get(field)),
);

/** The lines of filings with the number of filings of their agents. */
function counted(tables: Tables, records: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const agents = records.map(({ [SOURCE]: source = '', [AGENT]: name = '' }) =>
    name.startsWith('"') ? `${String(JSON.parse(source))} ${agentOf(String(JSON.parse(name)))}` : '',
  );
  const filings = tables.filingsOf(agents);
  return records.map((lines, i) => {
    const count = filings.get(agents[i] ?? '');
    return count === undefined ? lines : lines.with(COUNT, String(count));
  });
}

/** Writes records of these fields from their lines. */
function writerOf(table: TableName, names: readonly string[]): (lines: readonly string[]) => string {
  const lineOf = LINES.get(table);
  const fields = names
    .filter((name) => name !== ABSENT)
    .map((name, i) => {
      const start = `${i === 0 ? '' : ','}"${name}":`;
      const at = lineOf?.get(name) ?? -1;
      const isJson = TABLES[table].columns[at]?.kind === 'json';
      return { at, isJson, start, isNull: `${start}null`, reason: `,"${name}":"` };
    });
  const hasAbsent = fields.length < names.length;
  return (lines) => {
    let [text, absent] = ['', ''];
    for (const { at, isJson, start, isNull, reason } of fields) {
      const line = lines[at] ?? '';
      const inside = isJson ? line.indexOf(INSIDE_SEPARATOR) : -1;
      if (line === '') text += isNull;
      else if (line.startsWith(REASON)) {
        text += isNull;
        absent += `${reason}${line.slice(REASON.length)}"`;
      } else if (inside === -1) text += start + line;
      else {
        text += start + line.slice(0, inside);
        absent += `,${line.slice(inside + 2, -1)}`;
      }
    }
    return `{${text}${hasAbsent ? `,"${ABSENT}":{${absent.slice(1)}}` : ''}}`;
  };
}

/** Reads the texts of records with these fields, in the order of their rows. @param names default: all of the record */
export function recordReader(tables: Tables, table: TableName, names: readonly string[] = allFields(table)) {
  const write = writerOf(table, names);
  const isCounted = table === 'filings' && names.includes(COUNTED);
  return (rows: readonly number[]): Buffer[] => {
    const records = tables.linesOf(table, rows);
    return (isCounted ? counted(tables, records) : records).map((lines) => Buffer.from(write(lines)));
  };
}
