/**
 * `make rebuild RUN=2026-11-21.01`: rebuild a published day and compare it with what was published. It parses the
 * archived pages of each source again, builds the models on the same previous snapshot, and compares the hash of every
 * Parquet file with the manifest. It works in a temporary folder and changes nothing.
 *
 * With SOURCE it parses the pages of one source again: rebuild_source.ts.
 */
import { cp, mkdir, mkdtempDisposable, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closing } from '../../lib/closing.ts';
import { openDuck, rowsOf } from '../../lib/duck.ts';
import { print } from '../../lib/output.ts';
import { pipelineSettings, readSettings, rebuildSettings, SettingError } from '../../lib/settings.ts';
import { literal } from '../../lib/sql.ts';
import { openStore } from '../../lib/store/open.ts';
import { Assumption, currentAssumptions, type AssumptionRow, type AssumptionSet } from '../../models/assumptions.ts';
import { buildModels } from '../../models/build.ts';
import { loadModels, type Model } from '../../models/index.ts';
import { SourceRead } from '../../models/inputs.ts';
import { hashOf, type Manifest } from '../../models/manifest.ts';
import { Quarantine, type SourceSpec } from '../../sources/contract.ts';
import { ArchiveDamage, openArchive, type Archive } from '../../lib/archive.ts';
import { loadSources } from '../../sources/index.ts';
import { snapshotNamed } from '../analyse/open_snapshot.ts';
import { table } from '../format.ts';
import { readRecord, readsUpTo, stagedParquet, versionOf, type ReadRecord } from '../ingest/reads.ts';
import type { SourceState } from '../ingest/source_state.ts';
import { layoutOf, type Layout } from '../layout.ts';
import { openBuildDatabase } from '../run/build_database.ts';
import { writeSnapshot } from '../run/publish.ts';
import { loadInputs } from '../run/inputs.ts';
import { holdFolder, holdForReading } from '../run/lock.ts';
import { listSnapshots, readManifest, verifySnapshot } from '../snapshots.ts';
import { assertWithoutStore, openStoredArchive } from '../store/folder.ts';
import { pullRows } from '../store/pull.ts';
import { formatRebuiltReads, parseArchived, rebuildSource } from './rebuild_source.ts';

export interface RebuildOptions {
  /** Memory of the build's database. Default: that of the setting BUILD_MEMORY. */
  readonly buildMemory?: string | undefined;
  /** Models that the day was built with. Default: all of models/. */
  readonly models?: readonly Model[];
}

/** Hash of a table of a snapshot; undefined if it has no such table. */
const hashIn = (tables: Manifest['tables'], name: string): string | undefined => tables[name] && hashOf(tables[name]);

/** Rebuild one published day. @throws SettingError if its snapshot or the previous one is missing or damaged */
export async function rebuild(layout: Layout, runId: string, { models: given, buildMemory }: RebuildOptions = {}) {
  const published = await readManifest(layout, runId);
  await using scratch = await mkdtempDisposable(join(tmpdir(), 'dealfeed-rebuild-'));
  const target = layoutOf(scratch.path);
  const read = (id: string | null) => (id === null ? null : readPrevious(layout, id, runId));
  const previous = await read(published.previous);
  const follows = published.follows === published.previous ? previous : await read(published.follows);
  const models = given ?? (await loadModels());
  const archive = await openArchive(layout.root);
  const { states, parsed, copied } = await parseReads({ layout, target, archive }, published);
  await mkdir(target.run(runId), { recursive: true });
  await using build = closing(await openBuildDatabase(target.root, buildMemory));
  const filter = await loadInputs(build.connection, {
    // Writes go to the scratch folder; earlier snapshots are read in place.
    layout: { ...target, snapshot: (id) => layout.snapshot(id) },
    runId,
    asOf: published.as_of,
    observedAt: published.generated_at,
    assumptions: await chooseAssumptions(layout, published),
    sources: states,
    models,
    previous,
    follows,
    sold: { leads: published.sold_leads, properties: published.sold_properties },
  });
  // With one connection: a run with two gives the same bytes.
  await buildModels(build.connection, models);
  const before = previous && { ...previous, folder: layout.snapshot(previous.run_id) };
  const now = await writeSnapshot(build, target, { models, facts: published, before, filter });
  const names = [...new Set([...Object.keys(published.tables), ...Object.keys(now.tables)])].sort();
  const tables = names.map((name) => ({
    name,
    was: hashIn(published.tables, name) ?? 'not published then',
    now: hashIn(now.tables, name) ?? 'not published now',
  }));
  return { runId, tables, parsed, copied };
}

