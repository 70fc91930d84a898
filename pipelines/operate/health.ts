/** Health of a data folder as one value, for `make status` and for alerts. */
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { differencesOf, type Difference } from '../../ledger/differences.ts';
import { isLongUnresolved, LedgerUnavailable, settlingSinceMs, type Purchase } from '../../ledger/ledger.ts';
import { notedLedgerExists, openNotedLedger, shownPlace, type LedgerSettings } from '../../ledger/open.ts';
import { DamagedFile, namesIn, readJson, sizeOfFolder } from '../../lib/files.ts';
import { usdOf } from '../../lib/network.ts';
import { pricesUpTo } from '../../lib/prices.ts';
import { SettingError } from '../../lib/settings.ts';
import type { Manifest } from '../../models/manifest.ts';
import type { SourceSpec } from '../../sources/contract.ts';
import { daysBetween, liveClock } from '../clock.ts';
import { HISTORY_DAYS, markOf } from '../history.ts';
import { queueState, type QueueState } from '../jobs/queue.ts';
import { bytesShort } from '../format.ts';
import { isUnused } from '../ingest/source_state.ts';
import { compareRunIds, parseRunId, STOPPED, type Layout } from '../layout.ts';
import { lockHolder } from '../run/lock.ts';
import { currentSnapshot, readManifest, verifySnapshot } from '../snapshots.ts';
import { lastAlert, type LastCall } from './alerts_sent.ts';
import { backupProblems, latestBackup, type LatestBackup } from './backup/latest.ts';
import { problem, worstLevel, type Level, type Problem } from './problems.ts';
import { storeState, type StoreState } from '../store/state.ts';
import { sourceHealth, sourceProblems, type SourceHealth } from './problems.ts';

const count = z.int().min(0);

/** The fields of a run's report, runs/<run id>/run.json, that are read here. */
const RunReport = z.looseObject({
  run_id: z.string(),
  started_at: z.string(),
  seconds: z.number(),
  published: z.boolean(),
  current: z.boolean(),
  blocked: z.array(z.string()),
  reads: z.array(
    z.looseObject({
      source: z.string(),
      status: z.string(),
      traffic: z.looseObject({ requests: count, bytes: count }).nullable(),
    }),
  ),
});
type RunReport = z.infer<typeof RunReport>;

interface PastRun {
  readonly runId: string;
  /** Null if the run is in progress, was stopped, or died. */
  readonly report: RunReport | null;
  /** Whether Ctrl-C ended it. */
  readonly isStopped: boolean;
}

/** Runs, oldest first. */
async function pastRuns(layout: Layout): Promise<PastRun[]> {
  const names = await namesIn(layout.runs);
  const runs: PastRun[] = [];
  for (const runId of names.filter((name) => parseRunId(name) !== null).sort(compareRunIds)) {
    const report = RunReport.safeParse(await readJson(join(layout.run(runId), 'run.json')));
    const isStopped = (await namesIn(layout.run(runId))).includes(STOPPED);
    runs.push({ runId, report: report.success ? report.data : null, isStopped });
  }
  return runs;
}

/** The history of each source by the runs of the folder, also those that published nothing. */
function readHistory(runs: readonly RunReport[], today: string): ReadonlyMap<string, string> {
  const marks = new Map<string, string[]>();
  for (const run of runs) {
    const at = HISTORY_DAYS - 1 - daysBetween(run.run_id.slice(0, 10), today);
    for (const { source, status } of at < 0 || at >= HISTORY_DAYS ? [] : run.reads) {
      const strip = marks.get(source) ?? Array.from({ length: HISTORY_DAYS }, () => '.');
      if (status !== 'not_due') strip[at] = markOf(status);
      marks.set(source, strip);
    }
  }
  return new Map([...marks].map(([source, strip]) => [source, strip.join('')]));
}

export interface Cost {
  readonly runs: number;
  readonly requests: number;
  readonly bytes: number;
  readonly seconds: number;
}

