/**
 * `make prune`: lists what a data folder has beyond its retention, and with APPLY=1 removes it, while no run writes and
 * no command reads snapshots. Retained are all snapshots of a week, then the last of each day for KEEP_DAYS, then the
 * last of each month; reads and run reports for KEEP_DAYS.
 *
 * Never removed, with any KEEP_DAYS:
 *   the current snapshot, and the newest one;
 *   all snapshots of the last week;
 *   the DuckDB file of the current and the newest snapshot, and of the one whose history the next run continues;
 *   the newest snapshot of an earlier day than the current one: a run repeated today continues its history;
 *   of each source the newest read, the newest good read up to the current snapshot's day, and every later read: the
 *   next build uses their rows and state;
 *   every read that a retained snapshot was built from, and the pages that its rows name, so that each of its numbers
 *   can still be traced to archived bytes.
 */
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openDuck, rowsOf } from '../../lib/duck.ts';
import { messageOf } from '../../lib/errors.ts';
import { filesIn, namesIn, sizeOfFiles, sync } from '../../lib/files.ts';
import { print } from '../../lib/output.ts';
import { filesOf } from '../../lib/store/snapshot_cache.ts';
import { openStore } from '../../lib/store/open.ts';
import { objectName, type Store } from '../../lib/store/store.ts';
import { pipelineSettings, readSettings } from '../../lib/settings.ts';
import { literal } from '../../lib/sql.ts';
import { type Archive, openArchive } from '../../lib/archive.ts';
import { daysBetween, LAST_DAY, liveClock } from '../clock.ts';
import { failureText } from '../failure.ts';
import { bytesShort, number } from '../format.ts';
import { readsUpTo } from '../ingest/reads.ts';
import { compareRunIds, type Layout, layoutOf, parseRunId } from '../layout.ts';
import { writeOpenTables } from '../open_tables/table.ts';
import { prunedFiles, writePrunedFiles } from '../pruned_files.ts';
import { holdAgainstReaders, holdFolder } from '../run/lock.ts';
import { DATABASE } from '../run/publish.ts';
import { currentSnapshot, listSnapshots, readManifest } from '../snapshots.ts';
import { operatorSettings, writeArguments } from './settings.ts';

/** Days for which every snapshot is retained, whatever KEEP_DAYS is: a client may page through it. */
const GRACE_DAYS = 7;
/** Days for which the last snapshot of each month is retained. */
const MONTHLY_DAYS = 1100;
/** Days for which a snapshot keeps its databases: `make sql` also reads its Parquet files. */
const DATABASE_DAYS = 2;
/** Files that a snapshot can do without: `make sql` and `make rebuild` make them again. */
export const isRemovable = (file: string): boolean => file === DATABASE || file.endsWith('.sqlite');

/** One read of one source: its list of requests in the archive, its record and its staged rows, removed together. */
export interface ReadUnit {
  readonly source: string;
  readonly runId: string;
  /** Null for a list of requests without a record: its run was killed. */
  readonly status: 'good' | 'quarantined' | 'unavailable' | null;
  /** Archive objects that its requests and its record name. */
  readonly objects: ReadonlySet<string>;
}

/** What a snapshot depends on. */
export interface SnapshotNeeds {
  /** Reads it was built from. */
  readonly reads: readonly { readonly source: string; readonly runId: string }[];
  /** Pages that its rows name. */
  readonly pages: readonly { readonly source: string; readonly sha256: string }[];
}

/** A file that a snapshot can do without. */
interface SnapshotFile {
  readonly runId: string;
  readonly file: string;
}

export interface Inventory {
  readonly today: string;
  readonly current: string | null;
  readonly snapshots: readonly string[];
  /** The databases that the snapshots still have. */
  readonly files: readonly SnapshotFile[];
  readonly reads: readonly ReadUnit[];
  /** Runs with files in their folder. */
  readonly runs: readonly string[];
  readonly objects: readonly string[];
}

export interface Plan {
  readonly snapshots: readonly string[];
  /** Files to remove from retained snapshots. */
  readonly files: readonly SnapshotFile[];
  readonly reads: readonly ReadUnit[];
  readonly runs: readonly string[];
  readonly objects: readonly string[];
}

const dayOf = (runId: string): string => parseRunId(runId)?.asOf ?? runId.slice(0, 10);
const newest = (runIds: readonly string[]): string | undefined => [...runIds].sort(compareRunIds).at(-1);
const ageInDays = (runId: string, today: string): number => daysBetween(dayOf(runId), today);