/**
 * Its tables with their hash then and now, the number of reads whose rows were parsed again, and the reads whose stored
 * rows were copied instead, with the reason.
 */
export type Rebuilt = Awaited<ReturnType<typeof rebuild>>;

export const isSame = ({ tables }: Rebuilt): boolean => tables.every(({ was, now }) => was === now);

/** Manifest of a snapshot that the wanted one was built on. */
async function readPrevious(layout: Layout, runId: string, wanted: string): Promise<Manifest> {
  const isThere = (await listSnapshots(layout)).includes(runId);
  const damage = isThere ? await verifySnapshot(layout, runId, 'retained') : [];
  const why = isThere ? `is damaged: ${damage.join('; ')}` : 'was removed';
  if (!isThere || damage.length > 0)
    throw new SettingError(`RUN is ${JSON.stringify(wanted)}, which was built on ${runId}, but that snapshot ${why}`);
  return readManifest(layout, runId);
}

/** The declared set, if the snapshot used it; else the operator's set, as the snapshot published it. */
async function chooseAssumptions(layout: Layout, published: Manifest): Promise<AssumptionSet> {
  const declared = currentAssumptions();
  if (declared.id === published.assumption_set_id) return declared;
  await using duck = await openDuck();
  const file = join(layout.snapshot(published.run_id), 'assumptions.parquet');
  const rows = await rowsOf(duck.connection, `FROM read_parquet(${literal(file)})`);
  return { id: published.assumption_set_id, rows: rows.map((row): AssumptionRow => Assumption.schema.parse(row)) };
}

export function formatRebuild({ runId, tables, parsed, copied }: Rebuilt): string[] {
  const different = tables.filter(({ was, now }) => was !== now);
  const result =
    different.length === 0 ? 'identical bytes' : `${different.length} of ${tables.length} tables are DIFFERENT`;
  const reads = `${parsed} reads parsed again from the archive`;
  const lines = [
    `${runId}: ${result}; ${tables.length} tables, ${reads}${copied.length > 0 ? `, ${copied.length} copied` : ''}`,
    ...copied.map(({ source, why }) => `  not reproduced, the stored rows of ${source} were copied: ${why}`),
  ];
  if (different.length === 0) return lines;
  const rows = different.map((each) => [each.name, each.was.slice(0, 16), each.now.slice(0, 16)]);
  return [...lines, ...table(['table', 'then', 'now'], rows)];
}

/** A data folder with its archive, and a scratch folder. */
interface Folders {
  readonly layout: Layout;
  readonly target: Layout;
  readonly archive: Archive;
}

/** Parse the reads of a snapshot again, into the scratch folder. @returns the sources as they were in the snapshot */
async function parseReads(folders: Folders, { sources, as_of: asOf }: Manifest) {
  const specs = new Map((await loadSources()).map((source) => [source.name, source]));
  const states: SourceState[] = [];
  const copied: { source: string; why: string }[] = [];
  let parsed = 0;
  for (const source of sources) {
    const spec = specs.get(source.source);
    if (!spec) throw new SettingError(`${source.source} was a source on ${asOf} and no longer is one`);
    const standing = await standingOf(folders, source);
    // The columns of source_reads.
    const entries = SourceRead.columns.map(({ name }) => [name, source[name as keyof typeof source]] as const);
    const row = SourceRead.schema.parse(Object.fromEntries(entries));
    states.push({ spec, row, standing, latest: undefined });
    if (!standing?.parquet) continue;
    const why = await parseAgain(folders, spec, standing);
    if (why === null) parsed += 1;
    else {
      copied.push({ source: source.source, why });
      await copyRows(folders, standing);
    }
  }
  return { states, parsed, copied };
}

