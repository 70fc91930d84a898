/** Everything an operator asks about a data folder, as one value: what `make status` prints and what alerts are made of. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DamagedFile } from '../../lib/files.ts';
import { daysBetween, liveClock } from '../clock.ts';
import { awaitsOperator, waitsFor, WAITS } from '../ingest/source_state.ts';
import { queueState, type QueueState } from '../crawl/state.ts';
import type { Layout } from '../layout.ts';
import { whoHolds } from '../run/lock.ts';
import type { Manifest } from '../../models/manifest.ts';
import { currentSnapshot, readManifest, verifySnapshot } from '../snapshots.ts';
import type { SourceSpec } from '../../sources/contract.ts';
import { ledgerState, type Earnings } from './earnings.ts';
import type { LedgerSettings } from '../../ledger/open.ts';
import { costOf, pastRuns, type Cost, type PastRun } from './past_runs.ts';
import { nextReadOn } from './jobs.ts';
import { trouble, worst, type Level, type Trouble } from './troubles.ts';

export interface SourceHealth {
  readonly source: string;
  readonly family: string;
  /** As it is printed: fresh, LATE, QUARANTINED, UNAVAILABLE, NEVER_READ, or what it waits for. */
  readonly state: string;
  readonly group: 'fresh' | 'late' | 'broken' | 'waiting';
  readonly last_success: string | null;
  readonly age_days: number | null;
  readonly every_days: number;
  /** Day of the next scheduled read; null where it waits for the operator. */
  readonly next_due: string | null;
  /** Rows that stand, those carried from an earlier read among them. */
  readonly rows: number;
  readonly rejected: number;
  readonly reason: string | null;
  readonly detail: string | null;
  readonly page_url: string | null;
  /** Of its latest read in the snapshot's run. */
  readonly requests: number;
  readonly bytes: number;
}

export interface Health {
  readonly level: 'ok' | Level;
  readonly checked_on: string;
  readonly snapshot: {
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
  } | null;
  readonly sources: readonly SourceHealth[];
  readonly last_run: {
    readonly run_id: string;
    readonly published: boolean;
    readonly blocked: readonly string[];
    readonly seconds: number;
    readonly cost: Cost;
  } | null;
  /** Over the last thirty days. */
  readonly month: Cost;
  /** Bytes on the disk. */
  readonly disk: Readonly<Record<'archive' | 'staged' | 'snapshots' | 'runs', number>>;
  /**
   * What was sold; null where there is no ledger yet, or it cannot be asked. The local chain of the sandbox looks like Base
   * in the ledger, so that what the money is worth is told by the data and by how the server is paid: null where neither does.
   */
  readonly earned: (Earnings & { readonly money: 'real' | 'test' | null }) | null;
  /** Workers and what they read; null without QUEUE, or where it cannot be asked. */
  readonly queue: QueueState | null;
  /** Process that is at work in the folder now. */
  readonly running: string | null;
  readonly troubles: readonly Trouble[];
}

const MONTH_DAYS = 30;

/** Size of a folder's files in bytes. Files that go meanwhile count nothing. */
export async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  let total = 0;
  for (const entry of entries) {
    if (entry.isFile())
      total += await stat(join(entry.parentPath, entry.name)).then(
        (s) => s.size,
        () => 0,
      );
  }
  return total;
}

function sourceHealth(s: Manifest['sources'][number], spec: SourceSpec | undefined, today: string): SourceHealth {
  const age = s.last_good_at === null ? null : daysBetween(s.last_good_at, today);
  const late = age !== null && age > s.every_days;
  const missing = awaitsOperator(s) ? waitsFor(s) : null;
  const wellRead = s.status === 'good' || s.status === 'not_due';
  const state = missing !== null ? WAITS[missing] : !wellRead ? s.status.toUpperCase() : late ? 'LATE' : 'fresh';
  return {
    source: s.source,
    family: s.family,
    state,
    group: missing !== null ? 'waiting' : late ? 'late' : wellRead ? 'fresh' : 'broken',
    last_success: s.last_good_at,
    age_days: age,
    every_days: s.every_days,
    next_due: missing !== null ? null : nextReadOn(s, spec?.readEveryDays ?? s.every_days, today),
    rows: s.rows_out + s.rows_carried,
    rejected: s.rows_rejected,
    reason: s.reason,
    detail: s.detail,
    page_url: s.page_url,
    requests: s.traffic.requests,
    bytes: s.traffic.bytes,
  };
}

function troublesOfSource(s: SourceHealth): Trouble[] {
  const found: Trouble[] = [];
  const since = s.last_success === null ? 'it has no rows' : `its rows of ${s.last_success.slice(0, 10)} stay`;
  const said = `${s.reason ?? ''}: ${s.detail ?? ''}${s.page_url === null ? '' : ` [${s.page_url}]`}; ${since}`;
  if (s.state === 'QUARANTINED') found.push(trouble('source_quarantined', s.source, said, s.reason));
  if (s.state === 'UNAVAILABLE') found.push(trouble('source_unavailable', s.source, said, s.reason));
  if (s.group === 'late')
    found.push(
      trouble(
        'source_stale',
        s.source,
        `${s.source} was last read well ${String(s.age_days)} days ago, expected every ${s.every_days}`,
      ),
    );
  if (s.group !== 'waiting' && s.last_success === null) {
    found.push(
      s.state === 'NEVER_READ'
        ? trouble('source_not_tried', s.source, `${s.source} has not been asked for yet`)
        : trouble('source_never_read', s.source, `every read of ${s.source} has failed: ${s.reason ?? ''}`),
    );
  }
  return found;
}