/** Snapshots that serve, or that the next build reads: it continues the history of an earlier day. */
function snapshotsInUse({ current, snapshots }: Pick<Inventory, 'current' | 'snapshots'>): Set<string> {
  const before = current === null ? undefined : newest(snapshots.filter((id) => dayOf(id) < dayOf(current)));
  const inUse = [current, newest(snapshots), before];
  return new Set(inUse.filter((id) => id !== undefined && id !== null));
}

const monthOf = (runId: string): string => dayOf(runId).slice(0, 7);

/** Snapshots that are retained. */
export function retainedSnapshots(
  { current, snapshots, today }: Pick<Inventory, 'current' | 'snapshots' | 'today'>,
  keepDays: number,
): Set<string> {
  const retained = snapshotsInUse({ current, snapshots });
  const retainLast = (period: (runId: string) => string, withinDays: number): void => {
    for (const [, ids] of Map.groupBy(snapshots, period)) {
      const last = newest(ids);
      if (last !== undefined && ageInDays(last, today) <= withinDays) retained.add(last);
    }
  };
  retainLast(dayOf, keepDays);
  retainLast(monthOf, MONTHLY_DAYS);
  for (const id of snapshots) if (ageInDays(id, today) <= GRACE_DAYS) retained.add(id);
  return retained;
}

/** DuckDB files that the retained snapshots can do without. */
function filesToPrune(inventory: Inventory, retained: ReadonlySet<string>): SnapshotFile[] {
  const inUse = snapshotsInUse(inventory);
  return inventory.files.filter(
    ({ runId }) => retained.has(runId) && !inUse.has(runId) && ageInDays(runId, inventory.today) > DATABASE_DAYS,
  );
}

const unitKey = (unit: { readonly source: string; readonly runId: string }): string => `${unit.source} ${unit.runId}`;

/** Reads of one source that are retained. @param needs what the retained snapshots depend on */
function chooseRetainedReads(
  units: readonly ReadUnit[],
  { today, current }: Inventory,
  keepDays: number,
  needs: readonly SnapshotNeeds[],
): ReadUnit[] {
  const sorted = [...units].sort((a, b) => compareRunIds(a.runId, b.runId));
  const needed = new Set(needs.flatMap((need) => need.reads.map(unitKey)));
  const currentDay = current === null ? LAST_DAY : dayOf(current);
  const newestRead = sorted.findLast((unit) => unit.status !== null);
  const newestGoodRead = sorted.findLast((unit) => unit.status === 'good' && dayOf(unit.runId) <= currentDay);
  const retained = new Set(
    sorted.filter(
      (unit) =>
        unit === newestRead ||
        unit === newestGoodRead ||
        dayOf(unit.runId) > currentDay ||
        needed.has(unitKey(unit)) ||
        ageInDays(unit.runId, today) <= keepDays,
    ),
  );
  // A page that a row names needs one read that fetched it: the latest, if no other reason retains one.
  const objects = new Set([...retained].flatMap((unit) => [...unit.objects]));
  const source = sorted[0]?.source;
  for (const { sha256 } of needs.flatMap((need) => need.pages.filter((page) => page.source === source))) {
    if (objects.has(sha256)) continue;
    const unit = sorted.findLast((candidate) => candidate.objects.has(sha256));
    if (!unit) continue;
    retained.add(unit);
    for (const object of unit.objects) objects.add(object);
  }
  return [...retained];
}

/** What to remove. @param needs by run id, of each retained snapshot */
export function planRemoval(
  inventory: Inventory,
  keepDays: number,
  retained: ReadonlySet<string>,
  needs: ReadonlyMap<string, SnapshotNeeds>,
): Plan {
  const allNeeds = [...retained].map((id) => {
    const found = needs.get(id);
    if (!found) throw new Error(`the needs of snapshot ${id} are unknown`);
    return found;
  });
  const bySource = [...Map.groupBy(inventory.reads, (read) => read.source).values()];
  const reads = new Set(bySource.flatMap((units) => chooseRetainedReads(units, inventory, keepDays, allNeeds)));
  const objects = new Set([
    ...[...reads].flatMap((read) => [...read.objects]),
    ...allNeeds.flatMap((need) => need.pages.map((page) => page.sha256)),
  ]);
  const lastRun = newest(inventory.runs);
  return {
    snapshots: inventory.snapshots.filter((id) => !retained.has(id)),
    files: filesToPrune(inventory, retained),
    reads: inventory.reads.filter((read) => !reads.has(read)),
    runs: inventory.runs.filter(
      (id) => id !== lastRun && !retained.has(id) && ageInDays(id, inventory.today) > keepDays,
    ),
    objects: inventory.objects.filter((sha256) => !objects.has(sha256)),
  };
}

