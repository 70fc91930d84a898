/**
 * Publication. Everything is written into a folder nobody reads, flushed, and moved into place by one rename;
 * a second rename switches `current`. A crash at any instant leaves the old snapshot serving.
 */
import { rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { commentOn, createTable } from '../lib/record.ts';
import { rowsOf } from '../lib/duck.ts';
import { makeFolder, pointAt, sha256OfFile, sync } from '../lib/files.ts';
import { identifier, literal } from '../lib/sql.ts';
import type { Model } from '../models/index.ts';
import { compareRunIds, type Layout } from './layout.ts';
import { BUILDING } from './leftovers.ts';
import { currentSnapshot, Manifest } from './snapshots.ts';

/** Rows in a row group of a published table: small enough that a sorted lookup reads little. */
export const ROW_GROUP = 20_480;

const DATABASE = 'dealfeed.duckdb';

/** Write the published tables of a finished build and its manifest, then move the folder into place. */
export async function writeSnapshot(
  connection: DuckDBConnection, layout: Layout, models: readonly Model[], manifest: Omit<Manifest, 'tables' | 'database'>,
): Promise<Manifest> {
  const building = join(layout.snapshots, `${BUILDING}${manifest.run_id}`);
  await makeFolder(building);
  try {
    const whole = await writeFiles(connection, building, models, manifest);
    await rename(building, layout.snapshot(manifest.run_id));
    await sync(layout.snapshots);
    return whole;
  } catch (error) {
    // A full disk has no room for half a snapshot.
    await rm(building, { recursive: true, force: true });
    throw error;
  }
}

/** Every file of a snapshot, flushed, the manifest last. */
async function writeFiles(
  connection: DuckDBConnection, building: string, models: readonly Model[], manifest: Omit<Manifest, 'tables' | 'database'>,
): Promise<Manifest> {
  const published = models.filter((m) => m.contract.publish);
  const tables: Manifest['tables'] = {};
  // Each is written in a full order: its bytes are a function of the rows, whatever the number of threads.
  for (const { name, contract } of published) {
    const file = `${name}.parquet`;
    const path = join(building, file);
    const order = (contract.publish?.orderBy ?? []).join(', ');
    await connection.run(`COPY (SELECT * FROM ${identifier(name)} ORDER BY ${order}) TO ${literal(path)}
      (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${ROW_GROUP}, KV_METADATA {about: ${literal(contract.record.about)}, notice: ${literal(manifest.notice)}})`);
    const rows = Number((await rowsOf(connection, `SELECT count(*) AS n FROM read_parquet(${literal(path)})`))[0]?.['n']);
    tables[name] = { file, rows, bytes: (await stat(path)).size, sha256: await sha256OfFile(path) };
    await sync(path);
  }
  const databasePath = join(building, DATABASE);
  await writeDatabase(connection, databasePath, building, published, tables, manifest.notice);
  const whole = Manifest.parse({
    ...manifest, tables,
    database: { file: DATABASE, bytes: (await stat(databasePath)).size, sha256: await sha256OfFile(databasePath) },
  });
  await sync(databasePath);
  const manifestPath = join(building, 'manifest.json');
  await writeFile(manifestPath, `${JSON.stringify(whole, null, 2)}\n`);
  await sync(manifestPath);
  await sync(building);
  return whole;
}

/** The same tables as one file for analysts, with the notice and every column's note as comments. */
async function writeDatabase(
  connection: DuckDBConnection, path: string, folder: string, published: readonly Model[], tables: Manifest['tables'], notice: string,
): Promise<void> {
  await connection.run(`ATTACH ${literal(path)} AS snapshot`);
  const before = String((await rowsOf(connection, 'SELECT current_catalog() AS name'))[0]?.['name']);
  await connection.run('USE snapshot');
  try {
    for (const { name, contract } of published) {
      await connection.run(createTable(name, contract.record.columns));
      await connection.run(`INSERT INTO ${identifier(name)} FROM read_parquet(${literal(join(folder, tables[name]?.file ?? ''))})`);
      for (const statement of commentOn(name, `${contract.record.about} ${notice}`, contract.record.columns)) await connection.run(statement);
    }
    await connection.run('CHECKPOINT snapshot');
  } finally {
    await connection.run(`USE ${identifier(before)}`);
    await connection.run('DETACH snapshot');
  }
}

/**
 * Let `current` name this snapshot, unless it already names one of a later day.
 * @returns false where a later snapshot stays current
 */
export async function makeCurrent(layout: Layout, runId: string): Promise<boolean> {
  const current = await currentSnapshot(layout);
  if (current !== null && compareRunIds(current, runId) > 0) return false;
  await pointAt(layout.current, join('snapshots', runId));
  return true;
}
