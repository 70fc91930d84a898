/** Compares two snapshots by key: added rows, removed rows, and each changed value. Formats and writes the changes. */
import { join } from 'node:path';
import { openDuck, rowsOf, typesOf, type Duck } from '../../lib/duck.ts';
import { SettingError } from '../../lib/settings.ts';
import type { RecordDefinition } from '../../lib/record.ts';
import { convertedRow, rowsOfFiles, storedType } from '../../lib/stored_types.ts';
import { identifier, literal } from '../../lib/sql.ts';
import { loadMarts, type Mart } from '../../models/index.ts';
import { movingFields } from '../../models/marts/change_feeds.ts';
import type { Manifest } from '../../models/manifest.ts';
import type { Layout } from '../layout.ts';
import { number } from '../format.ts';
import { readManifest, verifySnapshot } from '../snapshots.ts';

/** Fields by which people recognize a row, in addition to its key. */
const LABELS: Readonly<Record<string, readonly string[]>> = {
  deals: ['address', 'city'],
  leads: ['lead_type', 'address', 'county'],
  signals: ['county', 'parcel_id'],
  auctions: ['county', 'case_number', 'sale_date'],
  filings: ['business_name'],
  owners: ['owner_name', 'county'],
};

/** Tables that follow from other tables. Compared with ALL=1 only. */
export const DERIVED_TABLES: ReadonlySet<string> = new Set([
  'reports',
  'property_keys',
  'coverage',
  'changes',
  'change_feeds',
  'metro_days',
  'places',
  'endings',
  'agents',
  'registers',
]);

export interface TableDiff {
  readonly table: string;
  readonly rows: readonly [a: number, b: number];
  readonly added: number;
  readonly removed: number;
  /** Rows with at least one change. */
  readonly changed: number;
  /** Changes by field, most first. */
  readonly fields: readonly { readonly field: string; readonly changes: number }[];
  /** Columns of either snapshot, in the order of the record. */
  readonly columnsInOrder: readonly string[];
  /** Columns of one snapshot only. */
  readonly columns: { readonly onlyA: readonly string[]; readonly onlyB: readonly string[] };
}

export interface TableDiffs {
  readonly tables: readonly TableDiff[];
  /** All changes, in a table `changes` of this database. The caller closes it. */
  readonly duck: Duck;
}

export interface Diff extends TableDiffs {
  readonly a: Manifest;
  readonly b: Manifest;
}

export interface DiffOptions {
  /** Also compare fields that move by themselves, and derived tables. */
  readonly includeAll?: boolean;
}

/** A folder of Parquet files, such as a snapshot or a release. */
export interface TableFolder {
  readonly folder: string;
  readonly tables: Manifest['tables'];
}

/** One table of one folder. */
interface Side {
  /** SQL of the rows of its files; null if it has no such table. */
  readonly from: string | null;
  readonly columns: readonly string[];
  /** SELECT list of the columns, with instants as models have them. */
  readonly row: string;
  readonly rows: number;
}

/** A table to compare. */
interface Compared {
  readonly name: string;
  /** Columns that identify a row. */
  readonly key: readonly string[];
}

const NO_TABLE: Side = { from: null, columns: [], row: '', rows: 0 };

async function describeSide(duck: Duck, { folder, tables }: TableFolder, { name, contract }: Mart): Promise<Side> {
  const found = tables[name];
  if (!found) return NO_TABLE;
  const paths = found.files.map(({ file }) => join(folder, file));
  const from = rowsOfFiles(paths, contract.record.key);
  const types = await typesOf(duck.connection, `SELECT * FROM ${from}`);
  const stored = contract.record.columns.filter((column) => types.get(column.name) === column.stored);
  return { from, columns: [...types.keys()], row: convertedRow(stored, storedType), rows: found.rows };
}

/** A side as text, so that columns of different types compare; a column that it lacks is null. */
function textView({ from, columns, row }: Side, all: readonly string[]): string {
  const list = all.map((column) => {
    const value = columns.includes(column) ? `CAST(${identifier(column)} AS VARCHAR)` : 'NULL::VARCHAR';
    return `${value} AS ${identifier(column)}`;
  });
  const rows = from === null ? 'WHERE false' : `FROM (SELECT ${row} FROM ${from})`;
  return `(SELECT ${list.join(', ')} ${rows})`;
}

