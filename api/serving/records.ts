/** Records as JSON, from their lines in a serving file (models/serving/text.ts). */
import { ABSENT, type RecordDefinition } from '../../lib/record.ts';
import { INSIDE_SEPARATOR } from '../../models/absence/inside.ts';
import { agentOf } from '../../models/marts/filings.ts';
import { COUNTED, TABLES, type TableName } from '../../models/serving/tables.ts';
import { REASON } from '../../models/serving/text.ts';
import type { Tables } from './tables.ts';

/** Names of the fields of a full record. */
export function allFields(table: TableName): readonly string[] {
  const { columns, causes }: RecordDefinition = TABLES[table];
  const names = columns.map((column) => column.name);
  return causes === undefined ? names : [...names, ABSENT];
}

const [SOURCE, AGENT] = ['source', 'registered_agent_name'].map((field) =>
  TABLES.filings.columns.findIndex(({ name }) => name === field),
);

/** The key of a filing's agent, from its lines. */
function agentIn(lines: readonly string[]): string {
  const [source = '', name = ''] = [lines[SOURCE ?? 0], lines[AGENT ?? 0]];
  return name.startsWith('"') ? `${String(JSON.parse(source))} ${agentOf(String(JSON.parse(name)))}` : '';
}

/** Texts of the records in these rows, in their order. @param names default: all of the record */
export function recordTexts(
  tables: Tables,
  table: TableName,
  rows: readonly number[],
  names = allFields(table),
): Buffer[] {
  const lineOf = new Map(TABLES[table].columns.map((column, line) => [column.name, line]));
  const fields = names.filter((name) => name !== ABSENT).map((name) => ({ name, at: lineOf.get(name) ?? -1 }));
  const hasAbsent = fields.length < names.length;
  const records = rows.map((row) => tables.lines(table, row));
  const filings = table === 'filings' && names.includes(COUNTED) ? tables.filingsOf(records.map(agentIn)) : null;
  return records.map((lines) => {
    let [text, absent, separator] = ['', '', '{'];
    for (const { name, at } of fields) {
      const counted = name === COUNTED ? filings?.get(agentIn(lines)) : undefined;
      const [line = '', inside] = String(counted ?? lines[at] ?? '').split(INSIDE_SEPARATOR);
      const isNull = line === '' || line.startsWith(REASON);
      text += `${separator}"${name}":${isNull ? 'null' : line}`;
      if (isNull && line !== '') absent += `${absent === '' ? '' : ','}"${name}":"${line.slice(REASON.length)}"`;
      if (inside !== undefined) absent += `${absent === '' ? '' : ','}${inside.slice(1, -1)}`;
      separator = ',';
    }
    return Buffer.from(hasAbsent ? `${text}${separator}"${ABSENT}":{${absent}}}` : `${text}}`);
  });
}
