/**
 * The sale of one answer for one payment, without HTTP. Every effect is passed in, so that a simulation can run the
 * steps and stop between any two of them.
 *
 *   (payer checked) -> reserve -> build the whole answer -> store it as "settling" -> show the signature: request the
 *                   transfer -> find it on the chain -> write "sold" -> (send)
 *
 * Whoever sees the signature can move the money, so no other process sees it before `settle`. By then the ledger
 * stores everything the buyer is paying for; after it, only the chain ends the purchase. The result of `settle` is a
 * hint which transaction to read first.
 */
import {
  LedgerUnavailable,
  type Answer,
  type Held,
  type LeadLimits,
  type Ledger,
  type NewPurchase,
  type OfferedLead,
  type PayerRefusal,
  type Payment,
  type Purchase,
} from '../../ledger/ledger.ts';
import type { Evidence } from './chain/payment_chain.ts';
import type { SettlementHint, UnsentReason } from './facilitator.ts';

/** The purchase that a handler builds the answer of, and the way to hold a lead for it. */
export interface OpenPurchase {
  readonly purchase: Purchase;
  /** Hold the first of these leads that nobody has, with its property. */
  hold(leads: readonly OfferedLead[], limits: LeadLimits): Promise<Held>;
}

/** How long a request waits for the chain to show its payment. */
export interface SettlementWait {
  readonly everyMs: number;
  /** Reads of the chain if the facilitator named a transaction. */
  readonly readsWithHint: number;
  /** Reads of the chain if it named none: the money may still arrive. */
  readonly readsWithoutHint: number;
}

export interface SaleEffects {
  readonly ledger: Ledger;
  readonly nowMs: () => number;
  readonly pause: (ms: number) => Promise<unknown>;
  /** Build the whole answer; null if there is nothing to sell. Its errors are rethrown, and nothing is billed. */
  readonly buildAnswer: (openPurchase: OpenPurchase) => Promise<Answer | null>;
  /** Show the signature, to request the transfer. Called at most once, after the ledger has written `settling`. */
  readonly settle: (purchase: Purchase) => Promise<SettlementHint>;
  /** Read the evidence on the chain. @throws if it cannot be read */
  readonly evidence: (payment: Payment, hint: SettlementHint) => Promise<Evidence>;
  readonly wait: SettlementWait;
}

/** How a sale ended. The answer may be sent only after `sold`. */
export type SaleOutcome =
  | { readonly kind: 'sold'; readonly purchase: Purchase; readonly answer: Answer }
  /** The payment, or the payer's identifier, already belongs to another purchase. Nothing was done. */
  | { readonly kind: 'taken'; readonly by: 'payment' | 'identifier'; readonly purchase: Purchase }
  /** The payer has reached a limit. Nothing was done. */
  | { readonly kind: 'refused'; readonly reason: PayerRefusal }
  /** There was nothing to sell. Nobody is charged; the payment is free again. */
  | { readonly kind: 'nothing' }
  /** No settlement was requested; nobody is charged. */
  | { readonly kind: 'not_sent'; readonly why: NotSent }
  /** The buyer may have been charged. The settlement watcher finds out from the chain. */
  | { readonly kind: 'unknown'; readonly purchase: Purchase; readonly transaction: string | null };

/** Why no settlement was requested. */
export type NotSent = 'ledger_unavailable' | 'reservation_ran_out' | UnsentReason;

/** Pauses between tries to write that money has moved. */
const RETRY_MS = [50, 200, 1_000, 3_000];

/** Run work that may fail: expiry or the settlement watcher has the same effect later. */
async function ignoreFailure(work: () => Promise<unknown>): Promise<void> {
  await work().catch(() => undefined);
}

/** Retry a write that the ledger must not miss. @returns null if every try failed */
async function retryWrite<T>({ pause }: Pick<SaleEffects, 'pause'>, write: () => Promise<T>): Promise<T | null> {
  for (const waitMs of [...RETRY_MS, null]) {
    try {
      return await write();
    } catch {
      if (waitMs !== null) await pause(waitMs);
    }
  }
  return null;
}

