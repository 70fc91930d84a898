/**
 * A worker's leases of hosts. Each request takes a turn at its host in PostgreSQL, which grants it only to the read
 * that holds the host, at the pace that the site allows. A worker renews its leases every few seconds; if it cannot,
 * it stops reading before another worker may begin. All times are the database's.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { SharedRateLimiter } from '../../../sources/fetch/polite/rate_limiter.ts';
import { isUnavailable, SCHEMA, type CrawlDatabase } from '../database.ts';

/** Time for which a host stays with its holder after the last renewal. */
const LEASE_MS = 10_000;
const RENEW_MS = 2_500;
/** A read ends after this time without an answer of the database: just before others may take its hosts. */
const GIVE_UP_MS = 8_000;
/** Pause before the next try if the database does not answer, or another read took the turn at the same instant. */
const RETRY_MS = 200;
/** Longest pause before a turn is requested again: a lease may end, or a turn be released, early. */
const MAX_PAUSE_MS = 1_000;

/** Another worker has this read, or may have it soon. */
class ClaimLost extends Error {
  override readonly name = 'ClaimLost';
}

const ms = (parameter: string): string => `${parameter}::float8 * interval '1 ms'`;
const msUntil = (instant: string): string => `extract(epoch FROM ${instant} - clock_timestamp()) * 1000`;

/** Parameters: host, holder, interval to the next request, lease. Returns the time to wait: 0 if the turn was taken. */
const TAKE_TURN = `
  WITH taken AS (
    INSERT INTO ${SCHEMA}.host AS h (host, holder, held_until, next_at)
    VALUES ($1, $2, clock_timestamp() + ${ms('$4')}, clock_timestamp() + ${ms('$3')})
    ON CONFLICT (host) DO UPDATE SET
      holder = excluded.holder, held_until = excluded.held_until, next_at = excluded.next_at
    WHERE (h.holder IS NULL OR h.holder = $2 OR h.held_until <= clock_timestamp())
      AND h.next_at <= clock_timestamp()
    RETURNING 0::float8 AS wait_ms
  )
  SELECT wait_ms FROM taken
  UNION ALL
  SELECT greatest(
    1,
    ${msUntil('next_at')},
    CASE WHEN holder IS DISTINCT FROM $2 AND holder IS NOT NULL THEN ${msUntil('held_until')} END
  )
  FROM ${SCHEMA}.host
  WHERE host = $1 AND NOT EXISTS (SELECT FROM taken)`;
const RENEW = `UPDATE ${SCHEMA}.host SET held_until = clock_timestamp() + ${ms('$2')} WHERE holder = ANY($1)`;
const DELAY = `
  UPDATE ${SCHEMA}.host SET next_at = greatest(next_at, clock_timestamp() + ${ms('$3')})
  WHERE host = $1 AND holder = $2`;
const RELEASE = `UPDATE ${SCHEMA}.host SET holder = NULL, held_until = clock_timestamp() WHERE holder = $1`;

export interface Claim {
  readonly turns: SharedRateLimiter;
  /** Aborted if the claim is lost; its reason is a ClaimLost. */
  readonly lost: AbortSignal;
  /** Release its hosts. */
  release(): Promise<void>;
}

export interface Claims {
  /**
   * @param holder identifies this attempt to read a source
   * @param ended aborted if the read is known to belong to another worker
   */
  open(holder: string, ended: AbortSignal): Claim;
  close(): void;
}

/** Ignore errors of an unavailable database. */
const ignoreUnavailable = (error: unknown): void => {
  if (!isUnavailable(error)) throw error;
};

const COUNT_HELD = `
  SELECT count(*)::int AS held FROM ${SCHEMA}.host WHERE holder IS NOT NULL AND held_until > clock_timestamp()`;

/**
 * Wait until no worker holds a host. A worker whose job is gone notices it at its next heartbeat, or loses the lease.
 */
export async function untilReleased(database: CrawlDatabase): Promise<void> {
  for (const until = performance.now() + LEASE_MS; performance.now() < until; await sleep(RETRY_MS)) {
    const [row] = await database.query(COUNT_HELD);
    if (row?.['held'] === 0) return;
  }
}

/** @param onRenew called with each renewal, for other states of this worker that the database stores */
export function claimsIn(database: CrawlDatabase, onRenew: () => Promise<void>): Claims {
  const open = new Map<string, AbortController>();
  let renewedAt = performance.now();
  let isRenewing = false;
  const renew = async (): Promise<void> => {
    const startedAt = performance.now();
    await database.query(RENEW, [...open.keys()], LEASE_MS);
    await onRenew();
    renewedAt = startedAt;
  };
  const abortAll = (): void => {
    const silence = `the queue has not answered for ${GIVE_UP_MS / 1000} seconds`;
    for (const [holder, claim] of open) claim.abort(new ClaimLost(`${silence}; another worker may have ${holder}`));
  };
  const timer = setInterval(() => {
    if (performance.now() - renewedAt > GIVE_UP_MS) abortAll();
    if (isRenewing) return;
    isRenewing = true;
    // After repeated failures abortAll ends the claims.
    renew()
      .catch(() => {})
      .finally(() => {
        isRenewing = false;
      });
  }, RENEW_MS);

  const createRateLimiter = (holder: string, lost: AbortSignal): SharedRateLimiter => ({
    async acquire(host, intervalMs) {
      lost.throwIfAborted();
      try {
        const [row] = await database.query(TAKE_TURN, host, holder, intervalMs, LEASE_MS);
        lost.throwIfAborted();
        return row === undefined ? RETRY_MS : Math.min(Number(row['wait_ms']), MAX_PAUSE_MS);
      } catch (error) {
        lost.throwIfAborted();
        ignoreUnavailable(error);
        return RETRY_MS;
      }
    },
    async pause(host, forMs) {
      await database.query(DELAY, host, holder, forMs).catch(ignoreUnavailable);
    },
  });

  return {
    open(holder, ended) {
      const claim = new AbortController();
      const lost = AbortSignal.any([claim.signal, ended]);
      open.set(holder, claim);
      return {
        turns: createRateLimiter(holder, lost),
        lost,
        async release() {
          open.delete(holder);
          // If this fails, the lease expires.
          await database.query(RELEASE, holder).catch(ignoreUnavailable);
        },
      };
    },
    close: () => {
      clearInterval(timer);
    },
  };
}
