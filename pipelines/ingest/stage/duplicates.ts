/** Rows of one key in a read: identical ones are merged, contradictory ones are refused if the source says so. */
import type { DuckDBConnection } from '@duckdb/node-api';
import { rowsOf } from '../../../lib/duck.ts';
import { identifier } from '../../../lib/sql.ts';
import type { SourceSpec } from '../../../sources/contract.ts';
import { rejectOf, type NaturalKey, type Rejected } from './check_rows.ts';
import type { ReadPage } from '../reads.ts';

const list = (columns: readonly string[]): string => columns.map(identifier).join(', ');

/** Delete all rows of `fresh` but the last of each group. @returns number of rows deleted */
async function keepLast(connection: DuckDBConnection, columns: readonly string[]): Promise<number> {
  const [removed] = await rowsOf(
    connection,
    `DELETE FROM fresh WHERE rowid NOT IN (SELECT max(rowid) FROM fresh GROUP BY ${list(columns)})`,
  );
  return Number(removed?.['Count']);
}

/** Whether two rows of `fresh` share their key. */
async function hasDuplicates(connection: DuckDBConnection, key: readonly string[]): Promise<boolean> {
  const shared = await rowsOf(connection, `SELECT 1 FROM fresh GROUP BY ${list(key)} HAVING count(*) > 1 LIMIT 1`);
  return shared.length > 0;
}

/**
 * Leave one row of each key in the table `fresh`.
 * @returns the number of rows merged into another, and the refused rows, with the key of each
 */
export async function resolveDuplicates(
  connection: DuckDBConnection,
  spec: SourceSpec,
  pages: readonly ReadPage[],
): Promise<{ merged: number; rejects: readonly Rejected[]; rejectedKeys: readonly NaturalKey[] }> {
  const { contradictions } = spec;
  // Most reads have none, and the statements below would read all rows up to four times.
  if (!(await hasDuplicates(connection, spec.row.key))) return { merged: 0, rejects: [], rejectedKeys: [] };
  if (contradictions === undefined)
    return { merged: await keepLast(connection, spec.row.key), rejects: [], rejectedKeys: [] };
  const page = contradictions === 'refused_in_page' ? ['page_sha256'] : [];
  const identical = await keepLast(connection, [...spec.row.columns.map(({ name }) => name), ...page]);
  const refused = await takeContradictions(connection, spec, [...spec.row.key, ...page]);
  // Any remaining rows of a key are on different pages: the later page counts.
  const merged = identical + (await keepLast(connection, spec.row.key));
  const rejects = [...Map.groupBy(refused, ({ group }) => group).values()].flatMap((rows) =>
    rejectContradictions(spec, rows, pages),
  );
  return { merged, rejects, rejectedKeys: refused.map(({ values }) => keyOf(spec, values)) };
}

interface RefusedRow {
  /** Rows that contradict each other have the same group. */
  readonly group: string;
  readonly values: Readonly<Record<string, unknown>>;
  readonly pageSha256: string;
  readonly pageRow: number;
}

/** Remove the rows of `fresh` that share the columns `by` with another one that contradicts them, and return them. */
async function takeContradictions(
  connection: DuckDBConnection,
  spec: SourceSpec,
  by: readonly string[],
): Promise<RefusedRow[]> {
  const values = spec.row.columns.map(({ name }) => `${identifier(name)} := CAST(${identifier(name)} AS VARCHAR)`);
  // The columns of a key may have several types.
  const group = by.map((name) => `CAST(${identifier(name)} AS VARCHAR)`).join(', ');
  const compared = spec.contradictory ?? spec.row.columns.map(({ name }) => name);
  const contradictory = `QUALIFY count(DISTINCT hash(${list(compared)})) OVER (PARTITION BY ${list(by)}) > 1`;
  const found = await rowsOf(
    connection,
    `SELECT CAST(to_json([${group}]) AS VARCHAR) AS "group", page_sha256, page_row,
        CAST(to_json(struct_pack(${values.join(', ')})) AS VARCHAR) AS "values"
      FROM fresh ${contradictory} ORDER BY rowid`,
  );
  await connection.run(`DELETE FROM fresh WHERE rowid IN (SELECT rowid FROM fresh ${contradictory})`);
  return found.map((row) => ({
    group: String(row['group']),
    values: JSON.parse(String(row['values'])) as Record<string, unknown>,
    pageSha256: String(row['page_sha256']),
    pageRow: Number(row['page_row']),
  }));
}

const keyOf = (spec: SourceSpec, values: RefusedRow['values']): NaturalKey =>
  Object.fromEntries(spec.row.key.map((name) => [name, String(values[name])]));

/** Maximum number of differing fields that a reject shows with their values. */
const MAX_FIELDS = 3;

/** Rejects of rows that contradict each other. */
function rejectContradictions(spec: SourceSpec, rows: readonly RefusedRow[], pages: readonly ReadPage[]): Rejected[] {
  const pageOf = ({ pageSha256 }: RefusedRow): ReadPage | undefined =>
    pages.find(({ sha256 }) => sha256 === pageSha256);
  const differing = spec.row.columns
    .map(({ name }) => name)
    .filter((name) => new Set(rows.map(({ values }) => values[name] ?? null)).size > 1);
  const shown = differing.slice(0, MAX_FIELDS).map((name) => {
    const texts = new Set(rows.map(({ values }) => JSON.stringify(values[name] ?? null)));
    return `${name} (${[...texts].join(', ')})`;
  });
  const more = differing.length > MAX_FIELDS ? ` and ${differing.length - MAX_FIELDS} more fields` : '';
  const key = spec.row.key.map((name) => String(rows[0]?.values[name])).join(' ');
  const files = new Set(rows.map((row) => pageOf(row)?.context['file']).filter((name) => name !== undefined));
  const advice =
    files.size > 1 ? `. They are in ${[...files].join(' and ')}: leave only the newest list in the folder` : '';
  const detail = `${rows.length} rows of ${key} differ in ${shown.join(', ')}${more}${advice}`;
  return rows.map((row) => {
    const { url = spec.home, observedAt = '' } = pageOf(row) ?? {};
    const [page, raw] = [{ url, sha256: row.pageSha256, observedAt }, JSON.stringify(row.values)];
    return rejectOf(spec, page, { page_row: row.pageRow, reason: 'contradictory_rows', detail, raw });
  });
}
