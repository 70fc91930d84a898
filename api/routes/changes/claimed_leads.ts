/** Leads that were claimed after the snapshot was built. The change feed withholds their records. */
import { recordOf } from '../../snapshot/filters.ts';
import type { Snapshot } from '../../snapshot/load.ts';
import type { Claimed } from '../leads/lead_claims.ts';

const LIST = `(SELECT unnest(from_json($1, '["VARCHAR"]')))`;
const CLAIMED = `SELECT id, property_key FROM leads LEFT JOIN property_keys ON record_id = ${recordOf('leads')}
  WHERE id IN ${LIST} OR property_key IN ${LIST}`;

export interface ClaimedLeads {
  /** Ids of all claimed leads, those that this snapshot lacks among them. */
  readonly ids: ReadonlySet<string>;
  /** Ids of the leads that are not sold yet: they are free again if their purchase fails. */
  readonly held: ReadonlySet<string>;
}

/** Claimed leads, and every other lead of their properties. */
export async function claimedLeads(snapshot: Pick<Snapshot, 'rows'>, claimed: Claimed): Promise<ClaimedLeads> {
  const ids = new Set(claimed.keys());
  if (ids.size === 0) return { ids, held: new Set() };
  const rows = await snapshot.rows(CLAIMED, [JSON.stringify([...ids])]);
  const found = new Set<string>();
  const sold = new Set<string>();
  for (const { id, property_key: key } of rows) {
    found.add(String(id));
    if ([id, key].some((name) => claimed.get(String(name)) === 'sold')) sold.add(String(id));
  }
  return { ids: ids.union(found), held: found.difference(sold) };
}
