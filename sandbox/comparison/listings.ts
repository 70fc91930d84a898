/** Published listings with their history, and deals with the listings, roll and rent of their property. */
import { dayNumber } from '../world/days.ts';
import type { Day, ListingOnDay, Money, Property } from '../world/types.ts';
import type { RollEntry } from '../world/rolls.ts';
import { lowestRentOfZip } from '../world/zip_rents.ts';
import type { Row, TrueRow } from './compare.ts';
import { inOrder, type Facts, type RecordTable, type Truth } from './truth.ts';

/** A listing as long as its site showed the same values. */
interface Version {
  readonly listing: ListingOnDay;
  readonly version: number;
  readonly change: string;
  readonly firstSeen: Day;
  lastSeen: Day;
  /** First sighting and first price, of the ended listing too that this one continues. */
  readonly listingFirstSeen: Day;
  readonly firstPrice: Money | null;
  readonly relisted: boolean;
  goneOn: Day | null;
}

export const listingKey = (source: unknown, id: unknown): string => `${String(source)} ${String(id)}`;
export const listingKeyOf = (row: Row): string => listingKey(row['source'], row['listing_id']);

function changeOf(now: ListingOnDay, before: ListingOnDay): string {
  if (now.price !== before.price) {
    if (now.price === null) return 'price_hidden';
    if (before.price === null) return 'price_published';
    return Number(now.price) < Number(before.price) ? 'price_cut' : 'price_rise';
  }
  return now.availability === before.availability ? 'details' : 'availability';
}

const lastEnded = inOrder(({ goneOn, lastSeen, listing }: Version) => [
  -dayNumber(goneOn ?? ''),
  -dayNumber(lastSeen),
  listing.listingId,
]);

/** The listings of a site, each with its versions in order. @param days on which it was read */
function versionsOn(truth: Truth, site: string, days: readonly Day[], relistingDays: number): Version[][] {
  const history = new Map<string, Version[]>();
  for (const day of days) {
    const shown = truth.on(day).listings.filter((listing) => listing.site === site);
    const ids = new Set(shown.map(({ listingId }) => listingId));
    const latest = [...history.values()].flatMap((versions) => versions.slice(-1));
    for (const version of latest) if (!ids.has(version.listing.listingId)) version.goneOn ??= day;
    const isRecent = ({ goneOn }: Version): boolean =>
      goneOn === null || dayNumber(day) - dayNumber(goneOn) <= relistingDays;
    const ended = Map.groupBy(
      latest.filter((version) => version.goneOn !== null && isRecent(version)),
      ({ listing }) => listing.propertyId,
    );
    const nextOf = (listing: ListingOnDay): Version | null => {
      const before = history.get(listing.listingId)?.at(-1);
      const isThere = before !== undefined && before.goneOn === null;
      if (isThere && JSON.stringify(before.listing) === JSON.stringify(listing)) {
        before.lastSeen = day;
        return null;
      }
      const other = ended.get(listing.propertyId)?.toSorted(lastEnded)[0];
      const continued = before === undefined ? other : isRecent(before) ? before : undefined;
      const isBack = before === undefined ? continued !== undefined : !isThere;
      return {
        listing,
        version: (before?.version ?? 0) + 1,
        change: isBack ? 'relisted' : before ? changeOf(listing, before.listing) : 'added',
        firstSeen: day,
        lastSeen: day,
        listingFirstSeen: continued?.listingFirstSeen ?? day,
        firstPrice: continued?.firstPrice ?? listing.price,
        relisted: isThere ? before.relisted : continued !== undefined,
        goneOn: null,
      };
    };
    for (const version of shown.map(nextOf).filter((one) => one !== null))
      history.set(version.listing.listingId, [...(history.get(version.listing.listingId) ?? []), version]);
  }
  return [...history.values()];
}

const histories = (facts: Facts): Version[][] =>
  facts.sources
    .filter(({ family }) => family === 'listings')
    .flatMap(({ source, days }) => versionsOn(facts, source, days, facts.assumption('relisting_days')));

/** What a listing and the deal of its property both have. */
const statedOf = ({ city, state, zip, price, units, annualTaxes, yearBuilt }: ListingOnDay): Row => ({
  city,
  state,
  zip,
  list_price: price,
  units,
  annual_taxes: annualTaxes,
  year_built: yearBuilt,
});

