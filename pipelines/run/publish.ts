/**
 * Publication: write a snapshot into a temporary folder, flush it, rename it, and point `current` at it by a second
 * rename. After a crash at any instant the old snapshot is still current. Its manifest has the facts of the run.
 */
import { createHash } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { duckVersion, rowsOf } from '../../lib/duck.ts';
import { contentOf, makeFolder, pointAt, readJson, share, sync } from '../../lib/files.ts';
import { identifier, literal } from '../../lib/sql.ts';
import { convertedRow, modelType, parquetType, rowsOfFiles, storedType } from '../../lib/stored_types.ts';
import { markVerified } from '../../lib/verified.ts';
import type { AssumptionSet } from '../../models/assumptions.ts';
import type { ModelResult } from '../../models/audit.ts';
import { isSliced } from '../../models/build.ts';
import { fieldIdOf } from '../../models/field_ids.ts';
import { functionsSource } from '../../models/functions.ts';
import { inputMacrosSql, isMart, macrosSql, type Mart, type Model } from '../../models/index.ts';
import { Manifest, partName, type PublishedTable } from '../../models/manifest.ts';
import { IN_PARTS, SERVING_FILE, TABLE_NAMES, TABLES } from '../../models/serving/tables.ts';
import { VIEWS } from '../../models/views.ts';
import { continued, type Clock } from '../clock.ts';
import type { SourceState } from '../ingest/source_state.ts';
import { compareRunIds, type Layout } from '../layout.ts';
import { currentSnapshot } from '../snapshots.ts';
import type { SoldLeads } from '../sold_leads.ts';
import { PUBLISHED, SORTED_ROWS, type BuildDatabase } from './build_database.ts';
import { finishDatabase, showFiles, shownRecord } from './finish_database.ts';
import { BUILDING } from './partial_files.ts';
import type { SuppressionFilter } from './operator_rows.ts';
import { newsOf, writeServingFile, writeServingPart } from './serving_file.ts';

const PACKAGE = join(import.meta.dirname, '../../package.json');

/** Rows in a row group of a published Parquet file: small, so that a lookup by the sorted columns reads little. */
const ROW_GROUP = 20_480;
/** In one of wide rows, which is held in memory until it is written. */
const WIDE_ROW_GROUP = 2_048;

/** Name of a snapshot's DuckDB file. */
export const DATABASE = 'dealfeed.duckdb';

/** The manifest without the files. */
export type SnapshotFacts = Omit<Manifest, 'tables' | 'database' | 'serving'>;

/** Whether these models publish every table that is served, with all its columns. */
const isServed = (published: readonly Mart[]): boolean =>
  TABLE_NAMES.every((table) => published.some((mart) => shownRecord(mart) === TABLES[table]));

/** Number of parts that `writeSnapshot` names: each table, the serving files, and the database. */
export function partsToWrite(models: readonly Model[]): number {
  const published = models.filter(isMart);
  return published.length + (isServed(published) ? 1 + IN_PARTS.length : 0) + 1;
}

/** The files of an earlier snapshot. */
export interface EarlierFiles extends Pick<Manifest, 'tables' | 'serving'> {
  readonly folder: string;
}

interface SnapshotContent {
  readonly models: readonly Model[];
  readonly facts: SnapshotFacts;
  /** The previous snapshot, whose parts it shares. */
  readonly before: EarlierFiles | null;
  /** Rows of its parts that are not left out on request. Default: all. */
  readonly filter?: SuppressionFilter;
  /** Called before each part is written. */
  readonly onPart?: (name: string) => void;
}

interface SnapshotFiles extends SnapshotContent {
  readonly folder: string;
  /** Whether no part of the previous snapshot is kept, because one of them names somebody who is left out by now. */
  readonly isRewritten: boolean;
}

