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
import { runCommand } from '../../lib/command.ts';
import { closing } from '../../lib/closing.ts';
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
import { loadMarts } from '../../models/index.ts';
import { daysBetween, LAST_DAY, liveClock } from '../clock.ts';
import { failureText } from '../failure.ts';
import { bytesShort, number } from '../format.ts';
import { readsUpTo } from '../ingest/reads.ts';
import { compareRunIds, type Layout, layoutOf, parseRunId } from '../layout.ts';
import { writeOpenTables } from '../open_tables/table.ts';
import { holdAgainstReaders, holdFolder } from '../run/lock.ts';
import { DATABASE } from '../run/publish.ts';
import { currentSnapshot, listSnapshots, prunedFiles, readManifest, runIdsIn, writePrunedFiles } from '../snapshots.ts';
import { operatorSettings, writeArguments } from './settings.ts';

/** Days for which every snapshot is retained, whatever KEEP_DAYS is: a client may page through it. */
const GRACE_DAYS = 7;
/** Days for which the last snapshot of each month is retained. */
const MONTHLY_DAYS = 1100;
/** Days for which a snapshot keeps its databases: `make sql` also reads its Parquet files. */
const DATABASE_DAYS = 2;
/** Files that a snapshot can do without: `make sql` and `make rebuild` make them again. */
const isRemovable = (file: string): boolean => file === DATABASE || file.endsWith('.sqlite');

/** One read of one source: its list of requests in the archive, its record and its staged rows, removed together. */
interface ReadUnit {
  readonly source: string;
  readonly runId: string;
  /** Null for a list of requests without a record: its run was killed. */
  readonly status: 'good' | 'quarantined' | 'unavailable' | null;
  /** Archive objects that its requests and its record name. */
  readonly objects: ReadonlySet<string>;
}

/** What to remove. */
interface Plan {
  readonly snapshots: readonly string[];
  /** Files to remove from retained snapshots. */
  readonly files: readonly { readonly runId: string; readonly file: string }[];
  readonly reads: readonly ReadUnit[];
  readonly runs: readonly string[];
  /** Archived pages. */
  readonly objects: readonly string[];
}

/** The snapshots of a folder. */
export interface Snapshots {
  readonly today: string;
  readonly current: string | null;
  readonly snapshots: readonly string[];
}

const dayOf = (runId: string): string => parseRunId(runId)?.asOf ?? runId.slice(0, 10);
const newest = (runIds: readonly string[]): string | undefined => [...runIds].sort(compareRunIds).at(-1);
const ageInDays = (runId: string, today: string): number => daysBetween(dayOf(runId), today);

/** Snapshots that serve, or that the next build reads: it continues the history of an earlier day. */
function snapshotsInUse({ current, snapshots }: Snapshots): Set<string> {
  const before = current === null ? undefined : newest(snapshots.filter((id) => dayOf(id) < dayOf(current)));
  const inUse = [current, newest(snapshots), before];
  return new Set(inUse.filter((id) => id !== undefined && id !== null));
}

/** Snapshots that are retained. */
export function retainedSnapshots(all: Snapshots, keepDays: number): ReadonlySet<string> {
  const retained = snapshotsInUse(all);
  const retainLast = (lengthOfPeriod: number, withinDays: number): void => {
    for (const ids of Map.groupBy(all.snapshots, (id) => id.slice(0, lengthOfPeriod)).values()) {
      const last = newest(ids);
      if (last !== undefined && ageInDays(last, all.today) <= withinDays) retained.add(last);
    }
  };
  retainLast('2026-11-20'.length, keepDays);
  retainLast('2026-11'.length, MONTHLY_DAYS);
  for (const id of all.snapshots) if (ageInDays(id, all.today) <= GRACE_DAYS) retained.add(id);
  return retained;
}

/** What the retained snapshots depend on: reads, by unitKey, and hashes of the pages in their rows, by source. */
interface Needs {
  readonly reads: ReadonlySet<string>;
  readonly pages: ReadonlyMap<string, readonly string[]>;
}

const unitKey = (unit: { readonly source: string; readonly runId: string }): string => `${unit.source} ${unit.runId}`;

