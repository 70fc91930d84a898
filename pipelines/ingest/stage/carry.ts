/** Rows that were refused today keep their last good version. */
import type { DuckDBConnection } from '@duckdb/node-api';
import { rowsOf } from '../../../lib/duck.ts';
import { identifier, literal } from '../../../lib/sql.ts';
import { dropFolderAddress } from '../../../sources/fetch/drop.ts';
import type { SourceSpec } from '../../../sources/contract.ts';
import { isPartOfKey, type NaturalKey } from './check_rows.ts';
import { HANDED_OVER, createTableWithRows, stagedColumns } from './json_rows.ts';

/**
 * Add to the table `fresh` the rows of the last good read whose keys were refused today and that `fresh` does not hold.
 * A key with only some of its parts stands for all rows of an unreadable page. The key `folder` stands for the rows of
 * that drop folder, except those of files that were read today.
 * @returns number of rows added
 */
export async function carryRows(
  connection: DuckDBConnection,
  spec: SourceSpec,
  rejectedKeys: readonly NaturalKey[],
  { before, target }: { readonly before: string | undefined; readonly target: string },
): Promise<number> {
  if (before === undefined || rejectedKeys.length === 0) return 0;
  const { key, columns } = spec.row;
  const parts = columns
    .filter((column) => key.includes(column.name))
    .map((column) => ({ ...column, sql: 'VARCHAR', absent: 'not read' }));
  const folders = rejectedKeys.flatMap(({ folder }) => (folder === undefined ? [] : [folder]));
  const pages = rejectedKeys.filter((refused) => isPartOfKey(spec, refused) && key.some((name) => name in refused));
  const rows = rejectedKeys.filter((refused) => !isPartOfKey(spec, refused));
  const file = `${target}.refused${HANDED_OVER}`;
  await createTableWithRows(connection, { table: 'refused', columns: parts, file }, rows);
  await createTableWithRows(connection, { table: 'refused_pages', columns: parts, file }, pages);
  const sameKey = (a: string, b: string): string =>
    key
      .map(identifier)
      .map((name) => `CAST(${a}.${name} AS VARCHAR) IS NOT DISTINCT FROM CAST(${b}.${name} AS VARCHAR)`)
      .join(' AND ');
  const onPage = key
    .map(identifier)
    .map((name) => `(r.${name} IS NULL OR r.${name} = CAST(p.${name} AS VARCHAR))`)
    .join(' AND ');
  const inFolder = [...new Set(folders)].map((folder) => {
    const address = literal(dropFolderAddress(spec.name, folder));
    return `starts_with(p.source_url, ${address}) AND NOT contains(substr(p.source_url, length(${address}) + 1), '/')
        AND p.source_url NOT IN (SELECT source_url FROM fresh)`;
  });
  const isLost = [
    `EXISTS (FROM refused r WHERE ${sameKey('p', 'r')})`,
    `EXISTS (FROM refused_pages r WHERE ${onPage})`,
    ...inFolder.map((condition) => `(${condition})`),
  ];
  // By name: a file from before a column existed has no value for it.
  const [added] = await rowsOf(
    connection,
    `INSERT INTO fresh
      SELECT ${stagedColumns(spec)
        .map((column) => `p.${identifier(column.name)}`)
        .join(', ')}
      FROM (SELECT * FROM fresh WHERE false UNION ALL BY NAME SELECT * FROM read_parquet(${literal(before)})) p
      WHERE (${isLost.join(' OR ')})
        AND NOT EXISTS (FROM fresh f WHERE ${sameKey('p', 'f')})`,
  );
  return Number(added?.['Count']);
}
