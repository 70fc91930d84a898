/**
 * Problems that an operator must know about, in one form for the screen, JSON and the alert command, and those of
 * sources. In JSON and in alerts.json their field is `troubles`.
 */
import type { Manifest } from '../../models/manifest.ts';
import type { SourceSpec } from '../../sources/contract.ts';
import { nextInSeason } from '../../sources/days.ts';
import { daysBetween } from '../clock.ts';
import { awaitsOperator, WAITS, waitsFor } from '../ingest/source_state.ts';
import { nextReadOn } from './schedule.ts';

export interface SourceHealth {
  readonly source: string;
  readonly family: string;
  /** As printed: fresh, LATE, OUTDATED, DEGRADED, QUARANTINED, UNAVAILABLE, NEVER_READ, or what is missing. */
  readonly state: string;
  /** `out_of_season`: it has no rows, and its list is on its site in another part of the year only. */
  readonly group: 'fresh' | 'late' | 'broken' | 'waiting' | 'out_of_season';
  readonly last_success: string | null;
  readonly age_days: number | null;
  readonly every_days: number;
  /** Day of the next scheduled read; null if it waits for the operator. */
  readonly next_due: string | null;
  /** Rows in use, including those of an earlier read. */
  readonly rows: number;
  readonly rejected: number;
  /** Rows by the site's own count, less the rows read; null if it states none. */
  readonly uncounted: number | null;
  /** Columns, words and codes that earlier reads had not. */
  readonly news: string | null;
  readonly reason: string | null;
  readonly detail: string | null;
  readonly page_url: string | null;
  /** Fiscal year of the rows; null if they have none. */
  readonly fiscal_year: number | null;
  /** Why the rows are outdated today; null if they are not. */
  readonly outdated_reason: Manifest['sources'][number]['outdated_reason'];
  /** Traffic of its latest read in the snapshot's run. */
  readonly requests: number;
  readonly bytes: number;
}

/** Whether the rows are older than the days between two reads. */
const isLate = ({ age_days: age, every_days: every }: Pick<SourceHealth, 'age_days' | 'every_days'>): boolean =>
  age !== null && age > every;

/** Day of the next scheduled read, in the source's season. */
const nextDue = (source: Manifest['sources'][number], spec: SourceSpec | undefined, today: string): string =>
  nextInSeason(spec?.season, nextReadOn(source, spec?.readEveryDays ?? source.every_days, today));

/** Group of a waiting source. */
const groupOfWait = (missing: keyof typeof WAITS): SourceHealth['group'] =>
  missing === 'out_of_season' ? 'out_of_season' : 'waiting';

export function sourceHealth(
  source: Manifest['sources'][number],
  spec: SourceSpec | undefined,
  today: string,
): SourceHealth {
  const age = source.last_good_at === null ? null : daysBetween(source.last_good_at, today);
  const late = isLate({ age_days: age, every_days: source.every_days });
  const isOutdated = source.outdated_on !== null && source.outdated_on <= today;
  const missing = awaitsOperator(source) ? waitsFor(source) : null;
  const isReadable = source.status === 'good' || source.status === 'not_due';
  const ageState = isOutdated ? 'OUTDATED' : late ? 'LATE' : 'fresh';
  return {
    source: source.source,
    family: source.family,
    state: missing !== null ? WAITS[missing] : isReadable ? ageState : source.status.toUpperCase(),
    group: missing !== null ? groupOfWait(missing) : late || isOutdated ? 'late' : isReadable ? 'fresh' : 'broken',
    last_success: source.last_good_at,
    age_days: age,
    every_days: source.every_days,
    next_due: missing !== null && missing !== 'out_of_season' ? null : nextDue(source, spec, today),
    rows: source.rows_out + source.rows_carried,
    rejected: source.rows_rejected,
    uncounted: source.rows_stated === null ? null : source.rows_stated - source.rows_in,
    news: source.news,
    reason: source.reason,
    detail: source.detail,
    page_url: source.page_url,
    fiscal_year: source.fiscal_year,
    outdated_reason: isOutdated ? source.outdated_reason : null,
    requests: source.traffic.requests,
    bytes: source.traffic.bytes,
  };
}

/** Descriptions of outdated rows of a fiscal year, by reason. */
const OUTDATED = {
  newer_fiscal_year_published: 'which has ended, and a newer one is published',
  fiscal_year_over: 'which ended more than 60 days ago',
} as const;

/** Why the rows are outdated, in words; null if they are not. */
export const formatOutdated = ({
  fiscal_year: year,
  outdated_reason: reason,
}: Pick<SourceHealth, 'fiscal_year' | 'outdated_reason'>): string | null =>
  reason === null ? null : `the rows are of fiscal year ${String(year)}, ${OUTDATED[reason]}`;