/** The version of the read whose rows the snapshot used; undefined if it used none. */
async function standingOf(
  { layout }: Folders,
  { source, staged_run: runId, staged_sha256: sha256 }: Manifest['sources'][number],
): Promise<ReadRecord | undefined> {
  if (runId === null) return undefined;
  for (let version = 1; ; version += 1) {
    const record = await readRecord(layout, source, runId, version);
    if (record === undefined)
      throw new SettingError(`${source}: the record of the read ${runId}, which the snapshot used, was removed`);
    if (record.parquet?.sha256 === sha256) return record;
  }
}

async function copyRows({ layout, target }: Folders, record: ReadRecord): Promise<void> {
  await cp(fileIn(layout, record), fileIn(target, record)).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    const lost = `${record.source}: the rows of ${record.run_id} can neither be parsed again nor copied`;
    throw new SettingError(`${lost}: their file was removed`);
  });
}

/** Parse a read's archived pages. @returns null if the rows are the same, else the reason */
async function parseAgain(folders: Folders, spec: SourceSpec, record: ReadRecord): Promise<string | null> {
  const { layout, target, archive } = folders;
  try {
    const reads = record.counts.rows_carried === 0 ? [] : await readsUpTo(layout, record.source, record.as_of);
    // The earlier good read from which this one carries rows.
    const earlier = reads.find((read) => read.status === 'good' && read.run_id < record.run_id);
    const why = earlier && (await parseAgain(folders, spec, earlier));
    if (earlier && why) return `the read ${earlier.run_id}, from which it carries rows: ${why}`;
    const file = fileIn(target, record);
    const carryFrom = (): string | undefined => earlier && fileIn(target, earlier);
    const staged = await parseArchived(archive, spec, record, { target: file, carryFrom });
    if (staged.parquet.sha256 === record.parquet?.sha256) return null;
    await rm(file);
    return `today's parser gives other rows from its pages; see make rebuild SOURCE=${record.source} DRY=1`;
  } catch (error) {
    if (error instanceof ArchiveDamage || error instanceof Quarantine) return error.message;
    throw error;
  }
}

/** Staged rows of a read. */
const fileIn = (layout: Layout, record: ReadRecord): string =>
  stagedParquet(layout, record.source, record.run_id, versionOf(record));

/** Parse the archived pages of one source again. @returns the exit status: 1 if a read could not be rebuilt */
async function rebuildSourceCommand(name: string): Promise<number> {
  const settings = readSettings(pipelineSettings);
  const { SINCE, DRY } = readSettings(rebuildSettings);
  const all = await loadSources();
  const spec = all.find((source) => source.name === name);
  if (!spec)
    throw new SettingError(
      `SOURCE is ${JSON.stringify(name)}, expected one of ${all.map((source) => source.name).join(', ')}`,
    );
  const layout = layoutOf(settings.DATA_DIR);
  if (settings.STORE === undefined) await assertWithoutStore(layout);
  else if (!DRY)
    throw new SettingError(
      'DRY is 0, expected 1 with STORE: other hosts would not have the new rows. The next run reads the source again',
    );
  // Writing needs the lock of the folder, and so does fetching rows from the store.
  using _writing = DRY && settings.STORE === undefined ? undefined : await holdFolder(layout);
  await using store =
    settings.STORE === undefined ? undefined : closing(await openStore(settings.STORE, undefined, print));
  const archive = await openStoredArchive(settings.DATA_DIR, store, print);
  const fetchRows = store && ((read: ReadRecord) => pullRows(store, layout, read));
  const results = await rebuildSource({ layout, archive, spec, since: SINCE, isDry: DRY, fetchRows });
  for (const line of formatRebuiltReads(results, spec.name, DRY)) print(line);
  return results.some(({ outcome }) => outcome === 'failed') ? 1 : 0;
}

/** @returns the exit status: 1 if a table differs */
export async function rebuildCommand(): Promise<number> {
  const { DATA_DIR, BUILD_MEMORY: buildMemory } = readSettings(pipelineSettings);
  const { RUN, SOURCE } = readSettings(rebuildSettings);
  if (SOURCE !== undefined) return rebuildSourceCommand(SOURCE);
  const layout = layoutOf(DATA_DIR);
  using _reading = holdForReading(layout);
  const result = await rebuild(layout, await snapshotNamed(layout, 'RUN', RUN), { buildMemory });
  for (const line of formatRebuild(result)) print(line);
  return isSame(result) ? 0 : 1;
}