/** Requests to sites and time of this machine that runs took. */
function sumCosts(runs: readonly RunReport[]): Cost {
  const traffic = runs.flatMap((run) => run.reads.flatMap((read) => (read.traffic ? [read.traffic] : [])));
  return {
    runs: runs.length,
    requests: traffic.reduce((sum, t) => sum + t.requests, 0),
    bytes: traffic.reduce((sum, t) => sum + t.bytes, 0),
    seconds: Math.round(runs.reduce((sum, r) => sum + r.seconds, 0)),
  };
}

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
  /** Strip of each source: readHistory. */
  readonly history: Readonly<Record<string, string>>;
  /** Cost of the last thirty days. */
  readonly month: Cost;
  /** Bytes on the disk. */
  readonly disk: Readonly<Record<'archive' | 'staged' | 'snapshots' | 'runs', number>>;
  /** Free bytes of the disk; null if the folder does not exist. */
  readonly free: number | null;
  /** The latest backup by `make backup`; null if there is none. */
  readonly backup: LatestBackup | null;
  /** Workers and their work; null without QUEUE, or if it is unavailable. */
  readonly queue: QueueState | null;
  /** What the store publishes; null without STORE, or if it is unavailable or damaged. */
  readonly store: StoreState | null;
  /** Process id of the run in progress. */
  readonly running: string | null;
  /** The last run, if Ctrl-C ended it. */
  readonly stopped: string | null;
  /** The last call of ALERT_COMMAND; null if nothing was sent. */
  readonly alert: LastCall | null;
  readonly troubles: readonly Problem[];
}

export interface HealthOptions {
  /** Default: the ledger of the folder. */
  readonly ledger?: LedgerSettings;
  /** Address of the queue, if workers read the sources. */
  readonly queue?: string | undefined;
  /** Address of the store, if hosts share one. */
  readonly store?: string | undefined;
  /** Dollars that one settlement costs. Default: not compared with the prices. */
  readonly settlementCost?: string;
  /** Default: the day of the snapshot's clock. */
  readonly today?: string;
}

const MONTH_DAYS = 30;
/** Free space below which real data is in danger: a run with three million filings writes about 2 GB. */
const FREE_BYTES = 5_000_000_000;

