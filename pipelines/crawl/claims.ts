/**
 * A worker's claims to hosts: each request takes a turn at its host in PostgreSQL, which gives it only to the read that
 * holds the host, at the pace the site asks for. A worker says every few seconds that it is still there; where it
 * cannot, it stops reading before anybody else may begin. All times are the database's.
 */
import type { SharedRateLimiter } from '../../sources/fetch/polite/shared_rate_limiter.ts';
import { isAbsence, SCHEMA, type CrawlDatabase } from './database.ts';

/** A host stays with its holder for so long after he was last heard of. */
const LEASE_MS = 10_000;
const RENEW_MS = 2_500;
/** Without word from the database for so long a read is ended: a moment before its hosts may be another's. */
const GIVE_UP_MS = 8_000;
/** Pause before a turn is asked for again where the database does not answer, or another took it in the same instant. */
const AGAIN_MS = 200;

/** This read is no longer ours: another worker has it, or may have it soon. */
export class ClaimLost extends Error {
  override readonly name = 'ClaimLost';
}

const ms = (parameter: string): string => `${parameter}::float8 * interval '1 ms'`;
const msUntil = (instant: string): string => `extract(epoch FROM ${instant} - clock_timestamp()) * 1000`;

/** Host, holder, interval to the next request, lease. Answers what is to be waited: 0 where the turn was taken. */
const TAKE = `
  WITH taken AS (
    INSERT INTO ${SCHEMA}.host AS h (host, holder, held_until, next_at)
    VALUES ($1, $2, clock_timestamp() + ${ms('$4')}, clock_timestamp() + ${ms('$3')})
    ON CONFLICT (host) DO UPDATE SET holder = excluded.holder, held_until = excluded.held_until, next_at = excluded.next_at
    WHERE (h.holder IS NULL OR h.holder = $2 OR h.held_until <= clock_timestamp()) AND h.next_at <= clock_timestamp()
    RETURNING 0::float8 AS wait_ms)
  SELECT wait_ms FROM taken
  UNION ALL
  SELECT greatest(1, ${msUntil('next_at')}, CASE WHEN holder IS DISTINCT FROM $2 AND holder IS NOT NULL THEN ${msUntil('held_until')} END)
  FROM ${SCHEMA}.host WHERE host = $1 AND NOT EXISTS (SELECT FROM taken)`;

export interface Claim {
  readonly turns: SharedRateLimiter;
  /** Aborted where the claim is lost; its reason is a ClaimLost. */
  readonly lost: AbortSignal;
  /** Give its hosts to others. */
  release(): Promise<void>;
}

export interface Claims {
  /**
   * @param holder tells this try to read a source from every other
   * @param ended aborted by others who know that the read is no longer ours
   */
  open(holder: string, ended: AbortSignal): Claim;
  close(): void;
}

/** @param renewed called each time the database has heard of this worker, for what else it is to know */
export function claimsIn(database: CrawlDatabase, renewed: () => Promise<void>): Claims {
  const open = new Map<string, AbortController>();
  let heardAt = performance.now();
  let asking = false;
  const renew = async (): Promise<void> => {
    const asked = performance.now();
    await database.query(
      `UPDATE ${SCHEMA}.host SET held_until = clock_timestamp() + ${ms('$2')} WHERE holder = ANY($1)`,
      [...open.keys()],
      LEASE_MS,
    );
    await renewed();
    heardAt = asked;
  };
  const timer = setInterval(() => {
    if (performance.now() - heardAt > GIVE_UP_MS) {
      for (const [holder, claim] of open)
        claim.abort(
          new ClaimLost(
            `the queue has not answered for ${GIVE_UP_MS / 1000} seconds, so that ${holder} may be another's`,
          ),
        );
    }
    if (asking) return;
    asking = true;
    // What keeps it from being renewed ends the claims in time.
    renew()
      .catch(() => {})
      .finally(() => {
        asking = false;
      });
  }, RENEW_MS);

  return {
    open(holder, ended) {
      const claim = new AbortController();
      const lost = AbortSignal.any([claim.signal, ended]);
      open.set(holder, claim);
      const turns: SharedRateLimiter = {
        async acquire(host, intervalMs) {
          lost.throwIfAborted();
          try {
            const [row] = await database.query(TAKE, host, holder, intervalMs, LEASE_MS);
            lost.throwIfAborted();
            // Another's lease may end, and another's turn be given up, sooner than it was to.
            return row === undefined ? AGAIN_MS : Math.min(Number(row['wait_ms']), 1_000);
          } catch (error) {
            lost.throwIfAborted();
            if (!isAbsence(error)) throw error;
            return AGAIN_MS;
          }
        },
        async pause(host, forMs) {
          await database
            .query(
              `UPDATE ${SCHEMA}.host SET next_at = greatest(next_at, clock_timestamp() + ${ms('$3')}) WHERE host = $1 AND holder = $2`,
              host,
              holder,
              forMs,
            )
            .catch((error: unknown) => {
              if (!isAbsence(error)) throw error;
            });
        },
      };
      return {
        turns,
        lost,
        async release() {
          open.delete(holder);
          await database
            .query(`UPDATE ${SCHEMA}.host SET holder = NULL, held_until = clock_timestamp() WHERE holder = $1`, holder)
            // Its lease runs out by itself.
            .catch((error: unknown) => {
              if (!isAbsence(error)) throw error;
            });
        },
      };
    },
    close: () => {
      clearInterval(timer);
    },
  };
}
