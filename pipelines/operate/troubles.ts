/** What can be wrong, told the same way on the screen, in JSON and to the alert command. */

/** warning: somebody should look today. critical: nothing new is published, or money is in doubt. */
export type Level = 'warning' | 'critical';

/** Every kind of trouble, its level, and whether it is worth waking somebody for. Each has a page in docs/runbook/. */
export const TROUBLES = {
  nothing_published: { level: 'critical', alert: true },
  snapshot_damaged: { level: 'critical', alert: true },
  audit_blocked: { level: 'critical', alert: true },
  run_died: { level: 'warning', alert: true },
  source_quarantined: { level: 'warning', alert: true },
  // A site may rest for a day: it is told once its rows are older than they may be.
  source_unavailable: { level: 'warning', alert: false },
  source_stale: { level: 'warning', alert: true },
  source_never_read: { level: 'warning', alert: true },
  // A folder that is new, or a source that is: nothing has gone wrong with it.
  source_not_tried: { level: 'warning', alert: false },
  settlement_unknown: { level: 'critical', alert: true },
  transfers_owed: { level: 'critical', alert: true },
  sales_unpaid: { level: 'critical', alert: true },
  ledger_unavailable: { level: 'critical', alert: true },
  queue_unavailable: { level: 'critical', alert: true },
  no_worker: { level: 'warning', alert: true },
} as const satisfies Record<string, { level: Level; alert: boolean }>;

export type TroubleKind = keyof typeof TROUBLES;

export interface Trouble {
  readonly kind: TroubleKind;
  readonly level: Level;
  /** Source, run, snapshot or purchase it is about. */
  readonly subject: string;
  /** Reason word of a read; null where there is none. */
  readonly reason: string | null;
  /** One sentence. */
  readonly message: string;
  /** Page of the runbook. */
  readonly runbook: string;
}

/** Page of the runbook for a reason word, a kind of trouble or a title. */
export const pageOf = (name: string): string => `docs/runbook/${name}.md`;

export function trouble(kind: TroubleKind, subject: string, message: string, reason: string | null = null): Trouble {
  return { kind, level: TROUBLES[kind].level, subject, reason, message, runbook: pageOf(reason ?? kind) };
}

/** What makes two troubles the same one. */
export const keyOf = (t: Pick<Trouble, 'kind' | 'subject' | 'reason'>): string =>
  [t.kind, t.subject, t.reason ?? ''].join(' ').trim();

export function worst(troubles: readonly Trouble[]): 'ok' | Level {
  return troubles.some((t) => t.level === 'critical') ? 'critical' : troubles.length > 0 ? 'warning' : 'ok';
}