/** Problems of the runs after the snapshot in use: one that published nothing, or one that died. */
function runProblems(runs: readonly PastRun[], running: string | null): Problem[] {
  const last = runs.at(-1);
  if (!last) return [];
  if (last.report === null) {
    if (running !== null || last.isStopped) return [];
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
    audits_passed: manifest.audits.length - failing.length,
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

const freeBytes = (layout: Layout): Promise<number | null> =>
  statfs(layout.root).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => null,
  );

/** A problem if a disk with real data has little free space. */
function diskProblems({ root }: Layout, free: number | null): Problem[] {
  if (free === null || free >= FREE_BYTES) return [];
  const message =
    `the disk of ${root} has ${bytesShort(free)} free, less than ${bytesShort(FREE_BYTES)}: add space, or lower ` +
    'KEEP_DAYS and run make prune APPLY=1';
  return [problem('disk_fills', root, message)];
}

/** One problem for each kind of difference that the audit found. */
function differenceProblems(differences: readonly Difference[]): Problem[] {
  const total = (amounts: readonly bigint[]): string => usdOf(amounts.reduce((sum, amount) => sum + amount, 0n));
  const owed = differences.flatMap((difference) => (difference.kind === 'owed' ? [difference.transfer.amount] : []));
  const unpaid = differences.flatMap((difference) =>
    difference.kind === 'unpaid' ? [difference.purchase.payment.amount] : [],
  );
  const problems: Problem[] = [];
  if (owed.length > 0) {
    const message =
      `${owed.length} incoming transfers, $${total(owed)} in total, paid for nothing that we can deliver: ` +
      'refund them';
    problems.push(problem('transfers_owed', 'ledger', message));
  }
  if (unpaid.length > 0) {
    const message = `${unpaid.length} sold purchases, $${total(unpaid)} in total, have no transfer on the chain`;
    problems.push(problem('sales_unpaid', 'ledger', message));
  }
  return problems;
}

/** A problem if calls are sold at or below the cost of their settlement. */
function priceProblems(cost: string | undefined): Problem[] {
  const losing = cost === undefined ? [] : pricesUpTo(cost);
  if (losing.length === 0) return [];
  const message = `a settlement costs $${cost} (SETTLEMENT_COST), so these calls earn nothing: ${losing.join(', ')}`;
  return [problem('sales_lose_money', 'prices', message)];
}

function settlementProblem(purchase: Purchase): Problem {
  const { id, route, payment, why } = purchase;
  const sentAt = new Date(settlingSinceMs(purchase)).toISOString();
  const message =
    `purchase ${id} of ${route} for $${usdOf(payment.amount)} was sent for settlement at ${sentAt} and its outcome ` +
    `is unknown${why === null ? '' : `: ${why}`}`;
  return problem('settlement_unknown', id, message);
}

/** Problems of payments, from the ledger; none without a ledger. An unavailable ledger is a problem, not an error. */
export async function ledgerProblems(settings: LedgerSettings, nowMs = Date.now()): Promise<Problem[]> {
  try {
    if (!notedLedgerExists(settings)) return [];
    const ledger = await openNotedLedger(settings);
    try {
      const unresolved = (await ledger.unresolved(Number.MAX_SAFE_INTEGER)).filter((purchase) =>
        isLongUnresolved(purchase, nowMs),
      );
      const isPaused = (await ledger.exclusivePause()) !== null;
      return [
        ...differenceProblems(await differencesOf(ledger, null)),
        ...unresolved.map(settlementProblem),
        ...(isPaused ? [problem('exclusive_paused', 'ledger', 'exclusive sales are paused after a restore')] : []),
      ];
    } finally {
      await ledger.close();
    }
  } catch (error) {
    if (!(error instanceof LedgerUnavailable) && !(error instanceof SettingError)) throw error;
    return [problem('ledger_unavailable', shownPlace(settings), error.message)];
  }
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
  { ledger = { DATA_DIR: layout.root }, queue, store, settlementCost }: Omit<HealthOptions, 'today'>,
) {
  const runs = await pastRuns(layout);
  const running = runs.at(-1)?.report === null ? await lockHolder(layout) : null;
  const reports = runs.flatMap((run) => (run.report ? [run.report] : []));
  const lastReport = reports.at(-1);
  const alert = await lastAlert(layout);
  const crawl = queue === undefined ? undefined : await queueState(queue);
  const stored = store === undefined ? undefined : await storeState(store);
  return {
    since: parseRunId(runs[0]?.runId ?? '')?.asOf,
    reports,
    facts: {
      last_run: lastReport ? lastRunOf(lastReport) : null,
      disk: await measureDisk(layout),
      free: await freeBytes(layout),
      backup: await latestBackup(layout),
      running,
      stopped: running === null && runs.at(-1)?.isStopped === true ? (runs.at(-1)?.runId ?? null) : null,
      alert,
      queue: crawl?.state ?? null,
      store: stored?.state ?? null,
    },
    problems: [
      ...runProblems(runs, running),
      ...(alert?.failure ? [problem('alert_not_told', 'ALERT_COMMAND', `not delivered: ${alert.failure}`)] : []),
      ...(await ledgerProblems(ledger)),
      ...priceProblems(settlementCost),
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
  const { today } = options;
  const manifest = await currentManifest(layout);
  const isSandbox = manifest !== null && !(manifest instanceof DamagedFile) && manifest.data_clock === 'sandbox';
  const checkedOn = today ?? (isSandbox ? manifest.as_of : liveClock().asOf);
  const { since, reports, facts, problems } = await checkFolder(layout, options);
  if (manifest === null || manifest instanceof DamagedFile) {
    const troubles = [await snapshotProblem(layout, manifest), ...problems];
    return {
      level: worstLevel(troubles),
      checked_on: checkedOn,
      snapshot: null,
      sources: [],
      history: Object.fromEntries(readHistory(reports, checkedOn)),
      month: sumCosts(reports),
      ...facts,
      troubles,
    };
  }
  const damage = await verifySnapshot(layout, manifest.run_id);
  const specs = new Map(sources.map((spec) => [spec.name, spec]));
  const used = manifest.sources.filter((source) => !isUnused(source));
  const sourcesHealth = used.map((source) => sourceHealth(source, specs.get(source.source), checkedOn));
  const { backup, free } = facts;
  const ofRealData = isSandbox
    ? []
    : [...diskProblems(layout, free), ...backupProblems(layout, { backup, since, today: checkedOn })];
  const troubles = [
    ...damage.map((sentence) =>
      problem('snapshot_damaged', manifest.run_id, `snapshot ${manifest.run_id}: ${sentence}`),
    ),
    ...problems,
    ...ofRealData,
    ...sourcesHealth.flatMap(sourceProblems),
  ];
  return {
    level: worstLevel(troubles),
    checked_on: checkedOn,
    snapshot: snapshotHealth(manifest, damage, checkedOn),
    sources: sourcesHealth,
    history: Object.fromEntries(readHistory(reports, checkedOn)),
    month: sumCosts(reports.filter((report) => daysBetween(report.run_id, checkedOn) < MONTH_DAYS)),
    ...facts,
    troubles,
  };
}
