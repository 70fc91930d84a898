/** The book of incoming transfers: each is matched with at most one purchase, each sold purchase with one transfer. */
import type { Purchase } from './ledger.ts';

/** Where the chain shows the payment. */
export interface Paid {
  readonly transaction: string;
  readonly block: bigint;
}

/** The account whose incoming transfers are audited: who is paid, on which chain. */
export interface AuditedAccount {
  /** Hash of block 0. */
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
 * What became of a transfer:
 * - `matched`: it paid a sold purchase.
 * - `made_good`: it paid a purchase that was released; the answer can be collected again.
 * - `owed`: it paid for something that we no longer can give. It is to be refunded.
 * - `no_purchase`: nothing was sold for it: a gift, or dust.
 */
export type TransferKind = 'matched' | 'made_good' | 'owed' | 'no_purchase';

export interface BookedTransfer extends IncomingTransfer, AuditedAccount {
  readonly kind: TransferKind;
  readonly purchaseId: string | null;
  /** How an owed transfer was settled: the transaction of the refund, or the operator's words. */
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
  /** Who has the lease. */
  readonly holder: string;
  readonly transfers: readonly IncomingTransfer[];
  /** Last block of the range. */
  readonly through: BlockTime;
  readonly nowMs: number;
}

export interface AuditState {
  /** Every transfer up to this block is booked; null before the first audit. */
  readonly throughBlock: bigint | null;
  /** Time of that block, in Unix seconds. */
  readonly throughSeconds: number;
  readonly auditedAtMs: number;
}

export interface TransferBook {
  /**
   * Take or extend the lease of the auditor: one server audits an account at a time.
   * @returns the state of the audit; null where another server has the lease
   */
  leaseAudit(account: AuditedAccount, holder: string, nowMs: number, leaseMs: number): Promise<AuditState | null>;
  /** The state of every account's audit, for reports. */
  audits(): Promise<readonly (AuditedAccount & AuditState)[]>;
  /**
   * Book the transfers of the final blocks up to `through`, each of which matches at most one purchase, in one
   * transaction. Only the holder of the lease may. Booking a range twice changes nothing. Open owed transfers are matched
   * again first.
   * @returns the transfers as they were booked, and those that are owed no more
   */
  bookTransfers(booking: Booking): Promise<readonly BookedTransfer[]>;
  /** Booked transfers in the order of the chain; of these kinds only, where they are given. */
  transfers(account: AuditedAccount | null, kinds?: readonly TransferKind[]): AsyncIterable<BookedTransfer>;
  /** Note how an owed transfer was settled. @returns false where there is no such open transfer */
  resolveOwed(transaction: string, logIndex: number, resolution: string): Promise<boolean>;
  /** Sold purchases of this account in a block up to this one that no booked transfer pays. */
  soldWithoutTransfer(account: AuditedAccount, through: BlockTime): Promise<readonly Purchase[]>;
  /** Correct where the payment of a sold purchase is: a reorganization moved it to another block. */
  moved(purchaseId: string, paid: Paid): Promise<void>;
}
