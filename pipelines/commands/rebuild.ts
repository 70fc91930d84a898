/**
 * `make rebuild RUN=2026-11-21.01`: rebuild a published day and compare it with what was published. It parses the
 * archived pages of each source again, builds the models on the same previous snapshot, and compares the hash of every
 * Parquet file with the manifest. It works in a temporary folder and changes nothing.
 *
 * With SOURCE it parses the pages of one source again: rebuild_source.ts.
 */
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { openDuck, rowsOf } from '../../lib/duck.ts';
import { print } from '../../lib/output.ts';
import { pipelineSettings, readSettings, rebuildSettings, SettingError } from '../../lib/settings.ts';
import { literal } from '../../lib/sql.ts';
import { openStore } from '../../lib/store/open.ts';
import { Assumption, currentAssumptions, type AssumptionRow, type AssumptionSet } from '../../models/assumptions.ts';
import { buildModels } from '../../models/build.ts';
import { loadModels, type Model } from '../../models/index.ts';
import { loadReferences } from '../../models/references.ts';
import { SourceRead } from '../../models/inputs.ts';
import { hashOf, type Manifest } from '../../models/manifest.ts';
import { Quarantine, type SourceSpec } from '../../sources/contract.ts';
import { ArchiveDamage, openArchive, type Archive } from '../../lib/archive.ts';
import { loadRowRecords, loadSources } from '../../sources/index.ts';
import { snapshotNamed } from '../analyse/open_snapshot.ts';
import { table } from '../format.ts';
import { readRecord, readsUpTo, stagedParquet, versionOf, type ReadRecord } from '../ingest/reads.ts';
import type { SourceState } from '../ingest/source_state.ts';
import { layoutOf, type Layout } from '../layout.ts';
import { openBuildDatabase, PUBLISHED } from '../run/build_database.ts';
import { writeSnapshot } from '../run/publish.ts';
import { loadInputs } from '../run/inputs.ts';
import { holdFolder, holdForReading } from '../run/lock.ts';
import { listSnapshots, readManifest, verifySnapshot } from '../snapshots.ts';
import { assertWithoutStore, openStoredArchive } from '../store/folder.ts';
import { pullRows } from '../store/pull.ts';
import { formatRebuiltReads, parseArchived, rebuildSource } from './rebuild_source.ts';

export interface Rebuilt {
  readonly runId: string;
  /** Published tables with their hash then and now. */
  readonly tables: readonly {
    readonly name: string;
    readonly was: string;
    readonly now: string;
  }[];
  /** Number of reads whose rows were parsed again from archived pages. */
  readonly parsed: number;
  /** Reads whose stored rows were used instead, with the reason. */
  readonly copied: readonly { readonly source: string; readonly why: string }[];
}

/** Hash of a table of a snapshot; null if it has no such table. */
const hashIn = ({ tables }: Pick<Manifest, 'tables'>, name: string): string | null =>
  tables[name] ? hashOf(tables[name]) : null;

export const isSame = ({ tables }: Rebuilt): boolean => tables.every(({ was, now }) => was === now);

export interface RebuildOptions {
  /** Memory of the build's database. Default: that of the setting BUILD_MEMORY. */
  readonly buildMemory?: string | undefined;
  /** Models that the day was built with. Default: all of models/. */
  readonly models?: readonly Model[];
}

