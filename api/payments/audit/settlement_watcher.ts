/** Maintains the ledger while a server runs: resolves settlements, deletes abandoned reservations and old answers. */
import { LedgerUnavailable } from '../../../ledger/ledger.ts';
import { DAY_MS, HOUR_MS } from '../../../lib/time.ts';
import { ChainUnavailable } from '../chain/chain_errors.ts';
import type { PaymentChain } from '../chain/payment_chain.ts';
import { failureText, reconcile, type Pass, type Reconciler } from './reconcile.ts';
import { repeat } from './repeat.ts';

/** Days for which a buyer can collect a paid response again. The interface promises them. */
const COLLECT_DAYS = 30;

const EVERY_MS = 10_000;
/** A settlement that takes longer may have lost its process. Reading the chain too early does no harm. */
const SETTLEMENT_MS = 45_000;
const FORGET_EVERY_MS = HOUR_MS;

export interface WatchOptions extends Reconciler {
  readonly chain: Pick<PaymentChain, 'id' | 'evidenceOf' | 'latestBlock'>;
  /** Called after every pass in which something ended or failed. */
  readonly report?: (pass: Pass) => void;
  readonly everyMs?: number;
}

export interface Watch {
  /** The last pass. */
  last(): Pass;
  /** Run a pass now, over every settling purchase. */
  pass(): Promise<Pass>;
  stop(): Promise<void>;
}

/** Start watching, with a pass over everything that an earlier process left open. */
export function watchSettlements(options: WatchOptions): Watch {
  const { ledger, nowMs, chain, report = () => undefined, everyMs = EVERY_MS } = options;
  let last: Pass = { sold: 0, released: 0, waiting: 0, failure: null };
  let forgotAtMs = Number.NEGATIVE_INFINITY;

  const tidy = async (): Promise<void> => {
    await ledger.deleteExpiredReservations(nowMs());
    if (performance.now() - forgotAtMs < FORGET_EVERY_MS) return;
    // Deleted answers cannot be restored: a server clock that is ahead must not decide alone.
    const { seconds } = await chain.latestBlock();
    await ledger.forgetAnswers(Math.min(nowMs(), seconds * 1000) - COLLECT_DAYS * DAY_MS);
    forgotAtMs = performance.now();
  };
  const once = async (isFirst: boolean): Promise<Pass> => {
    try {
      last = await reconcile(options, isFirst ? 0 : SETTLEMENT_MS);
      await tidy().catch((error: unknown) => {
        if (!(error instanceof LedgerUnavailable) && !(error instanceof ChainUnavailable)) throw error;
      });
    } catch (error) {
      last = { ...last, failure: failureText(error) };
      report(last);
      throw error;
    }
    if (last.sold + last.released > 0 || last.failure !== null) report(last);
    return last;
  };
  const passes = repeat(once, everyMs);
  return { last: () => last, pass: async () => (await passes.pass()) ?? last, stop: () => passes.stop() };
}
