/**
 * Published deals: one per property, with its main listing, its history and the rent of its place. The models choose
 * the HUD area of a ZIP with several, and which county records match (compared by property in identity.ts).
 */
import { dayNumber } from '../../world/days.ts';
import type { Property, RollEntry, UnitMix } from '../../world/types.ts';
import { lowestRentOfZip } from '../../world/zip_rents.ts';
import type { Row, TrueRow } from '../compare.ts';
import { withDays, type Facts, type RecordTable } from '../snapshot.ts';
import { latestVersions, type TrueVersion } from '../truth/listing_versions.ts';
import type { Truth } from '../truth/truth.ts';
import { listingHistories, listingKey, listingKeyOf } from './listings.ts';

const statusOf = ({ goneOn, listing }: TrueVersion): string => {
  if (goneOn !== null) return 'delisted';
  return listing.availability === 'for_sale' ? 'active' : listing.availability;
};

const STATUSES = ['active', 'under_contract', 'sold', 'delisted'];

/** Sort key of the listings of one property: the documented order of main listings. */
function mainOrder(version: TrueVersion): (number | string)[] {
  const { listing } = version;
  const absent = [listing.units === null, listing.capRate === null && listing.noi === null, listing.yearBuilt === null];
  return [
    STATUSES.indexOf(statusOf(version)),
    listing.price === null ? 1 : 0,
    -dayNumber(version.lastSeen),
    absent.filter(Boolean).length,
    version.listingFirstSeen,
    listing.site,
    listing.listingId,
  ];
}

function compareOrders(a: TrueVersion, b: TrueVersion): number {
  const [left, right] = [mainOrder(a), mainOrder(b)];
  const at = left.findIndex((value, index) => value !== right[index]);
  return at < 0 ? 0 : (left[at] ?? 0) < (right[at] ?? 0) ? -1 : 1;
}

/**
 * HUD's rent of the property's ZIP, or of its county if no ZIP rents were read. A ZIP in several HUD areas does not
 * tell the county: then the lowest rent.
 */
function rentOf(deal: Row, { rent2br, zip }: Property, { sources }: Truth): string {
  const ofZip = sources.has('hud_safmr') ? lowestRentOfZip(zip) : null;
  if (ofZip !== null) return `${ofZip}.00`;
  const isLowest = deal['rent_basis'] === 'metro_lowest_of_several' && Number(deal['market_rent_2br']) <= rent2br;
  return isLowest ? String(deal['market_rent_2br']) : `${rent2br}.00`;
}

const mixByBedrooms = (mix: UnitMix | null): Row | null =>
  mix && { '0br': mix[0], '1br': mix[1], '2br': mix[2], '3br': mix[3], '4br': mix[4] };

/** A deal's true listings and the published deal, for the inputs that the models choose. */
function trueDeal(key: string, listings: readonly TrueVersion[], deal: Row, truth: Truth): TrueRow {
  const [main, ...others] = listings.toSorted(compareOrders);
  if (main === undefined) throw new Error('a property for sale has a listing');
  const { listing } = main;
  const property = truth.on(truth.asOf).property(listing.propertyId);
  const shown = listings.filter(({ goneOn }) => goneOn === null);
  const history: Row = {
    also_listed: others.map((other) => listingKey(other.listing.site, other.listing.listingId)).sort(),
    first_seen: shown.map((value) => value.listingFirstSeen).sort()[0] ?? main.listingFirstSeen,
    last_seen: listings
      .map((value) => value.lastSeen)
      .sort()
      .at(-1),
    delisted_on: main.goneOn,
    relisted: main.relisted,
    first_price: listing.price === null ? null : main.firstPrice,
  };
  return {
    key,
    columns: {
      source: listing.site,
      listing_id: listing.listingId,
      listing_status: statusOf(main),
      address: listing.street,
      city: listing.city,
      state: listing.state,
      zip: listing.zip,
      list_price: listing.price,
      units: listing.units,
      unit_mix_stated: mixByBedrooms(listing.unitMix),
      annual_taxes: listing.annualTaxes,
      year_built: listing.yearBuilt,
      market_rent_2br: rentOf(deal, property, truth),
      ...(truth.isComplete ? history : {}),
    },
  };
}

const parsed = (json: unknown): unknown => JSON.parse(String(json));

