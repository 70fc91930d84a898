/** The changes between two files with rows of one record, by their keys. */
import type { DuckDBConnection } from '@duckdb/node-api';
import { typesOf } from '../../lib/duck.ts';
import { identifier, literal } from '../../lib/sql.ts';

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
