/** Holds of exclusive leads: a lead, and each key of its property, belongs to one purchase. */
import type { Held, HeldState, LeadHolds, OfferedLead } from '../ledger.ts';
import { change } from './journal.ts';
import { dropIfExpired, expiredAt, leadLimitReached } from './purchases.ts';
import type { Query, Row, Store } from './store.ts';

/** Names per statement. The number of parameters is fixed, so that the statement is prepared once. */
const NAMES_PER_QUERY = 100;
const THESE_NAMES = `(${Array.from({ length: NAMES_PER_QUERY }, (_, i) => `$${i + 1}`).join(', ')})`;
/** Leads and keys of properties with the purchases that have them, where a condition holds. */
const ofLeads = (what: string, where: string): string =>
  `SELECT h.lead_id AS name${what} FROM holds h JOIN purchases p ON p.id = h.purchase_id WHERE ${where}`;
const ofProperties = (what: string, where: string): string => `SELECT h.property_key AS name${what}
  FROM held_properties h JOIN purchases p ON p.id = h.purchase_id WHERE h.standing = 1 AND ${where}`;
const HOLDERS_OF_LEADS = ofLeads(', p.id, p.state', `h.lead_id IN ${THESE_NAMES}`);
const HOLDERS_OF_PROPERTIES = ofProperties(', p.id, p.state', `h.property_key IN ${THESE_NAMES}`);
const STANDING = `NOT (${expiredAt('$1')})`;
const SOLD = "p.state <> 'reserved'";

const nameOf = (row: Row): string => String(row['name']);
/** A purchase whose answer was lost is released and keeps its lead (replay.ts). */
const heldStateOf = ({ state }: Row): HeldState => (state === 'released' ? 'sold' : (String(state) as HeldState));

/** Take the keys of a property. @returns false if another purchase has one of them */
async function insertProperties(query: Query, purchaseId: string, keys: readonly string[]): Promise<boolean> {
  const sql = `INSERT INTO held_properties (purchase_id, property_key, standing) VALUES ($1, $2, 1)
    ON CONFLICT DO NOTHING RETURNING property_key`;
  for (const key of keys) if ((await query(sql, purchaseId, key)).length === 0) return false;
  return true;
}

/** Insert the hold of a lead, without its property. @returns false if another purchase has the lead */
export async function insertHold(query: Query, leadId: string, purchaseId: string): Promise<boolean> {
  const sql = 'INSERT INTO holds (lead_id, purchase_id) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING lead_id';
  return (await query(sql, leadId, purchaseId)).length === 1;
}

/** The holder of each of these names. */
async function findHolders(query: Query, sql: string, names: readonly string[]): Promise<ReadonlyMap<string, Row>> {
  const holders = new Map<string, Row>();
  for (let at = 0; at < names.length; at += NAMES_PER_QUERY) {
    const some = names.slice(at, at + NAMES_PER_QUERY);
    const padded = Array.from({ length: NAMES_PER_QUERY }, (_, i) => some[i] ?? some[0] ?? '');
    for (const row of await query(sql, ...padded)) holders.set(nameOf(row), row);
  }
  return holders;
}

/** Hold a lead with its property. @returns false if another purchase has one of them; then none is taken */
async function take(query: Query, purchaseId: string, { leadId, properties }: OfferedLead): Promise<boolean> {
  const hasProperty = await insertProperties(query, purchaseId, properties);
  if (hasProperty && (await insertHold(query, leadId, purchaseId))) return true;
  await query('DELETE FROM held_properties WHERE purchase_id = $1', purchaseId);
  return false;
}

/** Hold the first free lead with its property. @returns its id; null if none is free */
async function holdFirst(
  query: Query,
  purchaseId: string,
  leads: readonly OfferedLead[],
  nowMs: number,
): Promise<string | null> {
  const deleted = new Set<string>();
  /** Whether a holder is an expired reservation. Deleting it frees what it holds. */
  const isGone = async ({ id, state }: Row): Promise<boolean> => {
    if (deleted.has(String(id))) return true;
    const isExpired = state === 'reserved' && (await dropIfExpired(query, nowMs, String(id)));
    if (isExpired) deleted.add(String(id));
    return isExpired;
  };
  for (let at = 0; at < leads.length; at += NAMES_PER_QUERY) {
    const some = leads.slice(at, at + NAMES_PER_QUERY);
    const [ids, keys] = [some.map(({ leadId }) => leadId), some.flatMap(({ properties }) => properties)];
    const byLead = await findHolders(query, HOLDERS_OF_LEADS, ids);
    const byProperty = await findHolders(query, HOLDERS_OF_PROPERTIES, [...new Set(keys)]);
    for (const lead of some) {
      const holders = [byLead.get(lead.leadId), ...lead.properties.map((key) => byProperty.get(key))];
      let isFree = true;
      for (const holder of holders) if (holder && isFree) isFree = await isGone(holder);
      if (isFree && (await take(query, purchaseId, lead))) return lead.leadId;
    }
  }
  return null;
}

export function holds(store: Store): LeadHolds {
  const namesOf = async (sql: string): Promise<readonly string[]> => (await store.read(sql)).map(nameOf).sort();
  const statesOf = async (sql: string, nowMs: number): Promise<ReadonlyMap<string, HeldState>> =>
    new Map((await store.read(sql, nowMs)).map((row) => [nameOf(row), heldStateOf(row)]));
  return {
    hold: (purchaseId, leads, limits, nowMs) =>
      store.write(async (query): Promise<Held> => {
        await store.lock(query, 'holds');
        const [own] = await query(
          `SELECT p.payer FROM purchases p WHERE p.id = $1 AND p.state = 'reserved' ${store.lockRows}`,
          purchaseId,
        );
        if (!own) return { kind: 'none' };
        const [earlier] = await query('SELECT lead_id AS name FROM holds WHERE purchase_id = $1', purchaseId);
        if (earlier) return { kind: 'held', leadId: nameOf(earlier) };
        const reached = await leadLimitReached(query, String(own['payer']), limits, nowMs);
        if (reached !== null) return reached;
        const leadId = await holdFirst(query, purchaseId, leads, nowMs);
        if (leadId === null) return { kind: 'none' };
        await change(query, 'held', { where: 'id = $1' }, purchaseId);
        return { kind: 'held', leadId };
      }),

    heldLeads: (nowMs) => statesOf(ofLeads(', p.state', STANDING), nowMs),
    heldProperties: (nowMs) => statesOf(ofProperties(', p.state', STANDING), nowMs),
    soldLeads: () => namesOf(ofLeads('', SOLD)),
    soldProperties: () => namesOf(ofProperties('', SOLD)),
  };
}