/** Rebuild one published day. @throws SettingError if its snapshot or the previous one is missing or damaged */
export async function rebuild(layout: Layout, runId: string, options: RebuildOptions = {}): Promise<Rebuilt> {
  const published = await readManifest(layout, runId);
  const scratch = await mkdtemp(join(tmpdir(), 'dealfeed-rebuild-'));
  try {
    const folders = { layout, target: layoutOf(scratch), options };
    const read = (earlier: string): Promise<Manifest> => readPrevious(layout, earlier, runId);
    const previous = published.previous === null ? null : await read(published.previous);
    const { follows: followed } = published;
    const follows = followed === null || followed === previous?.run_id ? previous : await read(followed);
    const now = await rebuildInto(folders, published, { previous, follows });
    const names = [...new Set([...Object.keys(published.tables), ...Object.keys(now.tables)])].sort();
    const tables = names.map((name) => ({
      name,
      was: hashIn(published, name) ?? 'not published then',
      now: hashIn(now, name) ?? 'not published now',
    }));
    return { runId, tables, ...now.reads };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

interface RebuiltSnapshot {
  readonly tables: Manifest['tables'];
  readonly reads: Pick<Rebuilt, 'parsed' | 'copied'>;
}

/** Snapshots that the rebuilt one continued. */
interface BuiltOn {
  readonly previous: Manifest | null;
  readonly follows: Manifest | null;
}

interface Folders {
  readonly layout: Layout;
  /** Scratch folder, which the rebuilt snapshots are written to. */
  readonly target: Layout;
  readonly options: RebuildOptions;
}

/** Rebuild a snapshot in the scratch layout. */
async function rebuildInto(
  { layout, target, options }: Folders,
  published: Manifest,
  { previous, follows }: BuiltOn,
): Promise<RebuiltSnapshot> {
  // Writes go to the scratch folder; earlier snapshots are read in place.
  const mixed: Layout = { ...target, snapshot: (id) => layout.snapshot(id) };
  const before = previous && { ...previous, folder: layout.snapshot(previous.run_id) };
  const build = await openBuildDatabase(target.root, options.buildMemory);
  try {
    const { states, parsed, copied } = await rebuildReads(layout, target, published);
    await mkdir(target.run(published.run_id), { recursive: true });
    const models = options.models ?? (await loadModels());
    await loadInputs(build.connection, {
      layout: mixed,
      workDir: target.run(published.run_id),
      asOf: published.as_of,
      observedAt: published.generated_at,
      assumptions: await chooseAssumptions(layout, published),
      sources: states,
      records: await loadRowRecords(),
      references: loadReferences(),
      models,
      previous,
      follows,
      sold: { leads: published.sold_leads, properties: published.sold_properties },
    });
    // With one connection: a run with two gives the same bytes.
    await buildModels(build.connection, models, { published: PUBLISHED });
    const { tables } = await writeSnapshot(build, target, { models, facts: published, before });
    return { tables, reads: { parsed, copied } };
  } finally {
    await build.close();
  }
}

/** Manifest of a snapshot that the wanted one was built on. */
async function readPrevious(layout: Layout, runId: string, wanted: string): Promise<Manifest> {
  if (!(await listSnapshots(layout)).includes(runId))
    throw new SettingError(
      `RUN is ${JSON.stringify(wanted)}, which was built on ${runId}, but that snapshot was removed`,
    );
  const damage = await verifySnapshot(layout, runId, 'retained');
  if (damage.length > 0)
    throw new SettingError(
      `RUN is ${JSON.stringify(wanted)}, which was built on ${runId}, but that snapshot is damaged: ` +
        damage.join('; '),
    );
  return readManifest(layout, runId);
}

/** The declared set, if the snapshot used it; else the operator's set, as the snapshot published it. */
async function chooseAssumptions(layout: Layout, published: Manifest): Promise<AssumptionSet> {
  const declared = currentAssumptions();
  if (declared.id === published.assumption_set_id) return declared;
  const duck = await openDuck();
  try {
    const file = join(layout.snapshot(published.run_id), 'assumptions.parquet');
    const rows = await rowsOf(duck.connection, `FROM read_parquet(${literal(file)})`);
    return { id: published.assumption_set_id, rows: rows.map((row): AssumptionRow => Assumption.schema.parse(row)) };
  } finally {
    duck.close();
  }
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

interface RebuiltReads {
  /** The sources as they were in the snapshot. */
  readonly states: readonly SourceState[];
  /** Number of reads parsed again. */
  readonly parsed: number;
  /** Reads whose stored rows were copied instead, with the reason. */
  readonly copied: readonly { readonly source: string; readonly why: string }[];
}

interface ReadFolders extends Pick<Folders, 'layout' | 'target'> {
  readonly archive: Archive;
}

async function rebuildReads(layout: Layout, target: Layout, published: Manifest): Promise<RebuiltReads> {
  const folders: ReadFolders = { layout, target, archive: await openArchive(layout.root) };
  const specs = new Map((await loadSources()).map((source) => [source.name, source]));
  const states: SourceState[] = [];
  const copied: { source: string; why: string }[] = [];
  let parsed = 0;
  for (const source of published.sources) {
    const spec = specs.get(source.source);
    if (!spec) throw new SettingError(`${source.source} was a source on ${published.as_of} and no longer is one`);
    const standing = await standingRecord(layout, source);
    states.push({ spec, row: rowOf(source), standing, latest: undefined });
    if (!standing?.parquet) continue;
    const why = await parseAgain(folders, spec, standing);
    if (why === null) parsed += 1;
    else {
      copied.push({ source: source.source, why });
      await copyStaged(folders, standing);
    }
  }
  return { states, parsed, copied };
}

type ManifestSource = Manifest['sources'][number];

/** The columns of source_reads. */
const rowOf = (source: ManifestSource): SourceState['row'] =>
  SourceRead.schema.parse(
    Object.fromEntries(SourceRead.columns.map(({ name }) => [name, source[name as keyof typeof source]])),
  );

/** The version of the read whose rows the snapshot used; undefined if it used none. */
async function standingRecord(
  layout: Layout,
  { source, staged_run: runId, staged_sha256: sha256 }: ManifestSource,
): Promise<ReadRecord | undefined> {
  if (runId === null) return undefined;
  for (let version = 1; ; version += 1) {
    const record = await readRecord(layout, source, runId, version);
    if (record === undefined)
      throw new SettingError(`${source}: the record of the read ${runId}, which the snapshot used, was removed`);
    if (record.parquet?.sha256 === sha256) return record;
  }
}

async function copyStaged({ layout, target }: ReadFolders, record: ReadRecord): Promise<void> {
  const fileIn = (of: Layout): string => stagedParquet(of, record.source, record.run_id, versionOf(record));
  await mkdir(dirname(fileIn(target)), { recursive: true });
  await cp(fileIn(layout), fileIn(target)).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    throw new SettingError(
      `${record.source}: the rows of ${record.run_id} can neither be parsed again nor copied: their file was removed`,
    );
  });
}

/** Parse a read's archived pages into the scratch folder. @returns null if the rows are the same, else the reason */
async function parseAgain(folders: ReadFolders, spec: SourceSpec, record: ReadRecord): Promise<string | null> {
  const { layout, target, archive } = folders;
  try {
    const earlier = await carriedFrom(layout, record);
    if (earlier) {
      const why = await parseAgain(folders, spec, earlier);
      if (why !== null) return `the read ${earlier.run_id}, from which it carries rows: ${why}`;
    }
    const file = stagedParquet(target, record.source, record.run_id, versionOf(record));
    const before = earlier && stagedParquet(target, spec.name, earlier.run_id, versionOf(earlier));
    const staged = await parseArchived(archive, spec, record, { target: file, carryFrom: () => before });
    if (staged.parquet.sha256 === record.parquet?.sha256) return null;
    await rm(file);
    return `today's parser gives other rows from its pages; see make rebuild SOURCE=${record.source} DRY=1`;
  } catch (error) {
    if (error instanceof ArchiveDamage || error instanceof Quarantine) return error.message;
    throw error;
  }
}

/** The earlier good read from which a read carries rows. */
async function carriedFrom(layout: Layout, record: ReadRecord): Promise<ReadRecord | undefined> {
  if (record.counts.rows_carried === 0) return undefined;
  const reads = await readsUpTo(layout, record.source, record.as_of);
  return reads.find((read) => read.status === 'good' && read.run_id < record.run_id);
}

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
  const release = DRY && settings.STORE === undefined ? undefined : await holdFolder(layout);
  const store = settings.STORE === undefined ? undefined : await openStore(settings.STORE, undefined, print);
  try {
    const archive = await openStoredArchive(settings.DATA_DIR, store, print);
    const fetchRows = store && ((read: ReadRecord) => pullRows(store, layout, read));
    const results = await rebuildSource({ layout, archive, spec, since: SINCE, isDry: DRY, fetchRows });
    for (const line of formatRebuiltReads(results, spec.name, DRY)) print(line);
    return results.some(({ outcome }) => outcome === 'failed') ? 1 : 0;
  } finally {
    store?.close();
    release?.();
  }
}

/** @returns the exit status: 1 if a table differs */
export async function rebuildCommand(): Promise<number> {
  const { DATA_DIR, BUILD_MEMORY: buildMemory } = readSettings(pipelineSettings);
  const { RUN, SOURCE } = readSettings(rebuildSettings);
  if (SOURCE !== undefined) return rebuildSourceCommand(SOURCE);
  const layout = layoutOf(DATA_DIR);
  const release = holdForReading(layout);
  try {
    const result = await rebuild(layout, await snapshotNamed(layout, 'RUN', RUN), { buildMemory });
    for (const line of formatRebuild(result)) print(line);
    return isSame(result) ? 0 : 1;
  } finally {
    release();
  }
}
