/**
 * What may be removed from a data folder, as a pure function of what it holds and the declared policy.
 *
 * Never removed, whatever the policy:
 *   the current snapshot, and the newest there is;
 *   the newest snapshot of an earlier day than the current one: a run repeated today carries its history from there;
 *   of each source the newest read, the newest good one up to the current snapshot's day, and every one after it: the
 *   next build takes its rows and its state from them;
 *   every read that a kept snapshot was built from, and the pages that its rows name, so that each of its numbers can
 *   still be walked back to the bytes it came from.
 */
import { daysBetween } from '../clock.ts';
import { compareRunIds, parseRunId } from '../layout.ts';

/** Days in which also the snapshots that a later one of the same day took the place of are kept: somebody may be paging through one. */
const GRACE_DAYS = 7;

export interface Policy {
  readonly dailyDays: number;
  readonly monthlyDays: number;
  readonly readsDays: number;
  readonly runsDays: number;
}

/** One read of one source: its list of requests in the archive, its record and its staged rows, which go together. */
export interface ReadUnit {
  readonly source: string;
  readonly runId: string;
  /** Null where there is a list of requests without a record: a run that was killed. */
  readonly status: 'good' | 'quarantined' | 'unavailable' | null;
  /** Archive objects that its requests and its record name. */
  readonly objects: ReadonlySet<string>;
}

export interface SnapshotNeeds {
  /** Reads it was built from. */
  readonly reads: readonly { readonly source: string; readonly runId: string }[];
  /** Pages that its rows name. */
  readonly pages: readonly { readonly source: string; readonly sha256: string }[];
}

export interface Inventory {
  readonly today: string;
  readonly current: string | null;
  readonly snapshots: readonly string[];
  readonly reads: readonly ReadUnit[];
  /** Runs whose folder holds anything. */
  readonly runs: readonly string[];
  readonly objects: readonly string[];
}

export interface Plan {
  readonly snapshots: readonly string[];
  readonly reads: readonly ReadUnit[];
  readonly runs: readonly string[];
  readonly objects: readonly string[];
}

const dayOf = (runId: string): string => parseRunId(runId)?.asOf ?? runId.slice(0, 10);
const newest = (runIds: readonly string[]): string | undefined => [...runIds].sort(compareRunIds).at(-1);
const oldness = (runId: string, today: string): number => daysBetween(dayOf(runId), today);

/** Snapshots that stay. @param sold those that sold answers were made from, where the operator keeps them */
export function snapshotsKept(
  { current, snapshots, today }: Pick<Inventory, 'current' | 'snapshots' | 'today'>,
  policy: Policy,
  sold: ReadonlySet<string> = new Set(),
): Set<string> {
  const kept = new Set<string>();
  const keep = (runId: string | undefined | null): void => {
    if (runId !== undefined && runId !== null) kept.add(runId);
  };
  keep(current);
  keep(newest(snapshots));
  // What the next build, today or on any later day, carries its history from.
  if (current !== null) keep(newest(snapshots.filter((id) => dayOf(id) < dayOf(current))));
  const lastOf = (period: (runId: string) => string, withinDays: number): void => {
    for (const [, ids] of Map.groupBy(snapshots, period)) {
      const last = newest(ids);
      if (last !== undefined && oldness(last, today) <= withinDays) kept.add(last);
    }
  };
  lastOf(dayOf, policy.dailyDays);
  lastOf((id) => dayOf(id).slice(0, 7), policy.monthlyDays);
  for (const id of snapshots)
    if (sold.has(id) || oldness(id, today) <= Math.min(GRACE_DAYS, policy.dailyDays)) kept.add(id);
  return kept;
}

const unitKey = (u: { readonly source: string; readonly runId: string }): string => `${u.source} ${u.runId}`;

/** Reads that stay. @param needs what each kept snapshot rests on */
function readsKept({ reads, today, current }: Inventory, policy: Policy, needs: readonly SnapshotNeeds[]): Set<string> {
  const kept = new Set<string>();
  const named = new Set(needs.flatMap((n) => n.reads.map(unitKey)));
  for (const [source, units] of Map.groupBy(reads, (u) => u.source)) {
    const sorted = [...units].sort((a, b) => compareRunIds(a.runId, b.runId));
    const standing = (upTo: string): ReadUnit | undefined =>
      sorted.findLast((u) => u.status === 'good' && dayOf(u.runId) <= upTo);
    for (const unit of [
      sorted.findLast((u) => u.status !== null),
      standing(current === null ? '9999-12-31' : dayOf(current)),
    ]) {
      if (unit) kept.add(unitKey(unit));
    }
    for (const unit of sorted) if (current !== null && dayOf(unit.runId) > dayOf(current)) kept.add(unitKey(unit));
    for (const unit of sorted)
      if (named.has(unitKey(unit)) || oldness(unit.runId, today) <= policy.readsDays) kept.add(unitKey(unit));
    // A page that a row names stays with one read that fetched it: the latest, where no other reason keeps one.
    const there = new Set(sorted.filter((u) => kept.has(unitKey(u))).flatMap((u) => [...u.objects]));
    for (const { sha256 } of needs.flatMap((n) => n.pages.filter((p) => p.source === source))) {
      if (there.has(sha256)) continue;
      const unit = sorted.findLast((u) => u.objects.has(sha256));
      if (!unit) continue;
      kept.add(unitKey(unit));
      for (const object of unit.objects) there.add(object);
    }
  }
  return kept;
}

/** What goes. @param needs of the snapshots that `snapshotsKept` keeps, by their run id */
export function planOf(
  inventory: Inventory,
  policy: Policy,
  kept: ReadonlySet<string>,
  needs: ReadonlyMap<string, SnapshotNeeds>,
): Plan {
  const wanted = [...kept].map((id) => {
    const found = needs.get(id);
    if (!found) throw new Error(`what snapshot ${id} rests on is not known`);
    return found;
  });
  const reads = readsKept(inventory, policy, wanted);
  const objects = new Set([
    ...inventory.reads.filter((u) => reads.has(unitKey(u))).flatMap((u) => [...u.objects]),
    ...wanted.flatMap((n) => n.pages.map((p) => p.sha256)),
  ]);
  const lastRun = newest(inventory.runs);
  return {
    snapshots: inventory.snapshots.filter((id) => !kept.has(id)),
    reads: inventory.reads.filter((u) => !reads.has(unitKey(u))),
    runs: inventory.runs.filter(
      (id) => id !== lastRun && !kept.has(id) && oldness(id, inventory.today) > policy.runsDays,
    ),
    objects: inventory.objects.filter((sha256) => !objects.has(sha256)),
  };
}
