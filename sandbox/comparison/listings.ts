/** Published listings and their history against the world. */
import type { ListingOnDay } from '../world/types.ts';
import { compare, type Comparison, type Row, type TrueRow } from './compare.ts';
import { latestVersions, type SiteHistory, type TrueVersion } from './truth/listing_versions.ts';
import { withDays, type ReadTable } from './snapshot.ts';
import type { Truth } from './truth/truth.ts';

export const listingKey = (source: unknown, id: unknown): string => `${String(source)} ${String(id)}`;

const versionKey = (row: Row): string =>
  `${listingKey(row['source'], row['listing_id'])} version ${String(row['version'])}`;

const addressFields = ({ street, city, state, zip }: ListingOnDay): Row => ({ street, city, state, zip });

const mixFields = ({ unitMix }: ListingOnDay): Row => ({
  units_0br: unitMix?.[0] ?? null,
  units_1br: unitMix?.[1] ?? null,
  units_2br: unitMix?.[2] ?? null,
  units_3br: unitMix?.[3] ?? null,
  units_4br: unitMix?.[4] ?? null,
});

const factFields = (listing: ListingOnDay): Row => ({
  units: listing.units,
  ...mixFields(listing),
  cap_rate: listing.capRate,
  noi: listing.noi,
  annual_taxes: listing.annualTaxes,
  year_built: listing.yearBuilt,
  listed_on: listing.postedOn,
  availability: listing.availability,
});

const trueVersion = (version: TrueVersion, isLatest: boolean): TrueRow => ({
  key: `${listingKey(version.listing.site, version.listing.listingId)} version ${version.version}`,
  fields: {
    address: addressFields(version.listing),
    facts: factFields(version.listing),
    price: { list_price: version.listing.price, first_price: version.firstPrice, change: version.change },
    days: {
      version_first_seen: version.firstSeen,
      version_last_seen: version.lastSeen,
      listing_first_seen: version.listingFirstSeen,
      gone_on: version.goneOn,
    },
    relisting: { relisted: version.relisted, is_latest: isLatest },
  },
});

const trueListing = ({ listing }: TrueVersion): TrueRow => ({
  key: listingKey(listing.site, listing.listingId),
  fields: { address: addressFields(listing), facts: factFields(listing), price: { list_price: listing.price } },
});

/** All versions; only the listings shown now if the days before the oldest snapshot are not known. */
export async function compareListings(
  read: ReadTable,
  { isComplete }: Truth,
  histories: ReadonlyMap<string, SiteHistory>,
): Promise<Comparison[]> {
  const published = (await read('listing_history')).map(withDays);
  const listings = [...histories.values()].flatMap((history) => [...history.values()]);
  if (isComplete)
    return compare({
      what: 'listing history',
      published,
      keyOf: versionKey,
      truth: listings.flatMap((versions) =>
        versions.map((version) => trueVersion(version, version === versions.at(-1))),
      ),
    });
  return compare({
    what: 'listings',
    published: published.filter((row) => row['is_latest'] === true && row['gone_on'] === null),
    keyOf: (row) => listingKey(row['source'], row['listing_id']),
    truth: [...histories.values()]
      .flatMap(latestVersions)
      .filter(({ goneOn }) => goneOn === null)
      .map(trueListing),
  });
}
