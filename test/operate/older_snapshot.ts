/** Snapshots as older versions built them. */
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { openDuck, rowsOf } from '../../lib/duck.ts';
import { sha256OfFile } from '../../lib/files.ts';
import { literal } from '../../lib/sql.ts';
import { changeManifest } from '../api/support/snapshot_fixtures.ts';

/**
 * Remove columns and tables from a snapshot, as if it had been built before they were added. A column with a type gets
 * this type instead.
 */
export async function removeFromSnapshot(
  folder: string,
  {
    columns = [],
    tables = [],
  }: { columns?: readonly (readonly [table: string, column: string, type?: string])[]; tables?: readonly string[] },
): Promise<void> {
  const [database, older] = [join(folder, 'dealfeed.duckdb'), join(folder, 'older.duckdb')];
  const duck = await openDuck();
  await duck.connection.run(`ATTACH ${literal(database)} AS newer (READ_ONLY); ATTACH ${literal(older)} AS older`);
  const found = await rowsOf(duck.connection, `FROM duckdb_tables() WHERE database_name = 'newer'`);
  // Copies: older files have no keys, and a column of a table that has them cannot be dropped.
  for (const name of found.map((row) => String(row['table_name'])).filter((each) => !tables.includes(each))) {
    const changed = columns.filter(([table]) => table === name);
    const dropped = changed.flatMap(([, column, type]) => (type === undefined ? [column] : []));
    const retyped = changed.flatMap(([, column, type]) =>
      type === undefined ? [] : [`${column}::${type} AS ${column}`],
    );
    const kept = [
      ...(dropped.length > 0 ? [`EXCLUDE (${dropped.join(', ')})`] : []),
      ...(retyped.length > 0 ? [`REPLACE (${retyped.join(', ')})`] : []),
    ];
    await duck.connection.run(`CREATE TABLE older.${name} AS SELECT * ${kept.join(' ')} FROM newer.${name}`);
  }
  duck.close();
  await rename(older, database);
  const sha256 = await sha256OfFile(database);
  await changeManifest(folder, (manifest) => {
    for (const table of tables) delete manifest.tables[table];
    Object.assign(manifest.database, { sha256 });
  });
}
