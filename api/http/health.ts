/** GET /health: unavailable if there is no snapshot, degraded if an operator should investigate. */
import type { Router } from '@koa/router';
import { todayOf } from '../../models/manifest.ts';
import type { PaymentHealth } from '../payments/health.ts';
import type { OpenPayments } from '../payments/modes.ts';
import type { RunningPayments } from '../payments/open.ts';
import type { Snapshot } from '../serving/open.ts';
import { staleSources, type StaleSource } from '../serving/stale_sources.ts';
import type { LoadFailure, Snapshots } from '../serving/follow.ts';

export interface Health {
  readonly status: 'ok' | 'degraded' | 'unavailable';
  readonly snapshot_id: string | null;
  readonly as_of: string | null;
  readonly snapshot_failure: LoadFailure | null;
  /** Relative to today, not to the day of the snapshot: if the pipeline stops, every source becomes stale. */
  readonly stale_sources: readonly StaleSource[];
  /** Sources that were read as expected, but whose rows join fewer others than they should. */
  readonly degraded_sources: readonly { readonly source: string; readonly detail: string }[];
  readonly payments: {
    readonly mode: string;
    /** Whether buyers pay with money that is worth nothing. */
    readonly test_money: boolean;
    readonly ready: boolean;
  } & PaymentHealth;
}

interface HealthOptions {
  readonly snapshots: Snapshots;
  readonly payments: Pick<OpenPayments, 'mode' | 'notice'> & Partial<Pick<RunningPayments, 'health'>>;
  readonly layer: { ready(): boolean };
  readonly nowMs: () => number;
}

const degradedSources = (snapshot: Snapshot): Health['degraded_sources'] =>
  snapshot
    .all('sources')
    .filter(({ status }) => status === 'degraded')
    .map((row) => ({ source: String(row['source']), detail: String(row['detail']) }));

/** A function that reports the current health. */
export const createHealthCheck =
  ({ snapshots, payments, layer, nowMs }: HealthOptions): (() => Promise<Health>) =>
  async () => {
    // An application in a test has no payments that run.
    const settlements = (await payments.health?.()) ?? { unresolved: 0, warnings: [] };
    using lease = snapshots.acquire();
    const failure = snapshots.failure();
    const ready = layer.ready();
    const snapshot = lease?.snapshot;
    const stale = snapshot ? staleSources(snapshot, todayOf(snapshot.manifest, nowMs())) : [];
    const degraded = snapshot ? degradedSources(snapshot) : [];
    const isWell = !failure && ready && settlements.warnings.length + stale.length + degraded.length === 0;
    return {
      status: !snapshot ? 'unavailable' : isWell ? 'ok' : 'degraded',
      snapshot_id: snapshot?.id ?? null,
      as_of: snapshot?.manifest.as_of ?? null,
      snapshot_failure: failure,
      stale_sources: stale,
      degraded_sources: degraded,
      payments: { mode: payments.mode, test_money: payments.notice !== undefined, ready, ...settlements },
    };
  };

export function mountHealth(router: Router, health: () => Promise<Health>): void {
  router.get('/health', async (ctx) => {
    const now = await health();
    ctx.status = now.status === 'unavailable' ? 503 : 200;
    ctx.body = now;
    ctx.set('Cache-Control', 'no-store');
  });
}
