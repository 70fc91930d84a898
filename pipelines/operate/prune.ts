/**
 * `make prune`: lists what a data folder has beyond its retention (retention.ts), and with APPLY=1 removes it, while no
 * run writes and no command reads snapshots.
 */
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openDuck, rowsOf } from '../../lib/duck.ts';
import { messageOf } from '../../lib/errors.ts';
import { namesIn, sizeOfFiles, sizeOfFolder, sync } from '../../lib/files.ts';
import { print } from '../../lib/output.ts';
import { pipelineSettings, readSettings } from '../../lib/settings.ts';
import { literal } from '../../lib/sql.ts';
import { openArchive, type Archive } from '../../sources/fetch/archive.ts';
import { LAST_DAY, liveClock } from '../clock.ts';
import { failureText } from '../failure.ts';
import { bytesShort, number } from '../format.ts';
import { readsUpTo } from '../ingest/reads.ts';
import { compareRunIds, layoutOf, parseRunId, type Layout } from '../layout.ts';
import { writeOpenTables } from '../open_tables/write.ts';
import { prunedFiles, writePrunedFiles } from '../pruned_files.ts';
import { holdAgainstReaders, holdFolder } from '../run/lock.ts';
import { currentSnapshot, listSnapshots, readManifest } from '../snapshots.ts';
import {
  filesToPrune,
  planRemoval,
  REMOVABLE,
  retainedSnapshots,
  type Inventory,
  type Plan,
  type ReadUnit,
  type SnapshotFile,
  type SnapshotNeeds,
} from './retention.ts';
import { operatorSettings, writeArguments } from './settings.ts';

/** Prefix of a snapshot that is being removed. From the rename on it is not a snapshot. */
const PRUNED = '.pruned-';

const objectPath = (layout: Layout, sha256: string): string =>
  join(layout.root, 'archive', 'objects', sha256.slice(0, 2), sha256);

const requestsPath = (layout: Layout, { source, runId }: Pick<ReadUnit, 'source' | 'runId'>): string =>
  join(layout.root, 'archive', 'requests', source, `${runId}.ndjson`);

async function listReadUnits(layout: Layout, archive: Archive, source: string): Promise<ReadUnit[]> {
  const records = new Map((await readsUpTo(layout, source, LAST_DAY)).map((read) => [read.run_id, read]));
  const archived = (await archive.runs(source)).filter((id) => parseRunId(id) !== null);
  const units: ReadUnit[] = [];
  for (const runId of new Set([...records.keys(), ...archived])) {
    const record = records.get(runId);
    const requests = await archive.records(source, runId);
    units.push({
      source,
      runId,
      status: record?.status ?? null,
      objects: new Set([
        ...requests.flatMap((request) => request.sha256 ?? []),
        ...(record?.pages ?? []).map((page) => page.sha256),
      ]),
    });
  }
  return units;
}

async function listObjects(layout: Layout): Promise<string[]> {
  const root = join(layout.root, 'archive', 'objects');
  const objects: string[] = [];
  for (const folder of await namesIn(root)) objects.push(...(await namesIn(join(root, folder))));
  return objects.filter((name) => /^[0-9a-f]{64}$/u.test(name));
}

/** The DuckDB files and the filings of snapshots. */
async function listSnapshotFiles(layout: Layout, runIds: readonly string[]): Promise<SnapshotFile[]> {
  const files: SnapshotFile[] = [];
  for (const runId of runIds)
    for (const file of await namesIn(layout.snapshot(runId))) if (REMOVABLE.includes(file)) files.push({ runId, file });
  return files;
}

async function takeInventory(layout: Layout): Promise<Inventory> {
  const archive = await openArchive(layout.root);
  const staged = await namesIn(layout.stagedRoot);
  const archived = await namesIn(join(layout.root, 'archive', 'requests'));
  const reads: ReadUnit[] = [];
  for (const source of [...new Set([...staged, ...archived])].sort())
    reads.push(...(await listReadUnits(layout, archive, source)));
  const runs: string[] = [];
  for (const runId of (await namesIn(layout.runs)).filter((name) => parseRunId(name) !== null))
    if ((await namesIn(layout.run(runId))).length > 0) runs.push(runId);
  const current = await currentSnapshot(layout);
  // Ages in the sandbox count from its own day; on the real web from today, even if no run has been made for a while.
  const manifest = current === null ? null : await readManifest(layout, current);
  const snapshots = await listSnapshots(layout);
  return {
    today: manifest?.data_clock === 'sandbox' ? manifest.as_of : liveClock().asOf,
    current,
    snapshots,
    files: await listSnapshotFiles(layout, snapshots),
    reads,
    runs: runs.sort(compareRunIds),
    objects: await listObjects(layout),
  };
}

