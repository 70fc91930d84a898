/** Limits on open purchases and held leads, counted in the transaction that reserves or holds. */
import { FUTURE_MS, RELEASED_MS, type Held, type LeadLimits, type NewPurchase, type PayerRefusal } from '../ledger.ts';
import { asNumber } from './rows.ts';
import type { Query } from './store.ts';

/** SQL of `isOver` at the time in the given parameter. */
export const expiredAt = (parameter: string): string =>
  `state = 'reserved' AND (reserved_until_ms <= ${parameter} OR reserved_at_ms > ${parameter} + ${FUTURE_MS})`;

/** The condition of the index purchases_unfinished, literally. */
export const UNFINISHED = "state IN ('reserved', 'settling')";

/** Open purchases of a payer, at most as many as the limits allow. SQLite cannot add 256-bit amounts. */
const OPEN = `SELECT amount FROM purchases
  WHERE payer = $1 AND ${UNFINISHED} AND NOT (${expiredAt('$2')})`;

/** Leads that a payer holds, and those of its released purchases, latest first, but of what was never sent. */
const LEADS_OF_PAYER = `SELECT CAST(NULL AS BIGINT) AS ended_at_ms
    FROM purchases p JOIN holds h ON h.purchase_id = p.id
    WHERE payer = $1 AND ${UNFINISHED} AND NOT (${expiredAt('$2')})
  UNION ALL SELECT ended_at_ms FROM purchases
    WHERE payer = $1 AND state = 'released' AND returned_lead IS NOT NULL AND why <> 'not_sent' AND ended_at_ms > $3
  ORDER BY ended_at_ms DESC`;

const SOLD_TO = "standing = 1 AND state = 'sold' AND payer =";
const HELD_BY_NEW_PAYERS = `SELECT count(*) AS leads FROM purchases p JOIN holds h ON h.purchase_id = p.id
  WHERE ${UNFINISHED} AND NOT (${expiredAt('$1')})
    AND NOT EXISTS (SELECT 1 FROM purchases WHERE ${SOLD_TO} p.payer)`;
const HAS_BOUGHT = `SELECT 1 AS one FROM purchases WHERE ${SOLD_TO} $1 LIMIT 1`;

/** Why this payer may not begin this purchase now; null if it may. */
export async function payerRefusal(
  query: Query,
  { payment, nowMs, limits }: NewPurchase,
): Promise<PayerRefusal | null> {
  const open = await query(OPEN, payment.payer, nowMs);
  if (open.length >= limits.maxOpen) return 'too_many_open_purchases';
  const committed = open.reduce((sum, row) => sum + BigInt(String(row['amount'])), 0n);
  return committed + payment.amount > limits.balance ? 'payer_without_funds' : null;
}

/** Which limit on leads this payer has reached; null if it may hold another lead. */
export async function leadLimitReached(
  query: Query,
  payer: string,
  limits: LeadLimits,
  nowMs: number,
): Promise<Extract<Held, { kind: 'limited' }> | null> {
  const leads = await query(LEADS_OF_PAYER, payer, nowMs, nowMs - RELEASED_MS);
  if (leads.length >= limits.perPayer) {
    const released = leads.filter((row) => row['ended_at_ms'] !== null);
    const last = released[limits.perPayer - 1];
    return last
      ? { kind: 'limited', by: 'released', forMs: asNumber(last['ended_at_ms']) + RELEASED_MS - nowMs }
      : { kind: 'limited', by: 'payer' };
  }
  const [held] = await query(HELD_BY_NEW_PAYERS, nowMs);
  if (asNumber(held?.['leads']) < limits.byNewPayers) return null;
  return (await query(HAS_BOUGHT, payer)).length > 0 ? null : { kind: 'limited', by: 'new payers' };
}
