/** Formats a diff for people: each table with its counts, its changed fields, and some of its changes. */
import { rowsOf, type Duck } from '../../../lib/duck.ts';
import { literal } from '../../../lib/sql.ts';
import { number } from '../../format.ts';
import type { Diff, TableDiff } from './diff.ts';

/** Changes, fields and added or removed rows shown per table. `make diff OUT=...` writes all. */
const CHANGES_SHOWN = 8;
const FIELDS_SHOWN = 12;
const ROWS_SHOWN = 3;
const VALUE_WIDTH = 60;

function formatValue(value: unknown): string {
  const text = value === null ? 'null' : String(value);
  return text.length > VALUE_WIDTH ? `${text.slice(0, VALUE_WIDTH - 1)}…` : text;
}

const rowName = (row: Record<string, unknown>): string =>
  `${formatValue(row['key'])}${row['label'] === '' ? '' : ` (${formatValue(row['label'])})`}`;

const isUnchanged = ({ added, removed, changed, columns }: TableDiff): boolean =>
  added + removed + changed + columns.onlyA.length + columns.onlyB.length === 0;

function formatFields({ fields }: TableDiff): string {
  const shown = fields.slice(0, FIELDS_SHOWN).map((field) => `${field.field} ${number(field.changes)}`);
  const more = fields.length > FIELDS_SHOWN ? `, and ${fields.length - FIELDS_SHOWN} more` : '';
  return `  by field: ${shown.join(', ')}${more}`;
}

/** Some changes: the first of each field before the second of any, in the order of the record. */
async function formatChanges({ connection }: Duck, diff: TableDiff): Promise<string[]> {
  const position = `list_position([${diff.columnsInOrder.map(literal).join(', ')}], field)`;
  const changes = await rowsOf(
    connection,
    `SELECT * FROM (
      SELECT *, ${position} AS position FROM changes WHERE "table" = $1 AND kind = 'changed'
      ORDER BY row_number() OVER (PARTITION BY field ORDER BY key), position
      LIMIT ${CHANGES_SHOWN})
    ORDER BY key, position`,
    [diff.table],
  );
  return changes.map((change) => {
    const [old, now] = [formatValue(change['old']), formatValue(change['new'])];
    return `  ~ ${rowName(change)}: ${String(change['field'])} ${old} -> ${now}`;
  });
}

async function formatRows({ connection }: Duck, table: string, kind: 'added' | 'removed'): Promise<string[]> {
  const rows = await rowsOf(
    connection,
    `SELECT key, label FROM changes WHERE "table" = $1 AND kind = $2 ORDER BY key LIMIT ${ROWS_SHOWN}`,
    [table, kind],
  );
  return rows.map((row) => `  ${kind === 'added' ? '+' : '-'} ${rowName(row)}`);
}

async function formatTable(duck: Duck, diff: TableDiff): Promise<string[]> {
  const { table, rows, added, removed, changed, columns } = diff;
  const lines = [
    '',
    `${table}: ${number(rows[0])} rows -> ${number(rows[1])}; ${number(added)} added, ${number(removed)} removed, ` +
      `${number(changed)} changed`,
  ];
  if (columns.onlyA.length > 0) lines.push(`  removed columns: ${columns.onlyA.join(', ')}`);
  if (columns.onlyB.length > 0) lines.push(`  new columns: ${columns.onlyB.join(', ')}`);
  if (diff.fields.length > 0) lines.push(formatFields(diff));
  lines.push(...(await formatChanges(duck, diff)));
  lines.push(...(await formatRows(duck, table, 'added')));
  lines.push(...(await formatRows(duck, table, 'removed')));
  return lines;
}

export async function formatDiff({ a, b, tables, pruned, duck }: Diff): Promise<string[]> {
  const lines = [`${a.run_id} (as of ${a.as_of}) -> ${b.run_id} (as of ${b.as_of})`];
  if (a.assumption_set_id !== b.assumption_set_id)
    lines.push(`different assumptions: ${a.assumption_set_id} -> ${b.assumption_set_id}`);
  if (a.versions.models !== b.versions.models)
    lines.push('different models: values may differ because the computation changed');
  for (const diff of tables) if (!isUnchanged(diff)) lines.push(...(await formatTable(duck, diff)));
  const unchanged = tables.filter(isUnchanged).map((table) => table.table);
  if (unchanged.length > 0) lines.push('', `identical: ${unchanged.join(', ')}`);
  if (pruned.length > 0)
    lines.push('', `not compared, because make prune removed them from a snapshot: ${pruned.join(', ')}`);
  return lines;
}
