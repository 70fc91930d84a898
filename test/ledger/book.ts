/** Transfers, and an auditor who books them, for tests of the book of incoming transfers. */
import type { Ledger, Purchase } from '../../ledger/ledger.ts';
import type {
  AuditedAccount,
  BlockTime,
  BookedTransfer,
  IncomingTransfer,
  TransferKind,
} from '../../ledger/transfers.ts';
import { CHAIN, paid, payment } from './purchases.ts';

export const ACCOUNT: AuditedAccount = { chain: CHAIN, payTo: payment(1).payTo };
export const LEASE_MS = 1000;
/** A block after all others, and its time. */
export const END: BlockTime = { block: 1_000_000n, seconds: 1_900_000_000 };

/** The transfer that pays the n-th payment, in block `n`. */
export const transferOf = (n: number, more: Partial<IncomingTransfer> = {}): IncomingTransfer => {
  const { payer, nonce, amount } = payment(n);
  return { ...paid(n), logIndex: 1, payer, nonce, amount, ...more };
};

/** Book these transfers as the auditor of the account. */
export async function book(
  ledger: Ledger,
  transfers: readonly IncomingTransfer[],
  nowMs = 100,
  account = ACCOUNT,
  through = END,
): Promise<readonly BookedTransfer[]> {
  const holder = 'auditor';
  const state = await ledger.leaseAudit(account, holder, nowMs, LEASE_MS);
  if (state === null) throw new Error('another auditor has the lease');
  return ledger.bookTransfers({ account, holder, transfers, through, nowMs });
}

/** Book one transfer. @returns what became of it */
export async function kindOf(
  ledger: Ledger,
  transfer: IncomingTransfer,
  nowMs?: number,
  account?: AuditedAccount,
): Promise<TransferKind> {
  const [booked] = await book(ledger, [transfer], nowMs, account);
  if (!booked) throw new Error('nothing was booked');
  return booked.kind;
}

/** A purchase as it is now. */
export async function now(ledger: Ledger, { id }: Pick<Purchase, 'id'>): Promise<Purchase> {
  const purchase = await ledger.find({ id });
  if (!purchase) throw new Error('the purchase is gone');
  return purchase;
}
