/**
 * `make rebuild RUN=2026-11-21.01`: rebuild a published day and compare it with what was published. It parses the
 * archived pages of each source again, builds the models on the same previous snapshot, and compares the hash of every
 * Parquet file with the manifest. Without RUN it rebuilds every snapshot of the folder, in order, and skips those that
 * were built on a snapshot that make prune removed.
 *
 * Works in a temporary folder and changes nothing. Exit status 1 if a table differs.
 */
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { duckVersion, openDuck, rowsOf } from '../../lib/duck.ts';
import { messageOf } from '../../lib/errors.ts';
import { makeFolder } from '../../lib/files.ts';
import { print } from '../../lib/output.ts';
import { pipelineSettings, readSettings, SettingError } from '../../lib/settings.ts';
import { literal } from '../../lib/sql.ts';
import { Assumption, currentAssumptions, type AssumptionRow, type AssumptionSet } from '../../models/assumptions.ts';
import { buildModels } from '../../models/build.ts';
import { loadModels, loadReferences, type Model } from '../../models/index.ts';
import type { Manifest } from '../../models/manifest.ts';
import { loadRowRecords } from '../../sources/index.ts';
import { table } from '../format.ts';
import { layoutOf, type Layout } from '../layout.ts';
import { openBuildDatabase, PUBLISHED } from '../run/build_database.ts';
import { hashModels } from '../run/facts.ts';
import { loadInputs } from '../run/inputs.ts';
import { holdForReading } from '../run/lock.ts';
import { writeSnapshot } from '../run/publish.ts';
import { prunedFiles } from '../pruned_files.ts';
import { listSnapshots, readManifest, verifySnapshot } from '../snapshots.ts';
import { rebuildReads, type RebuiltReads } from './rebuild_reads.ts';

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
  readonly copied: RebuiltReads['copied'];
  /** Differences in models, columns and engine, which may explain different tables. */
  readonly versionChanges: readonly string[];
}

/** The snapshot that another one was built on was pruned. */
class PredecessorRemoved extends SettingError {
  readonly earlier: string;
  constructor(wanted: string, earlier: string) {
    super(`RUN is ${JSON.stringify(wanted)}, which was built on ${earlier}, but that snapshot was removed`);
    this.earlier = earlier;
  }
}

export const isSame = ({ tables }: Rebuilt): boolean => tables.every(({ was, now }) => was === now);

export interface RebuildOptions {
  /** Memory of the build's database. Default: that of the setting BUILD_MEMORY. */
  readonly buildMemory?: string | undefined;
  /** Models that the day was built with. Default: all of models/. */
  readonly models?: readonly Model[];
}

