/**
 * Publication: write a snapshot into a temporary folder, flush it, rename it, and point `current` at it by a second
 * rename. After a crash at any instant the old snapshot is still current. Its manifest has the facts of the run.
 */
import { createHash } from 'node:crypto';
import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { duckVersion, rowsOf } from '../../lib/duck.ts';
import { makeFolder, pointAt, sha256OfFile, sync } from '../../lib/files.ts';
import { identifier, literal } from '../../lib/sql.ts';
import { convertedRow, parquetType, storedType } from '../../lib/stored_types.ts';
import type { AssumptionSet } from '../../models/assumptions.ts';
import type { ModelResult } from '../../models/audit.ts';
import { fieldIdOf } from '../../models/field_ids.ts';
import { functionsSource } from '../../models/functions.ts';
import { inputMacrosSql, isMart, macrosSql, type Mart, type Model } from '../../models/index.ts';
import { Manifest } from '../../models/manifest.ts';
import { SERVING_FILES, TABLE_NAMES, TABLES } from '../../models/serving/tables.ts';
import { VIEWS } from '../../models/views.ts';
import type { Clock } from '../clock.ts';
import type { SourceState } from '../ingest/source_state.ts';
import { compareRunIds, type Layout } from '../layout.ts';
import { currentSnapshot } from '../snapshots.ts';
import type { SoldLeads } from '../sold_leads.ts';
import { PUBLISHED, type BuildDatabase } from './build_database.ts';
import { finishDatabase, withKeys } from './finish_database.ts';
import { BUILDING } from './partial_files.ts';
import { writeServingFile } from './serving_file.ts';

/** Rows in a row group of a published Parquet file: small, so that a lookup by the sorted columns reads little. */
const ROW_GROUP = 20_480;

/** Name of a snapshot's DuckDB file. */
export const DATABASE = 'dealfeed.duckdb';

/** The manifest without the files. */
export type SnapshotFacts = Omit<Manifest, 'tables' | 'database' | 'serving'>;

const publishedOf = (models: readonly Model[]): readonly Mart[] => models.filter(isMart);

/** The serving files, if these models publish every table that is served, with all its columns. */
const servingFilesOf = (published: readonly Mart[]): readonly string[] =>
  TABLE_NAMES.every((table) => published.some(({ contract }) => contract.record === TABLES[table]))
    ? [...SERVING_FILES.keys()]
    : [];

/** Number of parts that `writeSnapshot` names: Parquet and serving files, keys of tables, and the database. */
export function partsToWrite(models: readonly Model[]): number {
  const published = publishedOf(models);
  return published.length + servingFilesOf(published).length + withKeys(published).length + 1;
}

interface SnapshotContent {
  readonly models: readonly Model[];
  readonly facts: SnapshotFacts;
  /** Called before each part is written. */
  readonly onPart?: (name: string) => void;
}

/**
 * Write the published tables of a finished build and its manifest, then rename the folder. This moves the file of the
 * published tables into the snapshot, so the build can no longer query them.
 */
export async function writeSnapshot(
  build: BuildDatabase,
  layout: Layout,
  { models, facts, onPart = () => {} }: SnapshotContent,
): Promise<Manifest> {
  const building = join(layout.snapshots, `${BUILDING}${facts.run_id}`);
  await makeFolder(building);
  try {
    const manifest = await writeFiles(build, publishedOf(models), { folder: building, facts, onPart });
    await rename(building, layout.snapshot(facts.run_id));
    await sync(layout.snapshots);
    return manifest;
  } catch (error) {
    // Remove the partial folder: the disk may be full.
    await rm(building, { recursive: true, force: true });
    throw error;
  }
}

interface SnapshotFiles {
  readonly folder: string;
  readonly facts: SnapshotFacts;
  readonly onPart: (name: string) => void;
}

/** Write and flush every file of a snapshot, the manifest last. */
async function writeFiles(
  { connection, publishedFile }: BuildDatabase,
  published: readonly Mart[],
  { folder, facts, onPart }: SnapshotFiles,
): Promise<Manifest> {
  const tables: [string, Manifest['tables'][string]][] = [];
  for (const model of published) {
    onPart(`${model.name}.parquet`);
    tables.push([model.name, await writeParquet(connection, model, folder, facts.notice)]);
  }
  const serving: Manifest['serving'] = [];
  for (const file of servingFilesOf(published)) {
    onPart(file);
    const path = join(folder, file);
    await writeServingFile(connection, file, path);
    serving.push({ file, ...(await flushed(path)) });
  }
  await finishDatabase(connection, published, facts.notice, {
    onKeys: (table) => onPart(`keys of ${table}`),
    onFile: () => onPart(DATABASE),
  });
  const database = join(folder, DATABASE);
  await rename(publishedFile, database);
  const manifest = Manifest.parse({
    ...facts,
    tables: Object.fromEntries(tables),
    database: { file: DATABASE, ...(await flushed(database)) },
    serving,
  });
  const manifestPath = join(folder, 'manifest.json');
  await writeFile(manifestPath, `${JSON.stringify(manifest, null, 2)}\n`);
  await sync(manifestPath);
  await sync(folder);
  return manifest;
}