/** Whether a part of a snapshot has a row that does not pass the filter. */
async function namesSuppressed(
  connection: DuckDBConnection,
  { models, before, filter }: SnapshotContent,
): Promise<boolean> {
  for (const { name, contract } of models.filter(isMart)) {
    const condition = filter?.(contract.record.columns) ?? 'true';
    const files = (contract.publish.parts && before?.tables[name]?.files) ?? [];
    if (condition === 'true' || files.length === 0) continue;
    const paths = files.map(({ file }) => literal(join(before?.folder ?? '', file))).join(', ');
    const rows = `read_parquet([${paths}], union_by_name = true)`;
    const found = await rowsOf(connection, `SELECT 1 FROM ${rows} WHERE NOT (${condition}) LIMIT 1`);
    if (found.length > 0) return true;
  }
  return false;
}

/**
 * Write and flush the published tables of a finished build, and its manifest last, then rename the folder. This moves
 * the file of the published tables into the snapshot, so the build can no longer query them.
 */
export async function writeSnapshot(build: BuildDatabase, layout: Layout, content: SnapshotContent): Promise<Manifest> {
  const { run_id: runId } = content.facts;
  const folder = join(layout.snapshots, `${BUILDING}${runId}`);
  await makeFolder(folder);
  try {
    const isRewritten = await namesSuppressed(build.connection, content);
    const manifest = await writeFiles(build, { ...content, folder, isRewritten });
    await rename(folder, layout.snapshot(runId));
    await sync(layout.snapshots);
    return manifest;
  } catch (error) {
    // Remove the partial folder: the disk may be full.
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

async function writeFiles({ connection, publishedFile }: BuildDatabase, files: SnapshotFiles): Promise<Manifest> {
  const { folder, facts, onPart, models, isRewritten } = files;
  const published = models.filter(isMart);
  const tables: Record<string, PublishedTable> = {};
  for (const model of published) {
    onPart?.(model.name);
    tables[model.name] = await (model.contract.publish.parts ? writePart : writeTable)(connection, model, files);
  }
  // From here on, the name of a table in parts means all its rows.
  const inParts = published.filter(({ contract }) => contract.publish.parts);
  for (const { name } of inParts)
    await connection.run(`ALTER TABLE ${identifier(name)} RENAME TO ${identifier(newsOf(name))}`);
  await connection.run(`SET file_search_path = ${literal(folder)}`);
  await showFiles(connection, inParts, tables, modelType);
  const before = isRewritten && files.before ? { ...files.before, serving: [] } : files.before;
  const serving = isServed(published) ? await writeServing(connection, { ...files, before }) : [];
  onPart?.(DATABASE);
  await finishDatabase(connection, published, { notice: facts.notice, folder, tables });
  await rename(publishedFile, join(folder, DATABASE));
  const database = { file: DATABASE, ...(await flushed(join(folder, DATABASE))) };
  const manifest = Manifest.parse({ ...facts, tables, database, serving });
  const manifestPath = join(folder, 'manifest.json');
  await writeFile(manifestPath, `${JSON.stringify(manifest, null, 2)}\n`);
  await sync(manifestPath);
  await markVerified(folder, serving);
  await sync(folder);
  return manifest;
}

interface ServingFolders extends Pick<SnapshotFiles, 'folder' | 'onPart'> {
  readonly before: Pick<EarlierFiles, 'folder' | 'serving'> | null;
}

/** Write the serving files; those of tables in parts are mostly the files of the snapshot before. */
export async function writeServing(
  connection: DuckDBConnection,
  { folder, before, onPart }: ServingFolders,
): Promise<Manifest['serving']> {
  onPart?.(SERVING_FILE);
  await writeServingFile(connection, join(folder, SERVING_FILE));
  const serving = [{ file: SERVING_FILE, ...(await flushed(join(folder, SERVING_FILE))) }];
  for (const table of IN_PARTS) {
    onPart?.(table);
    const { kept, file } = await writeServingPart(connection, table, { folder, before });
    for (const one of kept) await share(join(before?.folder ?? '', one.file), join(folder, one.file));
    serving.push(...kept);
    if (file === null) continue;
    const written = await flushed(join(folder, file));
    const name = partName(table, written.sha256, 'sqlite');
    await rename(join(folder, file), join(folder, name));
    serving.push({ file: name, ...written });
  }
  return serving;
}

/**
 * Sort a table into the file of the published tables, by a total order: DuckDB keeps it with any number of threads. Of
 * wide rows it would hold too many in memory: their keys are sorted, then the rows of one row group at a time. From
 * here on the table's name means a view of the sorted rows.
 */
export async function sortTable(connection: DuckDBConnection, { name, sql, contract }: Mart): Promise<void> {
  const { record, publish } = contract;
  const [own, sorted] = [identifier(name), `${PUBLISHED}.main.${identifier(name)}`];
  const rows = `SELECT ${convertedRow(record.columns, modelType, storedType)} FROM ${own}`;
  const order = `ORDER BY ${publish.orderBy.join(', ')}`;
  if (isSliced(sql)) {
    const keys = `SELECT rowid AS key, row_number() OVER (${order}) - 1 AS place FROM ${own}`;
    await connection.run(`CREATE TABLE sort_keys AS ${keys}; CREATE TABLE ${sorted} AS ${rows} LIMIT 0`);
    const [counted] = await rowsOf(connection, 'SELECT count(*) AS n FROM sort_keys');
    for (let place = 0; place < Number(counted?.['n']); place += SORTED_ROWS) {
      const slice = `SELECT key FROM sort_keys WHERE place >= ${place} AND place < ${place + SORTED_ROWS}`;
      await connection.run(`INSERT INTO ${sorted} ${rows} WHERE rowid IN (${slice}) ${order}`);
    }
    await connection.run('DROP TABLE sort_keys');
  } else await connection.run(`CREATE TABLE ${sorted} AS ${rows} ${order}`);
  await connection.run(`DROP TABLE ${own}`);
  await connection.run(`CREATE VIEW ${own} AS SELECT ${convertedRow(record.columns, storedType)} FROM ${sorted}`);
}

/** Write a published table as Parquet, and unless its rows are wide, into the file of the published tables. */
async function writeTable(connection: DuckDBConnection, mart: Mart, files: SnapshotFiles): Promise<PublishedTable> {
  const { name, contract } = mart;
  const isInFiles = contract.publish.inFilesOnly === true;
  if (!isInFiles) await sortTable(connection, mart);
  const [from, typeOf] = isInFiles ? ['', modelType] : [`${PUBLISHED}.main.`, storedType];
  const columns = convertedRow(contract.record.columns, typeOf, parquetType);
  const rows = `SELECT ${columns} FROM ${from}${identifier(name)}`;
  const file = await writeParquet(connection, mart, rows, { folder: files.folder, notice: files.facts.notice });
  return { rows: file.rows, files: [file] };
}

/**
 * A part is merged with those after it when it has at most this many times their rows. So a table has few parts, and
 * a row is written again about as often as the table has parts, however many rows the table has.
 */
const MERGED_BELOW = 8;

/** Number of parts that stay when this many rows are added. */
function countKept(parts: PublishedTable['files'], added: number): number {
  let kept = parts.length;
  for (let rows = added; kept > 0; kept -= 1) {
    const last = parts[kept - 1]?.rows ?? 0;
    if (last > MERGED_BELOW * rows) break;
    rows += last;
  }
  return kept;
}

/**
 * Write today's rows of a table in parts as a part of their own, sorted, with the rows of small parts before it. The
 * other parts are those of the previous snapshot.
 */
async function writePart(connection: DuckDBConnection, mart: Mart, files: SnapshotFiles): Promise<PublishedTable> {
  const { record, publish } = mart.contract;
  const { folder, before, facts, isRewritten, filter } = files;
  const pathOf = (file: string): string => join(before?.folder ?? '', file);
  const [key, today] = [record.key.map(identifier).join(', '), identifier(mart.name)];
  const { rows: earlier, files: parts } = before?.tables[mart.name] ?? { rows: 0, files: [] };
  const [counted] = await rowsOf(
    connection,
    `SELECT count(*) AS today, (SELECT count(*) FROM ${identifier(publish.parts?.before ?? '')}
        SEMI JOIN ${today} USING (${key})) AS replaced FROM ${today}`,
  );
  const added = Number(counted?.['today']);
  const rows = earlier + added - Number(counted?.['replaced']);
  const isSame = added === 0 && parts.length > 0 && !isRewritten;
  const kept = isSame ? parts : parts.slice(0, isRewritten ? 0 : countKept(parts, added));
  for (const { file } of kept) await share(pathOf(file), join(folder, file));
  if (isSame) return { rows, files: parts };
  const merged = parts.slice(kept.length).map(({ file }) => pathOf(file));
  const own = `SELECT ${convertedRow(record.columns, modelType, parquetType)} FROM ${today}`;
  const all =
    merged.length === 0
      ? own
      : `FROM ${rowsOfFiles(merged, record.key)} AS before ANTI JOIN ${today} USING (${key})
          WHERE ${filter?.(record.columns) ?? 'true'} UNION ALL BY NAME ${own}`;
  // Materialized: DuckDB cannot spill the sort of a UNION ALL to disk once its first part has ended.
  const sql = `WITH rows AS ${merged.length === 0 ? 'NOT ' : ''}MATERIALIZED (${all})
    SELECT ${record.columns.map((column) => identifier(column.name)).join(', ')} FROM rows
    ORDER BY ${publish.orderBy.join(', ')}`;
  const written = await writeParquet(connection, mart, sql, { folder, notice: facts.notice });
  const file = partName(mart.name, written.sha256);
  await rename(join(folder, written.file), join(folder, file));
  return { rows: isRewritten ? written.rows : rows, files: [...kept, { ...written, file }] };
}

/** Write rows as Parquet. */
export async function writeParquet(
  connection: DuckDBConnection,
  mart: Mart,
  rows: string,
  { folder, notice }: { readonly folder: string; readonly notice: string },
): Promise<PublishedTable['files'][number]> {
  const { name, contract } = mart;
  const { record } = contract;
  const file = `${name}.parquet`;
  const path = join(folder, file);
  const ids = record.columns.map((column) => `${identifier(column.name)}: ${fieldIdOf(column.name)}`).join(', ');
  const about = `{about: ${literal(record.about)}, notice: ${literal(notice)}}`;
  const group = isSliced(mart.sql) ? WIDE_ROW_GROUP : ROW_GROUP;
  const [copied] = await rowsOf(
    connection,
    `COPY (${rows}) TO ${literal(path)}
    (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1, ROW_GROUP_SIZE ${group}, FIELD_IDS {${ids}},
    KV_METADATA ${about})`,
  );
  return { file, rows: Number(copied?.['Count']), ...(await flushed(path)) };
}

/** Flush a written file. @returns its size and hash */
async function flushed(path: string): Promise<{ bytes: number; sha256: string }> {
  await sync(path);
  return contentOf(path);
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

function manifestSource(state: SourceState, { follows, clock }: RunFacts): Manifest['sources'][number] {
  const { row, standing, latest } = state;
  const earlier = follows?.sources.find(({ source }) => source === row.source);
  const before = follows && earlier ? { history: earlier.history, asOf: follows.as_of } : undefined;
  return {
    ...row,
    staged_run: standing?.run_id ?? null,
    staged_sha256: standing?.parquet?.sha256 ?? null,
    pages: standing?.pages.length ?? 0,
    traffic: latest?.traffic ?? { requests: 0, not_modified: 0, bytes: 0, retries: 0 },
    dropped_files: [...(standing?.dropped_files ?? [])],
    history: continued(before, clock.asOf, latest?.status),
  };
}

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
      dealfeed: String(((await readJson(PACKAGE)) as { version?: string }).version),
      node: process.versions.node,
      duckdb: duckVersion(),
      ...hashModels(run.models),
    },
    sources: run.sources.map((source) => manifestSource(source, run)),
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