const trueVersion = ({ listing, ...version }: Version, isLatest: boolean): TrueRow => ({
  key: `${listingKey(listing.site, listing.listingId)} version ${version.version}`,
  columns: {
    ...statedOf(listing),
    street: listing.street,
    ...Object.fromEntries([0, 1, 2, 3, 4].map((beds) => [`units_${beds}br`, listing.unitMix?.[beds] ?? null])),
    cap_rate: listing.capRate,
    noi: listing.noi,
    listed_on: listing.postedOn,
    availability: listing.availability,
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

const LISTINGS: RecordTable = {
  record: 'listings',
  table: 'listing_history',
  keyOf: (row) => `${listingKeyOf(row)} version ${String(row['version'])}`,
  truth: (facts) =>
    histories(facts).flatMap((versions) =>
      versions.map((version) => trueVersion(version, version === versions.at(-1))),
    ),
};

const statusOf = ({ goneOn, listing }: Version): string => {
  if (goneOn !== null) return 'delisted';
  return listing.availability === 'for_sale' ? 'active' : listing.availability;
};

const STATUSES = ['active', 'under_contract', 'sold', 'delisted'];

/** The documented order of main listings. */
const mainFirst = inOrder((version: Version) => {
  const { units, capRate, noi, yearBuilt, price, site, listingId } = version.listing;
  const absent = [units === null, capRate === null && noi === null, yearBuilt === null].filter(Boolean).length;
  return [
    STATUSES.indexOf(statusOf(version)),
    price === null ? 1 : 0,
    -dayNumber(version.lastSeen),
    absent,
    version.listingFirstSeen,
    site,
    listingId,
  ];
});

/**
 * HUD's rent of the property's ZIP, or of its county if no ZIP rents were read. A ZIP in several HUD areas does not
 * tell the county: then the lowest rent, and the models choose the area.
 */
function rentOf(deal: Row | undefined, { rent2br, zip }: Property, { sources }: Truth): string {
  const ofZip = sources.some(({ source }) => source === 'hud_safmr') ? lowestRentOfZip(zip) : null;
  if (ofZip !== null) return `${ofZip}.00`;
  const isLowest = deal?.['rent_basis'] === 'metro_lowest_of_several' && Number(deal['market_rent_2br']) <= rent2br;
  return isLowest ? String(deal['market_rent_2br']) : `${rent2br}.00`;
}

/** The deal of a property's listings, the main one first. */
function trueDeal([main, ...others]: readonly [Version, ...Version[]], deal: Row | undefined, truth: Truth): TrueRow {
  const { listing } = main;
  const mix = listing.unitMix;
  const all = [main, ...others];
  const shown = all.filter(({ goneOn }) => goneOn === null);
  return {
    key: listingKey(listing.site, listing.listingId),
    columns: {
      ...statedOf(listing),
      listing_status: statusOf(main),
      address: listing.street,
      unit_mix_stated: mix && { '0br': mix[0], '1br': mix[1], '2br': mix[2], '3br': mix[3], '4br': mix[4] },
      market_rent_2br: rentOf(deal, truth.on(truth.asOf).property(listing.propertyId), truth),
      also_listed: others.map((other) => listingKey(other.listing.site, other.listing.listingId)).sort(),
      first_seen: shown.map(({ listingFirstSeen }) => listingFirstSeen).sort()[0] ?? main.listingFirstSeen,
      last_seen: all.map(({ lastSeen }) => lastSeen).reduce((a, b) => (a > b ? a : b)),
      delisted_on: main.goneOn,
      relisted: main.relisted,
      first_price: listing.price === null ? null : main.firstPrice,
    },
  };
}

const parsed = (json: unknown): unknown => JSON.parse(String(json));

const DEALS: RecordTable = {
  record: 'deals',
  table: 'deals',
  rowOf: (deal) => ({
    ...deal,
    unit_mix_stated: parsed(deal['unit_mix_stated']),
    also_listed: (parsed(deal['also_listed']) as readonly Row[]).map(listingKeyOf).sort(),
  }),
  keyOf: listingKeyOf,
  truth(facts, published) {
    const byKey = new Map(published.map((deal) => [listingKeyOf(deal), deal]));
    const latest = histories(facts).flatMap((versions) => versions.slice(-1));
    return [...Map.groupBy(latest, ({ listing }) => listing.propertyId).values()].flatMap((versions) => {
      const [main, ...others] = versions.toSorted(mainFirst);
      const { site, listingId } = main?.listing ?? {};
      return main ? [trueDeal([main, ...others], byKey.get(listingKey(site, listingId)), facts)] : [];
    });
  },
};

/** Whether a roll may lack the address: it is shared, has a unit, or the roll's page leaves it out with a vacancy. */
const mayMiss = (truth: Truth, { id, address, countyFips, hasAddress }: Property): boolean =>
  !hasAddress ||
  address.unit !== null ||
  ['P', 'C'].some((head) => truth.world.properties.has(`${head}${id}`)) ||
  truth.sources
    .filter(({ kinds, countyFips: county }) => county === countyFips && kinds.includes('parcel_roll'))
    .some(({ lastGood }) => truth.lacksAddress(lastGood, countyFips, id));

function rollColumns(property: Property, entry: RollEntry | undefined, deal: Row, truth: Truth): Row {
  if (deal['roll_status'] !== 'matched')
    return entry === undefined || mayMiss(truth, property) ? { roll_parcel_id: null } : { roll_status: 'matched' };
  // The county's parcel layer may have a parcel without a last sale that the world knows.
  const sale = entry && {
    last_sale_date: entry.lastSaleDate,
    last_sale_price: entry.lastSalePrice,
    assessed_market_value: `${entry.assessedValue}.00`,
  };
  return { building: property.building, ...sale };
}

/** The last sale and the assessed value of deals, on the assessment rolls. */
const ROLLS: RecordTable = {
  record: 'rolls of deals',
  table: 'deals',
  where: "listing_status = 'active'",
  rowOf(deal, { forSale, world: { properties }, propertyOf }) {
    const property = forSale.get(listingKeyOf(deal));
    if (property === undefined) return null;
    const parcel = propertyOf(properties.get(property)?.countyFips, deal['roll_parcel_id']);
    return { ...deal, property, building: properties.get(parcel ?? '')?.building ?? null };
  },
  keyOf: ({ property }) => String(property),
  truth(facts, published) {
    const rolls = facts.sources.filter(({ kinds }) => kinds.includes('parcel_roll'));
    const entries = rolls.flatMap(({ countyFips, lastGood }) => facts.on(lastGood).roll(countyFips));
    const byProperty = new Map(entries.map((entry) => [entry.propertyId, entry]));
    return published.map((deal) => {
      const property = facts.on(facts.asOf).property(String(deal['property']));
      return { key: property.id, columns: rollColumns(property, byProperty.get(property.id), deal, facts) };
    });
  },
};

export const OF_LISTINGS: readonly RecordTable[] = [LISTINGS, DEALS, ROLLS];
