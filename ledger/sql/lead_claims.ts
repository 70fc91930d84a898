/** Claims of exclusive leads: a lead belongs to one purchase. */
import type { Claimed, Ledger, LeadLimits, PurchaseState } from '../ledger.ts';
import { leadLimitReached, overAt } from './payer_limits.ts';
import { DELETE_IF_EXPIRED } from './reservations.ts';
import type { Query, Row, Store } from './store.ts';

/** Leads per statement. The number of parameters is fixed, so that the statement is prepared once. */
const LEADS_PER_QUERY = 100;
const THESE_LEADS = `(${Array.from({ length: LEADS_PER_QUERY }, (_, i) => `$${i + 1}`).join(', ')})`;
/** The purchases that have these leads. A withheld lead counts as sold, whatever claims it: its row comes last. */
const HOLDERS = `SELECT c.lead_id, p.id, p.state, 0 AS withheld
    FROM claims c JOIN purchases p ON p.id = c.purchase_id WHERE c.lead_id IN ${THESE_LEADS}
  UNION ALL SELECT lead_id, purchase_id, 'sold', 1 FROM withheld_leads WHERE lead_id IN ${THESE_LEADS}
  ORDER BY withheld`;
const CLAIMED = `SELECT c.lead_id, p.state, 0 AS withheld
    FROM claims c JOIN purchases p ON p.id = c.purchase_id WHERE NOT (${overAt('$1')})
  UNION ALL SELECT lead_id, 'sold', 1 FROM withheld_leads ORDER BY withheld`;
const SOLD = `SELECT c.lead_id FROM claims c JOIN purchases p ON p.id = c.purchase_id WHERE p.state <> 'reserved'
  UNION SELECT lead_id FROM withheld_leads`;

const leadOf = (row: Row): string => String(row['lead_id']);

/** Insert a claim. @returns false if another purchase has the lead */
export async function insertClaim(query: Query, leadId: string, purchaseId: string, nowMs: number): Promise<boolean> {
  const claimed = await query(
    `INSERT INTO claims (lead_id, purchase_id, claimed_at_ms) VALUES ($1, $2, $3)
    ON CONFLICT DO NOTHING RETURNING lead_id`,
    leadId,
    purchaseId,
    nowMs,
  );
  return claimed.length === 1;
}

/** Claim the first free lead. @returns null if none is free */
async function claimFirst(
  query: Query,
  purchaseId: string,
  leadIds: readonly string[],
  nowMs: number,
): Promise<string | null> {
  for (let at = 0; at < leadIds.length; at += LEADS_PER_QUERY) {
    const some = leadIds.slice(at, at + LEADS_PER_QUERY);
    const padded = Array.from({ length: LEADS_PER_QUERY }, (_, i) => some[i] ?? some[0] ?? '');
    const holders = new Map((await query(HOLDERS, ...padded)).map((row) => [leadOf(row), row]));
    for (const leadId of some) {
      const holder = holders.get(leadId);
      if (holder) {
        // Deleting an expired reservation frees its lead.
        const mayExpire = holder['state'] === 'reserved';
        if (!mayExpire || (await query(DELETE_IF_EXPIRED, nowMs, String(holder['id']))).length === 0) continue;
      }
      if (await insertClaim(query, leadId, purchaseId, nowMs)) return leadId;
    }
  }
  return null;
}

export const leadClaims = (store: Store): Pick<Ledger, 'claim' | 'claimedLeads' | 'soldLeads'> => ({
  claim: (purchaseId: string, leadIds: readonly string[], limits: LeadLimits, nowMs: number) =>
    store.write(async (query): Promise<Claimed> => {
      await store.lock(query, 'claims');
      const [own] = await query(
        `SELECT p.payer FROM purchases p WHERE p.id = $1 AND p.state = 'reserved' ${store.lockRows}`,
        purchaseId,
      );
      if (!own) return { kind: 'none' };
      const [earlier] = await query('SELECT lead_id FROM claims WHERE purchase_id = $1', purchaseId);
      if (earlier) return { kind: 'claimed', leadId: leadOf(earlier) };
      const reached = await leadLimitReached(query, String(own['payer']), limits, nowMs);
      if (reached !== null) return { kind: 'limited', by: reached };
      const leadId = await claimFirst(query, purchaseId, leadIds, nowMs);
      return leadId === null ? { kind: 'none' } : { kind: 'claimed', leadId };
    }),

  claimedLeads: async (nowMs) =>
    new Map(
      (await store.read(CLAIMED, nowMs)).map((row) => [
        leadOf(row),
        String(row['state']) as Exclude<PurchaseState, 'released'>,
      ]),
    ),

  soldLeads: async () => (await store.read(SOLD)).map(leadOf).sort(),
});
