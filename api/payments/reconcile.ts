/**
 * Ends purchases of unknown outcome, by what the chain says and by nothing else. Any number of processes may do it at
 * once, and beside a sale that is still going on: what the chain shows for certain is the same for all, and the
 * ledger takes it once.
 */
import { LedgerUnavailable, type Ledger, type Payment, type Purchase } from '../../ledger/ledger.ts';

/** What the chain says of a payment, read at one block. */
export type Evidence =
  /** The authorization was used in this transaction, which moved its amount to its recipient. */
  | { readonly kind: 'paid'; readonly transaction: string }
  /** The authorization was used or cancelled, and did not pay us. It cannot be used again. */
  | { readonly kind: 'used_elsewhere'; readonly transaction: string }
  /** Not used at a block of this time, in Unix seconds. */
  | { readonly kind: 'unused'; readonly chainSeconds: bigint }
  /** Used, but how was not found out. */
  | { readonly kind: 'not_found'; readonly why: string };

export interface ChainEvidence {
  /** @throws where the chain cannot be asked */
  of(payment: Payment, hint: { readonly transaction: string | null }): Promise<Evidence>;
}

/** Seconds of the chain's own time past validBefore after which an unused authorization is taken to stay unused: longer than any reorganisation of it. */
export const EXPIRY_MARGIN_SECONDS = 120n;

export interface Reconciler {
  readonly ledger: Ledger;
  readonly chain: ChainEvidence;
  readonly nowMs: () => number;
}

export type Resolution = 'sold' | 'released' | 'waiting';

/** End one settling purchase if the chain allows it. @throws where chain or ledger cannot be asked */
export async function resolve({ ledger, chain, nowMs }: Reconciler, purchase: Purchase): Promise<Resolution> {
  const { id, payment, transaction } = purchase;
  const evidence = await chain.of(payment, { transaction });
  switch (evidence.kind) {
    case 'paid': {
      const { state } = await ledger.sold(id, evidence.transaction, nowMs());
      return state === 'sold' ? 'sold' : 'released';
    }
    case 'used_elsewhere':
      await ledger.release(id, 'used_elsewhere', nowMs());
      return 'released';
    case 'unused':
      if (evidence.chainSeconds <= payment.validBefore + EXPIRY_MARGIN_SECONDS) return 'waiting';
      await ledger.release(id, 'expired_unused', nowMs());
      return 'released';
    case 'not_found': return 'waiting';
  }
}

export interface Pass {
  readonly sold: number;
  readonly released: number;
  /** Purchases whose outcome is still open after this pass. */
  readonly waiting: number;
  /** Why chain or ledger could not be asked, where they could not. */
  readonly failure: string | null;
}

/**
 * Look at every purchase that is settling: those whose settlement is said to be of unknown outcome, and those that
 * have been settling for longer than a settlement takes, because the process that asked for it may be gone.
 * @param settlementMs how long a settlement may take; 0 looks at all
 */
export async function reconcile(reconciler: Reconciler, settlementMs: number): Promise<Pass> {
  const { ledger, nowMs } = reconciler;
  const counts = { sold: 0, released: 0, waiting: 0 };
  let failure: string | null = null;
  let open: readonly Purchase[] = [];
  // Also those of a clock that was ahead of this one when they began.
  try { open = await ledger.unresolved(Number.MAX_SAFE_INTEGER); } catch (error) {
    if (!(error instanceof LedgerUnavailable)) throw error;
    failure = error.message;
  }
  for (const purchase of open) {
    const ageMs = nowMs() - (purchase.settlingAtMs ?? 0);
    if (purchase.why === null && ageMs >= 0 && ageMs < settlementMs) continue;
    try { counts[await resolve(reconciler, purchase)] += 1; } catch (error) {
      failure = error instanceof Error ? error.message : String(error);
      counts.waiting += 1;
    }
  }
  return { ...counts, failure };
}