/** Prefix of a snapshot that is being removed. From the rename on it is not a snapshot. */
const PRUNED = '.pruned-';

/** Every read that has a record, requests in the archive, or both. */
async function listReads(layout: Layout, archive: Archive): Promise<ReadUnit[]> {
  const units = new Map<string, ReadUnit>();
  for (const { source, runId, hashes } of archive.readsWithHashes()) {
    const unit = { source, runId, status: null, objects: new Set(hashes) };
    if (parseRunId(runId) !== null) units.set(unitKey(unit), unit);
  }
  for (const source of await namesIn(layout.stagedRoot))
    for (const { run_id: runId, status, pages } of await readsUpTo(layout, source, LAST_DAY)) {
      const archived = units.get(unitKey({ source, runId }))?.objects ?? [];
      const objects = new Set([...archived, ...pages.map((page) => page.sha256)]);
      units.set(unitKey({ source, runId }), { source, runId, status, objects });
    }
  return [...units.values()].sort((a, b) => (unitKey(a) < unitKey(b) ? -1 : 1));
}

/** The databases of snapshots. */
async function listSnapshotFiles(layout: Layout, runIds: readonly string[]): Promise<SnapshotFile[]> {
  const files: SnapshotFile[] = [];
  for (const runId of runIds)
    for (const file of await namesIn(layout.snapshot(runId))) if (isRemovable(file)) files.push({ runId, file });
  return files;
}

async function takeInventory(layout: Layout, archive: Archive): Promise<Inventory> {
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
    reads: await listReads(layout, archive),
    runs: runs.sort(compareRunIds),
    objects: [...archive.storedBytes().keys()],
  };
}

/** Pages that the rows of a file name, by the file: snapshots share the parts of a table. */
type KnownPages = Map<string, SnapshotNeeds['pages']>;

/** What a snapshot depends on: the reads in its manifest, and the pages in its rows. */
async function findNeeds(layout: Layout, runId: string, known: KnownPages): Promise<SnapshotNeeds> {
  const manifest = await readManifest(layout, runId);
  const pages: { source: string; sha256: string }[] = [];
  const duck = await openDuck(':memory:', { threads: 1 });
  try {
    // A host that serves has no tables, and no archive that they could need.
    const here = (await filesOf(layout.snapshot(runId), manifest)).filter(({ file }) => file.endsWith('.parquet'));
    for (const { file, sha256 } of here) {
      pages.push(...(known.get(sha256) ?? []));
      if (known.has(sha256)) continue;
      known.set(sha256, []);
      const table = `read_parquet(${literal(join(layout.snapshot(runId), file))})`;
      const described = await rowsOf(duck.connection, `DESCRIBE SELECT * FROM ${table}`);
      const columns = new Set(described.map((row) => String(row['column_name'])));
      if (!columns.has('page_sha256') || !columns.has('source')) continue;
      const sql = `SELECT DISTINCT source, page_sha256 FROM ${table} WHERE page_sha256 IS NOT NULL`;
      const named = await rowsOf(duck.connection, sql);
      known.set(
        sha256,
        named.map((row) => ({ source: String(row['source']), sha256: String(row['page_sha256']) })),
      );
      pages.push(...(known.get(sha256) ?? []));
    }
  } finally {
    duck.close();
  }
  const reads = manifest.sources.flatMap((source) =>
    source.staged_run === null ? [] : [{ source: source.source, runId: source.staged_run }],
  );
  return { reads, pages };
}

/** Files of a read: every version of its record and rows. */
async function listReadFiles(layout: Layout, unit: ReadUnit): Promise<string[]> {
  const staged = (await namesIn(layout.staged(unit.source)))
    .filter((name) => name.startsWith(`${unit.runId}.`))
    .map((name) => join(layout.staged(unit.source), name));
  return staged.sort((a, b) => Number(b.endsWith('.parquet')) - Number(a.endsWith('.parquet')));
}

