/** How the server does: unavailable where there is nothing to serve, degraded where somebody should look. */
import { todayOf } from '../../models/manifest.ts';
import type { Snapshot } from '../snapshot/load.ts';
import type { LoadFailure, Snapshots } from '../snapshot/follow.ts';

/** A source whose rows are older than the days between two of its reads. */
export interface StaleSource {
  readonly source: string;
  readonly last_good_at: string;
  readonly every_days: number;
}

export interface Health {
  readonly status: 'ok' | 'degraded' | 'unavailable';
  readonly snapshot_id: string | null;
  readonly as_of: string | null;
  readonly snapshot_failure: LoadFailure | null;
  /** What this server serves and the snapshot, which is older, does not have. */
  readonly snapshot_gaps: readonly string[];
  /** Told by today, not by the day of the snapshot: where nothing is built any more, everything goes stale. */
  readonly stale_sources: readonly StaleSource[];
  readonly payments: { readonly mode: string; readonly ready: boolean } & PaymentHealth;
}

/** What is known of settlements. */
export interface PaymentHealth {
  /** Purchases whose outcome is not known yet. */
  readonly unresolved: number;
  /** What somebody should look at, a sentence each. */
  readonly warnings: readonly string[];
}

export const NO_NEWS: PaymentHealth = { unresolved: 0, warnings: [] };

export interface HealthOptions {
  readonly snapshots: Snapshots;
  readonly payments: { readonly mode: string; ready(): boolean; health(): Promise<PaymentHealth> };
  readonly nowMs: () => number;
}

async function staleSources(snapshot: Snapshot, today: string): Promise<StaleSource[]> {
  const rows = await snapshot.fields(
    'sources',
    ['source', 'last_good_at', 'every_days'],
    "WHERE date_diff('day', CAST(last_good_at AS DATE), CAST($1 AS DATE)) > every_days ORDER BY source",
    [today],
  );
  return rows.map((r) => ({
    source: String(r['source']),
    last_good_at: String(r['last_good_at']),
    every_days: Number(r['every_days']),
  }));
}

/** A function that says how the server does now. What follows from the snapshot and the day is asked for once. */
export function healthOf({ snapshots, payments, nowMs }: HealthOptions): () => Promise<Health> {
  let known: { snapshot: Snapshot; today: string; stale: StaleSource[] } | null = null;
  return async () => {
    const settlements = await payments.health();
    const lease = snapshots.acquire();
    const failure = snapshots.failure();
    const ready = payments.ready();
    try {
      const snapshot = lease?.snapshot;
      const gaps = snapshot?.gaps ?? [];
      let stale: StaleSource[] = [];
      if (snapshot) {
        const today = todayOf(snapshot.manifest, nowMs());
        if (known?.snapshot !== snapshot || known.today !== today)
          known = { snapshot, today, stale: await staleSources(snapshot, today) };
        ({ stale } = known);
      }
      return {
        status: !snapshot
          ? 'unavailable'
          : failure || !ready || settlements.warnings.length + stale.length + gaps.length > 0
            ? 'degraded'
            : 'ok',
        snapshot_id: snapshot?.id ?? null,
        as_of: snapshot?.manifest.as_of ?? null,
        snapshot_failure: failure,
        snapshot_gaps: gaps,
        stale_sources: stale,
        payments: { mode: payments.mode, ready, ...settlements },
      };
    } finally {
      lease?.release();
    }
  };
}