/** Columns in the form of the true ones. */
const prepareDeal = (deal: Row): Row => ({
  ...deal,
  unit_mix_stated: parsed(deal['unit_mix_stated']),
  also_listed: (parsed(deal['also_listed']) as readonly Row[]).map(listingKeyOf).sort(),
});

/**
 * The latest version of each listing. If the oldest snapshot is missing, the first day and first price are taken as
 * published.
 */
async function dealVersions(facts: Facts): Promise<TrueVersion[]> {
  const versions = (await listingHistories(facts)).flatMap(latestVersions);
  if (facts.truth.isComplete) return versions;
  const rows = new Map((await facts.read('listing_history', 'is_latest')).map((row) => [listingKeyOf(row), row]));
  return versions.map((version) => {
    const row = rows.get(listingKey(version.listing.site, version.listing.listingId));
    if (row === undefined) return version;
    const { listing_first_seen: firstSeen, first_price: firstPrice } = withDays(row);
    return {
      ...version,
      listingFirstSeen: String(firstSeen),
      firstPrice: firstPrice === null ? null : String(firstPrice),
    };
  });
}

const DEALS_TABLE: RecordTable = {
  record: 'deals',
  table: 'deals',
  prepare: prepareDeal,
  keyOf: listingKeyOf,
  async truth(facts, published) {
    const { truth } = facts;
    const byMain = new Map(published.map((deal) => [listingKeyOf(deal), deal]));
    const versions = await dealVersions(facts);
    const rows = [...Map.groupBy(versions, ({ listing }) => listing.propertyId).values()].map((listings): TrueRow => {
      const main = listings.toSorted(compareOrders)[0]?.listing;
      const key = listingKey(main?.site, main?.listingId);
      const deal = byMain.get(key);
      return deal ? trueDeal(key, listings, deal, truth) : { key, columns: {} };
    });
    if (truth.isComplete) return rows;
    // A listing that ended before the oldest snapshot is not known.
    const known = new Set(rows.map(({ key }) => key));
    const ended = published.filter((deal) => deal['listing_status'] === 'delisted' && !known.has(listingKeyOf(deal)));
    return [...rows, ...ended.map((deal) => ({ key: listingKeyOf(deal), columns: {} }))];
  },
};

/** Whether a lot or a home of the building has its address on the roll. */
const isShared = (truth: Truth, property: Property): boolean =>
  ['P', 'C'].some((head) => truth.world.properties.has(`${head}${property.id}`));

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

function rollColumns(property: Property, entry: RollEntry | undefined, deal: Row, truth: Truth): Row {
  if (deal['roll_status'] !== 'matched') {
    // A roll without the address, with a part of it, or with several parcels of it matches nothing.
    const mayMiss = entry === undefined || isShared(truth, property) || property.address.unit !== null;
    return mayMiss ? { roll_parcel_id: null } : { roll_status: 'matched' };
  }
  // The county's parcel layer has the parcel, but no last sale that the world knows.
  if (entry === undefined) return { building: property.building };
  return {
    building: property.building,
    last_sale_date: entry.lastSaleDate,
    last_sale_price: entry.lastSalePrice,
    assessed_market_value: `${entry.assessedValue}.00`,
  };
}

/** The last sale and the assessed value of deals, on the assessment rolls. */
const ROLLS: RecordTable = {
  record: 'rolls of deals',
  table: 'deals',
  where: "listing_status = 'active'",
  prepare(deal, { truth, propertyOf, forSale }) {
    const id = forSale.get(listingKeyOf(deal));
    if (id === undefined) return null;
    const { properties } = truth.world;
    const parcel = propertyOf(properties.get(id)?.countyFips, deal['roll_parcel_id']);
    return { ...deal, property: id, building: parcel === undefined ? null : properties.get(parcel)?.building };
  },
  keyOf: ({ property }) => String(property),
  truth({ truth }, published) {
    const rolls = rollsRead(truth);
    return published.map((deal) => {
      const property = truth.on(truth.asOf).property(String(deal['property']));
      return { key: property.id, columns: rollColumns(property, rolls.get(property.id), deal, truth) };
    });
  },
};

export const DEALS: readonly RecordTable[] = [DEALS_TABLE, ROLLS];
