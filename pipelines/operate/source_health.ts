/** Health of one source: whether its rows are fresh, and what its latest read failed with. */
import type { Manifest } from '../../models/manifest.ts';
import type { SourceSpec } from '../../sources/contract.ts';
import { daysBetween } from '../clock.ts';
import { awaitsOperator, waitsFor, WAITS } from '../ingest/source_state.ts';
import { nextReadOn } from './schedule/jobs.ts';
import { problem, type Problem } from './problems.ts';

export interface SourceHealth {
  readonly source: string;
  readonly family: string;
  /** As printed: fresh, LATE, DEGRADED, QUARANTINED, UNAVAILABLE, NEVER_READ, or what the operator must provide. */
  readonly state: string;
  readonly group: 'fresh' | 'late' | 'broken' | 'waiting';
  readonly last_success: string | null;
  readonly age_days: number | null;
  readonly every_days: number;
  /** Day of the next scheduled read; null if it waits for the operator. */
  readonly next_due: string | null;
  /** Rows in use, including those of an earlier read. */
  readonly rows: number;
  readonly rejected: number;
  readonly reason: string | null;
  readonly detail: string | null;
  readonly page_url: string | null;
  /** Traffic of its latest read in the snapshot's run. */
  readonly requests: number;
  readonly bytes: number;
}

export function sourceHealth(
  source: Manifest['sources'][number],
  spec: SourceSpec | undefined,
  today: string,
): SourceHealth {
  const age = source.last_good_at === null ? null : daysBetween(source.last_good_at, today);
  const isLate = age !== null && age > source.every_days;
  const missing = awaitsOperator(source) ? waitsFor(source) : null;
  const isReadable = source.status === 'good' || source.status === 'not_due';
  return {
    source: source.source,
    family: source.family,
    state: missing !== null ? WAITS[missing] : !isReadable ? source.status.toUpperCase() : isLate ? 'LATE' : 'fresh',
    group: missing !== null ? 'waiting' : isLate ? 'late' : isReadable ? 'fresh' : 'broken',
    last_success: source.last_good_at,
    age_days: age,
    every_days: source.every_days,
    next_due: missing !== null ? null : nextReadOn(source, spec?.readEveryDays ?? source.every_days, today),
    rows: source.rows_out + source.rows_carried,
    rejected: source.rows_rejected,
    reason: source.reason,
    detail: source.detail,
    page_url: source.page_url,
    requests: source.traffic.requests,
    bytes: source.traffic.bytes,
  };
}

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
  if (group === 'late') {
    const message =
      `the last good read of ${source} is ${String(health.age_days)} days old, expected every ` +
      `${health.every_days} days`;
    found.push(problem('source_stale', source, message));
  }
  if (group !== 'waiting' && lastSuccess === null) found.push(neverReadProblem(health));
  return found;
}
