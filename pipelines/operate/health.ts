/** Health of a data folder as one value, for `make status` and for alerts. */
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { differencesOf } from '../../ledger/differences.ts';
import { isLongUnresolved, LedgerUnavailable, settlingSinceMs, type Purchase } from '../../ledger/ledger.ts';
import { notedLedgerExists, openNotedLedger, shownPlace, type LedgerSettings } from '../../ledger/open.ts';
import { closing } from '../../lib/closing.ts';
import { DamagedFile, namesIn, readJson, sizeOfFolder } from '../../lib/files.ts';
import { usdOf } from '../../lib/network.ts';
import { pricesUpTo } from '../../lib/prices.ts';
import { SettingError } from '../../lib/settings.ts';
import type { Manifest } from '../../models/manifest.ts';
import type { SourceSpec } from '../../sources/contract.ts';
import { continued, daysBetween, liveClock, type DayOfHistory } from '../clock.ts';
import { bytesShort } from '../format.ts';
import { isUnused } from '../ingest/source_state.ts';
import { queueState } from '../jobs/queue.ts';
import { STOPPED, type Layout } from '../layout.ts';
import { lockHolder } from '../run/lock.ts';
import { currentSnapshot, readManifest, rowsOfTables, runIdsIn, verifySnapshot } from '../snapshots.ts';
import { storeState } from '../store/run_store.ts';
import { backupProblems, latestBackup, readSent } from './notes.ts';
import { problem, sourceHealth, sourceProblems, worstLevel, type Problem } from './problems.ts';

const count = z.int().min(0);

/** The fields of a run's report, runs/<run id>/run.json, that are read here. */
const RunReport = z.looseObject({
  run_id: z.string(),
  seconds: z.number(),
  published: z.boolean(),
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

/** A run: its report, none if it is in progress, was stopped, or died; and whether Ctrl-C ended it. */
async function readRun(layout: Layout, runId: string) {
  const report = RunReport.safeParse(await readJson(join(layout.run(runId), 'run.json')));
  return { runId, report: report.data, isStopped: (await namesIn(layout.run(runId))).includes(STOPPED) };
}
type PastRun = Awaited<ReturnType<typeof readRun>>;

/** The history of each source up to today, by the runs of the folder, also those that published nothing. */
function historyOf(reports: readonly RunReport[], today: string): Readonly<Record<string, string>> {
  const latest = new Map<string, DayOfHistory>();
  for (const { run_id, reads } of reports.filter((report) => daysBetween(report.run_id, today) >= 0))
    for (const { source, status } of reads.filter((read) => read.status !== 'not_due')) {
      const asOf = run_id.slice(0, 10);
      latest.set(source, { asOf, history: continued(latest.get(source), asOf, status) });
    }
  return Object.fromEntries([...latest].map(([source, last]) => [source, continued(last, today, undefined)]));
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, n) => total + n, 0);

/** Requests to sites and time of this machine that runs took. */
function sumCosts(runs: readonly RunReport[]) {
  const traffic = runs.flatMap((run) => run.reads.flatMap((read) => read.traffic ?? []));
  return {
    runs: runs.length,
    requests: sum(traffic.map(({ requests }) => requests)),
    bytes: sum(traffic.map(({ bytes }) => bytes)),
    seconds: Math.round(sum(runs.map(({ seconds }) => seconds))),
  };
}
export type Cost = ReturnType<typeof sumCosts>;

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

/** Problems of the last run, after the snapshot in use: it published nothing, or died. */
function runProblems(last: PastRun | undefined, running: string | null): Problem[] {
  if (!last || last.report?.published === true) return [];
  const { runId, report, isStopped } = last;
  if (report)
    return report.blocked.map((audit) => {
      const what = `run ${runId} published nothing: audit ${audit} failed; the previous snapshot stays current`;
      return problem('audit_blocked', `${runId} ${audit}`, what);
    });
  if (running !== null || isStopped) return [];
  const message =
    `run ${runId} ended without a report: it was killed, the machine went down, the disk is full, or its ledger or ` +
    'queue was unavailable';
  return [problem('run_died', runId, message)];
}

/** The snapshot in use. */
function snapshotHealth(manifest: Manifest, damage: readonly string[], today: string) {
  const { run_id, data_clock, as_of, assumption_set_id, audits, notice } = manifest;
  const failing = audits.filter((audit) => audit.failing_rows > 0);
  return {
    run_id,
    data_clock,
    as_of,
    age_days: daysBetween(as_of, today),
    assumption_set_id,
    rows: rowsOfTables(manifest),
    damage,
    audits_passed: audits.length - failing.length,
    warnings: failing.map((audit) => ({ audit: audit.name, rows: audit.failing_rows })),
    notice,
  };
}
export type SnapshotHealth = ReturnType<typeof snapshotHealth>;

function lastRunOf(report: RunReport) {
  const { run_id, published, blocked, seconds } = report;
  return { run_id, published, blocked, seconds, cost: sumCosts([report]) };
}

/** A problem if a disk with real data has little free space. */
function diskProblems({ root }: Layout, free: number | null): Problem[] {
  if (free === null || free >= FREE_BYTES) return [];
  const message =
    `the disk of ${root} has ${bytesShort(free)} free, less than ${bytesShort(FREE_BYTES)}: add space, or lower ` +
    'KEEP_DAYS and run make prune APPLY=1';
  return [problem('disk_fills', root, message)];
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
    await using ledger = closing(await openNotedLedger(settings));
    const differences = await differencesOf(ledger, null);
    const owed = differences.flatMap((one) => (one.kind === 'owed' ? [one.transfer.amount] : []));
    const unpaid = differences.flatMap((one) => (one.kind === 'unpaid' ? [one.purchase.payment.amount] : []));
    const unresolved = await ledger.unresolved(Number.MAX_SAFE_INTEGER);
    const isPaused = (await ledger.exclusivePause()) !== null;
    const total = (amounts: readonly bigint[]): string => usdOf(amounts.reduce((all, amount) => all + amount, 0n));
    const owedText =
      `${owed.length} incoming transfers, $${total(owed)} in total, paid for nothing that we can deliver: ` +
      'refund them';
    const unpaidText = `${unpaid.length} sold purchases, $${total(unpaid)} in total, have no transfer on the chain`;
    return [
      ...(owed.length > 0 ? [problem('transfers_owed', 'ledger', owedText)] : []),
      ...(unpaid.length > 0 ? [problem('sales_unpaid', 'ledger', unpaidText)] : []),
      ...unresolved.filter((purchase) => isLongUnresolved(purchase, nowMs)).map(settlementProblem),
      ...(isPaused ? [problem('exclusive_paused', 'ledger', 'exclusive sales are paused after a restore')] : []),
    ];
  } catch (error) {
    if (!(error instanceof LedgerUnavailable) && !(error instanceof SettingError)) throw error;
    return [problem('ledger_unavailable', shownPlace(settings), error.message)];
  }
}

