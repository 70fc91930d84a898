/** The last sale and assessed value of published deals against the assessment rolls of the world. */
import type { RollEntry } from '../world/distress_types.ts';
import type { Property } from '../world/types.ts';
import { compare, type Comparison, type Row, type TrueRow } from './compare.ts';
import { listingKey } from './listings.ts';
import type { ReadTable } from './snapshot.ts';
import { propertiesByParcel } from './truth/printed_places.ts';
import type { Truth } from './truth/truth.ts';

/** Entries of the rolls that were read, by property. */
function rollsRead(truth: Truth): Map<string, RollEntry> {
  const sources = [...truth.sources.values()].filter(({ kinds }) => kinds.includes('parcel_roll'));
  return new Map(
    sources.flatMap(({ countyFips, lastGood }) =>
      truth
        .on(lastGood)
        .roll(countyFips ?? '')
        .map((entry) => [entry.propertyId, entry] as const),
    ),
  );
}

/** Whether a lot or a home of the building has its address on the roll. */
const isShared = (truth: Truth, property: Property): boolean =>
  ['P', 'C'].some((head) => truth.world.properties.has(`${head}${property.id}`));

export async function compareRolls(read: ReadTable, truth: Truth): Promise<Comparison[]> {
  const rolls = rollsRead(truth);
  const propertyOf = propertiesByParcel(truth.world);
  const properties = new Map(
    truth
      .on(truth.asOf)
      .listings.map((listing) => [listingKey(listing.site, listing.listingId), listing.propertyId] as const),
  );
  const deals = (await read('deals', "listing_status = 'active'")).filter((deal) => 'roll_status' in deal);
  const keyOf = (deal: Row): string => properties.get(listingKey(deal['source'], deal['listing_id'])) ?? 'unknown';
  const known = deals.filter((deal) => keyOf(deal) !== 'unknown');
  const truthOfDeals = known.map((deal): TrueRow => {
    const property = truth.on(truth.asOf).property(keyOf(deal));
    const entry = rolls.get(property.id);
    if (deal['roll_status'] !== 'matched') {
      // A roll without the address, with a part of it, or with several parcels of it matches nothing.
      const mayMiss = entry === undefined || isShared(truth, property) || property.address.unit !== null;
      return { key: property.id, fields: { status: mayMiss ? { roll_parcel_id: null } : { roll_status: 'matched' } } };
    }
    // The county's parcel layer has the parcel, but no last sale that the world knows.
    if (entry === undefined) return { key: property.id, fields: { parcel: { parcel: property.building } } };
    return {
      key: property.id,
      fields: {
        roll: {
          parcel: property.building,
          last_sale_date: entry.lastSaleDate,
          last_sale_price: entry.lastSalePrice,
          assessed_market_value: `${entry.assessedValue}.00`,
        },
      },
    };
  });
  return compare({
    what: 'rolls of deals',
    published: known.map((deal): Row => {
      const owner = propertyOf(truth.world.properties.get(keyOf(deal))?.countyFips, deal['roll_parcel_id']);
      return { ...deal, parcel: owner === undefined ? null : truth.world.properties.get(owner)?.building };
    }),
    keyOf,
    truth: truthOfDeals,
  });
}
