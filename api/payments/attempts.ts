/**
 * Which payments are being used or have been used, so that one payment buys one answer. This memory of one process
 * forgets on restart; the chain itself then still refuses to settle a payment twice. A durable ledger shared by
 * several processes takes its place behind the same interface.
 */
import type { Authorization } from './authorization.ts';
import { CLOCK_SKEW_SECONDS } from './network.ts';

export type AttemptState = 'in_progress' | 'settled' | 'unknown';

export interface Attempts {
  /** State of a payment, or null where it is free to be used. */
  stateOf(payment: Authorization): Promise<AttemptState | null>;
  /** Claim a verified payment for one request. False where another request has it; only one caller ever gets true. */
  begin(payment: Authorization): Promise<boolean>;
  /** Record how a claimed payment ended: settled, or of unknown outcome, which is neither free nor settled. */
  end(payment: Authorization, state: 'settled' | 'unknown'): Promise<void>;
  /** Free a claimed payment that was surely not charged. */
  release(payment: Authorization): Promise<void>;
}

/** Attempts kept in memory until their payment can no longer be settled. */
export function attemptsInMemory(nowMs: () => number = Date.now): Attempts {
  const entries = new Map<string, { state: AttemptState; until: bigint }>();
  const forgetExpired = (): void => {
    const now = BigInt(Math.floor(nowMs() / 1000) - CLOCK_SKEW_SECONDS);
    for (const [key, { state, until }] of entries) if (until < now && state !== 'in_progress') entries.delete(key);
  };
  return {
    stateOf: async ({ key }) => entries.get(key)?.state ?? null,
    begin: async ({ key, validBefore }) => {
      if (entries.has(key)) return false;
      forgetExpired();
      entries.set(key, { state: 'in_progress', until: validBefore });
      return true;
    },
    end: async ({ key, validBefore }, state) => { entries.set(key, { state, until: validBefore }); },
    release: async ({ key }) => { entries.delete(key); },
  };
}
