/** Two snapshots compared by key: rows that came, rows that went, and each value that changed. */
import { join } from 'node:path';
import { openDuck, rowsOf, type Duck } from '../../lib/duck.ts';
import { SettingError } from '../../lib/settings.ts';
import { identifier, literal } from '../../lib/sql.ts';
import { loadModels, type Model } from '../../models/index.ts';
import type { Layout } from '../layout.ts';
import { number } from '../run/summary.ts';
import type { Manifest } from '../../models/manifest.ts';
import { readManifest, verifySnapshot } from '../snapshots.ts';

/**
 * Fields that move by themselves from day to day and say nothing of a property: when and where a row was read, and ages
 * counted from it, with what follows from the days alone. They are compared only where they are asked for.
 */
export const MOVING: ReadonlySet<string> = new Set([
  'observed_at',
  'last_seen',
  'last_verified',
  'verified_age_days',
  'rent_observed_at',
  'page_sha256',
  'page_row',
  'provenance',
  'days_on_feed',
  'version_last_seen',
  'last_good_at',
  'age_days',
  'distress_matches',
  'distress_candidates',
  'score_rationale',
  'also_listed',
  'motivation_days',
  'motivation_score',
  'rental_rationale',
  'wholesale_rationale',
  'creative_finance_rationale',
]);
/** What a person knows a row by, beside its key. */
const LABELS: Readonly<Record<string, readonly string[]>> = {
  deals: ['address', 'city'],
  leads: ['lead_type', 'address', 'county'],
  signals: ['county', 'parcel_id'],
  auctions: ['county', 'case_number', 'sale_date'],
  filings: ['business_name'],
};
/** Tables that follow from others. */
const DERIVED: ReadonlySet<string> = new Set(['reports']);

export interface TableDiff {
  readonly table: string;
  readonly rows: readonly [a: number, b: number];
  readonly added: number;
  readonly removed: number;
  /** Rows with at least one change. */
  readonly changed: number;
  /** Changes by field, most first. */
  readonly fields: readonly { readonly field: string; readonly changes: number }[];
  /** Columns of either, as their record has them. */
  readonly columnsInOrder: readonly string[];
  /** Columns that only one of the two has. */
  readonly columns: { readonly onlyA: readonly string[]; readonly onlyB: readonly string[] };
}

export interface Diff {
  readonly a: Manifest;
  readonly b: Manifest;
  readonly tables: readonly TableDiff[];
  /** All changes, in a table `changes` of this database. Close it. */
  readonly duck: Duck;
}

interface Side {
  readonly file: string | null;
  readonly columns: readonly string[];
  readonly rows: number;
}

async function sideOf(duck: Duck, layout: Layout, manifest: Manifest, table: string): Promise<Side> {
  const found = manifest.tables[table];
  if (!found) return { file: null, columns: [], rows: 0 };
  const file = join(layout.snapshot(manifest.run_id), found.file);
  const columns = (await rowsOf(duck.connection, `DESCRIBE SELECT * FROM read_parquet(${literal(file)})`)).map((r) =>
    String(r['column_name']),
  );
  return { file, columns, rows: found.rows };
}

/** A side as text, so that columns of different types can be held against each other; what it lacks is null. */
const viewOf = ({ file, columns }: Side, all: readonly string[]): string =>
  file === null
    ? `(SELECT ${all.map((c) => `NULL::VARCHAR AS ${identifier(c)}`).join(', ')} WHERE false)`
    : `(SELECT ${all.map((c) => (columns.includes(c) ? `CAST(${identifier(c)} AS VARCHAR) AS ${identifier(c)}` : `NULL::VARCHAR AS ${identifier(c)}`)).join(', ')} FROM read_parquet(${literal(file)}))`;

