/** Worlds for measuring identity, and the deals of their listings by the staging model alone. */
import { makeWorld, worldOn } from '../../sandbox/world/world.ts';
import { listingPairs, type PairCounts } from '../../sandbox/comparison/identity.ts';
import type { World } from '../../sandbox/world/types.ts';
import { build, type InputRow } from '../models/build_models.ts';

/** The larger worlds of the first five hold addresses that are hard to read. */
export const SEEDS = [12, 13, 14, 15, 99, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 201, 202, 203, 204, 205];
export const DAY = '2026-11-20';
/** Kinds of sources that show where a property is. */
export const FAMILIES = ['listings', 'tax', 'parcels', 'sheriff'];

/** A world of this seed with 3,000 properties for sale. */
export const largeWorld = (seed: number, others: { readonly parcels: number; readonly auctions: number }): World =>
  makeWorld({ seed, listings: 3000, filings: 5, ...others });

/** Pairs of listings that the models join, compared with the world. They are staged as their sites show them. */
export async function pairListings(world: World): Promise<PairCounts> {
  const day = worldOn(world, DAY);
  const built = await build(
    {
      staged_listing: day.listings.map((l): InputRow => ({
        source: l.site,
        listing_id: l.listingId,
        listing_url: l.path,
        street: l.street,
        city: l.city,
        state: l.state,
        zip: l.zip,
        units: l.units,
      })),
    },
    ({ name }) => ['stg_listing_addresses', 'stg_listings'].includes(name),
  );
  try {
    return listingPairs(await built.rows('stg_listings'), day);
  } finally {
    built.close();
  }
}