/** The current snapshot's manifest and damage; no manifest if it is unusable, or nothing is published. */
async function checkSnapshot(layout: Layout): Promise<{ manifest: Manifest | null; problems: Problem[] }> {
  const [current, { root }] = [await currentSnapshot(layout), layout];
  const nothing = problem('nothing_published', root, `nothing is published in ${root} yet; start with: make run`);
  if (current === null) return { manifest: null, problems: [nothing] };
  try {
    return { manifest: await readManifest(layout, current), problems: [] };
  } catch (error) {
    if (!(error instanceof DamagedFile)) throw error;
    return { manifest: null, problems: [problem('snapshot_damaged', current, error.message)] };
  }
}

/** Check a data folder. Reads only. */
export async function checkHealth(layout: Layout, specs: readonly SourceSpec[], options: HealthOptions = {}) {
  const { ledger = { DATA_DIR: layout.root }, settlementCost } = options;
  const { manifest, problems } = await checkSnapshot(layout);
  const isSandbox = manifest?.data_clock === 'sandbox';
  const today = options.today ?? (isSandbox ? manifest.as_of : liveClock().asOf);
  const current = manifest?.run_id ?? '';
  const damage = manifest === null ? [] : await verifySnapshot(layout, current);
  const used = manifest?.sources.filter((source) => !isUnused(source)) ?? [];
  const specOf = new Map(specs.map((spec) => [spec.name, spec]));
  const sources = used.map((source) => sourceHealth(source, specOf.get(source.source), today));
  const runs: PastRun[] = [];
  for (const runId of await runIdsIn(layout.runs)) runs.push(await readRun(layout, runId));
  const reports = runs.flatMap(({ report }) => report ?? []);
  const [last, lastReport] = [runs.at(-1), reports.at(-1)];
  /** Process id of the run in progress. */
  const running = last && !last.report ? await lockHolder(layout) : null;
  const isThisMonth = ({ run_id }: RunReport): boolean => daysBetween(run_id, today) < MONTH_DAYS;
  const free = await statfs(layout.root).catch(() => null);
  /** Free bytes of the disk; null if the folder does not exist. */
  const freeBytes = free && free.bavail * free.bsize;
  const [{ last: alert }, backup] = [await readSent(layout), await latestBackup(layout)];
  const queue = options.queue === undefined ? null : await queueState(options.queue);
  const store = options.store === undefined ? null : await storeState(options.store);
  const troubles = [
    ...problems,
    ...damage.map((what) => problem('snapshot_damaged', current, `snapshot ${current}: ${what}`)),
    ...runProblems(last, running),
    ...(alert?.failure ? [problem('alert_not_told', 'ALERT_COMMAND', `not delivered: ${alert.failure}`)] : []),
    ...(await ledgerProblems(ledger)),
    ...priceProblems(settlementCost),
    ...(queue?.problems ?? []),
    ...(store?.problems ?? []),
    // Those of real data.
    ...(manifest === null || isSandbox
      ? []
      : [...diskProblems(layout, freeBytes), ...backupProblems(layout, backup, runs[0]?.runId, today)]),
    ...sources.flatMap(sourceProblems),
  ];
  return {
    level: worstLevel(troubles),
    checked_on: today,
    snapshot: manifest && snapshotHealth(manifest, damage, today),
    sources,
    last_run: lastReport ? lastRunOf(lastReport) : null,
    history: historyOf(reports, today),
    /** Cost of the last thirty days. */
    month: sumCosts(reports.filter(isThisMonth)),
    /** Bytes on the disk. */
    disk: {
      archive: await sizeOfFolder(join(layout.root, 'archive')),
      staged: await sizeOfFolder(layout.stagedRoot),
      snapshots: await sizeOfFolder(layout.snapshots),
      runs: await sizeOfFolder(layout.runs),
    },
    free: freeBytes,
    /** The latest backup by `make backup`; null if there is none. */
    backup,
    /** Workers and their work; null without QUEUE, or if it is unavailable. */
    queue: queue?.state ?? null,
    /** What the store publishes; null without STORE, or if it is unavailable or damaged. */
    store: store?.state ?? null,
    running,
    /** The last run, if Ctrl-C ended it. */
    stopped: running === null && last?.isStopped === true ? last.runId : null,
    /** The last call of ALERT_COMMAND; null if nothing was sent. */
    alert,
    troubles,
  };
}
export type Health = Awaited<ReturnType<typeof checkHealth>>;