/** Troubles of the runs after the snapshot that serves: one that published nothing, one that died. */
function troublesOfRuns(runs: readonly PastRun[], running: string | null): Trouble[] {
  const last = runs.at(-1);
  if (!last) return [];
  if (last.report === null) {
    return running === null
      ? [
          trouble(
            'run_died',
            last.runId,
            `run ${last.runId} ended without a report: it was killed, the machine went down, the disk is full, or its ledger or queue was away`,
          ),
        ]
      : [];
  }
  if (last.report.published) return [];
  return last.report.blocked.map((audit) =>
    trouble(
      'audit_blocked',
      `${last.runId} ${audit}`,
      `run ${last.runId} published nothing: audit ${audit} found rows; the snapshot before stays current`,
    ),
  );
}

export interface HealthOptions {
  /** Default: the ledger of the folder. */
  readonly ledger?: LedgerSettings;
  /** How the server is paid, where it is known. */
  readonly payments?: 'sandbox' | 'facilitator' | 'self' | undefined;
  /** Address of the queue, where runs have their sources read by workers. */
  readonly queue?: string | undefined;
  /** Default: the day of the clock that the snapshot is of. */
  readonly today?: string;
}

/** Look at a data folder. Reads only. */
export async function healthOf(
  layout: Layout,
  sources: readonly SourceSpec[],
  { today, ledger = { DATA_DIR: layout.root }, payments, queue }: HealthOptions = {},
): Promise<Health> {
  const current = await currentSnapshot(layout);
  const runs = await pastRuns(layout);
  const unfinished = runs.at(-1)?.report === null;
  const running = unfinished ? await whoHolds(layout) : null;
  const disk = {
    archive: await sizeOf(join(layout.root, 'archive')),
    staged: await sizeOf(layout.stagedRoot),
    snapshots: await sizeOf(layout.snapshots),
    runs: await sizeOf(layout.runs),
  };
  const sales = await ledgerState(ledger);
  const crawl = queue === undefined ? undefined : await queueState(queue);
  const ofOthers = [...(sales?.troubles ?? []), ...(crawl?.troubles ?? [])];
  const reports = runs.flatMap((r) => (r.report ? [r.report] : []));
  const lastReport = reports.at(-1);
  const rest = {
    last_run: lastReport
      ? {
          run_id: lastReport.run_id,
          published: lastReport.published,
          blocked: lastReport.blocked,
          seconds: lastReport.seconds,
          cost: costOf([lastReport]),
        }
      : null,
    disk,
    running,
    queue: crawl?.state ?? null,
  };
  const earned = (clock: Manifest['data_clock'] | null): Health['earned'] =>
    sales?.earnings
      ? {
          ...sales.earnings,
          money: payments === 'sandbox' || clock === 'sandbox' ? 'test' : payments === undefined ? null : 'real',
        }
      : null;
  if (current === null) {
    const troubles = [
      trouble('nothing_published', layout.root, `nothing is published in ${layout.root} yet; start with: make run`),
      ...troublesOfRuns(runs, running),
      ...ofOthers,
    ];
    return {
      level: worst(troubles),
      checked_on: today ?? liveClock().asOf,
      snapshot: null,
      sources: [],
      month: costOf(reports),
      ...rest,
      earned: earned(null),
      troubles,
    };
  }
  const manifest = await readManifest(layout, current).catch((error: unknown) => {
    if (error instanceof DamagedFile) return error;
    throw error;
  });
  if (manifest instanceof DamagedFile) {
    const troubles = [
      trouble('snapshot_damaged', current, manifest.message),
      ...troublesOfRuns(runs, running),
      ...ofOthers,
    ];
    return {
      level: worst(troubles),
      checked_on: today ?? liveClock().asOf,
      snapshot: null,
      sources: [],
      month: costOf(reports),
      ...rest,
      earned: earned(null),
      troubles,
    };
  }
  const on = today ?? (manifest.data_clock === 'live' ? liveClock().asOf : manifest.as_of);
  const damage = await verifySnapshot(layout, current);
  const rows = manifest.sources.map((s) =>
    sourceHealth(
      s,
      sources.find(({ name }) => name === s.source),
      on,
    ),
  );
  const troubles = [
    ...damage.map((d) => trouble('snapshot_damaged', current, `snapshot ${current}: ${d}`)),
    ...troublesOfRuns(runs, running),
    ...ofOthers,
    ...rows.flatMap(troublesOfSource),
  ];
  return {
    level: worst(troubles),
    checked_on: on,
    snapshot: {
      run_id: manifest.run_id,
      data_clock: manifest.data_clock,
      as_of: manifest.as_of,
      age_days: daysBetween(manifest.as_of, on),
      assumption_set_id: manifest.assumption_set_id,
      rows: Object.fromEntries(Object.entries(manifest.tables).map(([name, t]) => [name, t.rows])),
      damage,
      audits_passed: manifest.audits.filter((a) => a.blocking).length,
      warnings: manifest.audits.filter((a) => a.failing_rows > 0).map((a) => ({ audit: a.name, rows: a.failing_rows })),
      notice: manifest.notice,
    },
    sources: rows,
    month: costOf(reports.filter((r) => daysBetween(r.run_id, on) < MONTH_DAYS)),
    ...rest,
    earned: earned(manifest.data_clock),
    troubles,
  };
}