/** Insert the changes of one table into `changes`. @param ignored fields that are not compared */
async function insertChanges(
  { connection }: Duck,
  { name, key }: Compared,
  [a, b]: readonly [Side, Side],
  ignored: ReadonlySet<string>,
): Promise<void> {
  const columns = [...new Set([...a.columns, ...b.columns])];
  const on = key.map((column) => `a.${identifier(column)} IS NOT DISTINCT FROM b.${identifier(column)}`).join(' AND ');
  const keyOf = (side: string): string =>
    `concat_ws(' ', ${key.map((column) => `${side}.${identifier(column)}`).join(', ')})`;
  const labels = (LABELS[name] ?? []).filter((label) => columns.includes(label));
  const labelOf = (side: string): string =>
    `concat_ws(', ', ${['NULL', ...labels.map((label) => `${side}.${identifier(label)}`)].join(', ')})`;
  const [rowsA, rowsB] = [textView(a, columns), textView(b, columns)];
  await connection.run(`
    INSERT INTO changes
    SELECT ${literal(name)}, ${keyOf('b')}, ${labelOf('b')}, 'added', NULL, NULL, CAST(to_json(b) AS VARCHAR)
    FROM ${rowsB} AS b ANTI JOIN ${rowsA} AS a ON ${on}`);
  await connection.run(`
    INSERT INTO changes
    SELECT ${literal(name)}, ${keyOf('a')}, ${labelOf('a')}, 'removed', NULL, CAST(to_json(a) AS VARCHAR), NULL
    FROM ${rowsA} AS a ANTI JOIN ${rowsB} AS b ON ${on}`);
  const compared = columns.filter(
    (column) =>
      a.columns.includes(column) && b.columns.includes(column) && !key.includes(column) && !ignored.has(column),
  );
  if (compared.length === 0) return;
  const pairs = compared.map(
    (column) => `{'field': ${literal(column)}, 'old': a.${identifier(column)}, 'new': b.${identifier(column)}}`,
  );
  const differs = compared
    .map((column) => `a.${identifier(column)} IS DISTINCT FROM b.${identifier(column)}`)
    .join(' OR ');
  await connection.run(`
    INSERT INTO changes
    SELECT ${literal(name)}, key, label, 'changed', change.field, change.old, change.new
    FROM (
      SELECT
        ${keyOf('a')} AS key,
        ${labelOf('b')} AS label,
        unnest(list_filter([${pairs.join(', ')}], lambda c: c.old IS DISTINCT FROM c.new)) AS change
      FROM ${rowsA} AS a JOIN ${rowsB} AS b ON ${on}
      WHERE ${differs})`);
}

const CHANGES_SQL = `
  CREATE TABLE changes (
    "table" VARCHAR, key VARCHAR, label VARCHAR, kind VARCHAR, field VARCHAR, old VARCHAR, new VARCHAR)`;
const COUNTS_SQL = `
  SELECT
    count(*) FILTER (WHERE kind = 'added')::INT AS added,
    count(*) FILTER (WHERE kind = 'removed')::INT AS removed,
    count(DISTINCT key) FILTER (WHERE kind = 'changed')::INT AS changed
  FROM changes WHERE "table" = $1`;
const FIELDS_SQL = `
  SELECT field, count(*)::INT AS changes FROM changes WHERE "table" = $1 AND kind = 'changed'
  GROUP BY field ORDER BY changes DESC, field`;

/** Summarize the changes of one table. */
async function tableDiff({ connection }: Duck, table: string, [a, b]: readonly [Side, Side]): Promise<TableDiff> {
  const [counts] = await rowsOf(connection, COUNTS_SQL, [table]);
  const fields = await rowsOf(connection, FIELDS_SQL, [table]);
  const isInBoth = a.from !== null && b.from !== null;
  const subtract = (from: Side, other: Side): string[] =>
    isInBoth ? from.columns.filter((column) => !other.columns.includes(column)) : [];
  return {
    table,
    rows: [a.rows, b.rows],
    added: Number(counts?.['added']),
    removed: Number(counts?.['removed']),
    changed: Number(counts?.['changed']),
    columnsInOrder: [...new Set([...a.columns, ...b.columns])],
    fields: fields.map((field) => ({ field: String(field['field']), changes: Number(field['changes']) })),
    columns: { onlyA: subtract(a, b), onlyB: subtract(b, a) },
  };
}

