/**
 * The sale of one answer for one payment, as a sequence of steps that knows nothing of HTTP: everything it does to
 * the world goes through what it is given, so that a simulation can run it, and stop it, between any two steps.
 *
 *   (verified) -> reserve -> make the whole answer -> keep it and say "settling" -> settle -> write "sold" -> (send)
 *
 * Money moves in one step only, `settle`. Before it, the ledger holds everything that is needed to give the buyer
 * what was paid for; after it, nothing but evidence ends the purchase.
 */
import { LedgerUnavailable, type Answer, type Delivery, type DeliveryKind, type Ledger, type NewPurchase, type Purchase } from '../../ledger/ledger.ts';

/** How a settlement ended, as far as can be said. */
export type Settlement =
  | { readonly kind: 'settled'; readonly transaction: string }
  /** Refused before any transaction: surely nobody was or will be charged by it. */
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'unknown'; readonly why: string; readonly transaction: string | null };

/** What the making of an answer may do for its own purchase. */
export interface Claimant {
  readonly purchase: Purchase;
  /** Claim the first of these leads that nobody has; null where all are taken. */
  claim(leadIds: readonly string[]): Promise<string | null>;
}

export interface SaleEffects {
  readonly ledger: Ledger;
  readonly nowMs: () => number;
  /** Wait between two tries to write what must be written. */
  readonly pause: (ms: number) => Promise<unknown>;
  /** Make the whole answer; null where there is nothing to sell. What it throws is thrown on, unbilled. */
  readonly make: (claimant: Claimant) => Promise<Answer | null>;
  /** Ask for the money. Called at most once, after the ledger has said `settling`. */
  readonly settle: (purchase: Purchase) => Promise<Settlement>;
}

/** How a sale ended. Only after `sold` may the answer be sent. */
export type SaleOutcome =
  | { readonly kind: 'sold'; readonly purchase: Purchase; readonly answer: Answer }
  /** The payment, or the payer's identifier, belongs to another purchase already. Nothing was done. */
  | { readonly kind: 'taken'; readonly by: 'payment' | 'identifier'; readonly purchase: Purchase }
  /** There was nothing to sell. Nobody is charged, the payment is free again. */
  | { readonly kind: 'nothing' }
  /** The ledger could not be asked, or the reservation was given up meanwhile. Nobody is charged. */
  | { readonly kind: 'not_settled'; readonly why: string }
  /** The money was definitively refused. Nobody is charged, the payment is free again. */
  | { readonly kind: 'refused'; readonly why: string }
  /** The buyer may have been charged. The reconciler finds out; then the answer can be collected, or the purchase is released. */
  | { readonly kind: 'unknown'; readonly purchase: Purchase; readonly why: string; readonly transaction: string | null };

/** Waits between tries to write that money has moved. */
const RETRY_MS = [50, 200, 1_000, 3_000];

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Do what needs no success: whatever goes wrong leaves the purchase to its lease or to the reconciler, which end it the same. */
const tried = async (work: () => Promise<unknown>): Promise<void> => { await work().catch(() => undefined); };

/**
 * Do what the ledger must take, several times where it does not. Money may have moved: nothing that goes wrong here
 * may look like a request that failed unbilled.
 */
async function insisted<T>(effects: SaleEffects, work: () => Promise<T>): Promise<{ readonly done: T } | { readonly why: string }> {
  for (let attempt = 0; ; attempt += 1) {
    try { return { done: await work() }; } catch (error) {
      const wait = RETRY_MS[attempt];
      if (wait === undefined) return { why: messageOf(error) };
      await effects.pause(wait);
    }
  }
}

/** Ask for the money of a purchase that is settling, and write down what came of it. */
async function collectMoney(effects: SaleEffects, purchase: Purchase, answer: Answer): Promise<SaleOutcome> {
  const { ledger, nowMs } = effects;
  let settlement: Settlement;
  try { settlement = await effects.settle(purchase); } catch (error) {
    settlement = { kind: 'unknown', why: messageOf(error), transaction: null };
  }
  if (settlement.kind === 'refused') {
    await tried(() => ledger.release(purchase.id, 'refused', nowMs()));
    return { kind: 'refused', why: settlement.why };
  }
  if (settlement.kind === 'unknown') {
    const { why, transaction } = settlement;
    await tried(() => ledger.unknown(purchase.id, why, transaction));
    return { kind: 'unknown', purchase, why, transaction };
  }
  const { transaction } = settlement;
  const written = await insisted(effects, () => ledger.sold(purchase.id, transaction, nowMs()));
  if ('why' in written) {
    const why = `the settlement could not be written down: ${written.why}`;
    await tried(() => ledger.unknown(purchase.id, why, transaction));
    return { kind: 'unknown', purchase, transaction, why };
  }
  if (written.done.state === 'sold') return { kind: 'sold', purchase: written.done, answer };
  return { kind: 'unknown', purchase: written.done, transaction, why: 'it was found on the chain that this payment could not pay us, and then it was said to have' };
}

/**
 * Sell one answer for one verified payment.
 * @throws what `make` throws, after the reservation was given up
 */
export async function sell(effects: SaleEffects, wanted: Omit<NewPurchase, 'nowMs'>): Promise<SaleOutcome> {
  const { ledger, nowMs } = effects;
  let begun: Awaited<ReturnType<Ledger['begin']>>;
  try { begun = await ledger.begin({ ...wanted, nowMs: nowMs() }); } catch (error) {
    if (!(error instanceof LedgerUnavailable)) throw error;
    return { kind: 'not_settled', why: error.message };
  }
  if (begun.kind === 'taken') return begun;
  const { purchase } = begun;
  const giveUp = (): Promise<void> => tried(() => ledger.release(purchase.id, 'not_settled', nowMs()));

  let answer: Answer | null;
  try {
    answer = await effects.make({ purchase, claim: (leadIds) => ledger.claim(purchase.id, leadIds, nowMs()) });
  } catch (error) {
    await giveUp();
    if (error instanceof LedgerUnavailable) return { kind: 'not_settled', why: error.message };
    throw error;
  }
  if (answer === null) {
    await giveUp();
    return { kind: 'nothing' };
  }
  let settling = false;
  try { settling = await ledger.settling(purchase.id, answer, nowMs()); } catch (error) {
    // Whether it was written is not known. Nothing was or will be sent for settlement, so it may end either way.
    await giveUp();
    await tried(() => ledger.release(purchase.id, 'refused', nowMs()));
    if (!(error instanceof LedgerUnavailable)) throw error;
    return { kind: 'not_settled', why: error.message };
  }
  if (!settling) return { kind: 'not_settled', why: 'the reservation ran out before the answer was ready' };
  return collectMoney(effects, purchase, answer);
}

/** Note how an answer left. The ledger's absence must not take the answer from its buyer, so this never throws for it. */
export const noteDelivery = (ledger: Ledger, purchase: Pick<Purchase, 'id'>, kind: DeliveryKind, complete: boolean, nowMs: number): Promise<void> =>
  tried(() => ledger.delivered({ purchaseId: purchase.id, kind, atMs: nowMs, complete } satisfies Delivery));
