/**
 * What `make prune` removes from a data folder, as a pure function of its inventory and KEEP_DAYS: all snapshots of a
 * week, then the last of each day for KEEP_DAYS, then the last of each month. Reads and run reports stay KEEP_DAYS.
 *
 * Never removed, with any KEEP_DAYS:
 *   the current snapshot, and the newest one;
 *   all snapshots of the last week;
 *   the DuckDB file and the filings of these: of the current and the newest snapshot, and of the one whose history the
 *   next run continues; the filings also of the last snapshot of each month, from which later ones are rebuilt;
 *   the newest snapshot of an earlier day than the current one: a run repeated today continues its history;
 *   of each source the newest read, the newest good read up to the current snapshot's day, and every later read: the
 *   next build uses their rows and state;
 *   every read that a retained snapshot was built from, and the pages that its rows name, so that each of its numbers
 *   can still be traced to archived bytes.
 */
import { daysBetween, LAST_DAY } from '../clock.ts';
import { compareRunIds, parseRunId } from '../layout.ts';
import { DATABASE } from '../run/publish.ts';

/** Days for which every snapshot is retained with its filings, whatever KEEP_DAYS is: a client may page through it. */
const GRACE_DAYS = 7;
/** Days for which the last snapshot of each month is retained. */
const MONTHLY_DAYS = 1100;
/** Days for which a snapshot keeps its DuckDB file, its largest: `make sql` also reads its Parquet files. */
const DATABASE_DAYS = 2;
const FILINGS = 'filings.parquet';
/** Files that a snapshot can do without: `make sql` and `make rebuild` make them again. */
export const REMOVABLE: readonly string[] = [DATABASE, FILINGS];

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
export interface SnapshotFile {
  readonly runId: string;
  readonly file: string;
}

export interface Inventory {
  readonly today: string;
  readonly current: string | null;
  readonly snapshots: readonly string[];
  /** The DuckDB files and the filings that the snapshots still have. */
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
export function snapshotsInUse({ current, snapshots }: Pick<Inventory, 'current' | 'snapshots'>): Set<string> {
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

/** DuckDB files and filings that the retained snapshots can do without. */
export function filesToPrune(inventory: Inventory, retained: ReadonlySet<string>): SnapshotFile[] {
  const inUse = snapshotsInUse(inventory);
  const lastOfMonth = new Set([...Map.groupBy(retained, monthOf).values()].map(newest));
  return inventory.files.filter(({ runId, file }) => {
    if (!retained.has(runId) || inUse.has(runId)) return false;
    const age = ageInDays(runId, inventory.today);
    return file === FILINGS ? age > GRACE_DAYS && !lastOfMonth.has(runId) : age > DATABASE_DAYS;
  });
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
