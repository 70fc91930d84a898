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
  const countedAt = table === 'filings' ? fields.find(({ name }) => name === COUNTED)?.at : undefined;
  const filings = countedAt === undefined ? undefined : tables.filingsOf(records.map(agentIn));
  return records.map((stored) => {
    const counted = filings?.get(agentIn(stored));
    const lines = counted === undefined ? stored : stored.with(countedAt ?? -1, String(counted));
    const texts: string[] = [];
    const absent: string[] = [];
    for (const field of fields) {
      const line = lines[field.at] ?? '';
      if (line === '') texts.push(`${field.start}null`);
      else if (line.startsWith(REASON)) {
        texts.push(`${field.start}null`);
        absent.push(`${field.start}"${line.slice(REASON.length)}"`);
      } else {
        const inside = line.indexOf(INSIDE_SEPARATOR);
        texts.push(field.start + (inside === -1 ? line : line.slice(0, inside)));
        if (inside !== -1) absent.push(line.slice(inside + 2, -1));
      }
    }
    if (hasAbsent) texts.push(`"${ABSENT}":{${absent.join(',')}}`);
    return Buffer.from(`{${texts.join(',')}}`);
  });
}
