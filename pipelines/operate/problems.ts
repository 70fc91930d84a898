/**
 * Problems that an operator must know about, in one form for the screen, JSON and the alert command. In JSON and in
 * alerts.json their field is `troubles`.
 */

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
  ledger_unavailable: { level: 'critical', alert: true },
  backup_late: { level: 'warning', alert: true },
  disk_fills: { level: 'warning', alert: true },
  queue_unavailable: { level: 'critical', alert: true },
  store_unavailable: { level: 'critical', alert: true },
  store_damaged: { level: 'critical', alert: true },
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
