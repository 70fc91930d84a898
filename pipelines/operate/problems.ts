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

type SourceFacts = Manifest['sources'][number];
/** `out_of_season`: it has no rows, and its list is on its site in another part of the year only. */
type Group = 'fresh' | 'late' | 'broken' | 'waiting' | 'out_of_season';

/** Whether the rows are older than the days between two reads. */
const isLate = ({ age_days: age, every_days: every }: { age_days: number | null; every_days: number }): boolean =>
  age !== null && age > every;

/** A source as the manifest has it, with its age, its state and its next read as of today. */
export function sourceHealth(source: SourceFacts, spec: SourceSpec | undefined, today: string) {
  const { last_good_at: lastGoodAt, every_days, status, rows_stated: stated } = source;
  const age = lastGoodAt === null ? null : daysBetween(lastGoodAt, today);
  const late = isLate({ age_days: age, every_days });
  const isOutdated = source.outdated_on !== null && source.outdated_on <= today;
  const missing = awaitsOperator(source) ? waitsFor(source) : null;
  const isReadable = status === 'good' || status === 'not_due';
  const ageState = isOutdated ? 'OUTDATED' : late ? 'LATE' : 'fresh';
  const groupOfRows: Group = late || isOutdated ? 'late' : isReadable ? 'fresh' : 'broken';
  const groupOfWait: Group = missing === 'out_of_season' ? 'out_of_season' : 'waiting';
  const nextRead = nextReadOn(source, spec?.readEveryDays ?? every_days, today);
  return {
    ...source,
    /** As printed: fresh, LATE, OUTDATED, DEGRADED, QUARANTINED, UNAVAILABLE, NEVER_READ, or what is missing. */
    state: missing !== null ? WAITS[missing] : isReadable ? ageState : status.toUpperCase(),
    group: missing === null ? groupOfRows : groupOfWait,
    age_days: age,
    /** Day of the next scheduled read, in the source's season; null if it waits for the operator. */
    next_due: missing === null || missing === 'out_of_season' ? nextInSeason(spec?.season, nextRead) : null,
    /** Rows in use, including those of an earlier read. */
    rows: source.rows_out + source.rows_carried,
    /** Rows by the site's own count, less the rows read; null if it states none. */
    uncounted: stated === null ? null : stated - source.rows_in,
    /** Why the rows are outdated today; null if they are not. */
    outdated_reason: isOutdated ? source.outdated_reason : null,
  };
}
export type SourceHealth = ReturnType<typeof sourceHealth>;

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

/** Statuses that are problems, by their kind. */
const FAILURES = {
  QUARANTINED: 'source_quarantined',
  UNAVAILABLE: 'source_unavailable',
  DEGRADED: 'source_degraded',
} as const;

export function sourceProblems(health: SourceHealth): Problem[] {
  const { source, state, group, last_good_at: lastGoodAt, reason, detail, page_url: pageUrl } = health;
  const rows = lastGoodAt === null ? 'it has no rows' : `the rows of ${lastGoodAt.slice(0, 10)} stay in use`;
  const failure = `${reason ?? ''}: ${detail ?? ''}${pageUrl === null ? '' : ` [${pageUrl}]`}; ${rows}`;
  const found: Problem[] = [];
  if (state in FAILURES) found.push(problem(FAILURES[state as keyof typeof FAILURES], source, failure, reason));
  const outdated = formatOutdated(health);
  if (outdated !== null) found.push(problem('source_outdated', source, `${source}: ${outdated}`));
  // One failure is one problem. An unavailable site is not alerted until its rows are too old.
  if (state === 'QUARANTINED') return found;
  const { age_days: age, every_days: every } = health;
  const old = `the last good read of ${source} is ${String(age)} days old, expected every ${every} days`;
  if (isLate(health)) found.push(problem('source_stale', source, old));
  if (group === 'waiting' || group === 'out_of_season' || lastGoodAt !== null) return found;
  if (state === 'NEVER_READ') found.push(problem('source_not_tried', source, `no run has read ${source} yet`));
  else found.push(problem('source_never_read', source, `every read of ${source} has failed: ${reason ?? ''}`));
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

export function problem(kind: ProblemKind, subject: string, message: string, reason: string | null = null): Problem {
  const runbook = `docs/runbook.md#${reason ?? kind}`;
  return { kind, level: PROBLEMS[kind].level, subject, reason, message, runbook };
}

/** Two problems with the same key are the same problem. */
export const problemKey = (each: Pick<Problem, 'kind' | 'subject' | 'reason'>): string =>
  [each.kind, each.subject, each.reason ?? ''].join(' ').trim();

export function worstLevel(problems: readonly Problem[]): 'ok' | Level {
  return problems.some((each) => each.level === 'critical') ? 'critical' : problems.length > 0 ? 'warning' : 'ok';
}
