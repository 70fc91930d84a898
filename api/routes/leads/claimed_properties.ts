/** Gives leads that an older version sold their property, so that no other lead of it is sold. */
import type { LeadClaims } from '../../../ledger/lead_claims.ts';
import { recordOf } from '../../snapshot/filters.ts';
import type { Snapshot } from '../../snapshot/load.ts';

export interface AddedProperties {
  readonly snapshot: string;
  /** Claimed leads that got their property. */
  readonly added: number;
  /** Claimed leads that this snapshot does not show. They stay claimed by their ids alone. */
  readonly not_found: readonly string[];
}

const KEYS = `SELECT DISTINCT property_key FROM property_keys
  WHERE record_id = $1 OR record_id IN (SELECT ${recordOf('leads')} FROM leads WHERE id = $1) ORDER BY property_key`;

/**
 * Add the properties of claims that have none.
 * @returns null if every claim has its property
 * @throws LedgerUnavailable
 */
export async function addMissingProperties(
  ledger: Pick<LeadClaims, 'leadsWithoutProperty' | 'addProperty'>,
  snapshot: Pick<Snapshot, 'id' | 'rows'>,
): Promise<AddedProperties | null> {
  const leads = await ledger.leadsWithoutProperty();
  if (leads.length === 0) return null;
  const notFound: string[] = [];
  for (const leadId of leads) {
    const properties = (await snapshot.rows(KEYS, [leadId])).map((row) => String(row['property_key']));
    if (properties.length === 0) notFound.push(leadId);
    else await ledger.addProperty({ leadId, properties });
  }
  return { snapshot: snapshot.id, added: leads.length - notFound.length, not_found: notFound };
}
