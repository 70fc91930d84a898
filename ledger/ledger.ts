/**
 * What was sold, to whom, and for which payment: the only state that the archive cannot rebuild. One small interface;
 * SQLite keeps it for the processes of one host, PostgreSQL for several.
 *
 * A purchase is one payment used for one call:
 *
 *   begin ──> reserved ──settling()──> settling ──sold()──> sold
 *                │                        │                  ^
 *                └──release()──> gone     └──release()──> released ──bookTransfers()── (the money arrived after all)
 *
 * - `reserved`: the payment was checked and belongs to one request, which is making its answer. A lead may be claimed
 *   for it. Nothing was sent for settlement, so anyone may delete a reservation whose lease ran out. One that began more
 *   than FUTURE_MS ahead of the caller's clock counts as run out: one of the two clocks is wrong.
 * - `settling`: written durably, with the whole answer, before anyone is asked to move money. Only the chain ends it.
 * - `sold`: our own node returned the mined receipt with the events of this very payment.
 * - `released`: a safe block shows that the payment can no longer be used, or nothing was ever sent for it.
 *
 * Every method is atomic and safe among processes; what it wrote is on the disk when it resolves. Callers give times in
 * milliseconds of Unix time. Amounts are atomic units of the asset (one USDC is 1,000,000).
 */

import type { Paid, TransferBook } from './transfers.ts';

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
  /** How long the reservation lasts without becoming `settling`. */
  readonly leaseMs: number;
  /** Hash of block 0 of the chain that the payment belongs to: a sandbox chain ends with its server. */
  readonly chain: string;
  /** What this payer may have open at once. */
  readonly limits: PayerLimits;
}

/** Limits of one payer, enforced in the transaction that reserves the purchase. */
export interface PayerLimits {
  /** Balance of the payer at the latest block, in atomic units. Open purchases count against it. */
  readonly balance: bigint;
  /** Purchases that may be reserved or settling at once. */
  readonly mostOpen: number;
  /** Purchases that the payer's own doing left unpaid, within UNPAID_MS. */
  readonly mostUnpaid: number;
}

/** How far back a payer's unpaid purchases count. */
export const UNPAID_MS = 86_400_000;

/** Why a payer may not begin another purchase now. */
export type PayerRefusal = 'payer_without_funds' | 'too_many_open_purchases' | 'payer_unbilled_too_often';

/** How many leads may be held by purchases that are not sold yet. */
export interface LeadLimits {
  /** By one payer. */
  readonly perPayer: number;
  /** By all payers together who never completed a purchase. */
  readonly byNewPayers: number;
}

export type Claimed =
  | { readonly kind: 'claimed'; readonly leadId: string }
  /** Others have all of these leads, or the purchase is no longer reserved. */
  | { readonly kind: 'none' }
  | { readonly kind: 'limited'; readonly by: 'payer' | 'new payers' };