async function compareTable(duck: Duck, { name, contract }: Model, a: Side, b: Side, all: boolean): Promise<TableDiff> {
  const { key } = contract.record;
  const columns = [...new Set([...a.columns, ...b.columns])];
  const both = columns.filter(
    (c) => a.columns.includes(c) && b.columns.includes(c) && !key.includes(c) && (all || !MOVING.has(c)),
  );
  const on = key.map((k) => `a.${identifier(k)} IS NOT DISTINCT FROM b.${identifier(k)}`).join(' AND ');
  const keyOf = (side: string): string => `concat_ws(' ', ${key.map((k) => `${side}.${identifier(k)}`).join(', ')})`;
  const labelOf = (side: string): string =>
    `concat_ws(', ', ${['NULL', ...(LABELS[name] ?? []).filter((c) => columns.includes(c)).map((c) => `${side}.${identifier(c)}`)].join(', ')})`;
  const [left, right] = [viewOf(a, columns), viewOf(b, columns)];
  const { connection } = duck;
  await connection.run(
    `INSERT INTO changes SELECT ${literal(name)}, ${keyOf('b')}, ${labelOf('b')}, 'added', NULL, NULL, CAST(to_json(b) AS VARCHAR) FROM ${right} AS b ANTI JOIN ${left} AS a ON ${on}`,
  );
  await connection.run(
    `INSERT INTO changes SELECT ${literal(name)}, ${keyOf('a')}, ${labelOf('a')}, 'removed', NULL, CAST(to_json(a) AS VARCHAR), NULL FROM ${left} AS a ANTI JOIN ${right} AS b ON ${on}`,
  );
  if (both.length > 0) {
    const pairs = both
      .map((c) => `{'field': ${literal(c)}, 'old': a.${identifier(c)}, 'new': b.${identifier(c)}}`)
      .join(', ');
    const differs = both.map((c) => `a.${identifier(c)} IS DISTINCT FROM b.${identifier(c)}`).join(' OR ');
    await connection.run(`INSERT INTO changes SELECT ${literal(name)}, key, label, 'changed', change.field, change.old, change.new FROM (
      SELECT ${keyOf('a')} AS key, ${labelOf('b')} AS label, unnest(list_filter([${pairs}], lambda c: c.old IS DISTINCT FROM c.new)) AS change FROM ${left} AS a JOIN ${right} AS b ON ${on} WHERE ${differs})`);
  }
  const counts = await rowsOf(
    connection,
    `SELECT count(*) FILTER (WHERE kind = 'added')::INT AS added, count(*) FILTER (WHERE kind = 'removed')::INT AS removed,
    count(DISTINCT key) FILTER (WHERE kind = 'changed')::INT AS changed FROM changes WHERE "table" = ${literal(name)}`,
  );
  const fields = await rowsOf(
    connection,
    `SELECT field, count(*)::INT AS changes FROM changes WHERE "table" = ${literal(name)} AND kind = 'changed' GROUP BY field ORDER BY changes DESC, field`,
  );
  return {
    table: name,
    rows: [a.rows, b.rows],
    added: Number(counts[0]?.['added']),
    removed: Number(counts[0]?.['removed']),
    changed: Number(counts[0]?.['changed']),
    columnsInOrder: columns,
    fields: fields.map((f) => ({ field: String(f['field']), changes: Number(f['changes']) })),
    columns:
      a.file === null || b.file === null
        ? { onlyA: [], onlyB: [] }
        : {
            onlyA: a.columns.filter((c) => !b.columns.includes(c)),
            onlyB: b.columns.filter((c) => !a.columns.includes(c)),
          },
  };
}

/**
 * Compare two snapshots by the keys of their tables.
 * @param all also the fields that move by themselves, and the tables that follow from others
 * @throws SettingError where a snapshot is damaged
 */
export async function diffSnapshots(layout: Layout, runA: string, runB: string, all = false): Promise<Diff> {
  for (const runId of new Set([runA, runB])) {
    const [problem] = await verifySnapshot(layout, runId);
    if (problem !== undefined) throw new SettingError(`snapshot ${runId} is damaged, and says nothing: ${problem}`);
  }
  const [a, b] = [await readManifest(layout, runA), await readManifest(layout, runB)];
  const duck = await openDuck();
  try {
    await duck.connection.run(
      'CREATE TABLE changes ("table" VARCHAR, key VARCHAR, label VARCHAR, kind VARCHAR, field VARCHAR, old VARCHAR, new VARCHAR)',
    );
    const tables: TableDiff[] = [];
    for (const model of (await loadModels()).filter((m) => m.contract.publish && (all || !DERIVED.has(m.name)))) {
      const [left, right] = [await sideOf(duck, layout, a, model.name), await sideOf(duck, layout, b, model.name)];
      if (left.file !== null || right.file !== null) tables.push(await compareTable(duck, model, left, right, all));
    }
    return { a, b, tables, duck };
  } catch (error) {
    duck.close();
    throw error;
  }
}

