/** Health of a data folder as one value, for `make status` and for alerts. */
import { join } from 'node:path';
import { DamagedFile } from '../../lib/files.ts';
import type { LedgerSettings } from '../../ledger/open.ts';
import type { Manifest } from '../../models/manifest.ts';
import type { SourceSpec } from '../../sources/contract.ts';
import { daysBetween, liveClock } from '../clock.ts';
import { queueState, type QueueState } from '../crawl/state.ts';
import { parseRunId, type Layout } from '../layout.ts';
import { lockHolder } from '../run/lock.ts';
import { currentSnapshot, readManifest, verifySnapshot } from '../snapshots.ts';
import { backupProblems, latestBackup, type LatestBackup } from './backup/latest.ts';
import { sizeOfFolder } from './disk.ts';
import { diskForecast, diskProblems, type DiskForecast } from './forecast.ts';
import { ledgerState, type Earnings, type LedgerState } from './earnings.ts';
import { sumCosts, pastRuns, type Cost, type PastRun, type RunReport } from './past_runs.ts';
import { problem, worstLevel, type Level, type Problem } from './problems.ts';
import { storeState, type StoreState } from '../store/state.ts';
import { sourceHealth, sourceProblems, type SourceHealth } from './source_health.ts';

/** The snapshot in use. */
export interface SnapshotHealth {
  readonly run_id: string;
  readonly data_clock: Manifest['data_clock'];
  readonly as_of: string;
  readonly age_days: number;
  readonly assumption_set_id: string;
  readonly rows: Readonly<Record<string, number>>;
  readonly damage: readonly string[];
  readonly audits_passed: number;
  readonly warnings: readonly { readonly audit: string; readonly rows: number }[];
  readonly notice: string;
}

export interface Health {
  readonly level: 'ok' | Level;
  readonly checked_on: string;
  readonly snapshot: SnapshotHealth | null;
  readonly sources: readonly SourceHealth[];
  readonly last_run: {
    readonly run_id: string;
    readonly published: boolean;
    readonly blocked: readonly string[];
    readonly seconds: number;
    readonly cost: Cost;
  } | null;
  /** Cost of the last thirty days. */
  readonly month: Cost;
  /** Bytes on the disk. */
  readonly disk: Readonly<Record<'archive' | 'staged' | 'snapshots' | 'runs', number>>;
  /** Growth of the folder and the day on which the disk is full; null before there are runs of two days. */
  readonly forecast: DiskForecast | null;
  /**
   * Earnings; null if there is no ledger yet, or it is unavailable. The sandbox's local chain looks like Base in the
   * ledger, so `money` comes from the data clock and from PAYMENTS: null if neither decides.
   */
  readonly earned: (Earnings & { readonly money: 'real' | 'test' | null }) | null;
  /** The latest backup by `make backup`; null if there is none. */
  readonly backup: LatestBackup | null;
  /** Workers and their work; null without QUEUE, or if it is unavailable. */
  readonly queue: QueueState | null;
  /** What the store publishes; null without STORE, or if it is unavailable or damaged. */
  readonly store: StoreState | null;
  /** Process id of the run in progress. */
  readonly running: string | null;
  readonly troubles: readonly Problem[];
}

export interface HealthOptions {
  /** Default: the ledger of the folder. */
  readonly ledger?: LedgerSettings;
  /** How the server is paid, if known. */
  readonly payments?: 'sandbox' | 'facilitator' | 'self' | undefined;
  /** Address of the queue, if workers read the sources. */
  readonly queue?: string | undefined;
  /** Address of the store, if hosts share one. */
  readonly store?: string | undefined;
  /** Days after which the backup of real data is too old; 0 checks nothing. Default 0. */
  readonly backupDays?: number;
  /** Default: the day of the snapshot's clock. */
  readonly today?: string;
}

const MONTH_DAYS = 30;

/** Problems of the runs after the snapshot in use: one that published nothing, or one that died. */
function runProblems(runs: readonly PastRun[], running: string | null): Problem[] {
  const last = runs.at(-1);
  if (!last) return [];
  if (last.report === null) {
    if (running !== null) return [];
    const message =
      `run ${last.runId} ended without a report: it was killed, the machine went down, the disk is full, or its ` +
      'ledger or queue was unavailable';
    return [problem('run_died', last.runId, message)];
  }
  if (last.report.published) return [];
  return last.report.blocked.map((audit) =>
    problem(
      'audit_blocked',
      `${last.runId} ${audit}`,
      `run ${last.runId} published nothing: audit ${audit} failed; the previous snapshot stays current`,
    ),
  );
}

function snapshotHealth(manifest: Manifest, damage: readonly string[], today: string): SnapshotHealth {
  const failing = manifest.audits.filter((audit) => audit.failing_rows > 0);
  return {
    run_id: manifest.run_id,
    data_clock: manifest.data_clock,
    as_of: manifest.as_of,
    age_days: daysBetween(manifest.as_of, today),
    assumption_set_id: manifest.assumption_set_id,
    rows: Object.fromEntries(Object.entries(manifest.tables).map(([name, t]) => [name, t.rows])),
    damage,
    audits_passed: manifest.audits.filter((audit) => audit.blocking).length,
    warnings: failing.map((audit) => ({ audit: audit.name, rows: audit.failing_rows })),
    notice: manifest.notice,
  };
}