/**
 * What a snapshot depends on: the reads in its manifest, and the pages in its rows.
 * @param without files that are removed with this plan
 */
async function findNeeds(layout: Layout, runId: string, without: ReadonlySet<string>): Promise<SnapshotNeeds> {
  const gone = new Set([...without, ...(await prunedFiles(layout, runId))]);
  const manifest = await readManifest(layout, runId);
  const pages: { source: string; sha256: string }[] = [];
  const duck = await openDuck(':memory:', { threads: 1 });
  try {
    for (const { file } of Object.values(manifest.tables)) {
      if (gone.has(file)) continue;
      const table = `read_parquet(${literal(join(layout.snapshot(runId), file))})`;
      const described = await rowsOf(duck.connection, `DESCRIBE SELECT * FROM ${table}`);
      const columns = new Set(described.map((row) => String(row['column_name'])));
      if (!columns.has('page_sha256') || !columns.has('source')) continue;
      const sql = `SELECT DISTINCT source, page_sha256 FROM ${table} WHERE page_sha256 IS NOT NULL`;
      for (const row of await rowsOf(duck.connection, sql))
        pages.push({ source: String(row['source']), sha256: String(row['page_sha256']) });
    }
  } finally {
    duck.close();
  }
  const reads = manifest.sources.flatMap((source) =>
    source.staged_run === null ? [] : [{ source: source.source, runId: source.staged_run }],
  );
  return { reads, pages };
}

/** Files of a read: every version of its record and rows, and its list of requests. */
async function listReadFiles(layout: Layout, unit: ReadUnit): Promise<string[]> {
  const staged = (await namesIn(layout.staged(unit.source)))
    .filter((name) => name.startsWith(`${unit.runId}.`))
    .map((name) => join(layout.staged(unit.source), name));
  // Rows first and the list of requests last: a record must not outlive the list, which marks pages of a quarantined
  // read.
  const rowsFirst = staged.sort((a, b) => Number(b.endsWith('.parquet')) - Number(a.endsWith('.parquet')));
  return [...rowsFirst, requestsPath(layout, unit)];
}

/** Plan what to remove. Reads only. */
export async function planPrune(
  layout: Layout,
  keepDays: number,
): Promise<{ readonly plan: Plan; readonly inventory: Inventory }> {
  const inventory = await takeInventory(layout);
  const retained = retainedSnapshots(inventory, keepDays);
  const needs = new Map<string, Awaited<ReturnType<typeof findNeeds>>>();
  const files = Map.groupBy(filesToPrune(inventory, retained), ({ runId }) => runId);
  for (const runId of retained)
    needs.set(runId, await findNeeds(layout, runId, new Set(files.get(runId)?.map(({ file }) => file))));
  return { plan: planRemoval(inventory, keepDays, retained, needs), inventory };
}

/** Remove files of retained snapshots. Recorded first, so that a removed file is never reported as lost. */
async function removeSnapshotFiles(layout: Layout, files: readonly SnapshotFile[]): Promise<void> {
  for (const [runId, removed] of Map.groupBy(files, (file) => file.runId)) {
    const names = new Set(removed.map(({ file }) => file));
    await writePrunedFiles(layout, runId, [...new Set([...(await prunedFiles(layout, runId)), ...names])]);
    for (const file of names) await rm(join(layout.snapshot(runId), file), { force: true });
  }
}

/** Remove what a plan lists, dependents first, so that after a crash the next call removes the rest. */
async function apply(layout: Layout, plan: Plan): Promise<void> {
  for (const runId of plan.snapshots) await rename(layout.snapshot(runId), join(layout.snapshots, `${PRUNED}${runId}`));
  if (plan.snapshots.length > 0) await sync(layout.snapshots);
  for (const name of await namesIn(layout.snapshots))
    if (name.startsWith(PRUNED)) await rm(join(layout.snapshots, name), { recursive: true });
  await removeSnapshotFiles(layout, plan.files);
  for (const unit of plan.reads) for (const path of await listReadFiles(layout, unit)) await rm(path, { force: true });
  for (const sha256 of plan.objects) await rm(objectPath(layout, sha256), { force: true });
  // The empty folder stays: its run id is taken.
  for (const runId of plan.runs)
    for (const name of await namesIn(layout.run(runId))) await rm(join(layout.run(runId), name), { recursive: true });
}