export interface Purchase extends Omit<NewPurchase, 'nowMs' | 'leaseMs' | 'limits' | 'chain'> {
  /** Null for a purchase of a version that did not write it. */
  readonly chain: string | null;
  /** Block that holds the payment; null while it is not sold, or in a purchase of an older version. */
  readonly block: bigint | null;
  /** Receipt id: a UUID of version 7, random but for the time it begins with. */
  readonly id: string;
  readonly state: PurchaseState;
  readonly reservedAtMs: number;
  readonly leaseUntilMs: number;
  readonly settlingAtMs: number | null;
  /** When it was sold or released. */
  readonly endedAtMs: number | null;
  /** Hash of the transaction that paid; of a settling purchase, the one that the facilitator named. */
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
  | { readonly kind: 'taken'; readonly by: 'payment' | 'identifier'; readonly purchase: Purchase }
  | { readonly kind: 'refused'; readonly reason: PayerRefusal };

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

/** Why nobody was charged, or ever will be by this payment. */
export type ReleaseReason =
  /** The request ended without an answer to sell: nothing was sent for settlement. The reservation is deleted. */
  | 'not_settled'
  /** `settling` may have been written, and nothing was sent. */
  | 'not_sent'
  /** A safe block is past validBefore and the authorization is unused. */
  | 'expired_unused'
  /** A safe block shows that the authorization was cancelled, or used without paying us. */
  | 'used_elsewhere'
  /** The sandbox chain ended with its server. Test money only. */
  | 'chain_gone';

/** Money that is worth something, or made up on a chain for trying things out. */
export type Money = 'test' | 'real';

/** The ledger cannot be asked or written right now (locked, full, unreachable). Nothing of the call has happened, or nothing of it is known. */
export class LedgerUnavailable extends Error {
  override readonly name: string = 'LedgerUnavailable';
}

/** Why `unknown` was noted of a settling purchase. */
export type UnknownReason =
  /** Our node does not show the payment yet. */
  | 'not_seen'
  /** Chain or ledger did not answer after the payment was sent. */
  | 'unavailable'
  /** The payer's balance is below the price after the payment was sent. */
  | 'payer_without_funds'
  /** The payer was an ordinary account when the signature was checked, and is a contract now. */
  | 'payer_changed_code'
  /** The payer is a contract, and its payment did not arrive in time. */
  | 'contract_did_not_pay';

/** Reasons that are the payer's own doing: such a purchase counts as unpaid if it is released. */
export const PAYER_FAULTS: readonly UnknownReason[] = [
  'payer_without_funds',
  'payer_changed_code',
  'contract_did_not_pay',
];

/** How far ahead of the caller's clock a reservation may have begun and still stand. */
export const FUTURE_MS = 600_000;

/** Whether a purchase is a reservation that anybody may give up. */
export const isOver = (
  { state, reservedAtMs, leaseUntilMs }: Pick<Purchase, 'state' | 'reservedAtMs' | 'leaseUntilMs'>,
  nowMs: number,
): boolean => state === 'reserved' && (leaseUntilMs <= nowMs || reservedAtMs > nowMs + FUTURE_MS);

/** Since when a purchase has surely been settling: what a clock wrote down, or the end of its payment, where that clock was ahead. In milliseconds of Unix time. */
export const settlingSinceMs = ({
  settlingAtMs,
  reservedAtMs,
  payment,
}: Pick<Purchase, 'settlingAtMs' | 'reservedAtMs' | 'payment'>): number =>
  Math.min(settlingAtMs ?? reservedAtMs, Number(payment.validBefore) * 1000);

export interface Ledger extends TransferBook {
  /**
   * Reserve a verified payment for one request. Of any number of callers with one payment, or with one identifier of
   * one payer, exactly one is given `reserved`; the others are told which purchase has it. A reservation whose lease
   * has run out is given up here and made anew.
   */
  begin(purchase: NewPurchase): Promise<Begun>;
  /**
   * Claim the first of these leads that nobody has, for a purchase that is reserved. A purchase has at most one lead:
   * a second call returns the same. A lead held by a reservation whose lease ran out is free; a withheld one (journal.ts)
   * never is.
   */
  claim(purchaseId: string, leadIds: readonly string[], limits: LeadLimits, nowMs: number): Promise<Claimed>;
  /**
   * Store the whole answer and move from reserved to settling.
   * @returns false where the purchase is no longer reserved: then nothing may be settled for it
   */
  settling(purchaseId: string, answer: Answer, nowMs: number): Promise<boolean>;
  /** Note why the outcome of a settling purchase is not known, and the transaction where one was named. */
  unknown(purchaseId: string, why: UnknownReason, transaction: string | null): Promise<void>;
  /**
   * Move from settling to sold.
   * @returns the purchase as it is now: sold, by this call or an earlier one; or released, where that came first
   */
  sold(purchaseId: string, paid: Paid, nowMs: number): Promise<Purchase>;
  /**
   * End a purchase for which nobody is charged, and free its payment, its identifier and its lead. `not_settled` deletes
   * a reserved purchase; any other reason ends a settling one, which is kept as released, with its answer.
   * @returns whether this call ended it
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
  /** Leads that may not be offered, with the state of their purchase: reserved (its lease running), settling or sold. Withheld leads are sold. */
  claimedLeads(nowMs: number): Promise<ReadonlyMap<string, Exclude<PurchaseState, 'released'>>>;
  /**
   * Why exclusive sales are paused: after a restore, until every transfer up to the restore is booked and none is owed.
   * Null where they are not.
   */
  exclusivePause(): Promise<'restored_not_audited' | 'restored_transfers_owed' | null>;
  /** Give purchases of a version that did not write it the chain they belong to. Real money only: Base is one chain. */
  adoptChain(chain: string): Promise<void>;
  /**
   * Reserve gas of a day before it is spent.
   * @returns false where the day's gas would go above `most`; nothing is reserved then
   */
  reserveGas(account: string, day: string, gas: bigint, most: bigint): Promise<boolean>;
  /** Gas reserved on a day. */
  gasReserved(account: string, day: string): Promise<bigint>;
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