const lastRunOf = (report: RunReport): Health['last_run'] => ({
  run_id: report.run_id,
  published: report.published,
  blocked: report.blocked,
  seconds: report.seconds,
  cost: sumCosts([report]),
});

async function measureDisk(layout: Layout): Promise<Health['disk']> {
  return {
    archive: await sizeOfFolder(join(layout.root, 'archive')),
    staged: await sizeOfFolder(layout.stagedRoot),
    snapshots: await sizeOfFolder(layout.snapshots),
    runs: await sizeOfFolder(layout.runs),
  };
}

function earnedOf(
  ledger: LedgerState | null,
  payments: HealthOptions['payments'],
  clock: Manifest['data_clock'] | null,
): Health['earned'] {
  if (!ledger?.earnings) return null;
  const isTest = payments === 'sandbox' || clock === 'sandbox';
  return { ...ledger.earnings, money: isTest ? 'test' : payments === undefined ? null : 'real' };
}

/** The manifest of the current snapshot; null if nothing is published; DamagedFile if it is damaged. */
async function currentManifest(layout: Layout): Promise<Manifest | DamagedFile | null> {
  const current = await currentSnapshot(layout);
  if (current === null) return null;
  return readManifest(layout, current).catch((error: unknown) => {
    if (error instanceof DamagedFile) return error;
    throw error;
  });
}

/** Facts that a health report has with and without a snapshot, and problems that no snapshot causes. */
async function checkFolder(
  layout: Layout,
  checkedOn: string,
  { ledger = { DATA_DIR: layout.root }, queue, store }: Pick<HealthOptions, 'ledger' | 'queue' | 'store'>,
) {
  const runs = await pastRuns(layout);
  const running = runs.at(-1)?.report === null ? await lockHolder(layout) : null;
  const reports = runs.flatMap((run) => (run.report ? [run.report] : []));
  const lastReport = reports.at(-1);
  const sales = await ledgerState(ledger);
  const crawl = queue === undefined ? undefined : await queueState(queue);
  const stored = store === undefined ? undefined : await storeState(store);
  const disk = await measureDisk(layout);
  const forecast = await diskForecast(layout, reports, { today: checkedOn, stagedBytes: disk.staged });
  return {
    since: parseRunId(runs[0]?.runId ?? '')?.asOf,
    reports,
    sales,
    facts: {
      last_run: lastReport ? lastRunOf(lastReport) : null,
      disk,
      forecast,
      backup: await latestBackup(layout),
      running,
      queue: crawl?.state ?? null,
      store: stored?.state ?? null,
    },
    problems: [
      ...runProblems(runs, running),
      ...diskProblems(layout, forecast, checkedOn),
      ...(sales?.problems ?? []),
      ...(crawl?.problems ?? []),
      ...(stored?.problems ?? []),
    ],
  };
}

/** The problem of a folder without a usable snapshot. */
async function snapshotProblem(layout: Layout, damage: DamagedFile | null): Promise<Problem> {
  if (damage !== null) return problem('snapshot_damaged', (await currentSnapshot(layout)) ?? '', damage.message);
  const { root } = layout;
  return problem('nothing_published', root, `nothing is published in ${root} yet; start with: make run`);
}

/** Check a data folder. Reads only. */
export async function checkHealth(
  layout: Layout,
  sources: readonly SourceSpec[],
  options: HealthOptions = {},
): Promise<Health> {
  const { today, payments, backupDays = 0 } = options;
  const manifest = await currentManifest(layout);
  const isSandbox = manifest !== null && !(manifest instanceof DamagedFile) && manifest.data_clock === 'sandbox';
  const checkedOn = today ?? (isSandbox ? manifest.as_of : liveClock().asOf);
  const { since, reports, sales, facts, problems } = await checkFolder(layout, checkedOn, options);
  if (manifest === null || manifest instanceof DamagedFile) {
    const troubles = [await snapshotProblem(layout, manifest), ...problems];
    return {
      level: worstLevel(troubles),
      checked_on: checkedOn,
      snapshot: null,
      sources: [],
      month: sumCosts(reports),
      ...facts,
      earned: earnedOf(sales, payments, null),
      troubles,
    };
  }
  const damage = await verifySnapshot(layout, manifest.run_id);
  const specs = new Map(sources.map((spec) => [spec.name, spec]));
  const sourcesHealth = manifest.sources.map((source) => sourceHealth(source, specs.get(source.source), checkedOn));
  const { backup } = facts;
  const ofBackups = isSandbox ? [] : backupProblems(layout, { backup, since, today: checkedOn, days: backupDays });
  const troubles = [
    ...damage.map((sentence) =>
      problem('snapshot_damaged', manifest.run_id, `snapshot ${manifest.run_id}: ${sentence}`),
    ),
    ...problems,
    ...ofBackups,
    ...sourcesHealth.flatMap(sourceProblems),
  ];
  return {
    level: worstLevel(troubles),
    checked_on: checkedOn,
    snapshot: snapshotHealth(manifest, damage, checkedOn),
    sources: sourcesHealth,
    month: sumCosts(reports.filter((report) => daysBetween(report.run_id, checkedOn) < MONTH_DAYS)),
    ...facts,
    earned: earnedOf(sales, payments, manifest.data_clock),
    troubles,
  };
}
