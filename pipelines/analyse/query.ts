/** Queries of analysts: their results for people and programs, the worked ones, and the changes between two files. */
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { typesOf } from '../../lib/duck.ts';
import { identifier, literal } from '../../lib/sql.ts';
import { plural, table } from '../format.ts';

export interface QueryResult {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
  /** Whether the query has more rows than these. */
  readonly hasMore: boolean;
}

/**
 * Run a statement and take at most `maxRows` of its rows. The result is computed whole, so that a late error throws.
 */
export async function runQuery(connection: DuckDBConnection, sql: string, maxRows: number): Promise<QueryResult> {
  const reader = await connection.runAndReadUntil(sql, maxRows + 1);
  const rows = reader.getRowsJson();
  return { columns: reader.columnNames(), rows: rows.slice(0, maxRows), hasMore: rows.length > maxRows };
}

const WIDEST_CELL = 60;

function formatCell(value: unknown): string {
  const raw = value === null ? '·' : typeof value === 'object' ? JSON.stringify(value) : String(value);
  // A line break would break the table.
  return raw.replaceAll(/\s*\n\s*/gu, ' ');
}

const shortened = (text: string): string => (text.length > WIDEST_CELL ? `${text.slice(0, WIDEST_CELL - 1)}…` : text);

/**
 * A table; if the screen is too narrow for it, each row as a list of its columns.
 * @param screenWidth width in characters
 */
export function formatTable({ columns, rows, hasMore }: QueryResult, screenWidth = Infinity): string[] {
  const cells = rows.map((row) => row.map(formatCell));
  const count = hasMore ? `the first ${rows.length} rows; there are more` : plural(rows.length, 'row');
  const lines = table(
    columns,
    cells.map((row) => row.map(shortened)),
  );
  if (columns.length === 0) return [count];
  if (lines.every(({ length }) => length <= screenWidth)) return [...lines, count];
  const width = Math.max(...columns.map(({ length }) => length));
  const list = cells.flatMap((row) => [...row.map((cell, at) => `  ${columns[at]?.padEnd(width)}  ${cell}`), '']);
  return [...list, count];
}

function csvCell(value: unknown): string {
  const text = value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value);
  return /[",\r\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Lines of a format for programs. */
export function formatLines({ columns, rows }: QueryResult, format: 'csv' | 'json'): string[] {
  if (format === 'csv') return [columns.map(csvCell).join(','), ...rows.map((row) => row.map(csvCell).join(','))];
  return rows.map((row) =>
    JSON.stringify(Object.fromEntries(columns.map((column, index) => [column, row[index] ?? null]))),
  );
}

/** Worked queries, of queries/<name>.sql. The first comment is the question; `check:` and `rows:` are for tests. */
export const workedQueries = () =>
  globSync(join(import.meta.dirname, '../../queries/*.sql'))
    .sort()
    .map((path) => {
      const sql = readFileSync(path, 'utf8').trim().replace(/;$/u, '');
      const question = sql.match(/^--(?! check:| rows:) .+/gmu) ?? [];
      return { name: basename(path, '.sql'), answers: question.map((line) => line.slice(3)).join(' '), sql };
    });

/** One side: a Parquet file. */
const fileSql = (path: string): string => `read_parquet(${literal(path)})`;

/**
 * SQL of the changes from one file to another: `key`, `kind` (added, removed or changed), and of a changed row each
 * `field` with its `old` and `new` value as text. A row that is added or removed is JSON in `new` or `old`.
 * @param ignored columns that are not compared
 */
export async function changesSql(
  connection: DuckDBConnection,
  [older, newer]: readonly [older: string, newer: string],
  key: readonly string[],
  ignored: ReadonlySet<string>,
): Promise<string> {
  const [columns, now] = await Promise.all(
    [older, newer].map(async (file) => [...(await typesOf(connection, `FROM ${fileSql(file)}`)).keys()]),
  );
  const compared = (columns ?? []).filter((column) => now?.includes(column) && !ignored.has(column));
  const pairs = compared.map(
    (column) =>
      `{'field': ${literal(column)}, 'old': CAST(a.${identifier(column)} AS VARCHAR), ` +
      `'new': CAST(b.${identifier(column)} AS VARCHAR)}`,
  );
  const whole = (old: string, value: string): string => `[{'field': NULL, 'old': ${old}, 'new': ${value}}]`;
  const isAbsent = (side: 'a' | 'b'): string => `${side}.${identifier(key[0] ?? '')} IS NULL`;
  const json = (side: 'a' | 'b'): string => `CAST(to_json(${side}) AS VARCHAR)`;
  return `
    SELECT key, kind, one.field, one.old, one.new
    FROM (
      SELECT
        concat_ws(' ', ${key.map(identifier).join(', ')}) AS key,
        CASE WHEN ${isAbsent('a')} THEN 'added' WHEN ${isAbsent('b')} THEN 'removed' ELSE 'changed' END AS kind,
        CASE
          WHEN ${isAbsent('a')} THEN ${whole('NULL', json('b'))}
          WHEN ${isAbsent('b')} THEN ${whole(json('a'), 'NULL')}
          ELSE [${pairs.join(', ')}]
        END AS found,
        unnest(list_filter(found, lambda pair: pair.old IS DISTINCT FROM pair.new)) AS one
      FROM ${fileSql(older)} AS a FULL JOIN ${fileSql(newer)} AS b USING (${key.map(identifier).join(', ')}))
    ORDER BY key, one.field`;
}
