/**
 * Publication. Everything is written into a folder nobody reads, flushed, and moved into place by one rename;
 * a second rename switches `current`. A crash at any instant leaves the old snapshot serving.
 */
import { rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { commentOn } from '../lib/record.ts';
import { rowsOf } from '../lib/duck.ts';
import { makeFolder, pointAt, sha256OfFile, sync } from '../lib/files.ts';
import { identifier, literal } from '../lib/sql.ts';
import type { Model } from '../models/index.ts';
import { compareRunIds, type Layout } from './layout.ts';
import { BUILDING } from './leftovers.ts';
import { currentSnapshot, Manifest } from './snapshots.ts';

/**
 * The published tables are built once, in their order, in a database file of their own beside the build's. From there
 * their Parquet files are written; then the file itself becomes the analysts' database.
 */
const PUBLISHED = 'published';

/** Attach the empty file that published tables are built in. @returns its name for buildModels */
export async function attachPublished(connection: DuckDBConnection, buildDatabase: string): Promise<string> {
  await connection.run(`ATTACH ${literal(publishedFile(buildDatabase))} AS ${PUBLISHED}`);
  return PUBLISHED;
}

/** That file. What it is called by, leftovers.ts knows of. */
export const publishedFile = (buildDatabase: string): string => `${buildDatabase}.${PUBLISHED}`;

/** Rows in a row group of a published table: small enough that a sorted lookup reads little. */
export const ROW_GROUP = 20_480;

const DATABASE = 'dealfeed.duckdb';

export interface FinishedBuild {
  readonly connection: DuckDBConnection;
  /** File of the build. Its published tables are moved into the snapshot; nothing can be asked of them after that. */
  readonly database: string;
  readonly models: readonly Model[];
}

/** Write the published tables of a finished build and its manifest, then move the folder into place. */
export async function writeSnapshot(build: FinishedBuild, layout: Layout, manifest: Omit<Manifest, 'tables' | 'database'>): Promise<Manifest> {
  const building = join(layout.snapshots, `${BUILDING}${manifest.run_id}`);
  await makeFolder(building);
  try {
    const whole = await writeFiles(build, building, manifest);
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
async function writeFiles({ connection, database, models }: FinishedBuild, building: string, manifest: Omit<Manifest, 'tables' | 'database'>): Promise<Manifest> {
  const published = models.filter((m) => m.contract.publish);
  const tables: Manifest['tables'] = {};
  // Each lies in its full order: its bytes are a function of the rows, whatever the number of threads.
  for (const { name, contract } of published) {
    const file = `${name}.parquet`;
    const path = join(building, file);
    await connection.run(`COPY ${PUBLISHED}.main.${identifier(name)} TO ${literal(path)}
      (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1, ROW_GROUP_SIZE ${ROW_GROUP}, KV_METADATA {about: ${literal(contract.record.about)}, notice: ${literal(manifest.notice)}})`);
    const rows = Number((await rowsOf(connection, `SELECT count(*) AS n FROM read_parquet(${literal(path)})`))[0]?.['n']);
    tables[name] = { file, rows, bytes: (await stat(path)).size, sha256: await sha256OfFile(path) };
    await sync(path);
  }
  await finishDatabase(connection, published, manifest.notice);
  const databasePath = join(building, DATABASE);
  await rename(publishedFile(database), databasePath);
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

/** Make of the published tables the file for analysts, with the notice and every column's note as comments, and let go of it. */
async function finishDatabase(connection: DuckDBConnection, published: readonly Model[], notice: string): Promise<void> {
  const before = String((await rowsOf(connection, 'SELECT current_catalog() AS name'))[0]?.['name']);
  await connection.run(`USE ${PUBLISHED}`);
  try {
    // Audits have held it for every row; an analyst may rely on it.
    const notNull = published.flatMap(({ name, contract }) => contract.record.columns.filter((c) => c.absent === undefined)
      .map((c) => `ALTER TABLE ${identifier(name)} ALTER COLUMN ${identifier(c.name)} SET NOT NULL`));
    const comments = published.flatMap(({ name, contract }) => commentOn(name, `${contract.record.about} ${notice}`, contract.record.columns));
    for (const statement of ['BEGIN', ...notNull, ...comments, 'COMMIT', `CHECKPOINT ${PUBLISHED}`]) await connection.run(statement);
  } finally {
    await connection.run(`USE ${identifier(before)}`);
    await connection.run(`DETACH ${PUBLISHED}`);
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
