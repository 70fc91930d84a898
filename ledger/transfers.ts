/** The book of incoming transfers: each matches at most one purchase, and each sold purchase has one transfer. */
import type { Purchase } from './ledger.ts';

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

/**
 * How a transfer was booked:
 * - `matched`: it pays a sold purchase.
 * - `owed`: an authorization paid us, and no purchase explains it that we can still deliver. A refund is due.
 * - `resolved`: it was owed and has been settled.
 * - `dust`: it has no authorization, or no amount. Anybody can send it, and nothing is owed.
 */
export type TransferKind = 'matched' | 'owed' | 'resolved' | 'dust';

export interface BookedTransfer extends IncomingTransfer, AuditedAccount {
  readonly kind: TransferKind;
  /** Null unless it is matched. */
  readonly purchaseId: string | null;
  /** How an owed transfer was settled: the transaction of the refund, or the operator's note. */
  readonly resolution: string | null;
  readonly bookedAtMs: number;
}

/** A block and its time, in Unix seconds. */
export interface BlockTime {
  readonly block: bigint;
  readonly seconds: number;
}

/** Transfers of one range of final blocks. */
export interface Booking {
  readonly account: AuditedAccount;
  /** The holder of the auditor's lease. */
  readonly holder: string;
  readonly transfers: readonly IncomingTransfer[];
  /** First block of the range. That of the first booking is where the ledger begins. */
  readonly from: bigint;
  /** Last block of the range. */
  readonly through: BlockTime;
  /** After a restore, the latest block of the chain: the restore's window ends there. */
  readonly latest: BlockTime;
  readonly nowMs: number;
}

export interface AuditState {
  /** Every transfer from this block on is booked; null before the first audit. */
  readonly firstBlock: bigint | null;
  /** Every transfer up to this block is booked; null before the first audit. */
  readonly throughBlock: bigint | null;
  /** Time of that block, in Unix seconds. */
  readonly throughSeconds: number;
  readonly auditedAtMs: number;
}

export interface TransferBook {
  /**
   * Take or extend the auditor's lease: one server at a time audits an account.
   * @returns the state of the audit; null if another server holds the lease
   */
  leaseAudit(account: AuditedAccount, holder: string, nowMs: number, leaseMs: number): Promise<AuditState | null>;
  /** The state of every account's audit, for reports. */
  audits(): Promise<readonly (AuditedAccount & AuditState)[]>;
  /**
   * Book the transfers of the final blocks up to `through` in one transaction, each for at most one purchase. Only the
   * holder of the lease may. Booking a range twice changes nothing. Unresolved owed transfers are matched again first.
   * @returns the booked transfers, and those that are no longer owed
   */
  bookTransfers(booking: Booking): Promise<readonly BookedTransfer[]>;
  /** Booked transfers in the order of the chain, optionally of some kinds only. */
  transfers(account: AuditedAccount | null, kinds?: readonly TransferKind[]): AsyncIterable<BookedTransfer>;
  /** Amount of the owed transfer of this payment; null if there is none. */
  owedFor(payer: string, nonce: string): Promise<bigint | null>;
  /** Record how an owed transfer was settled. @returns false if there is no such unresolved transfer */
  resolveOwed(owed: Pick<BookedTransfer, 'chain' | 'transaction' | 'logIndex'>, resolution: string): Promise<boolean>;
  /** Sold purchases of this account, in blocks up to this one, that no booked transfer pays. */
  soldWithoutTransfer(account: AuditedAccount, throughBlock: bigint): Promise<readonly Purchase[]>;
  /** Correct the place of a sold purchase's payment after a reorganization. */
  movePayment(purchaseId: string, paid: Paid): Promise<void>;
}
