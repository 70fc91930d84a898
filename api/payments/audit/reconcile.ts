/**
 * Ends purchases of unknown outcome by the evidence on the chain alone. Several processes may do this in parallel, also
 * during a sale: they read the same chain, and the ledger accepts the result once.
 */
import { LedgerUnavailable, type Ledger, type Money, type Purchase } from '../../../ledger/ledger.ts';
import { ChainUnavailable } from '../chain/node.ts';
import type { PaymentChain } from '../chain/payment_chain.ts';

export interface Reconciler {
  readonly ledger: Ledger;
  readonly chain: Pick<PaymentChain, 'id' | 'evidenceOf'>;
  readonly money: Money;
  readonly nowMs: () => number;
}

/** End one settling purchase if its chain allows it. @throws if the chain or the ledger cannot be read */
export async function resolve(
  { ledger, chain, money, nowMs }: Reconciler,
  purchase: Purchase,
): Promise<'sold' | 'released' | 'waiting'> {
  const { id, payment, transaction } = purchase;
  // A sandbox chain, with its test money, ends with its server. Real money has one chain.
  if (money === 'test' && purchase.chain !== (await chain.id())) {
    await ledger.release(id, 'chain_gone', nowMs());
    return 'released';
  }
  const evidence = await chain.evidenceOf(payment, { transaction });
  switch (evidence.kind) {
    case 'paid':
      return (await ledger.markSold(id, evidence, nowMs())).state === 'sold' ? 'sold' : 'released';
    case 'void':
      await ledger.release(id, evidence.reason, nowMs());
      return 'released';
    case 'open':
      return 'waiting';
  }
}

export interface Pass {
  readonly sold: number;
  readonly released: number;
  /** Purchases that are still unresolved. */
  readonly waiting: number;
  /** Why the chain or the ledger could not be read; null if both could. */
  readonly failure: string | null;
}

/** The error without a library's text. */
export const failureText = (error: unknown): string =>
  error instanceof LedgerUnavailable || error instanceof ChainUnavailable
    ? error.message
    : 'an unexpected error; see the log';

/**
 * Resolve settling purchases: those marked unknown, and those that have been settling for longer than a settlement
 * takes, because the process that requested it may be gone.
 * @param settlementMs how long a settlement may take; 0 resolves all
 */
export async function reconcile(reconciler: Reconciler, settlementMs: number): Promise<Pass> {
  const { ledger, nowMs } = reconciler;
  const counts = { sold: 0, released: 0, waiting: 0 };
  let failure: string | null = null;
  let open: readonly Purchase[] = [];
  // Read all of them: a clock that was ahead may have written their times.
  try {
    open = await ledger.unresolved(Number.MAX_SAFE_INTEGER);
  } catch (error) {
    if (!(error instanceof LedgerUnavailable)) throw error;
    failure = failureText(error);
  }
  for (const purchase of open) {
    const ageMs = nowMs() - (purchase.settlingAtMs ?? 0);
    if (purchase.why === null && ageMs >= 0 && ageMs < settlementMs) continue;
    try {
      counts[await resolve(reconciler, purchase)] += 1;
    } catch (error) {
      failure = failureText(error);
      counts.waiting += 1;
    }
  }
  return { ...counts, failure };
}