/** Write every change into a file: a line of JSON or a row of Parquet each. @throws SettingError for another ending */
export async function writeChanges({ duck }: Diff, path: string): Promise<number> {
  const format = path.endsWith('.parquet')
    ? 'FORMAT parquet, COMPRESSION zstd'
    : path.endsWith('.ndjson')
      ? 'FORMAT json'
      : null;
  if (format === null)
    throw new SettingError(`OUT is ${JSON.stringify(path)}, expected a file that ends with .ndjson or .parquet`);
  await duck.connection.run(`COPY (FROM changes ORDER BY ALL) TO ${literal(path)} (${format})`);
  const [count] = await rowsOf(duck.connection, 'SELECT count(*) AS n FROM changes');
  return Number(count?.['n']);
}

/** Changes of a table that are shown; the file has all. */
const SHOWN = 8;
const FIELDS_SHOWN = 12;
const VALUE_WIDTH = 60;
const value = (v: unknown): string =>
  v === null ? 'null' : String(v).length > VALUE_WIDTH ? `${String(v).slice(0, VALUE_WIDTH - 1)}…` : String(v);

const nameOf = (row: Record<string, unknown>): string =>
  `${value(row['key'])}${row['label'] === '' ? '' : ` (${value(row['label'])})`}`;

/** What changed, as lines: each table with its counts, which fields, and some of the changes. */
export async function linesOfDiff(diff: Diff): Promise<string[]> {
  const { a, b, tables, duck } = diff;
  const lines = [`${a.run_id} (as of ${a.as_of}) -> ${b.run_id} (as of ${b.as_of})`];
  if (a.assumption_set_id !== b.assumption_set_id)
    lines.push(`other assumptions: ${a.assumption_set_id} -> ${b.assumption_set_id}`);
  if (a.versions.models !== b.versions.models)
    lines.push('the models are others: values may differ because they are computed in another way');
  const quiet: string[] = [];
  for (const t of tables) {
    const { onlyA, onlyB } = t.columns;
    if (t.added + t.removed + t.changed === 0 && onlyA.length + onlyB.length === 0) {
      quiet.push(t.table);
      continue;
    }
    lines.push(
      '',
      `${t.table}: ${number(t.rows[0])} rows -> ${number(t.rows[1])}; ${number(t.added)} added, ${number(t.removed)} removed, ${number(t.changed)} changed`,
    );
    if (onlyA.length > 0) lines.push(`  columns gone: ${onlyA.join(', ')}`);
    if (onlyB.length > 0) lines.push(`  columns new: ${onlyB.join(', ')}`);
    if (t.fields.length > 0)
      lines.push(
        `  by field: ${t.fields
          .slice(0, FIELDS_SHOWN)
          .map((f) => `${f.field} ${number(f.changes)}`)
          .join(', ')}${t.fields.length > FIELDS_SHOWN ? `, and ${t.fields.length - FIELDS_SHOWN} more` : ''}`,
      );
    // Of each field its first change before the second of any, in the order of the record: what matters most stands first.
    const order = `list_position([${t.columnsInOrder.map(literal).join(', ')}], field)`;
    const some = await rowsOf(
      duck.connection,
      `SELECT * FROM (
      SELECT *, ${order} AS place FROM changes WHERE "table" = $1 AND kind = 'changed' ORDER BY row_number() OVER (PARTITION BY field ORDER BY key), place LIMIT ${SHOWN}) ORDER BY key, place`,
      [t.table],
    );
    for (const c of some)
      lines.push(`  ~ ${nameOf(c)}: ${String(c['field'])} ${value(c['old'])} -> ${value(c['new'])}`);
    for (const [kind, sign] of [
      ['added', '+'],
      ['removed', '-'],
    ] as const) {
      for (const c of await rowsOf(
        duck.connection,
        `SELECT key, label FROM changes WHERE "table" = $1 AND kind = $2 ORDER BY key LIMIT 3`,
        [t.table, kind],
      ))
        lines.push(`  ${sign} ${nameOf(c)}`);
    }
  }
  if (quiet.length > 0) lines.push('', `the same in both: ${quiet.join(', ')}`);
  return lines;
}
