/** Limits on open purchases and held leads, counted in the transaction that reserves or claims. */
import type { LeadLimits } from '../lead_claims.ts';
import { FUTURE_MS, UNPAID_MS, type NewPurchase, type PayerRefusal } from '../ledger.ts';
import { asNumber } from './rows.ts';
import type { Query, Row } from './store.ts';

/** SQL of `isOver` at the time in the given parameter. */
export const expiredAt = (parameter: string): string =>
  `state = 'reserved' AND (lease_until_ms <= ${parameter} OR reserved_at_ms > ${parameter} + ${FUTURE_MS})`;

/** Purchases that count against a payer, at most as many as the limits allow. SQLite cannot add 256-bit amounts. */
const USE_OF_PAYER = `SELECT state, amount FROM purchases
  WHERE payer = $1 AND state IN ('reserved', 'settling', 'released')
    AND NOT (${expiredAt('$2')})
    AND (state <> 'released' OR (payer_fault = 1 AND ended_at_ms > $3))`;

const HELD_LEADS = `SELECT
    SUM(CASE WHEN p.payer = $1 THEN 1 ELSE 0 END) AS own,
    SUM(CASE WHEN EXISTS (SELECT 1 FROM purchases s WHERE s.payer = p.payer AND s.state = 'sold')
      THEN 0 ELSE 1 END) AS by_new_payers
  FROM purchases p JOIN claims c ON c.purchase_id = p.id
  WHERE p.state IN ('reserved', 'settling') AND NOT (${expiredAt('$2')})`;

const HAS_BOUGHT = `SELECT 1 AS one FROM purchases WHERE payer = $1 AND state = 'sold' LIMIT 1`;

/** A sum, which is null without rows. */
const sumOf = (row: Row | undefined, column: string): number => asNumber(row?.[column] ?? 0);

/** Why this payer may not begin this purchase now; null if it may. */
export async function payerRefusal(
  query: Query,
  { payment, nowMs, limits }: NewPurchase,
): Promise<PayerRefusal | null> {
  const rows = await query(USE_OF_PAYER, payment.payer, nowMs, nowMs - UNPAID_MS);
  const open = rows.filter((row) => row['state'] !== 'released');
  if (open.length >= limits.maxOpen) return 'too_many_open_purchases';
  if (rows.length - open.length >= limits.maxUnpaid) return 'payer_unbilled_too_often';
  const committed = open.reduce((sum, row) => sum + BigInt(String(row['amount'])), 0n);
  return committed + payment.amount > limits.balance ? 'payer_without_funds' : null;
}

/** Which limit on held leads this payer has reached; null if it may hold another lead. */
export async function leadLimitReached(
  query: Query,
  payer: string,
  limits: LeadLimits,
  nowMs: number,
): Promise<'payer' | 'new payers' | null> {
  const [row] = await query(HELD_LEADS, payer, nowMs);
  if (sumOf(row, 'own') >= limits.perPayer) return 'payer';
  if (sumOf(row, 'by_new_payers') < limits.byNewPayers) return null;
  return (await query(HAS_BOUGHT, payer)).length > 0 ? null : 'new payers';
}