/** Rebuild one published day. @throws SettingError if its snapshot or the previous one is missing or damaged */
export async function rebuild(layout: Layout, runId: string, options: RebuildOptions = {}): Promise<Rebuilt> {
  const all = await listSnapshots(layout);
  if (!all.includes(runId)) {
    const names = all.join(', ') || 'there is none';
    throw new SettingError(`RUN is ${JSON.stringify(runId)}, expected a snapshot of ${layout.root}: ${names}`);
  }
  const published = await readManifest(layout, runId);
  const scratch = await mkdtemp(join(tmpdir(), 'dealfeed-rebuild-'));
  try {
    const folders = { layout, target: layoutOf(scratch), options };
    const read = (earlier: string): Promise<Manifest> => readPrevious(folders, earlier, runId);
    const previous = published.previous === null ? null : await read(published.previous);
    const { follows: followed } = published;
    const follows = followed === null || followed === previous?.run_id ? previous : await read(followed);
    const now = await rebuildInto(folders, published, { previous, follows });
    const names = [...new Set([...Object.keys(published.tables), ...Object.keys(now.tables)])].sort();
    const tables = names.map((name) => ({
      name,
      was: published.tables[name]?.sha256 ?? 'not published then',
      now: now.tables[name]?.sha256 ?? 'not published now',
    }));
    return { runId, tables, ...now.reads, versionChanges: now.versionChanges };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

interface RebuiltSnapshot {
  readonly tables: Manifest['tables'];
  readonly reads: Pick<Rebuilt, 'parsed' | 'copied'>;
  readonly versionChanges: readonly string[];
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
  // Writes go to the scratch folder; earlier snapshots are read in place, unless they had to be rebuilt there.
  const earlier = [previous?.run_id, follows?.run_id];
  const isInPlace = (id: string): boolean => earlier.includes(id) && !existsSync(target.snapshot(id));
  const mixed: Layout = { ...target, snapshot: (id) => (isInPlace(id) ? layout : target).snapshot(id) };
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
    await buildModels(build.connection, models, { published: PUBLISHED });
    const { tables } = await writeSnapshot(build, target, { models, facts: published });
    const versions = { ...hashModels(models), duckdb: duckVersion() };
    return { tables, reads: { parsed, copied }, versionChanges: versionChangesSince(published, versions) };
  } finally {
    await build.close();
  }
}

/** Manifest of a snapshot that the wanted one was built on. If its filings were pruned, they are rebuilt. */
async function readPrevious(folders: Folders, runId: string, wanted: string): Promise<Manifest> {
  const { layout } = folders;
  const builtOn = `RUN is ${JSON.stringify(wanted)}, which was built on ${runId}, but that snapshot`;
  if (!(await listSnapshots(layout)).includes(runId)) throw new PredecessorRemoved(wanted, runId);
  const damage = await verifySnapshot(layout, runId, 'retained');
  if (damage.length > 0) throw new SettingError(`${builtOn} is damaged: ${damage.join('; ')}`);
  const manifest = await readManifest(layout, runId);
  await restoreTables(folders, manifest);
  return manifest;
}

/** Rebuild an earlier snapshot in the scratch folder, if its filings were pruned: they need no list of changes. */
async function restoreTables(folders: Folders, manifest: Manifest): Promise<void> {
  const { layout, target } = folders;
  const runId = manifest.run_id;
  const pruned = new Set((await prunedFiles(layout, runId)).map(({ file }) => file));
  const tables = Object.entries(manifest.tables).filter(([, { file }]) => pruned.has(file));
  if (tables.length === 0 || existsSync(target.snapshot(runId))) return;
  const own = { ...folders, target: layoutOf(await mkdtemp(join(target.root, 'earlier-'))) };
  const previous = manifest.previous === null ? null : await readPrevious(own, manifest.previous, runId);
  const now = await rebuildInto(own, manifest, { previous, follows: previous });
  for (const [name, { sha256 }] of tables)
    if (now.tables[name]?.sha256 !== sha256)
      throw new SettingError(
        `${name} of ${runId} was removed by make prune and cannot be rebuilt identically. ` +
          [...now.versionChanges, 'Set KEEP_FILINGS_DAYS to keep it longer.'].join('. '),
      );
  await makeFolder(target.snapshot(runId));
  for (const { file } of Object.values(manifest.tables)) {
    const from = pruned.has(file) ? own.target : layout;
    await cp(join(from.snapshot(runId), file), join(target.snapshot(runId), file));
  }
  await rm(own.target.root, { recursive: true });
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

type Versions = Pick<Manifest['versions'], 'models' | 'schema' | 'duckdb'>;

function versionChangesSince({ versions: was, run_id: runId }: Manifest, now: Versions): string[] {
  const changes = [
    was.models === now.models ? null : `the models have changed since ${runId} was built`,
    was.schema === now.schema ? null : `the columns have changed since ${runId} was built`,
    was.duckdb === now.duckdb ? null : `DuckDB was ${was.duckdb} when ${runId} was built`,
  ];
  return changes.filter((change) => change !== null);
}

export function formatRebuild({ runId, tables, parsed, copied, versionChanges }: Rebuilt): string[] {
  const different = tables.filter(({ was, now }) => was !== now);
  const result =
    different.length === 0 ? 'identical bytes' : `${different.length} of ${tables.length} tables are DIFFERENT`;
  const reads = `${parsed} reads parsed again from the archive`;
  const lines = [
    `${runId}: ${result}; ${tables.length} tables, ${reads}${copied.length > 0 ? `, ${copied.length} copied` : ''}`,
    ...copied.map(({ source, why }) => `  copied the stored rows of ${source}: ${why}`),
  ];
  if (different.length === 0) return lines;
  const rows = different.map((each) => [each.name, each.was.slice(0, 16), each.now.slice(0, 16)]);
  return [...lines, ...table(['table', 'then', 'now'], rows), ...versionChanges.map((change) => `  ${change}`)];
}

/**
 * Rebuild every snapshot and print each result.
 * @returns whether all tables are the same, where a snapshot could be rebuilt
 */
export async function rebuildAll(
  layout: Layout,
  runs: readonly string[],
  { buildMemory, show }: { readonly buildMemory?: string | undefined; readonly show: (line: string) => void },
): Promise<boolean> {
  let areSame = true;
  for (const runId of runs) {
    try {
      const result = await rebuild(layout, runId, { buildMemory });
      for (const line of formatRebuild(result)) show(line);
      areSame &&= isSame(result);
    } catch (error) {
      if (!(error instanceof PredecessorRemoved)) throw error;
      show(`${runId}: skipped, because it was built on ${error.earlier}, which was removed`);
    }
  }
  return areSame;
}

const settings = z.object({ RUN: z.string().optional() });

async function main(): Promise<void> {
  const { DATA_DIR, BUILD_MEMORY } = readSettings(pipelineSettings);
  const layout = layoutOf(DATA_DIR);
  const { RUN } = readSettings(settings);
  const release = holdForReading(layout);
  if (RUN === undefined) {
    const runs = await listSnapshots(layout);
    if (runs.length === 0)
      throw new SettingError(`DATA_DIR is ${JSON.stringify(layout.root)}, which has no snapshot; start with make run`);
    if (!(await rebuildAll(layout, runs, { buildMemory: BUILD_MEMORY, show: print }))) process.exitCode = 1;
  } else {
    const result = await rebuild(layout, RUN, { buildMemory: BUILD_MEMORY });
    for (const line of formatRebuild(result)) print(line);
    if (!isSame(result)) process.exitCode = 1;
  }
  release();
}

if (import.meta.main) {
  try {
    await main();
  } catch (error) {
    const isOperatorError = error instanceof SettingError || !(error instanceof Error);
    process.stderr.write(`${isOperatorError ? messageOf(error) : (error.stack ?? error.message)}\n`);
    process.exitCode = 1;
  }
}
