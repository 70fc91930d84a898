/** Published listings, deals and their rents against the world. */
import type { WorldDay } from '../world/types.ts';
import { compare, type Comparison, type ReadTable, type Row } from './compare.ts';

const listingKey = (row: Row): string => `${String(row['source'])} ${String(row['listing_id'])}`;

/** Property by listing. */
const propertiesOf = (day: WorldDay): ReadonlyMap<string, string> =>
  new Map(day.listings.map((l) => [`${l.site} ${l.listingId}`, l.propertyId]));

export async function compareListings(read: ReadTable, day: WorldDay): Promise<Comparison[]> {
  const versions = await read('listing_history', 'is_latest AND gone_on IS NULL');
  const bySite = [...Map.groupBy(day.listings, (l) => l.site)].map(([site, shown]) =>
    compare(
      `listings of ${site}`,
      versions.filter((v) => v['source'] === site),
      (v) => String(v['listing_id']),
      new Map(
        shown.map((l) => [
          l.listingId,
          {
            street: l.street,
            city: l.city,
            state: l.state,
            zip: l.zip,
            list_price: l.price,
            units: l.units,
            cap_rate: l.capRate,
            noi: l.noi,
            year_built: l.yearBuilt,
            listed_on: l.postedOn,
            availability: l.availability,
          },
        ]),
      ),
    ),
  );
  return [...bySite, compareProperties(versions, day), compareRents(await read('deals'), versions, day)];
}

/** One deal per property: two listings are in one deal exactly if they show the same property. */
function compareProperties(versions: readonly Row[], day: WorldDay): Comparison {
  const propertyOf = propertiesOf(day);
  const byDeal = Map.groupBy(versions, (v) => String(v['deal_id']));
  const dealsOf = new Map<string, Set<string>>();
  const wrong: string[] = [];
  for (const [deal, members] of byDeal) {
    const shown = new Set(members.map((m) => propertyOf.get(listingKey(m)) ?? 'an unknown listing'));
    if (shown.size > 1) wrong.push(`deal ${deal} joins ${[...shown].join(', ')}`);
    for (const property of shown) dealsOf.set(property, (dealsOf.get(property) ?? new Set()).add(deal));
  }
  for (const [property, deals] of dealsOf) {
    if (deals.size > 1) wrong.push(`property ${property} is split into ${deals.size} deals`);
  }
  const expected = new Set(propertyOf.values());
  return {
    what: 'properties for sale (one deal each)',
    expected: expected.size,
    found: byDeal.size,
    missing: [...expected].filter((p) => !dealsOf.has(p)),
    unexpected: [],
    wrong,
  };
}

/**
 * HUD's rent of each deal is that of the property's county. A ZIP in several HUD areas does not determine the county:
 * the deal then says so, and its rent must not be above the true one.
 */
function compareRents(deals: readonly Row[], versions: readonly Row[], day: WorldDay): Comparison {
  const propertyOf = propertiesOf(day);
  const byId = new Map(deals.map((d) => [String(d['id']), d]));
  const truth = new Map<string, Row>();
  const published: Row[] = [];
  for (const version of versions) {
    const property = propertyOf.get(listingKey(version));
    const deal = byId.get(String(version['deal_id']));
    if (property === undefined || deal === undefined || truth.has(property)) continue;
    const { rent2br } = day.property(property);
    const isLowest = deal['rent_basis'] === 'metro_lowest_of_several' && Number(deal['market_rent_2br']) <= rent2br;
    truth.set(property, { market_rent_2br: `${rent2br}.00` });
    published.push({ property, market_rent_2br: isLowest ? `${rent2br}.00` : (deal['market_rent_2br'] ?? null) });
  }
  return compare('HUD 2-bedroom rents of deals', published, (r) => String(r['property']), truth);
}
