/** Matches an incoming transfer with the purchase that it pays. */
import type { Purchase } from '../ledger.ts';
import type { Booking, IncomingTransfer, TransferKind } from '../transfers.ts';
import { insertClaim } from './lead_claims.ts';
import { FROM_PURCHASES, purchaseOf, PURCHASE_COLUMNS } from './rows.ts';
import type { Query, Row, Store } from './store.ts';

const OF_PAYMENT = 'p.payer = $1 AND p.nonce = $2 AND p.pay_to = $3 AND p.chain = $4';
/** Purchases of a payment: first the one that is not released, then the released ones, latest first. */
const BY_PAYMENT = `SELECT ${PURCHASE_COLUMNS}, p.kept_answer, p.returned_lead ${FROM_PURCHASES}
  WHERE ${OF_PAYMENT}
  ORDER BY CASE WHEN p.standing = 1 THEN 0 ELSE 1 END, p.ended_at_ms DESC, p.id`;
const IS_PAID = `SELECT 1 AS one FROM transfers WHERE purchase_id = $1 AND kind IN ('matched', 'made_good')`;
const SELL = `UPDATE purchases
  SET state = 'sold', standing = 1, ended_at_ms = $2, tx_hash = $3, block = $4, why = NULL WHERE id = $1`;
const MOVE = 'UPDATE purchases SET tx_hash = $2, block = $3 WHERE id = $1';
/** Other purchases that hold a key of the property of a purchase. */
const HOLDERS_OF_PROPERTY = `SELECT other.purchase_id FROM claimed_properties own
  JOIN claimed_properties other ON other.property_key = own.property_key AND other.purchase_id <> own.purchase_id
  WHERE own.purchase_id = $1 AND other.standing = 1`;
const DELETE_RESERVATIONS = `DELETE FROM purchases WHERE state = 'reserved'
  AND (id IN (SELECT purchase_id FROM claims WHERE lead_id = $2) OR id IN (${HOLDERS_OF_PROPERTY}))`;
const TAKE_PROPERTY = 'UPDATE claimed_properties SET standing = 1 WHERE purchase_id = $1';
const DROP_REUSED_IDENTIFIER = `UPDATE purchases SET identifier_hash = NULL WHERE id = $1 AND identifier_hash IN
  (SELECT identifier_hash FROM purchases WHERE payer = $2 AND standing = 1 AND identifier_hash IS NOT NULL)`;
const MATCH_EARLIER_TRANSFER = `UPDATE transfers SET kind = 'matched', purchase_id = $1
  WHERE payer = $2 AND nonce = $3 AND chain = $4 AND pay_to = $5 AND amount = $6
    AND kind IN ('owed', 'no_purchase') AND resolution IS NULL`;

/** The transaction that books transfers. */
export interface BookingTransaction {
  readonly query: Query;
  readonly lockRows: Store['lockRows'];
  /** Whether the ledger was restored, and not all earlier transfers are recorded yet. */
  readonly restored: boolean;
}

export interface TransferMatch {
  readonly kind: TransferKind;
  readonly purchaseId: string | null;
}

/** A transfer, and one purchase of its payment. */
interface Candidate {
  readonly query: Query;
  readonly nowMs: number;
  readonly row: Row;
  readonly transfer: IncomingTransfer;
}

/** Match a transfer that was booked before its purchase was sold: after a restore, or if the payer sent it directly. */
export async function matchEarlierTransfer(query: Query, { id, chain, payment }: Purchase): Promise<void> {
  const { payer, nonce, payTo, amount } = payment;
  await query(MATCH_EARLIER_TRANSFER, id, payer, nonce, chain, payTo, String(amount));
}

/** Sell a released purchase whose money arrived. @returns false if its answer, its lead or its property is gone */
async function makeGood({ query, nowMs, row, transfer }: Candidate, purchase: Purchase): Promise<boolean> {
  if (row['kept_answer'] === null) return false;
  const lead = row['returned_lead'];
  if (lead !== null) {
    // A paid purchase takes precedence over a reservation, for which no settlement was requested yet.
    await query(DELETE_RESERVATIONS, purchase.id, String(lead));
    if ((await query(HOLDERS_OF_PROPERTY, purchase.id)).length > 0) return false;
    if (!(await insertClaim(query, String(lead), purchase.id, nowMs))) return false;
    await query(TAKE_PROPERTY, purchase.id);
  }
  // Another purchase may use the identifier by now; the wallet can still collect this one.
  await query(DROP_REUSED_IDENTIFIER, purchase.id, purchase.payment.payer);
  await query(SELL, purchase.id, nowMs, transfer.transaction, Number(transfer.block));
  return true;
}

/** Let a transfer pay for one purchase, if it can. A reserved purchase takes the transfer when it is sold. */
async function payFor(candidate: Candidate): Promise<'matched' | 'made_good' | 'reserved' | 'cannot'> {
  const { query, nowMs, row, transfer } = candidate;
  const purchase = purchaseOf(row);
  if (purchase.payment.amount !== transfer.amount || (await query(IS_PAID, purchase.id)).length > 0) return 'cannot';
  switch (purchase.state) {
    case 'sold':
      if (purchase.transaction !== transfer.transaction || purchase.block !== transfer.block)
        await query(MOVE, purchase.id, transfer.transaction, Number(transfer.block));
      return 'matched';
    case 'settling':
      await query(SELL, purchase.id, nowMs, transfer.transaction, Number(transfer.block));
      return 'matched';
    case 'released':
      return (await makeGood(candidate, purchase)) ? 'made_good' : 'cannot';
    case 'reserved':
      return 'reserved';
  }
}

/** Find the purchase that a transfer paid, and bring it to the state that the chain shows. */
export async function matchTransfer(
  { query, lockRows, restored }: BookingTransaction,
  { account, nowMs }: Booking,
  transfer: IncomingTransfer,
): Promise<TransferMatch> {
  const payment =
    transfer.nonce === null ? null : ([transfer.payer, transfer.nonce, account.payTo, account.chain] as const);
  // Lock the purchases first, so that none is sold, released or forgotten meanwhile.
  if (payment && lockRows !== '')
    await query(`SELECT p.id FROM purchases p WHERE ${OF_PAYMENT} ORDER BY p.id ${lockRows}`, ...payment);
  const rows = payment ? await query(BY_PAYMENT, ...payment) : [];
  if (rows.length === 0) {
    // After a restore, an unknown payment was for a sale that is missing in the backup.
    return { kind: restored && transfer.nonce !== null ? 'owed' : 'no_purchase', purchaseId: null };
  }
  // Several purchases may be released: the payment was sent again after each.
  for (const row of rows) {
    const kind = await payFor({ query, nowMs, row, transfer });
    if (kind === 'reserved') return { kind: 'no_purchase', purchaseId: null };
    if (kind !== 'cannot') return { kind, purchaseId: String(row['id']) };
  }
  return { kind: 'owed', purchaseId: null };
}
