/**
 * Publication. Everything is written into a folder nobody reads, flushed, and moved into place by one rename;
 * a second rename switches `current`. A crash at any instant leaves the old snapshot serving.
 */
import { rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { allOf } from '../lib/all.ts';
import { commentOn } from '../lib/record.ts';
import { rowsOf } from '../lib/duck.ts';
import { makeFolder, pointAt, sha256OfFile, sync } from '../lib/files.ts';
import type { Laid } from '../lib/parquet.ts';
import { identifier, literal } from '../lib/sql.ts';
import { carriesRows } from '../models/carried.ts';
import type { Model } from '../models/index.ts';
import { writeByDay } from './by_day.ts';
import { compareRunIds, type Layout } from './layout.ts';
import { BUILDING } from './leftovers.ts';
import { currentSnapshot, Manifest } from './snapshots.ts';

/**
 * The published tables are built once, in their order, in a database file of their own beside the build's. From there
 * their Parquet files are written; then the file itself becomes the analysts' database.
 */
const PUBLISHED = 'published';

export interface Attached {
  /** Name of the attached database. */
  readonly published: string;
  /** Tables in it that hold the rows of the snapshot before, to be brought up to date. */
  readonly there: readonly string[];
}

/** Attach the file that published tables are built in, empty where it is new. @returns its name for buildModels */
export async function attachPublished(connection: DuckDBConnection, buildDatabase: string): Promise<string> {
  await connection.run(`ATTACH ${literal(publishedFile(buildDatabase))} AS ${PUBLISHED}`);
  return PUBLISHED;
}

/** Rows from which on it is quicker to copy a table's file and to change some of them than to write all. */
const CHANGED_IN_PLACE = 500_000;

/**
 * Tables of very many rows that are carried (ModelContract.carries) and that the snapshot before holds with the columns of
 * today: they are brought up to date in a copy of its database.
 * @param from rows that are very many. Default: half a million
 */
export function liesThere(models: readonly Model[], before: Manifest | null, versions: Pick<Manifest['versions'], 'schema' | 'duckdb'>, from = CHANGED_IN_PLACE): readonly string[] {
  if (!(['schema', 'duckdb'] as const).every((k) => before?.versions[k] === versions[k])) return [];
  return models.filter(({ name, contract }) => contract.carries && (before?.tables[name]?.rows ?? 0) >= Math.max(1, from)).map((m) => m.name);
}

/** Attach that copy, with only such tables in it; where there is none, a new file. */
export async function attachCarrying(connection: DuckDBConnection, buildDatabase: string, there: readonly string[]): Promise<Attached> {
  const published = await attachPublished(connection, buildDatabase);
  const tables = await rowsOf(connection, `SELECT table_name FROM duckdb_tables() WHERE database_name = ${literal(PUBLISHED)}`);
  for (const table of tables.map((t) => String(t['table_name'])).filter((t) => !there.includes(t))) await connection.run(`DROP TABLE ${PUBLISHED}.main.${identifier(table)}`);
  return { published, there };
}

/** That file. What it is called by, leftovers.ts knows of. */
export const publishedFile = (buildDatabase: string): string => `${buildDatabase}.${PUBLISHED}`;

/** Rows in a row group of a published table that is written at once: small enough that a sorted lookup reads little. */
export const ROW_GROUP = 20_480;

const DATABASE = 'dealfeed.duckdb';

export interface FinishedBuild {
  readonly connection: DuckDBConnection;
  readonly instance: DuckDBInstance;
  /** File of the build. Its published tables are moved into the snapshot; nothing can be asked of them after that. */
  readonly database: string;
  readonly models: readonly Model[];
  /** Verified snapshot from which tables were brought up to date, and which. */
  readonly carried?: { readonly folder: string; readonly tables: readonly string[] } | undefined;
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

/**
 * Every file of a snapshot, flushed, the manifest last. The database is finished first: its hash is then found while the
 * Parquet files are written from it.
 */
async function writeFiles(build: FinishedBuild, building: string, manifest: Omit<Manifest, 'tables' | 'database'>): Promise<Manifest> {
  const { connection, instance, database, carried } = build;
  const published = build.models.filter((m) => m.contract.publish);
  const databasePath = join(building, DATABASE);
  await finishDatabase(connection, published, carried?.tables ?? [], manifest.notice);
  await rename(publishedFile(database), databasePath);
  await connection.run(`ATTACH ${literal(databasePath)} AS ${PUBLISHED} (READ_ONLY)`);
  const beside = await instance.connect();
  try {
    const write = async (own: DuckDBConnection, models: readonly Model[]): Promise<[string, Manifest['tables'][string]][]> => {
      const written: [string, Manifest['tables'][string]][] = [];
      for (const model of models) {
        const file = `${model.name}.parquet`;
        const laid = await writeTable({ ...build, connection: own }, model, join(building, file), manifest.notice);
        written.push([model.name, { file, ...laid }]);
        await sync(join(building, file));
      }
      return written;
    };
    const byDay = ({ contract }: Model): boolean => contract.publish?.byDay !== undefined;
    const [sha256, large, others] = await allOf([
      sha256OfFile(databasePath), write(connection, published.filter(byDay)), write(beside, published.filter((m) => !byDay(m))), sync(databasePath),
    ]);
    const tables = new Map([...large, ...others]);
    const whole = Manifest.parse({
      ...manifest, tables: Object.fromEntries(published.map(({ name }) => [name, tables.get(name)])),
      database: { file: DATABASE, bytes: (await stat(databasePath)).size, sha256 },
    });
    const manifestPath = join(building, 'manifest.json');
    await writeFile(manifestPath, `${JSON.stringify(whole, null, 2)}\n`);
    await sync(manifestPath);
    await sync(building);
    return whole;
  } finally {
    beside.closeSync();
    await connection.run(`DETACH ${PUBLISHED}`);
  }
}

/** Write a published table in its full order: its bytes are a function of the rows, whatever the number of threads. */
async function writeTable({ connection, instance, carried }: FinishedBuild, model: Model, path: string, notice: string): Promise<Laid> {
  const { name, contract } = model;
  const table = `${PUBLISHED}.main.${identifier(name)}`;
  const said = { about: contract.record.about, notice };
  // Only a table that carries rows of the snapshot before does not lie in its order.
  const inOrder = !(await carriesRows(connection, name, contract));
  if (contract.publish?.byDay !== undefined) {
    const before = carried?.tables.includes(name) ? join(carried.folder, `${name}.parquet`) : undefined;
    return writeByDay(instance, connection, { model, byDay: contract.publish.byDay, table, inOrder }, { path, scratch: `${path}.parts.tmp`, said }, before);
  }
  await connection.run(`COPY (FROM ${table} ${inOrder ? '' : `ORDER BY ${contract.publish?.orderBy.join(', ')}`}) TO ${literal(path)}
    (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1, ROW_GROUP_SIZE ${ROW_GROUP}, KV_METADATA {about: ${literal(said.about)}, notice: ${literal(said.notice)}})`);
  const rows = Number((await rowsOf(connection, `SELECT count(*) AS n FROM read_parquet(${literal(path)})`))[0]?.['n']);
  return { rows, bytes: (await stat(path)).size, sha256: await sha256OfFile(path) };
}

/**
 * Make of the published tables the file for analysts, with the notice and every column's note as comments, and let go of it.
 * @param there tables of the snapshot before, in which it is said already that a column is never null
 */
async function finishDatabase(connection: DuckDBConnection, published: readonly Model[], there: readonly string[], notice: string): Promise<void> {
  const before = String((await rowsOf(connection, 'SELECT current_catalog() AS name'))[0]?.['name']);
  await connection.run(`USE ${PUBLISHED}`);
  try {
    // Audits have held it for every row; an analyst may rely on it.
    const notNull = published.filter(({ name }) => !there.includes(name)).flatMap(({ name, contract }) => contract.record.columns.filter((c) => c.absent === undefined)
      .map((c) => `ALTER TABLE ${identifier(name)} ALTER COLUMN ${identifier(c.name)} SET NOT NULL`));
    const comments = published.flatMap(({ name, contract }) => commentOn(name, `${contract.record.about} ${notice}`, contract.record.columns));
    await connection.run(['BEGIN', ...notNull, ...comments, 'COMMIT'].join(';\n'));
    await connection.run(`CHECKPOINT ${PUBLISHED}`);
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
