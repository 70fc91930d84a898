/** Published listings and their history. */
import type { ListingOnDay } from '../../world/types.ts';
import type { Row, TrueRow } from '../compare.ts';
import { readAssumptions, type Facts, type RecordTable } from '../snapshot.ts';
import { latestVersions, siteHistories, type SiteHistory, type TrueVersion } from '../truth/listing_versions.ts';

export const listingKey = (source: unknown, id: unknown): string => `${String(source)} ${String(id)}`;
export const listingKeyOf = (row: Row): string => listingKey(row['source'], row['listing_id']);

export async function listingHistories({ read, truth }: Facts): Promise<SiteHistory[]> {
  const assumptions = await readAssumptions(read);
  return [...siteHistories(truth, Number(assumptions('relisting_days'))).values()];
}

const shownColumns = (listing: ListingOnDay): Row => ({
  street: listing.street,
  city: listing.city,
  state: listing.state,
  zip: listing.zip,
  list_price: listing.price,
  units: listing.units,
  ...Object.fromEntries([0, 1, 2, 3, 4].map((beds) => [`units_${beds}br`, listing.unitMix?.[beds] ?? null])),
  cap_rate: listing.capRate,
  noi: listing.noi,
  annual_taxes: listing.annualTaxes,
  year_built: listing.yearBuilt,
  listed_on: listing.postedOn,
  availability: listing.availability,
});

const trueVersion = (version: TrueVersion, isLatest: boolean): TrueRow => ({
  key: `${listingKey(version.listing.site, version.listing.listingId)} version ${version.version}`,
  columns: {
    ...shownColumns(version.listing),
    first_price: version.firstPrice,
    change: version.change,
    version_first_seen: version.firstSeen,
    version_last_seen: version.lastSeen,
    listing_first_seen: version.listingFirstSeen,
    gone_on: version.goneOn,
    relisted: version.relisted,
    is_latest: isLatest,
  },
});

export const LISTINGS: readonly RecordTable[] = [
  {
    record: 'listing history',
    table: 'listing_history',
    needsAllReads: true,
    keyOf: (row) => `${listingKeyOf(row)} version ${String(row['version'])}`,
    truth: async (facts) =>
      (await listingHistories(facts)).flatMap((history) =>
        [...history.values()].flatMap((versions) =>
          versions.map((version) => trueVersion(version, version === versions.at(-1))),
        ),
      ),
  },
  {
    record: 'listings',
    table: 'listing_history',
    where: 'is_latest AND gone_on IS NULL',
    keyOf: listingKeyOf,
    truth: async (facts) =>
      (await listingHistories(facts))
        .flatMap(latestVersions)
        .filter(({ goneOn }) => goneOn === null)
        .map(({ listing }) => ({
          key: listingKey(listing.site, listing.listingId),
          columns: shownColumns(listing),
        })),
  },
];