function neverReadProblem({ source, state, reason }: SourceHealth): Problem {
  return state === 'NEVER_READ'
    ? problem('source_not_tried', source, `no run has read ${source} yet`)
    : problem('source_never_read', source, `every read of ${source} has failed: ${reason ?? ''}`);
}

export function sourceProblems(health: SourceHealth): Problem[] {
  const { source, state, group, last_success: lastSuccess, reason, detail, page_url: pageUrl } = health;
  const rows = lastSuccess === null ? 'it has no rows' : `the rows of ${lastSuccess.slice(0, 10)} stay in use`;
  const failure = `${reason ?? ''}: ${detail ?? ''}${pageUrl === null ? '' : ` [${pageUrl}]`}; ${rows}`;
  const found: Problem[] = [];
  if (state === 'QUARANTINED') found.push(problem('source_quarantined', source, failure, reason));
  if (state === 'UNAVAILABLE') found.push(problem('source_unavailable', source, failure, reason));
  if (state === 'DEGRADED') found.push(problem('source_degraded', source, failure, reason));
  const outdated = formatOutdated(health);
  if (outdated !== null) found.push(problem('source_outdated', source, `${source}: ${outdated}`));
  // One failure is one problem. An unavailable site is not alerted until its rows are too old.
  if (state === 'QUARANTINED') return found;
  if (isLate(health)) {
    const message =
      `the last good read of ${source} is ${String(health.age_days)} days old, expected every ` +
      `${health.every_days} days`;
    found.push(problem('source_stale', source, message));
  }
  if (group !== 'waiting' && group !== 'out_of_season' && lastSuccess === null) found.push(neverReadProblem(health));
  return found;
}

/** warning: look into it today. critical: nothing new is published, or money is in doubt. */
export type Level = 'warning' | 'critical';

/** Every kind of problem, its level, and whether it sends an alert. Each has a section in docs/runbook.md. */
export const PROBLEMS = {
  nothing_published: { level: 'critical', alert: true },
  snapshot_damaged: { level: 'critical', alert: true },
  audit_blocked: { level: 'critical', alert: true },
  run_died: { level: 'warning', alert: true },
  source_quarantined: { level: 'warning', alert: true },
  // Read as expected, but its rows are old, or too few of them join other sources.
  source_degraded: { level: 'warning', alert: true },
  // A site may be down for a day: source_stale alerts once its rows are too old.
  source_unavailable: { level: 'warning', alert: false },
  source_stale: { level: 'warning', alert: true },
  source_outdated: { level: 'warning', alert: true },
  source_never_read: { level: 'warning', alert: true },
  // Normal for a new folder or a new source.
  source_not_tried: { level: 'warning', alert: false },
  settlement_unknown: { level: 'critical', alert: true },
  transfers_owed: { level: 'critical', alert: true },
  sales_unpaid: { level: 'critical', alert: true },
  sales_lose_money: { level: 'warning', alert: true },
  exclusive_paused: { level: 'warning', alert: true },
  ledger_unavailable: { level: 'critical', alert: true },
  backup_late: { level: 'warning', alert: true },
  disk_fills: { level: 'warning', alert: true },
  queue_unavailable: { level: 'critical', alert: true },
  store_unavailable: { level: 'critical', alert: true },
  store_damaged: { level: 'critical', alert: true },
  // The command cannot tell that it fails.
  alert_not_told: { level: 'warning', alert: false },
  no_worker: { level: 'warning', alert: true },
} as const satisfies Record<string, { level: Level; alert: boolean }>;

export type ProblemKind = keyof typeof PROBLEMS;

export interface Problem {
  readonly kind: ProblemKind;
  readonly level: Level;
  /** The source, run, snapshot or purchase. */
  readonly subject: string;
  /** Reason word of a read; null if there is none. */
  readonly reason: string | null;
  /** One sentence. */
  readonly message: string;
  /** Section of the runbook. */
  readonly runbook: string;
}

/** Section of the runbook for a reason word or a kind of problem. */
const runbookSection = (name: string): string => `docs/runbook.md#${name}`;

export function problem(kind: ProblemKind, subject: string, message: string, reason: string | null = null): Problem {
  return { kind, level: PROBLEMS[kind].level, subject, reason, message, runbook: runbookSection(reason ?? kind) };
}

/** Two problems with the same key are the same problem. */
export const problemKey = (each: Pick<Problem, 'kind' | 'subject' | 'reason'>): string =>
  [each.kind, each.subject, each.reason ?? ''].join(' ').trim();

export function worstLevel(problems: readonly Problem[]): 'ok' | Level {
  return problems.some((each) => each.level === 'critical') ? 'critical' : problems.length > 0 ? 'warning' : 'ok';
}
