/** Published coverage of metros against the world: which kinds have a source, and their rows and listings. */
import { COVERED_KINDS } from '../../sources/kinds.ts';
import { listingMetros, places } from '../world/places.ts';
import { outsidePlaces } from '../world/outside_places.ts';
import { compare, type Comparison, type Row, type TrueRow } from './compare.ts';
import { listingKey } from './listings.ts';
import type { ReadTable } from './snapshot.ts';
import type { TrueRecord } from './truth/records.ts';
import type { Truth } from './truth/truth.ts';

const metroOfCounty = new Map([...places, ...outsidePlaces].map(({ countyFips, metro }) => [countyFips, metro]));

/** Kinds of which a family of sources has rows, whether or not all of a county. */
const ROWS_OF_FAMILY: Readonly<Record<string, readonly string[]>> = {
  tax: ['tax_delinquent'],
  parcels: ['parcel_roll'],
};

/** Kinds with a source in a county of the metro. */
function kindsRead(truth: Truth): Set<string> {
  return new Set(
    [...truth.sources.values()].flatMap(({ countyFips, kinds, family }) => {
      const metro = metroOfCounty.get(countyFips ?? '');
      return metro === undefined ? [] : [...kinds, ...(ROWS_OF_FAMILY[family] ?? [])].map((kind) => `${metro} ${kind}`);
    }),
  );
}

export async function compareCoverage(
  read: ReadTable,
  truth: Truth,
  records: ReadonlyMap<unknown, TrueRecord>,
): Promise<Comparison[]> {
  const metroOf = (id: unknown): string =>
    truth.world.properties.get(records.get(id)?.propertyId ?? '')?.metro ?? 'no metro';
  const inForce = [
    ...(await read('signals', "signal_state = 'listed'")).map(
      (row) => `${metroOf(row['id'])} ${String(row['signal_type'])}`,
    ),
    ...(await read('auctions', `sale_status = 'scheduled' AND sale_date >= DATE '${truth.asOf}'`)).map(
      (row) => `${metroOf(row['id'])} ${String(row['auction_type'])}`,
    ),
  ];
  const rows = Map.groupBy(inForce, (key) => key);
  const kinds = kindsRead(truth);
  const known = new Map(
    truth
      .on(truth.asOf)
      .listings.map((listing) => [
        listingKey(listing.site, listing.listingId),
        truth.on(truth.asOf).property(listing.propertyId),
      ]),
  );
  const deals = (await read('deals', "listing_status = 'active'")).map(
    (deal) => known.get(listingKey(deal['source'], deal['listing_id']))?.metro,
  );
  const truthOfMetros = listingMetros.flatMap(([metro]) =>
    COVERED_KINDS.map((kind): TrueRow => {
      const key = `${metro} ${kind}`;
      return {
        key,
        fields: {
          source: { is_read: kinds.has(key) },
          ...(kind === 'parcel_roll' ? {} : { rows: { listed_rows: rows.get(key)?.length ?? 0 } }),
          // A listing that ended since the last read of its site is not known as one.
          ...(deals.includes(undefined) ? {} : { listings: { listings: deals.filter((of) => of === metro).length } }),
        },
      };
    }),
  );
  const metros = new Set(listingMetros.map(([metro]) => metro));
  const published = (await read('coverage'))
    .filter((row) => metros.has(String(row['metro'])))
    .map((row): Row => ({ ...row, is_read: row['status'] !== 'not_covered' }));
  return compare({
    what: 'coverage',
    published,
    keyOf: (row) => `${String(row['metro'])} ${String(row['kind'])}`,
    truth: truthOfMetros,
  });
}
