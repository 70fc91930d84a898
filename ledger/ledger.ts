/**
 * What was sold, to whom, and what they paid: the only state of the system that cannot be made again from the
 * archive. One small interface; SQLite keeps it for the processes of one host, PostgreSQL for several.
 *
 * A purchase is one payment used for one call:
 *
 *   begin ──> reserved ──settling()──> settling ──sold()──> sold
 *                │                        │
 *                └──release()──> gone     └──release()──> released   (only when it is certain that nobody was charged)
 *
 * - `reserved`: the payment was verified and belongs to one request, which is making its answer. A lead may be
 *   claimed for it. Nothing was sent for settlement, so a reservation whose process died may be given up: by its
 *   lease, and because `settling` is refused to a purchase that is no longer reserved, whatever any clock says. One
 *   from more than FUTURE_MS ahead of the caller's clock is over too: one of the two clocks is wrong, and a lead must
 *   not stay taken until it is right.
 * - `settling`: written durably, with the whole answer, before anybody is asked to move money. From here on only
 *   evidence ends it: the settlement itself, or the certainty that it can no longer happen. A purchase of unknown
 *   outcome stays here until that is found out from the chain; its lead is sold to nobody else meanwhile.
 * - `sold`: the transaction is known and written down before the answer is sent. The answer stays collectable.
 *
 * Every method is atomic and safe among processes. When a method resolves, its write is committed and on the disk.
 * Times are given by the caller, in
 * milliseconds of Unix time. Amounts are atomic units of the asset (one USDC is 1,000,000).
 */

/** What identifies an EIP-3009 payment, and its terms. Addresses, network and nonce in lower case. */
export interface Payment {
  /** CAIP-2 name of the network. */
  readonly network: string;
  readonly asset: string;
  readonly payer: string;
  readonly nonce: string;
  readonly payTo: string;
  /** Atomic units. */
  readonly amount: bigint;
  /** Unix second from which it can no longer be settled. */
  readonly validBefore: bigint;
}

export type PurchaseState = 'reserved' | 'settling' | 'sold' | 'released';

export interface NewPurchase {
  readonly payment: Payment;
  /** The route as it is priced: "GET /api/deals". */
  readonly route: string;
  /** Path and query that were asked for, as our own record of the request. */
  readonly request: string;
  readonly snapshotId: string;
  /** SHA-256, in hex, of an identifier that only the buyer knows; null where none was given. */
  readonly identifierHash: string | null;
  readonly nowMs: number;
  /** How long the reservation stands without becoming `settling`. */
  readonly leaseMs: number;
}

export interface Purchase extends Omit<NewPurchase, 'nowMs' | 'leaseMs'> {
  /** Receipt id: a UUID of version 7, random but for the time it begins with. */
  readonly id: string;
  readonly state: PurchaseState;
  readonly reservedAtMs: number;
  readonly leaseUntilMs: number;
  readonly settlingAtMs: number | null;
  /** When it was sold or released. */
  readonly endedAtMs: number | null;
  /** Hash of the transaction that paid; of a settling purchase, the one that was said to be on its way. */
  readonly transaction: string | null;
  /** Why the outcome of a settling purchase is not known, or why it was released. */
  readonly why: string | null;
  /** The lead that was claimed for it. */
  readonly leadId: string | null;
  /** SHA-256 of the answer's body, in hex; null while there is no answer. */
  readonly answerSha256: string | null;
}

/** An answer as it is sold, byte for byte. */
export interface Answer {
  /** Headers that belong to the body: Content-Type, Content-Disposition, X-Snapshot-Id ... */
  readonly headers: Readonly<Record<string, string>>;
  /** Of the body, in hex. */
  readonly sha256: string;
  /** Length of the body. */
  readonly bytes: number;
  /** The body from its start, in pieces. May be called again. */
  body(): AsyncIterable<Uint8Array>;
  /** The whole body where it lies in memory: unchanged since its hash was taken from it, or as it was read back. */
  readonly held?: Uint8Array;
}

export type Begun =
  | { readonly kind: 'reserved'; readonly purchase: Purchase }
  /** The payment, or the payer's identifier, already belongs to this purchase (reserved, settling or sold). */
  | { readonly kind: 'taken'; readonly by: 'payment' | 'identifier'; readonly purchase: Purchase };

/** How an answer reached its buyer. */
export type DeliveryKind = 'first' | 'identifier' | 'wallet';

export interface Delivery {
  readonly purchaseId: string;
  readonly kind: DeliveryKind;
  readonly atMs: number;
  /** Whether the last byte was handed to the network. */
  readonly complete: boolean;
}

/** What a purchase is found by. */
export type PurchaseKey =
  | { readonly id: string }
  | { readonly payment: Pick<Payment, 'network' | 'asset' | 'payer' | 'nonce'> }
  | { readonly payer: string; readonly identifierHash: string };

/** Why nobody can have been charged, or will be. */
export type ReleaseReason =
  /** The request ended without an answer to sell: nothing was sent for settlement. */
  | 'not_settled'
  /** The facilitator refused definitively, before any transaction. */
  | 'refused'
  /** The chain's own time is past validBefore and the authorization is unused. */
  | 'expired_unused'
  /** The authorization was used or cancelled on chain without paying us. */
  | 'used_elsewhere';