/** Remove what a plan lists while no command reads snapshots. */
async function applyAlone(layout: Layout, plan: Plan, waitMs?: number): Promise<void> {
  const release = await holdAgainstReaders(layout, waitMs);
  try {
    await apply(layout, plan);
  } finally {
    release();
  }
}

type Kind = keyof Plan;
const KINDS: Readonly<Record<Kind, string>> = {
  snapshots: 'snapshots',
  files: 'DuckDB files and filings of older snapshots',
  reads: 'reads (their rows and request lists)',
  objects: 'archived pages',
  runs: 'run reports',
};

async function measureSizes(layout: Layout, plan: Plan): Promise<Record<Kind, number>> {
  const sizeOfFolders = async (folders: readonly string[]): Promise<number> => {
    const sizes = await Promise.all(folders.map(sizeOfFolder));
    return sizes.reduce((a, b) => a + b, 0);
  };
  return {
    snapshots: await sizeOfFolders(plan.snapshots.map((id) => layout.snapshot(id))),
    files: await sizeOfFiles(plan.files.map(({ runId, file }) => join(layout.snapshot(runId), file))),
    reads: await sizeOfFiles((await Promise.all(plan.reads.map((read) => listReadFiles(layout, read)))).flat()),
    objects: await sizeOfFiles(plan.objects.map((object) => objectPath(layout, object))),
    runs: await sizeOfFolders(plan.runs.map((id) => layout.run(id))),
  };
}

export interface PruneOptions {
  /** Remove; otherwise only list. */
  readonly apply: boolean;
  /** Where readers of the Iceberg tables find the data folder. Default: its absolute path. */
  readonly tablesUrl?: string | undefined;
  /** How long to wait for a run, and for commands that read snapshots. */
  readonly waitMs?: number;
}

/** List what is past its retention and, with `apply`, remove it while holding the folder. */
export async function prune(
  layout: Layout,
  keepDays: number,
  options: PruneOptions,
): Promise<{ readonly plan: Plan; readonly lines: readonly string[] }> {
  const release = options.apply ? await holdFolder(layout, options.waitMs) : undefined;
  try {
    const { plan, inventory } = await planPrune(layout, keepDays);
    const sizes = await measureSizes(layout, plan);
    let tables: readonly string[] = [];
    if (options.apply) {
      await applyAlone(layout, plan, options.waitMs);
      tables = await writeOpenTables(layout, options.tablesUrl).then(
        () => [],
        (error: unknown) => [
          `The Iceberg tables still name removed snapshots, the next run corrects them: ${messageOf(error)}`,
        ],
      );
    }
    const verb = options.apply ? 'removed' : 'to remove';
    const lines = (Object.keys(KINDS) as Kind[]).map((kind) => {
      const count = `${number(plan[kind].length)} of ${number(inventory[kind].length)}`;
      return `${verb}: ${count} ${KINDS[kind]}, ${bytesShort(sizes[kind])}`;
    });
    if (plan.snapshots.length > 0) lines.push(`${verb}: snapshots ${plan.snapshots.join(', ')}`);
    lines.push(
      `retained: every snapshot of a week, the last of each day for ${keepDays} days (KEEP_DAYS) and then of each ` +
        'month, and everything that a retained snapshot needs',
    );
    lines.push(...tables);
    if (!options.apply) lines.push('Nothing was removed. APPLY=1 removes it.');
    return { plan, lines };
  } finally {
    release?.();
  }
}

if (import.meta.main) {
  try {
    const { DATA_DIR, TABLES_URL: tablesUrl } = readSettings(pipelineSettings);
    const { KEEP_DAYS } = readSettings(operatorSettings);
    const { APPLY, WAIT_MINUTES } = readSettings(writeArguments);
    const options = { apply: APPLY, tablesUrl, waitMs: WAIT_MINUTES * 60_000 };
    const { lines } = await prune(layoutOf(DATA_DIR), KEEP_DAYS, options);
    for (const line of lines) print(line);
  } catch (error) {
    process.stderr.write(`${failureText(error, process.env['DATA_DIR'] || 'data')}\n`);
    process.exitCode = 1;
  }
}