/** Plan what to remove. Reads only. */
async function planPrune(
  layout: Layout,
  archive: Archive,
  keepDays: number,
): Promise<{ readonly plan: Plan; readonly inventory: Inventory }> {
  const inventory = await takeInventory(layout, archive);
  const retained = retainedSnapshots(inventory, keepDays);
  const needs = new Map<string, Awaited<ReturnType<typeof findNeeds>>>();
  const known: KnownPages = new Map();
  for (const runId of retained) needs.set(runId, await findNeeds(layout, runId, known));
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
async function apply(layout: Layout, archive: Archive, plan: Plan): Promise<void> {
  for (const runId of plan.snapshots) await rename(layout.snapshot(runId), join(layout.snapshots, `${PRUNED}${runId}`));
  if (plan.snapshots.length > 0) await sync(layout.snapshots);
  for (const name of await namesIn(layout.snapshots))
    if (name.startsWith(PRUNED)) await rm(join(layout.snapshots, name), { recursive: true });
  await removeSnapshotFiles(layout, plan.files);
  for (const unit of plan.reads) for (const path of await listReadFiles(layout, unit)) await rm(path, { force: true });
  // Requests after the records: a record must not outlive its requests, which mark pages of a quarantined read.
  await archive.remove(plan.reads, plan.objects);
  // The empty folder stays: its run id is taken.
  for (const runId of plan.runs)
    for (const name of await namesIn(layout.run(runId))) await rm(join(layout.run(runId), name), { recursive: true });
}

/** Remove what a plan lists while no command reads snapshots. */
async function applyAlone(layout: Layout, archive: Archive, plan: Plan, waitMs?: number): Promise<void> {
  const release = await holdAgainstReaders(layout, waitMs);
  try {
    await apply(layout, archive, plan);
  } finally {
    release();
  }
}

type Kind = keyof Plan;
const KINDS: Readonly<Record<Kind, string>> = {
  snapshots: 'snapshots',
  files: 'DuckDB files of older snapshots',
  reads: 'reads (their rows and requests)',
  objects: 'archived pages',
  runs: 'run reports',
};

/** Bytes that a plan frees. A part that a retained snapshot shares stays on the disk. */
async function measureSizes(layout: Layout, archive: Archive, plan: Plan): Promise<Record<Kind, number>> {
  const stored = archive.storedBytes();
  const inFolders = async (folders: readonly string[]): Promise<number> =>
    sizeOfFiles((await Promise.all(folders.map(filesIn))).flat(), true);
  return {
    snapshots: await inFolders(plan.snapshots.map((id) => layout.snapshot(id))),
    files: await sizeOfFiles(
      plan.files.map(({ runId, file }) => join(layout.snapshot(runId), file)),
      true,
    ),
    reads: await sizeOfFiles((await Promise.all(plan.reads.map((read) => listReadFiles(layout, read)))).flat()),
    objects: plan.objects.reduce((sum, hash) => sum + (stored.get(hash) ?? 0), 0),
    runs: await inFolders(plan.runs.map((id) => layout.run(id))),
  };
}

interface PruneOptions {
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
  const archive = await openArchive(layout.root);
  try {
    const { plan, inventory } = await planPrune(layout, archive, keepDays);
    const sizes = await measureSizes(layout, archive, plan);
    let tables: readonly string[] = [];
    if (options.apply) {
      await applyAlone(layout, archive, plan, options.waitMs);
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
    await archive.close();
    release?.();
  }
}

/**
 * Overwrite pages of the archive, and remove them from the store. Their hashes and requests stay, and their staged rows
 * until they are pruned.
 */
export async function erasePages(
  layout: Layout,
  hashes: readonly string[],
  { store, waitMs }: { readonly store?: Store | undefined; readonly waitMs?: number } = {},
): Promise<readonly string[]> {
  const release = await holdFolder(layout, waitMs);
  const archive = await openArchive(layout.root);
  try {
    for (const hash of hashes) {
      await archive.erase(hash);
      await store?.remove(objectName(hash));
    }
    return hashes.map((hash) => `erased: ${hash}. Days that were read from it cannot be reproduced from their pages.`);
  } finally {
    await archive.close();
    release();
  }
}

if (import.meta.main) {
  try {
    const { DATA_DIR, STORE, TABLES_URL: tablesUrl } = readSettings(pipelineSettings);
    const { KEEP_DAYS } = readSettings(operatorSettings);
    const { APPLY, ERASE, WAIT_MINUTES } = readSettings(writeArguments);
    const options = { apply: APPLY, tablesUrl, waitMs: WAIT_MINUTES * 60_000 };
    const layout = layoutOf(DATA_DIR);
    const store = ERASE === undefined || STORE === undefined ? undefined : await openStore(STORE);
    const lines = ERASE
      ? await erasePages(layout, ERASE, { store, waitMs: options.waitMs })
      : (await prune(layout, KEEP_DAYS, options)).lines;
    store?.close();
    for (const line of lines) print(line);
  } catch (error) {
    process.stderr.write(`${failureText(error, process.env['DATA_DIR'] || 'data')}\n`);
    process.exitCode = 1;
  }
}
