/**
 * The interface of the ledger: sales, buyers and payments, the only state that cannot be rebuilt from the archive.
 * SQLite stores it for the processes of one host, PostgreSQL for several hosts.
 */
import { DAY_MS } from '../lib/time.ts';

/** The identity of an EIP-3009 payment, and its terms. Addresses, network and nonce in lower case. */
export interface Payment {
  /** CAIP-2 name. */
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

/**
 * The state of a purchase, which is one payment used for one call (docs/ledger.md). Its answer is on the disk from
 * `settling` on, and only the chain ends it; `sold` and `released` are what our own node shows.
 */
export type PurchaseState = 'reserved' | 'settling' | 'sold' | 'released';

export interface NewPurchase {
  readonly payment: Payment;
  /** The priced route: "GET /api/deals". */
  readonly route: string;
  /** Path and query of the request, normalized. */
  readonly request: string;
  readonly snapshotId: string;
  /** SHA-256, in hex, of an identifier that only the buyer knows; null if the buyer sent none. */
  readonly identifierHash: string | null;
  readonly nowMs: number;
  /** How long the reservation lasts unless it becomes `settling`. */
  readonly reserveMs: number;
  /** Identity of the payment's chain (`chainIdentity`): a sandbox chain ends with its server. */
  readonly chain: string;
  /** How much this payer may have open at once. */
  readonly limits: PayerLimits;
}

export interface PayerLimits {
  /** Balance at the latest block, in atomic units. Open purchases count against it. */
  readonly balance: bigint;
  /** Purchases that may be reserved or settling at once. */
  readonly maxOpen: number;
}

export type PayerRefusal = 'payer_without_funds' | 'too_many_open_purchases';

export interface Purchase extends Omit<NewPurchase, 'nowMs' | 'reserveMs' | 'limits'> {
  /** Block of the payment; null until it is sold. */
  readonly block: bigint | null;
  /** Receipt id: a UUID of version 7, random except for its time. */
  readonly id: string;
  readonly state: PurchaseState;
  readonly reservedAtMs: number;
  readonly reservedUntilMs: number;
  readonly settlingAtMs: number | null;
  /** When it was sold or released. */
  readonly endedAtMs: number | null;
  /** Hash of the transaction that paid; of a settling purchase, the transaction that the facilitator named. */
  readonly transaction: string | null;
  /** Why the outcome of a settling purchase is unknown, or why it was released. */
  readonly why: string | null;
  /** The lead that it holds, or held until it was released. */
  readonly leadId: string | null;
  /** Keys of its property. Empty without a lead. */
  readonly properties: readonly string[];
  /** SHA-256 of the answer's body, in hex; null until there is an answer. */
  readonly answerSha256: string | null;
  /** Null unless a part of the price is due back, or was paid back. */
  readonly refund: Refund | null;
}

/** A part of the price of a sold purchase that is due back. */
export interface Refund {
  /** Atomic units: at most the price. */
  readonly amount: bigint;
  /** Why, as JSON: what ended, when, and the pages that show it. */
  readonly proof: string;
  /** Hash of the transaction that paid it back, or the operator's note; null until then. */
  readonly paid: string | null;
}

/** An answer as it is sold, byte for byte. */
export interface Answer {
  /** Headers that belong to the body: Content-Type, Content-Disposition, X-Snapshot-Id ... */
  readonly headers: Readonly<Record<string, string>>;
  /** Of the body, in hex. */
  readonly sha256: string;
  /** It must not be changed. */
  readonly body: Uint8Array;
}

export type Begun =
  | { readonly kind: 'reserved'; readonly purchase: Purchase }
  /** The payment, or the payer's identifier, already belongs to this purchase (reserved, settling or sold). */
  | { readonly kind: 'taken'; readonly by: 'payment' | 'identifier'; readonly purchase: Purchase }
  | { readonly kind: 'refused'; readonly reason: PayerRefusal };

export type PurchaseKey =
  | { readonly id: string }
  | { readonly payment: Pick<Payment, 'network' | 'asset' | 'payer' | 'nonce'> }
  | { readonly payer: string; readonly identifierHash: string };

/** Why nobody was charged, and why this payment can no longer be charged. */
export type ReleaseReason =
  /** The request ended before anyone outside saw the payment. The reservation is deleted. */
  | 'not_settled'
  /** `settling` may have been written, and no settlement was requested. */
  | 'not_sent'
  /** A safe block is past validBefore and the authorization is unused. */
  | 'expired_unused'
  /** A safe block shows that the authorization was canceled, or used without paying us. */
  | 'used_elsewhere'
  /** The sandbox chain ended with its server. Test money only. */
  | 'chain_gone';

/** Real money on Base, or test money on Base Sepolia or a sandbox chain. */
export type Money = 'test' | 'real';

/** The ledger cannot be read or written now. The call had no effect, or its effect is not known. */
export class LedgerUnavailable extends Error {
  override readonly name: string = 'LedgerUnavailable';
}

/** Why the outcome of a settling purchase is unknown. */
export type UnknownReason =
  /** Our node does not show the payment yet. */
  | 'not_seen'
  /** The ledger did not answer after the payment was seen. */
  | 'unavailable';

/** How far ahead of the caller's clock a reservation may have begun without counting as expired. */
export const FUTURE_MS = 600_000;

/** Whether a purchase is a reservation that has expired, so that anyone may delete it. */
export const isExpired = (
  { state, reservedAtMs, reservedUntilMs }: Pick<Purchase, 'state' | 'reservedAtMs' | 'reservedUntilMs'>,
  nowMs: number,
): boolean => state === 'reserved' && (reservedUntilMs <= nowMs || reservedAtMs > nowMs + FUTURE_MS);

/** The latest time in ms at which a purchase can have started settling: the clock that recorded it may be ahead. */
export const settlingSinceMs = ({
  settlingAtMs,
  reservedAtMs,
  payment,
}: Pick<Purchase, 'settlingAtMs' | 'reservedAtMs' | 'payment'>): number =>
  Math.min(settlingAtMs ?? reservedAtMs, Number(payment.validBefore) * 1000);

/** An operator should investigate a settlement that is unresolved for longer: a payment is valid for five minutes. */
const LONG_UNRESOLVED_MS = 600_000;

export const isLongUnresolved = (purchase: Parameters<typeof settlingSinceMs>[0], nowMs: number): boolean =>
  settlingSinceMs(purchase) < nowMs - LONG_UNRESOLVED_MS;

/** Why exclusive sales are paused after a restore. */
export type ExclusivePause = 'restored_not_audited' | 'restored_transfers_owed';

/** How long a released purchase of a lead counts against its payer. */
export const RELEASED_MS = DAY_MS;

/** How many leads unsold purchases may hold. */
export interface LeadLimits {
  /** By one payer: those held now, and those whose purchases were sent for settlement and released within a day. */
  readonly perPayer: number;
  /** By all payers together who never completed a purchase. */
  readonly byNewPayers: number;
}

/** A lead on offer. */
export interface OfferedLead {
  readonly leadId: string;
  /** Keys of its property (models/marts/property_keys). Leads that share a key are of one property. */
  readonly properties: readonly string[];
}

export type Held =
  | { readonly kind: 'held'; readonly leadId: string }
  /** All of these leads are taken, or the purchase is no longer reserved. */
  | { readonly kind: 'none' }
  | { readonly kind: 'limited'; readonly by: 'payer' | 'new payers' }
  /** The payer's released purchases alone reach its limit, for this long. */
  | { readonly kind: 'limited'; readonly by: 'released'; readonly forMs: number };

export type HeldState = Exclude<PurchaseState, 'released'>;

export interface LeadHolds {
  /**
   * Hold the first of these leads that nobody has, with its property, for a reserved purchase, which has at most one.
   * A lead is taken if another purchase has it or a key of its property; that of an expired reservation is free.
   */
  hold(purchaseId: string, leads: readonly OfferedLead[], limits: LeadLimits, nowMs: number): Promise<Held>;
  /** Leads that must not be offered, with the state of their purchase. */
  heldLeads(nowMs: number): Promise<ReadonlyMap<string, HeldState>>;
  /** The same for keys of properties: no lead of them may be offered. */
  heldProperties(nowMs: number): Promise<ReadonlyMap<string, HeldState>>;
  /** Ids of leads that are sold or settling. They return only if their purchase is released. */
  soldLeads(): Promise<readonly string[]>;
  /** Keys of properties that are sold or settling. */
  soldProperties(): Promise<readonly string[]>;
}

/** The place of a payment on the chain. */
export interface Paid {
  readonly transaction: string;
  readonly block: bigint;
}

/** The account whose incoming transfers are audited. */
export interface AuditedAccount {
  /** Identity of the chain (`chainIdentity`). */
  readonly chain: string;
  readonly payTo: string;
}

/** A transfer of the token to us, in a final block. */
export interface IncomingTransfer {
  readonly transaction: string;
  readonly logIndex: number;
  readonly block: bigint;
  readonly payer: string;
  /** Nonce of the authorization that made it; null for a plain transfer. */
  readonly nonce: string | null;
  readonly amount: bigint;
}

/** How a transfer was booked (docs/payments.md). Only `matched` pays a purchase, and `owed` waits for a refund. */
export type TransferKind = 'matched' | 'owed' | 'resolved' | 'dust';

export interface BookedTransfer extends IncomingTransfer, AuditedAccount {
  readonly kind: TransferKind;
  /** Null unless it is matched. */
  readonly purchaseId: string | null;
  /** How an owed transfer was settled: the transaction of the refund, or the operator's note. */
  readonly resolution: string | null;
  readonly bookedAtMs: number;
}

/** What is paid back: an owed transfer, or the refund of a purchase. */
export type Debt = Pick<BookedTransfer, 'chain' | 'transaction' | 'logIndex'> | { readonly purchaseId: string };

/** A block and its time, in Unix seconds. */
export interface BlockTime {
  readonly block: bigint;
  readonly seconds: number;
}

/** Transfers of one range of final blocks, by the holder of the auditor's lease. */
export interface Booking {
  readonly account: AuditedAccount;
  readonly holder: string;
  readonly transfers: readonly IncomingTransfer[];
  /** First block of the range. That of the first booking is where the ledger begins. */
  readonly from: bigint;
  readonly through: BlockTime;
  /** After a restore, the latest block of the chain: the restore's window ends there. */
  readonly latest: BlockTime;
  readonly nowMs: number;
}

/** Every transfer from the first block through the other one is booked; null before the first audit. */
export interface AuditState {
  readonly firstBlock: bigint | null;
  readonly throughBlock: bigint | null;
  /** Time of that block, in Unix seconds. */
  readonly throughSeconds: number;
  readonly auditedAtMs: number;
}

export interface TransferBook {
  /** Take or extend the auditor's lease of an account. @returns null if another server holds it */
  leaseAudit(account: AuditedAccount, holder: string, nowMs: number, leaseMs: number): Promise<AuditState | null>;
  /** The state of every account's audit, for reports. */
  audits(): Promise<readonly (AuditedAccount & AuditState)[]>;
  /**
   * Book the transfers of the final blocks up to `through`, each for at most one purchase. Only the holder of the lease
   * may; again changes nothing. Owed transfers are matched again. @returns the booked ones, and those no longer owed
   */
  bookTransfers(booking: Booking): Promise<readonly BookedTransfer[]>;
  /** Booked transfers in the order of the chain, optionally of some kinds only. */
  transfers(account: AuditedAccount | null, kinds?: readonly TransferKind[]): AsyncIterable<BookedTransfer>;
  /** Amount of the owed transfer of this payment; null if there is none. */
  owedFor(payer: string, nonce: string): Promise<bigint | null>;
  /** Sold purchases of these routes, sold since a time, for which no refund is due. */
  refundable(routes: readonly string[], sinceMs: number): AsyncIterable<Purchase>;
  /** Book that a part of the price is due back. @returns false if it is not sold, or a refund was booked before */
  bookRefund(purchaseId: string, refund: Pick<Refund, 'amount' | 'proof'>): Promise<boolean>;
  /** Purchases of which a part is due back or was paid back. */
  refunds(): AsyncIterable<Purchase & { readonly refund: Refund }>;
  /** Record the transaction or note that paid it back. @returns false if nothing is due, or it paid another one */
  settleDebt(debt: Debt, resolution: string): Promise<boolean>;
  /** Sold purchases of this account, in blocks up to this one, that no booked transfer pays. */
  soldWithoutTransfer(account: AuditedAccount, throughBlock: bigint): Promise<readonly Purchase[]>;
  /** Correct the place of a sold purchase's payment after a reorganization. */
  movePayment(purchaseId: string, paid: Paid): Promise<void>;
}

/**
 * Every method is atomic and safe across processes; its writes are on disk when it resolves, but for a
 * reservation, which a crash of the database's host may undo. Callers pass times in milliseconds of Unix time. Amounts
 * are atomic units of the asset (one USDC is 1,000,000).
 */
export interface Ledger extends LeadHolds, TransferBook {
  /**
   * Reserve a verified payment for one request. Of several callers with one payment, or with one identifier of one
   * payer, exactly one gets `reserved`; the others get the purchase that has it. An expired reservation is replaced.
   */
  begin(purchase: NewPurchase): Promise<Begun>;
  /** Store the answer and move from reserved to settling. @returns false if then no settlement may be requested */
  startSettling(purchaseId: string, answer: Answer, nowMs: number): Promise<boolean>;
  /** Record why the outcome of a settling purchase is unknown, and the transaction if one was named. */
  markUnknown(purchaseId: string, why: UnknownReason, transaction: string | null): Promise<void>;
  /** Move from settling to sold. @returns the purchase: sold by now, or released, if that came first */
  markSold(purchaseId: string, paid: Paid, nowMs: number): Promise<Purchase>;
  /**
   * End a purchase for which nobody is charged, and free its payment, its identifier and its lead. `not_settled`
   * deletes a reserved purchase; any other reason moves a reserved or settling one, with its answer, to `released`.
   * @returns whether this call ended it
   */
  release(purchaseId: string, reason: ReleaseReason, nowMs: number): Promise<boolean>;
  /** A purchase that is reserved, settling or sold; by its id also a released one. */
  find(key: PurchaseKey): Promise<Purchase | null>;
  /** The answer of a purchase; null if there is none, or it can no longer be collected. */
  answerOf(purchaseId: string): Promise<Answer | null>;
  /** Purchases whose recorded start of settling is before this time, oldest first. */
  unresolved(settlingBeforeMs: number): Promise<readonly Purchase[]>;
  /** After a restore, until all earlier transfers are booked and none is owed; else null. */
  exclusivePause(): Promise<ExclusivePause | null>;
  /** Reserve gas of a day before it is spent. @returns false if the day's gas would exceed `most` */
  reserveGas(account: string, day: string, gas: bigint, most: bigint): Promise<boolean>;
  /** Gas reserved on a day. */
  gasReserved(account: string, day: string): Promise<bigint>;
  /** Accounts for which gas was ever reserved, in lower case: those that send payments of this ledger in self mode. */
  gasAccounts(): Promise<readonly string[]>;
  /** Delete reservations that have expired. @returns their number */
  deleteExpiredReservations(nowMs: number): Promise<number>;
  /**
   * Delete the answers of purchases that ended before this time and whose payments had expired, as the clock that
   * recorded the end may have been wrong; and tokens that expired before it. @returns the number of answers
   */
  forgetAnswers(endedBeforeMs: number): Promise<number>;
  /** All purchases, for reports and exports. */
  purchases(): AsyncIterable<Purchase>;
  /**
   * Use a token that works once, across all processes. After `untilMs` its owner refuses it by its age; it is stored
   * for much longer, in case the owner's clock moves back. @returns false if it was used before
   */
  useOnce(token: string, untilMs: number): Promise<boolean>;
  /** Record the kind of money at the first call: a ledger has one. @returns the recorded kind */
  recordMoney(money: Money): Promise<Money>;
  /** Throws LedgerUnavailable if the ledger cannot be written. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
