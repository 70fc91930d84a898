/** Records as JSON, from their lines in a serving file (models/serving/text.ts). */
import { ABSENT, type RecordDefinition } from '../../lib/record.ts';
import { INSIDE_SEPARATOR } from '../../models/absence/inside.ts';
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

const [SOURCE, AGENT] = ['source', 'registered_agent_name'].map((field) =>
  TABLES.filings.columns.findIndex(({ name }) => name === field),
);

/** The key of a filing's agent, from its lines. */
function agentIn(lines: readonly string[]): string {
  const [source = '', name = ''] = [lines[SOURCE ?? 0], lines[AGENT ?? 0]];
  return name.startsWith('"') ? `${String(JSON.parse(source))} ${agentOf(String(JSON.parse(name)))}` : '';
}

/** How the text of each field starts, and its line. */
function planOf(table: TableName, names: readonly string[]) {
  const lineOf = new Map(TABLES[table].columns.map((column, line) => [column.name, line]));
  const fields = names
    .filter((name) => name !== ABSENT)
    .map((name) => ({ name, start: `"${name}":`, at: lineOf.get(name) ?? -1 }));
  return { fields, hasAbsent: fields.length < names.length };
}

const PLANS = new Map(TABLE_NAMES.map((table) => [table, planOf(table, allFields(table))]));

/** Texts of the records in these rows, in their order. @param names default: all of the record */
export function recordTexts(
  tables: Tables,
  table: TableName,
  rows: readonly number[],
  names?: readonly string[],
): Buffer[] {
  if (rows.length === 0) return [];
  const { fields, hasAbsent } = (names ? undefined : PLANS.get(table)) ?? planOf(table, names ?? allFields(table));
  const records = tables.linesOf(table, rows);
  const filings =
    table === 'filings' && fields.some(({ name }) => name === COUNTED) ? tables.filingsOf(records.map(agentIn)) : null;
  return records.map((lines) => {
    const texts: string[] = [];
    const absent: string[] = [];
    for (const { name, start, at } of fields) {
      const counted = name === COUNTED ? filings?.get(agentIn(lines)) : undefined;
      const line = counted === undefined ? (lines[at] ?? '') : String(counted);
      const inside = line.indexOf(INSIDE_SEPARATOR);
      if (line === '') texts.push(`${start}null`);
      else if (line.startsWith(REASON)) {
        texts.push(`${start}null`);
        absent.push(`${start}"${line.slice(REASON.length)}"`);
      } else if (inside === -1) texts.push(start + line);
      else {
        texts.push(start + line.slice(0, inside));
        absent.push(line.slice(inside + 2, -1));
      }
    }
    if (hasAbsent) texts.push(`"${ABSENT}":{${absent.join(',')}}`);
    return Buffer.from(`{${texts.join(',')}}`);
  });
}