/** Look for the payment on the chain until it is there, can no longer arrive, or the wait is over. */
async function awaitPayment(effects: SaleEffects, payment: Payment, hint: SettlementHint): Promise<Evidence> {
  const {
    wait: { everyMs, readsWithHint, readsWithoutHint },
    evidence,
    pause,
  } = effects;
  const looks = hint.transaction === null ? readsWithoutHint : readsWithHint;
  for (let look = 1; ; look += 1) {
    const found = await evidence(payment, hint).catch((): Evidence => ({ kind: 'open' }));
    if (found.kind !== 'open' || look >= looks) return found;
    await pause(everyMs);
  }
}

/** Request the money of a purchase that is settling, and record the outcome on the chain. */
async function settlePayment(effects: SaleEffects, purchase: Purchase, answer: Answer): Promise<SaleOutcome> {
  const { ledger, nowMs } = effects;
  const { id, payment } = purchase;
  const hint = await effects.settle(purchase).catch((): SettlementHint => ({ transaction: null }));
  const { transaction, unsent } = hint;
  if (unsent !== undefined) {
    // The row stays, with its answer: whoever saw the signature may still send it.
    await ignoreFailure(() => ledger.release(id, 'not_sent', nowMs()));
    return { kind: 'not_sent', why: unsent };
  }
  const found = await awaitPayment(effects, payment, hint);
  const unknown = { kind: 'unknown', purchase, transaction } as const;
  if (found.kind === 'paid') {
    const written = await retryWrite(effects, () => ledger.markSold(id, found, nowMs()));
    if (written?.state === 'sold') return { kind: 'sold', purchase: written, answer };
    await ignoreFailure(() => ledger.markUnknown(id, 'unavailable', found.transaction));
    return { ...unknown, transaction: found.transaction };
  }
  await ignoreFailure(async () => {
    if (found.kind === 'void') await ledger.release(id, found.reason, nowMs());
    else await ledger.markUnknown(id, 'not_seen', transaction);
  });
  return unknown;
}

/**
 * Sell one answer for one payment whose payer was verified.
 * @throws the error of `buildAnswer`, after the reservation was deleted
 */
export async function sell(effects: SaleEffects, wanted: Omit<NewPurchase, 'nowMs'>): Promise<SaleOutcome> {
  const { ledger, nowMs } = effects;
  let begun: Awaited<ReturnType<Ledger['begin']>>;
  try {
    begun = await ledger.begin({ ...wanted, nowMs: nowMs() });
  } catch (error) {
    if (!(error instanceof LedgerUnavailable)) throw error;
    return { kind: 'not_sent', why: 'ledger_unavailable' };
  }
  if (begun.kind !== 'reserved') return begun;
  const { purchase } = begun;
  const deleteReservation = (): Promise<void> =>
    ignoreFailure(() => ledger.release(purchase.id, 'not_settled', nowMs()));

  let answer: Answer | null;
  try {
    answer = await effects.buildAnswer({
      purchase,
      hold: (leads, limits) => ledger.hold(purchase.id, leads, limits, nowMs()),
    });
  } catch (error) {
    await deleteReservation();
    if (error instanceof LedgerUnavailable) return { kind: 'not_sent', why: 'ledger_unavailable' };
    throw error;
  }
  if (answer === null) {
    await deleteReservation();
    return { kind: 'nothing' };
  }
  let isSettling = false;
  try {
    isSettling = await ledger.startSettling(purchase.id, answer, nowMs());
  } catch (error) {
    // The write may have succeeded. No settlement was requested, so release the purchase in either state.
    await deleteReservation();
    await ignoreFailure(() => ledger.release(purchase.id, 'not_sent', nowMs()));
    if (!(error instanceof LedgerUnavailable)) throw error;
    return { kind: 'not_sent', why: 'ledger_unavailable' };
  }
  if (!isSettling) return { kind: 'not_sent', why: 'reservation_ran_out' };
  return settlePayment(effects, purchase, answer);
}
