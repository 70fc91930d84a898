/** Published leads of tax debts outside Ohio against the world. */
import { fraction } from '../../lib/fraction.ts';
import { compare, type Comparison, type Row, type TrueRow } from './compare.ts';
import { LEVY_COUNTIES, listLevies, levyOwner, printsPlace, type TrueLevy } from './levies.ts';
import { isFresh, recomputeLead } from './recompute/lead.ts';
import { percent, type AssumptionValue } from './recompute/record.ts';
import { withDays, withJson, type ReadTable } from './snapshot.ts';
import { printedPlace, propertiesByParcel } from './truth/printed_places.ts';
import { sourceOf, type Truth } from './truth/truth.ts';

/** Where the owner lives, by the mailing address that the list prints. A post office box in the state does not tell. */
function ownerLocation({ list, property }: TrueLevy, published: Row): unknown {
  const { mailing, occupies } = property.owner;
  // Allegheny's roll, not its list, has the address for notices.
  if (!list.hasOwner) return published['owner_location'];
  if (mailing.state !== property.state) return 'out_of_state';
  if (mailing.street.startsWith('PO BOX')) return 'unknown';
  return occupies ? 'at_property' : 'in_state';
}

/** Columns of a lead about the debt. The value is that of the county's roll, where it was read. */
function debtFields({ list, debt, property }: TrueLevy, truth: Truth): Row {
  const hasRoll = list.fips === '29510' || sourceOf(truth, 'parcels', list.fips) !== undefined;
  const entry = truth
    .on(truth.asOf)
    .roll(list.fips)
    .find(({ propertyId }) => propertyId === property.id);
  const value = hasRoll && entry !== undefined ? `${entry.assessedValue}.00` : null;
  const years = list.hasYears ? debt.levies.length : null;
  return {
    amount: debt.amount,
    county_value: value,
    amount_to_value_pct: value === null ? null : percent(fraction(debt.amount), fraction(value)),
    years_delinquent: years,
    months_delinquent: years === null ? null : years * 12,
    certified_year: null,
  };
}

export async function compareLevyLeads(
  read: ReadTable,
  truth: Truth,
  assumptions: AssumptionValue,
): Promise<Comparison[]> {
  const counties = LEVY_COUNTIES.map((fips) => `'${fips}'`).join(', ');
  const leads = (await read('leads', `lead_type = 'tax_delinquent' AND county_fips IN (${counties})`)).map((lead) =>
    withDays(withJson(lead, 'corroboration', 'score_parts')),
  );
  const propertyOf = propertiesByParcel(truth.world);
  const keyOf = (lead: Row): string => propertyOf(lead['county_fips'], lead['parcel_id']) ?? 'unknown parcel';
  const published = new Map(leads.map((lead) => [keyOf(lead), lead]));
  const trueLead = (levy: TrueLevy): TrueRow => {
    const { list, reads, property } = levy;
    const row = published.get(property.id) ?? {};
    const fields = debtFields(levy, truth);
    const inputs = {
      lead_type: 'tax_delinquent',
      ...fields,
      owner_location: ownerLocation(levy, row),
      property_kind: row['property_kind'] ?? 'unknown',
      corroboration: row['corroboration'] ?? [],
      last_verified: reads.lastGood,
    };
    return {
      key: property.id,
      fields: {
        debt: fields,
        owner: { ...(list.hasOwner ? levyOwner(property) : {}), owner_location: inputs.owner_location },
        address: { ...printedPlace(property), state: property.state },
        score: recomputeLead(inputs, assumptions, truth.asOf),
      },
      // A sold lead is left out, and the snapshot does not tell which. An address may be on the county's roll alone.
      isOptional: truth.soldLeads > 0 || !printsPlace(truth, levy),
    };
  };
  return compare({
    what: 'leads of tax by year',
    published: leads,
    keyOf,
    truth: listLevies(truth)
      .filter(({ reads, property }) => property.hasAddress && isFresh(reads.lastGood, assumptions, truth.asOf))
      .map(trueLead),
  });
}