/** Compare the published tables of two folders by their keys. */
export async function diffTables(
  older: TableFolder,
  newer: TableFolder,
  { includeAll = false }: DiffOptions = {},
): Promise<TableDiffs> {
  const duck = await openDuck();
  try {
    await duck.connection.run(CHANGES_SQL);
    const tables: TableDiff[] = [];
    for (const model of await loadMarts()) {
      if (!includeAll && DERIVED_TABLES.has(model.name)) continue;
      const sides = [await describeSide(duck, older, model), await describeSide(duck, newer, model)] as const;
      if (sides.every((side) => side.from === null)) continue;
      const { record } = model.contract;
      const ignored = new Set(includeAll ? [] : movingFields(record));
      await insertChanges(duck, { name: model.name, key: record.key }, sides, ignored);
      tables.push(await tableDiff(duck, model.name, sides));
    }
    return { tables, duck };
  } catch (error) {
    duck.close();
    throw error;
  }
}

/**
 * Compare two snapshots by the keys of their tables.
 * @throws SettingError if a snapshot is damaged
 */
export async function diffSnapshots(
  layout: Layout,
  runA: string,
  runB: string,
  { includeAll = false }: DiffOptions = {},
): Promise<Diff> {
  for (const runId of new Set([runA, runB])) {
    const [damage] = await verifySnapshot(layout, runId, 'retained');
    if (damage !== undefined) throw new SettingError(`Snapshot ${runId} is damaged: ${damage}`);
  }
  const [a, b] = [await readManifest(layout, runA), await readManifest(layout, runB)];
  const folderOf = ({ run_id, tables }: Manifest): TableFolder => ({ folder: layout.snapshot(run_id), tables });
  const { tables, duck } = await diffTables(folderOf(a), folderOf(b), { includeAll });
  return { a, b, tables, duck };
}

/**
 * Compare two files with rows of the same record, and format the changes.
 * @param ignored columns that are not compared
 */
export async function diffFiles(
  name: string,
  { key }: Pick<RecordDefinition, 'key'>,
  files: readonly [older: string, newer: string],
  ignored: ReadonlySet<string>,
): Promise<{ readonly diff: TableDiff; readonly lines: readonly string[] }> {
  const duck = await openDuck(':memory:', { threads: 1 });
  try {
    await duck.connection.run(CHANGES_SQL);
    const [a, b] = [await describeFile(duck, files[0]), await describeFile(duck, files[1])];
    await insertChanges(duck, { name, key }, [a, b], ignored);
    const diff = await tableDiff(duck, name, [a, b]);
    return { diff, lines: await formatTable(duck, diff) };
  } finally {
    duck.close();
  }
}

async function describeFile({ connection }: Duck, file: string): Promise<Side> {
  const from = `read_parquet(${literal(file)})`;
  const columns = [...(await typesOf(connection, `SELECT * FROM ${from}`)).keys()];
  const [count] = await rowsOf(connection, `SELECT count(*)::INT AS n FROM ${from}`);
  return { from, columns, row: '*', rows: Number(count?.['n']) };
}

/** COPY options by the ending of the file. */
const FORMATS: Readonly<Record<string, string>> = {
  '.parquet': 'FORMAT parquet, COMPRESSION zstd',
  '.ndjson': 'FORMAT json',
};

/**
 * Write the table `changes` of a diff: one line of JSON or one row of Parquet each.
 * @returns the number of changes
 * @throws SettingError if the file has another ending
 */
export async function writeChanges({ connection }: Duck, path: string): Promise<number> {
  const format = FORMATS[/\.[a-z]+$/u.exec(path)?.[0] ?? ''];
  if (format === undefined)
    throw new SettingError(`OUT is ${JSON.stringify(path)}, expected a file that ends with .ndjson or .parquet`);
  await connection.run(`COPY (FROM changes ORDER BY ALL) TO ${literal(path)} (${format})`);
  const [count] = await rowsOf(connection, 'SELECT count(*) AS n FROM changes');
  return Number(count?.['n']);
}

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

export async function formatDiff({ a, b, tables, duck }: Diff): Promise<string[]> {
  const lines = [`${a.run_id} (as of ${a.as_of}) -> ${b.run_id} (as of ${b.as_of})`];
  if (a.assumption_set_id !== b.assumption_set_id)
    lines.push(`different assumptions: ${a.assumption_set_id} -> ${b.assumption_set_id}`);
  if (a.versions.models !== b.versions.models)
    lines.push('different models: values may differ because the computation changed');
  for (const diff of tables) if (!isUnchanged(diff)) lines.push('', ...(await formatTable(duck, diff)));
  const unchanged = tables.filter(isUnchanged).map((table) => table.table);
  if (unchanged.length > 0) lines.push('', `identical: ${unchanged.join(', ')}`);
  return lines;
}