/** Money that is worth something, or made up on a chain for trying things out. */
export type Money = 'test' | 'real';

/** The ledger cannot be asked or written right now (locked, full, unreachable). Nothing of the call has happened, or nothing of it is known. */
export class LedgerUnavailable extends Error {
  override readonly name: string = 'LedgerUnavailable';
}

/** How far ahead of the caller's clock a reservation may have begun and still stand. */
export const FUTURE_MS = 600_000;

/** Whether a purchase is a reservation that anybody may give up. */
export const isOver = ({ state, reservedAtMs, leaseUntilMs }: Pick<Purchase, 'state' | 'reservedAtMs' | 'leaseUntilMs'>, nowMs: number): boolean =>
  state === 'reserved' && (leaseUntilMs <= nowMs || reservedAtMs > nowMs + FUTURE_MS);

/** Since when a purchase has surely been settling: what a clock wrote down, or the end of its payment, where that clock was ahead. In milliseconds of Unix time. */
export const settlingSinceMs = ({ settlingAtMs, reservedAtMs, payment }: Pick<Purchase, 'settlingAtMs' | 'reservedAtMs' | 'payment'>): number =>
  Math.min(settlingAtMs ?? reservedAtMs, Number(payment.validBefore) * 1000);

export interface Ledger {
  /**
   * Reserve a verified payment for one request. Of any number of callers with one payment, or with one identifier of
   * one payer, exactly one is given `reserved`; the others are told which purchase has it. A reservation whose lease
   * has run out is given up here and made anew.
   */
  begin(purchase: NewPurchase): Promise<Begun>;
  /**
   * Claim the first of these leads that nobody has, for a purchase that is reserved. A purchase has one lead at most:
   * asked again, it is given the same. A lead held by a reservation whose lease has run out is free.
   * A withheld lead (journal.ts) is never free.
   * @returns its id, or null where all are taken or the purchase is no longer reserved
   */
  claim(purchaseId: string, leadIds: readonly string[], nowMs: number): Promise<string | null>;
  /**
   * Keep the whole answer and move from reserved to settling.
   * @returns false where the purchase is no longer reserved: then nothing may be settled for it
   */
  settling(purchaseId: string, answer: Answer, nowMs: number): Promise<boolean>;
  /** Note why the outcome of a settling purchase is not known, and the transaction where one was named. */
  unknown(purchaseId: string, why: string, transaction: string | null): Promise<void>;
  /**
   * Move from settling to sold.
   * @returns the purchase as it is now: sold, by this call or an earlier one; or released, where evidence came first
   */
  sold(purchaseId: string, transaction: string, nowMs: number): Promise<Purchase>;
  /**
   * End a purchase for which nobody is charged, and free its payment, its identifier and its lead. With `not_settled`
   * only a reserved purchase ends (and leaves no trace); with any other reason only a settling one, which is kept as released.
   * @returns whether it ended by this call
   */
  release(purchaseId: string, reason: ReleaseReason, nowMs: number): Promise<boolean>;
  /** A purchase that is reserved, settling or sold; by its id also a released one. */
  find(key: PurchaseKey): Promise<Purchase | null>;
  /** The answer of a settling or sold purchase; null where there is none, or its time to be collected is over. */
  answerOf(purchaseId: string): Promise<Answer | null>;
  /** Record that an answer was sent. */
  delivered(delivery: Delivery): Promise<void>;
  /** Purchases that have been settling since before this time, as a clock wrote it down, oldest first. */
  unresolved(settlingBeforeMs: number): Promise<readonly Purchase[]>;
  /** The leads that may not be offered to anybody, and how far their purchase is: reserved (its lease running), settling or sold. Withheld leads are sold. */
  claimedLeads(nowMs: number): Promise<ReadonlyMap<string, Exclude<PurchaseState, 'released'>>>;
  /** Ids of the leads that are sold, being settled or withheld: they never come back unless their purchase is released. */
  soldLeads(): Promise<readonly string[]>;
  /** Give up reservations that are over. @returns how many */
  giveUpAbandoned(nowMs: number): Promise<number>;
  /**
   * Forget the answers of purchases that ended before this time and whose payments could not be settled any more then;
   * what was bought stays written down. (The clock that wrote when a purchase ended may have been wrong; that the chain
   * took its payment before validBefore is certain.) Tokens that ended before it are forgotten too. @returns how many answers
   */
  forgetAnswers(endedBeforeMs: number): Promise<number>;
  /** Every purchase, and every delivery, for reports and exports. */
  purchases(): AsyncIterable<Purchase>;
  deliveries(): AsyncIterable<Delivery>;
  /**
   * Use a token that works once, such as the nonce of a signed message, among all processes. After `untilMs` its owner
   * refuses it by its age; it is remembered for much longer, until `forgetAnswers`, as the owner's clock may go back.
   * @returns false where it was used before
   */
  useOnce(token: string, untilMs: number): Promise<boolean>;
  /**
   * Keep this ledger to one kind of money, which is noted the first time: a lead that was bought with test money must
   * not be gone from those that are sold for real.
   * @returns the kind it is kept to, which is another one where it was noted before
   */
  keepTo(money: Money): Promise<Money>;
  /** Throws LedgerUnavailable where it cannot be written. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