/**
 * Write a published table as Parquet, in the order of its rows: buildModels has sorted them by a total order, which
 * DuckDB keeps with any number of threads.
 */
async function writeParquet(
  connection: DuckDBConnection,
  { name, contract }: Mart,
  folder: string,
  notice: string,
): Promise<Manifest['tables'][string]> {
  const file = `${name}.parquet`;
  const path = join(folder, file);
  const columns = convertedRow(contract.record.columns, storedType, parquetType);
  const rows = `SELECT ${columns} FROM ${PUBLISHED}.main.${identifier(name)}`;
  const ids = contract.record.columns
    .map((column) => `${identifier(column.name)}: ${fieldIdOf(column.name)}`)
    .join(', ');
  const about = `{about: ${literal(contract.record.about)}, notice: ${literal(notice)}}`;
  const [copied] = await rowsOf(
    connection,
    `COPY (${rows}) TO ${literal(path)}
    (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1, ROW_GROUP_SIZE ${ROW_GROUP}, FIELD_IDS {${ids}},
    KV_METADATA ${about})`,
  );
  return { file, rows: Number(copied?.['Count']), ...(await flushed(path)) };
}

/** Flush a written file. @returns its size and hash */
async function flushed(path: string): Promise<{ bytes: number; sha256: string }> {
  await sync(path);
  return { bytes: (await stat(path)).size, sha256: await sha256OfFile(path) };
}

/**
 * Make this snapshot current, unless the current one is of a later day.
 * @returns false if a later snapshot stays current
 */
export async function makeCurrent(layout: Layout, runId: string): Promise<boolean> {
  const current = await currentSnapshot(layout);
  if (current !== null && compareRunIds(current, runId) > 0) return false;
  await pointAt(layout.current, join('snapshots', runId));
  return true;
}

const NOTICE = {
  sandbox:
    'Made-up data of the sandbox world: no property, owner, debt, auction or business in it is real. ' +
    'HUD rents of counties are real FY2026 figures, those of ZIPs are made up.',
  live: 'Public records as published; rents are HUD Fair Market Rents, a proxy and not a rent roll.',
} as const;

export interface RunFacts {
  readonly runId: string;
  readonly clock: Clock;
  readonly dataClock: Manifest['data_clock'];
  readonly previous: Manifest | null;
  readonly follows: Manifest | null;
  readonly assumptions: AssumptionSet;
  readonly sold: SoldLeads;
  readonly sources: readonly SourceState[];
  readonly models: readonly Model[];
  readonly results: readonly ModelResult[];
}

const manifestSource = ({ row, standing, latest }: SourceState): Manifest['sources'][number] => ({
  ...row,
  staged_run: standing?.run_id ?? null,
  staged_sha256: standing?.parquet?.sha256 ?? null,
  pages: standing?.pages.length ?? 0,
  traffic: latest?.traffic ?? { requests: 0, not_modified: 0, bytes: 0, retries: 0 },
  dropped_files: [...(standing?.dropped_files ?? [])],
});

export async function snapshotFacts(run: RunFacts): Promise<SnapshotFacts> {
  const audits = run.results.flatMap((result) => result.audits);
  return {
    run_id: run.runId,
    as_of: run.clock.asOf,
    generated_at: run.clock.observedAt(),
    data_clock: run.dataClock,
    notice: NOTICE[run.dataClock],
    assumption_set_id: run.assumptions.id,
    previous: run.previous?.run_id ?? null,
    follows: run.follows?.run_id ?? null,
    sold_leads: [...run.sold.leads],
    sold_properties: [...run.sold.properties],
    versions: {
      dealfeed: await dealfeedVersion(),
      node: process.versions.node,
      duckdb: duckVersion(),
      ...hashModels(run.models),
    },
    sources: run.sources.map(manifestSource),
    models: run.results.map((result) => ({ name: result.name, layer: result.layer, rows: result.rows })),
    audits: audits.map((audit) => ({
      name: audit.name,
      about: audit.about,
      blocking: audit.blocking,
      failing_rows: audit.failing,
    })),
  };
}

/** Hash of all schemas, and of all SQL and the functions that it calls. Equal hashes mean equal logic. */
export function hashModels(models: readonly Model[]): { schema: string; models: string } {
  const published = models.filter(isMart);
  const sqlOf = (model: Model): string => [model.name, model.sql, ...model.audits.map((audit) => audit.sql)].join('\n');
  const hash = (parts: readonly string[]): string => createHash('sha256').update(parts.join('\u0000')).digest('hex');
  return {
    schema: hash(published.map((model) => JSON.stringify([model.name, model.contract.record.columns]))),
    models: hash([
      functionsSource(),
      macrosSql(),
      inputMacrosSql(),
      ...models.map(sqlOf),
      ...VIEWS.map(({ sql }) => sql),
    ]),
  };
}

async function dealfeedVersion(): Promise<string> {
  const content = await readFile(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(content) as { version: string }).version;
}