/** Reads of one source that are retained. */
function retainedReads(units: readonly ReadUnit[], all: Snapshots, keepDays: number, needs: Needs): Set<ReadUnit> {
  const sorted = [...units].sort((a, b) => compareRunIds(a.runId, b.runId));
  const currentDay = all.current === null ? LAST_DAY : dayOf(all.current);
  const newestRead = sorted.findLast((unit) => unit.status !== null);
  const newestGoodRead = sorted.findLast((unit) => unit.status === 'good' && dayOf(unit.runId) <= currentDay);
  const retained = new Set(
    sorted.filter(
      (unit) =>
        unit === newestRead ||
        unit === newestGoodRead ||
        dayOf(unit.runId) > currentDay ||
        needs.reads.has(unitKey(unit)) ||
        ageInDays(unit.runId, all.today) <= keepDays,
    ),
  );
  // A page that a row names needs one read that fetched it: the latest, if no other reason retains one.
  const objects = new Set([...retained].flatMap((unit) => [...unit.objects]));
  for (const hash of needs.pages.get(sorted[0]?.source ?? '') ?? []) {
    const unit = objects.has(hash) ? undefined : sorted.findLast((candidate) => candidate.objects.has(hash));
    if (!unit) continue;
    retained.add(unit);
    for (const object of unit.objects) objects.add(object);
  }
  return retained;
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

/** What snapshots depend on: the reads in their manifests, and the pages in their rows. */
async function findNeeds(layout: Layout, runIds: Iterable<string>): Promise<Needs> {
  const marts = (await loadMarts()).filter(({ contract: { record } }) =>
    ['page_sha256', 'source'].every((name) => record.columns.some((column) => column.name === name)),
  );
  const reads = new Set<string>();
  /** By hash: snapshots share files. */
  const paths = new Map<string, string>();
  for (const runId of runIds) {
    const manifest = await readManifest(layout, runId);
    for (const { source, staged_run: read } of manifest.sources)
      if (read !== null) reads.add(unitKey({ source, runId: read }));
    // A host that serves has no tables, and no archive that they could need.
    const here = new Set((await filesOf(layout.snapshot(runId), manifest)).map(({ file }) => file));
    for (const { file, sha256 } of marts.flatMap(({ name }) => manifest.tables[name]?.files ?? []))
      if (here.has(file)) paths.set(sha256, join(layout.snapshot(runId), file));
  }
  if (paths.size === 0) return { reads, pages: new Map() };
  await using duck = await openDuck(':memory:', { threads: 1 });
  const files = [...paths.values()].map(literal).join(', ');
  const named = await rowsOf(
    duck.connection,
    `SELECT source, list(DISTINCT page_sha256) FILTER (page_sha256 IS NOT NULL) AS pages
    FROM read_parquet([${files}], union_by_name = true) WHERE source IS NOT NULL GROUP BY source`,
  );
  return { reads, pages: new Map(named.map((row) => [String(row['source']), (row['pages'] ?? []) as string[]])) };
}

/** Files of a read: every version of its record and rows, the rows first. */
async function filesOfRead(layout: Layout, unit: ReadUnit): Promise<string[]> {
  const folder = layout.staged(unit.source);
  const files = (await namesIn(folder)).filter((name) => name.startsWith(`${unit.runId}.`));
  files.sort((a, b) => Number(b.endsWith('.parquet')) - Number(a.endsWith('.parquet')));
  return files.map((name) => join(folder, name));
}

/** Plan what to remove of all that is held. Reads only. */
async function planPrune(layout: Layout, archive: Archive, keepDays: number): Promise<{ plan: Plan; held: Plan }> {
  const current = await currentSnapshot(layout);
  // Ages in the sandbox count from its own day; on the real web from today, even if no run has been made for a while.
  const manifest = current === null ? null : await readManifest(layout, current);
  const today = manifest?.data_clock === 'sandbox' ? manifest.as_of : liveClock().asOf;
  const all: Snapshots = { today, current, snapshots: await listSnapshots(layout) };
  const [retained, inUse] = [retainedSnapshots(all, keepDays), snapshotsInUse(all)];
  const files: Plan['files'][number][] = [];
  for (const runId of all.snapshots)
    for (const file of (await namesIn(layout.snapshot(runId))).filter(isRemovable)) files.push({ runId, file });
  const runs: string[] = [];
  for (const runId of await runIdsIn(layout.runs)) if ((await namesIn(layout.run(runId))).length > 0) runs.push(runId);
  const reads = await listReads(layout, archive);
  const needs = await findNeeds(layout, retained);
  const bySource = [...Map.groupBy(reads, (read) => read.source).values()];
  const keptReads = new Set(bySource.flatMap((units) => [...retainedReads(units, all, keepDays, needs)]));
  const keptObjects = new Set([...[...keptReads].flatMap((read) => [...read.objects]), ...needs.pages.values()].flat());
  const isOlder = (runId: string, days: number): boolean => ageInDays(runId, today) > days;
  const held = { snapshots: all.snapshots, files, reads, objects: [...archive.storedBytes().keys()], runs };
  const plan = {
    snapshots: held.snapshots.filter((id) => !retained.has(id)),
    files: files.filter(({ runId }) => retained.has(runId) && !inUse.has(runId) && isOlder(runId, DATABASE_DAYS)),
    reads: reads.filter((read) => !keptReads.has(read)),
    objects: held.objects.filter((hash) => !keptObjects.has(hash)),
    runs: runs.filter((id) => id !== runs.at(-1) && !retained.has(id) && isOlder(id, keepDays)),
  };
  return { plan, held };
}

/** Remove what a plan lists, dependents first, so that after a crash the next call removes the rest. */
async function apply(layout: Layout, archive: Archive, plan: Plan): Promise<void> {
  for (const runId of plan.snapshots) await rename(layout.snapshot(runId), join(layout.snapshots, `${PRUNED}${runId}`));
  if (plan.snapshots.length > 0) await sync(layout.snapshots);
  for (const name of await namesIn(layout.snapshots))
    if (name.startsWith(PRUNED)) await rm(join(layout.snapshots, name), { recursive: true });
  for (const [runId, removed] of Map.groupBy(plan.files, (each) => each.runId)) {
    const names = removed.map(({ file }) => file);
    // Recorded first, so that a removed file is never reported as lost.
    await writePrunedFiles(layout, runId, [...new Set([...(await prunedFiles(layout, runId)), ...names])]);
    for (const file of names) await rm(join(layout.snapshot(runId), file), { force: true });
  }
  for (const unit of plan.reads) for (const path of await filesOfRead(layout, unit)) await rm(path, { force: true });
  // Requests after the records: a record must not outlive its requests, which mark pages of a quarantined read.
  await archive.remove(plan.reads, plan.objects);
  // The empty folder stays: its run id is taken.
  for (const runId of plan.runs)
    for (const name of await namesIn(layout.run(runId))) await rm(join(layout.run(runId), name), { recursive: true });
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
  const sizeOf = async (files: readonly Promise<string[]>[]): Promise<number> =>
    sizeOfFiles((await Promise.all(files)).flat(), true);
  return {
    snapshots: await sizeOf(plan.snapshots.map((id) => filesIn(layout.snapshot(id)))),
    files: await sizeOf(plan.files.map(async ({ runId, file }) => [join(layout.snapshot(runId), file)])),
    reads: await sizeOf(plan.reads.map((read) => filesOfRead(layout, read))),
    objects: plan.objects.reduce((sum, hash) => sum + (stored.get(hash) ?? 0), 0),
    runs: await sizeOf(plan.runs.map((id) => filesIn(layout.run(id)))),
  };
}

/**
 * List what is past its retention and, with `apply`, remove it while no run writes and no command reads snapshots.
 * @param options where readers of the Iceberg tables find the data folder, and how long to wait for others
 */
export async function prune(
  layout: Layout,
  keepDays: number,
  options: { readonly apply: boolean; readonly tablesUrl?: string | undefined; readonly waitMs?: number },
): Promise<{ readonly plan: Plan; readonly lines: readonly string[] }> {
  using _writing = options.apply ? await holdFolder(layout, options.waitMs) : undefined;
  await using archive = closing(await openArchive(layout.root));
  const { plan, held } = await planPrune(layout, archive, keepDays);
  const sizes = await measureSizes(layout, archive, plan);
  const verb = options.apply ? 'removed' : 'to remove';
  const lines = (Object.keys(KINDS) as Kind[]).map((kind) => {
    const count = `${number(plan[kind].length)} of ${number(held[kind].length)}`;
    return `${verb}: ${count} ${KINDS[kind]}, ${bytesShort(sizes[kind])}`;
  });
  if (plan.snapshots.length > 0) lines.push(`${verb}: snapshots ${plan.snapshots.join(', ')}`);
  if (!options.apply) return { plan, lines: [...lines, 'Nothing was removed. APPLY=1 removes it.'] };
  {
    using _alone = await holdAgainstReaders(layout, options.waitMs);
    await apply(layout, archive, plan);
  }
  await writeOpenTables(layout, options.tablesUrl).catch((error: unknown) => {
    const why = messageOf(error);
    lines.push(`The Iceberg tables still name removed snapshots, the next run corrects them: ${why}`);
  });
  return { plan, lines };
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
  using _writing = await holdFolder(layout, waitMs);
  await using archive = closing(await openArchive(layout.root));
  for (const hash of hashes) {
    await archive.erase(hash);
    await store?.remove(objectName(hash));
  }
  return hashes.map((hash) => `erased: ${hash}. Days that were read from it cannot be reproduced from their pages.`);
}

async function main(): Promise<number> {
  const { DATA_DIR, STORE, TABLES_URL: tablesUrl } = readSettings(pipelineSettings);
  const { KEEP_DAYS } = readSettings(operatorSettings);
  const { APPLY, ERASE, WAIT_MINUTES } = readSettings(writeArguments);
  const [layout, waitMs] = [layoutOf(DATA_DIR), WAIT_MINUTES * 60_000];
  const store = ERASE === undefined || STORE === undefined ? undefined : await openStore(STORE);
  const lines = ERASE
    ? await erasePages(layout, ERASE, { store, waitMs })
    : (await prune(layout, KEEP_DAYS, { apply: APPLY, tablesUrl, waitMs })).lines;
  store?.close();
  for (const line of lines) print(line);
  return 0;
}

if (import.meta.main) await runCommand(main, failureText);
