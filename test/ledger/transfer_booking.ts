/** Incoming transfers, and an auditor that books them, for tests of the ledger. */
import type {
  AuditedAccount,
  BlockTime,
  BookedTransfer,
  IncomingTransfer,
  Ledger,
  Payment,
  Purchase,
  TransferKind,
} from '../../ledger/ledger.ts';
import { CHAIN, paid, payment } from './purchases.ts';

export const ACCOUNT: AuditedAccount = { chain: CHAIN, payTo: payment(1).payTo };
export const LEASE_MS = 1000;
/** A block after all others, and its time. */
export const END: BlockTime = { block: 1_000_000n, seconds: 1_900_000_000 };

/** The transfer that pays the n-th payment, in block `n`. */
export const transferFor = (n: number, more: Partial<IncomingTransfer> = {}): IncomingTransfer => {
  const { payer, nonce, amount } = payment(n);
  return { ...paid(n), logIndex: 1, payer, nonce, amount, ...more };
};

/** The n-th payment, which has expired when its answer is deleted. */
export const expiredPayment = (n: number): Payment => ({ ...payment(n), validBefore: 3n });

export interface BookingOptions {
  readonly nowMs?: number;
  readonly account?: AuditedAccount;
  readonly through?: BlockTime;
  readonly latest?: BlockTime;
}

/** Book these transfers as the auditor of the account. */
export async function bookAll(
  ledger: Ledger,
  transfers: readonly IncomingTransfer[],
  { nowMs = 100, account = ACCOUNT, through = END, latest = through }: BookingOptions = {},
): Promise<readonly BookedTransfer[]> {
  const holder = 'auditor';
  const state = await ledger.leaseAudit(account, holder, nowMs, LEASE_MS);
  if (state === null) throw new Error('another auditor holds the lease');
  return ledger.bookTransfers({ account, holder, transfers, from: 0n, through, latest, nowMs });
}

/** Book one transfer. @returns how it was booked */
export async function bookOne(
  ledger: Ledger,
  transfer: IncomingTransfer,
  options: BookingOptions = {},
): Promise<TransferKind> {
  const [booked] = await bookAll(ledger, [transfer], options);
  if (!booked) throw new Error('nothing was booked');
  return booked.kind;
}

/** The current state of a purchase. */
export async function current(ledger: Ledger, { id }: Pick<Purchase, 'id'>): Promise<Purchase> {
  const purchase = await ledger.find({ id });
  if (!purchase) throw new Error('the purchase is gone');
  return purchase;
}
