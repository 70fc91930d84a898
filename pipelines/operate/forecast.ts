/** Forecast of the disk: what the data folder holds in a month, and the day on which the disk is full. */
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { readSettings } from '../../lib/settings.ts';
import { DAY_MS } from '../../lib/time.ts';
import { daysBetween } from '../clock.ts';
import { parseRunId, runIdOf, type Layout } from '../layout.ts';
import { listSnapshots } from '../snapshots.ts';
import { sizeOfFiles, sizeOfFolder } from './disk.ts';
import { sumCosts, type RunReport } from './past_runs.ts';
import { problem, type Problem } from './problems.ts';
import { listSnapshotFiles } from './retention/inventory.ts';
import { filesToPrune, retainedSnapshots, type Policy, type SnapshotFile } from './retention/plan.ts';
import { policyOf } from './retention/prune.ts';
import { savedSettings } from './schedule/run_job.ts';
import { retentionSettings } from './settings.ts';

const MONTH_DAYS = 30;
/** A disk that lasts longer has no day on which it is full. */
const YEAR_DAYS = 365;

/** Bytes of a snapshot. */
interface SnapshotSize {
  /** Bytes of the files that are removed before the snapshot, by the setting that does it. */
  readonly files: Readonly<Partial<Record<SnapshotFile['setting'], number>>>;
  readonly others: number;
}

export interface DiskState {
  readonly today: string;
  readonly snapshots: ReadonlyMap<string, SnapshotSize>;
  /** Snapshots a day, and bytes a day of pages and staged rows, over the last runs. */
  readonly snapshotsPerDay: number;
  readonly readBytesPerDay: number;
  readonly freeBytes: number;
  /** Null if nothing prunes the folder. */
  readonly policy: Policy | null;
}

export interface DiskForecast {
  /** Bytes by which the folder grows within 30 days; negative if it shrinks. */
  readonly growth_in_30_days: number;
  readonly free: number;
  /** First day on which the disk is full; null if there is none within a year. */
  readonly full_on: string | null;
  /** Whether a schedule prunes the folder. */
  readonly is_pruned: boolean;
}

const dayAfter = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);

const sizeOf = ({ files, others }: SnapshotSize): number =>
  Object.values(files).reduce((sum, bytes) => sum + bytes, others);

/** Remove from the snapshots what a policy removes on a day. */
function pruneOn(today: string, snapshots: Map<string, SnapshotSize>, policy: Policy): void {
  const ids = [...snapshots.keys()];
  const inventory = { today, current: ids.at(-1) ?? null, snapshots: ids };
  const retained = retainedSnapshots(inventory, policy);
  for (const id of ids) if (!retained.has(id)) snapshots.delete(id);
  const files = [...snapshots].flatMap(([runId, size]) =>
    (Object.keys(size.files) as SnapshotFile['setting'][]).map((setting) => ({ runId, file: setting, setting })),
  );
  for (const { runId, setting } of filesToPrune({ ...inventory, files }, policy, retained)) {
    const size = snapshots.get(runId);
    if (size) snapshots.set(runId, { ...size, files: { ...size.files, [setting]: 0 } });
  }
}

/** Continue the last runs day by day: new snapshots have the size of the newest one, and prune runs every day. */
export function computeForecast(state: DiskState): DiskForecast {
  const { today, snapshotsPerDay, readBytesPerDay, freeBytes, policy } = state;
  const snapshots = new Map(state.snapshots);
  const newest = [...snapshots.values()].at(-1) ?? { files: {}, others: 0 };
  const total = (): number => [...snapshots.values()].reduce((sum, size) => sum + sizeOf(size), 0);
  const before = total();
  let growthInMonth = 0;
  let fullOn: string | null = null;
  for (let ahead = 1; ahead <= YEAR_DAYS && (fullOn === null || ahead <= MONTH_DAYS); ahead += 1) {
    const day = dayAfter(today, ahead);
    const published = Math.floor(ahead * snapshotsPerDay) - Math.floor((ahead - 1) * snapshotsPerDay);
    for (let number = 1; number <= published; number += 1) snapshots.set(runIdOf(day, number), newest);
    // The disk is fullest before the prune of the day.
    const growth = total() - before + ahead * readBytesPerDay;
    if (growth > freeBytes) fullOn ??= day;
    if (policy !== null) pruneOn(day, snapshots, policy);
    if (ahead === MONTH_DAYS) growthInMonth = total() - before + ahead * readBytesPerDay;
  }
  return { growth_in_30_days: Math.round(growthInMonth), free: freeBytes, full_on: fullOn, is_pruned: policy !== null };
}

async function snapshotSizes(layout: Layout): Promise<Map<string, SnapshotSize>> {
  const sizes = new Map<string, SnapshotSize>();
  for (const runId of await listSnapshots(layout)) {
    const files: Partial<Record<SnapshotFile['setting'], number>> = {};
    for (const { file, setting } of await listSnapshotFiles(layout, [runId]))
      files[setting] = await sizeOfFiles([join(layout.snapshot(runId), file)]);
    const removable = Object.values(files).reduce((sum, bytes) => sum + bytes, 0);
    sizes.set(runId, { files, others: (await sizeOfFolder(layout.snapshot(runId))) - removable });
  }
  return sizes;
}

/** The retention policy of the installed schedule; null without a schedule. */
async function scheduledPolicy(layout: Layout): Promise<Policy | null> {
  const saved = await savedSettings(layout.root);
  return saved === null ? null : policyOf(readSettings(retentionSettings, { ...saved, ...process.env }));
}

/**
 * Forecast the disk of a data folder. The first day of the folder is left out, because it reads everything.
 * @returns null before there are runs of two days
 */
export async function diskForecast(
  layout: Layout,
  reports: readonly RunReport[],
  { today, stagedBytes }: { readonly today: string; readonly stagedBytes: number },
): Promise<DiskForecast | null> {
  const dayOf = ({ run_id: runId }: RunReport): string => parseRunId(runId)?.asOf ?? today;
  const first = reports[0];
  if (first === undefined || reports.every((report) => dayOf(report) === dayOf(first))) return null;
  const days = Math.min(MONTH_DAYS, Math.max(1, daysBetween(dayOf(first), today)));
  const lately = reports.filter(
    (report) => dayOf(report) > dayOf(first) && daysBetween(dayOf(report), today) < MONTH_DAYS,
  );
  // Staged rows grow with the pages they are parsed from.
  const allBytes = sumCosts(reports).bytes;
  const rowsPerByte = allBytes === 0 ? 0 : stagedBytes / allBytes;
  const disk = await statfs(layout.root);
  return computeForecast({
    today,
    snapshots: await snapshotSizes(layout),
    snapshotsPerDay: lately.filter((run) => run.published).length / days,
    readBytesPerDay: (sumCosts(lately).bytes * (1 + rowsPerByte)) / days,
    freeBytes: disk.bavail * disk.bsize,
    policy: await scheduledPolicy(layout),
  });
}

/** A problem if the disk is full within a month. */
export function diskProblems(layout: Layout, forecast: DiskForecast | null, today: string): Problem[] {
  if (forecast === null || forecast.full_on === null || daysBetween(today, forecast.full_on) > MONTH_DAYS) return [];
  const fix = forecast.is_pruned
    ? 'lower the KEEP_ settings, or add space'
    : 'nothing prunes this folder: install the schedule, or run make prune APPLY=1';
  const message = `the disk of ${layout.root} will be full on ${forecast.full_on} at its current growth: ${fix}`;
  return [problem('disk_fills', layout.root, message)];
}
