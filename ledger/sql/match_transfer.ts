/** Matches an incoming transfer with the purchase that it pays, whoever sent its transaction. */
import type { Booking, IncomingTransfer, Purchase } from '../ledger.ts';
import { change, drop } from './journal.ts';
import { insertHold } from './holds.ts';
import { FACTS, purchaseOf } from './rows.ts';
import type { Query, Row, Store } from './store.ts';

/** Purchases with this payer and nonce, each by its index. */
export function paidWith(payer: string, nonce: string): string {
  const isPaid = `payer = ${payer} AND nonce = ${nonce}`;
  return `(standing = 1 AND ${isPaid} OR state = 'released' AND ${isPaid})`;
}
const OF_PAYMENT = `${paidWith('$1', '$2')} AND pay_to = $3 AND chain = $4`;
/** Purchases of a payment: first the one that is not released, then the released ones, latest first. */
const BY_PAYMENT = `SELECT ${FACTS} FROM purchases WHERE ${OF_PAYMENT}
  ORDER BY CASE WHEN standing = 1 THEN 0 ELSE 1 END, ended_at_ms DESC, id`;
const IS_PAID = `SELECT 1 AS one FROM transfers WHERE purchase_id = $1`;
const SELL = `state = 'sold', standing = 1, ended_at_ms = $2, tx_hash = $3, block = $4, why = NULL,
  returned_lead = NULL`;
/** Other purchases that hold a key of the property of a purchase. */
const HOLDERS_OF_PROPERTY = `SELECT other.purchase_id FROM held_properties own
  JOIN held_properties other ON other.property_key = own.property_key AND other.purchase_id <> own.purchase_id
  WHERE own.purchase_id = $1 AND other.standing = 1`;
const RIVALS = `(id IN (SELECT purchase_id FROM holds WHERE lead_id = $2) OR id IN (${HOLDERS_OF_PROPERTY}))`;
const TAKE_PROPERTY = 'UPDATE held_properties SET standing = 1 WHERE purchase_id = $1';
const DROP_REUSED_IDENTIFIER = `UPDATE purchases SET identifier_hash = NULL WHERE id = $1 AND identifier_hash IN
  (SELECT identifier_hash FROM purchases WHERE payer = $2 AND standing = 1 AND identifier_hash IS NOT NULL)`;

/** The transaction that books transfers. */
export interface BookingTransaction {
  readonly query: Query;
  readonly lockRows: Store['lockRows'];
}

/** A transfer, and one purchase of its payment. */
interface Candidate {
  readonly query: Query;
  readonly nowMs: number;
  readonly row: Row;
  readonly transfer: IncomingTransfer;
}

const sell = ({ query, nowMs, transfer }: Candidate, { id }: Purchase): Promise<unknown> =>
  change(query, 'sold', { set: SELL, where: 'id = $1' }, id, nowMs, transfer.transaction, Number(transfer.block));

/** Sell a released purchase whose money arrived. @returns false if its answer, its lead or its property is gone */
async function sellReleased(candidate: Candidate, purchase: Purchase): Promise<boolean> {
  const { query, row } = candidate;
  if (Number(row['has_answer']) === 0) return false;
  const lead = row['returned_lead'];
  if (lead !== null) {
    // A paid purchase takes precedence over a reservation, for which no settlement was requested yet.
    await drop(query, RIVALS, purchase.id, String(lead));
    if ((await query(HOLDERS_OF_PROPERTY, purchase.id)).length > 0) return false;
    if (!(await insertHold(query, String(lead), purchase.id))) return false;
    await query(TAKE_PROPERTY, purchase.id);
  }
  // Another purchase may use the identifier by now; the wallet can still collect this one.
  await query(DROP_REUSED_IDENTIFIER, purchase.id, purchase.payment.payer);
  await sell(candidate, purchase);
  return true;
}

/** Let a transfer pay for one purchase, if it can. */
async function pays(candidate: Candidate): Promise<boolean> {
  const { query, row, transfer } = candidate;
  const purchase = purchaseOf(row);
  const { id, payment, transaction, block } = purchase;
  if (payment.amount !== transfer.amount || (await query(IS_PAID, id)).length > 0) return false;
  switch (purchase.state) {
    case 'sold':
      if (transaction !== transfer.transaction || block !== transfer.block) {
        const moved = { set: 'tx_hash = $2, block = $3', where: 'id = $1' };
        await change(query, 'moved', moved, id, transfer.transaction, Number(transfer.block));
      }
      return true;
    case 'settling':
      await sell(candidate, purchase);
      return true;
    case 'released':
      return sellReleased(candidate, purchase);
    case 'reserved':
      return false;
  }
}

/**
 * Find the purchase that a transfer paid, and bring it to the state that the chain shows.
 * @returns null if it pays none that can still be delivered
 */
export async function matchTransfer(
  { query, lockRows }: BookingTransaction,
  { account, nowMs }: Booking,
  transfer: IncomingTransfer & { readonly nonce: string },
): Promise<string | null> {
  const payment = [transfer.payer, transfer.nonce, account.payTo, account.chain] as const;
  // Lock the purchases first, so that none is sold, released or forgotten meanwhile.
  if (lockRows !== '') await query(`SELECT id FROM purchases WHERE ${OF_PAYMENT} ORDER BY id ${lockRows}`, ...payment);
  // Several purchases may be released: the payment was sent again after each.
  for (const row of await query(BY_PAYMENT, ...payment)) {
    // It takes the transfer when it is sold.
    if (row['state'] === 'reserved') return null;
    if (await pays({ query, nowMs, row, transfer })) return String(row['id']);
  }
  return null;
}
