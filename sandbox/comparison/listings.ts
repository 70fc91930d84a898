/** Published listings with their history, and deals with the listings, roll and rent of their property. */
import { dayNumber } from '../world/days.ts';
import type { Day, ListingOnDay, Money, Property } from '../world/types.ts';
import { lowestRentOfZip } from '../world/rents.ts';
import {
  columnsOf,
  inOrder,
  type RecordTable,
  type Row,
  type SourceReads,
  type TrueRow,
  type Truth,
} from './compare.ts';

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

export const listingKey = ({ site, listingId }: ListingOnDay): string => `${site} ${listingId}`;
export const listingKeyOf = (row: Row): string => `${String(row['source'])} ${String(row['listing_id'])}`;

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

/** The listings of a site, each with its versions in order. */
function versionsOn(truth: Truth, { source: site, days }: SourceReads): Version[][] {
  const relistingDays = truth.assumption('relisting_days');
  const history = new Map<string, Version[]>();
  for (const day of days) {
    const shown = truth.on(day).listings.filter((listing) => listing.site === site);
    const ids = new Set(shown.map(({ listingId }) => listingId));
    const latest = [...history.values()].flatMap((versions) => versions.slice(-1));
    for (const version of latest) if (!ids.has(version.listing.listingId)) version.goneOn ??= day;
    const isRecent = ({ goneOn }: Version): boolean =>
      goneOn === null || dayNumber(day) - dayNumber(goneOn) <= relistingDays;
    const ended = latest.filter((version) => version.goneOn !== null && isRecent(version)).toSorted(lastEnded);
    const next = new Map<string, Version>();
    for (const listing of shown) {
      const before = history.get(listing.listingId)?.at(-1);
      const isThere = before !== undefined && before.goneOn === null;
      if (isThere && JSON.stringify(before.listing) === JSON.stringify(listing)) {
        before.lastSeen = day;
        continue;
      }
      const other = ended.find((one) => one.listing.propertyId === listing.propertyId);
      const continued = before === undefined ? other : isRecent(before) ? before : undefined;
      const isBack = before === undefined ? continued !== undefined : !isThere;
      next.set(listing.listingId, {
        listing,
        version: (before?.version ?? 0) + 1,
        change: isBack ? 'relisted' : before ? changeOf(listing, before.listing) : 'added',
        firstSeen: day,
        lastSeen: day,
        listingFirstSeen: continued?.listingFirstSeen ?? day,
        firstPrice: continued?.firstPrice ?? listing.price,
        relisted: isThere ? before.relisted : continued !== undefined,
        goneOn: null,
      });
    }
    for (const [id, version] of next) history.set(id, [...(history.get(id) ?? []), version]);
  }
  return [...history.values()];
}

/** What a listing and the deal of its property both have. */
const STATED = 'city state zip list_price=price units annual_taxes year_built';

const isSite = ({ family }: SourceReads): boolean => family === 'listings';

const LISTINGS: RecordTable = {
  record: 'listings',
  table: 'listing_history',
  keyOf: (row) => `${listingKeyOf(row)} version ${String(row['version'])}`,
  isOf: isSite,
  truth: (truth, sites) =>
    sites
      .flatMap((site) => versionsOn(truth, site))
      .flatMap((versions) =>
        versions.map((version) => ({
          key: `${listingKey(version.listing)} version ${version.version}`,
          columns: {
            ...columnsOf(version.listing, `${STATED} street cap_rate noi listed_on=postedOn availability`),
            ...columnsOf(
              version,
              'first_price change version_first_seen=firstSeen version_last_seen=lastSeen listing_first_seen gone_on ' +
                'relisted',
            ),
            ...Object.fromEntries(
              [0, 1, 2, 3, 4].map((beds) => [`units_${beds}br`, version.listing.unitMix?.[beds] ?? null]),
            ),
            is_latest: version === versions.at(-1),
          },
        })),
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
  return [
    STATUSES.indexOf(statusOf(version)),
    price === null ? 1 : 0,
    -dayNumber(version.lastSeen),
    [units === null, capRate === null && noi === null, yearBuilt === null].filter(Boolean).length,
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
  isOf: isSite,
  truth(truth, sites, published) {
    const byKey = new Map(published.map((deal) => [listingKeyOf(deal), deal]));
    const latest = sites.flatMap((site) => versionsOn(truth, site)).flatMap((versions) => versions.slice(-1));
    return [...Map.groupBy(latest, ({ listing }) => listing.propertyId).values()].flatMap((versions): TrueRow[] => {
      const all = versions.toSorted(mainFirst);
      const [main, ...others] = all;
      if (main === undefined) return [];
      const { listing } = main;
      const shown = all.filter(({ goneOn }) => goneOn === null);
      const property = truth.on(truth.asOf).property(listing.propertyId);
      const columns = {
        ...columnsOf(listing, `${STATED} address=street`),
        ...columnsOf(main, 'delisted_on=goneOn relisted'),
        listing_status: statusOf(main),
        unit_mix_stated:
          listing.unitMix && Object.fromEntries(listing.unitMix.map((units, beds) => [`${beds}br`, units])),
        market_rent_2br: rentOf(byKey.get(listingKey(listing)), property, truth),
        also_listed: others.map((other) => listingKey(other.listing)).sort(),
        first_seen: shown.map(({ listingFirstSeen }) => listingFirstSeen).sort()[0] ?? main.listingFirstSeen,
        last_seen: all
          .map(({ lastSeen }) => lastSeen)
          .sort()
          .at(-1),
        first_price: listing.price === null ? null : main.firstPrice,
      };
      return [{ key: listingKey(listing), columns }];
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

/** The last sale and the assessed value of deals, on the assessment rolls. */
const ROLLS: RecordTable = {
  record: 'rolls of deals',
  table: 'deals',
  where: "listing_status = 'active'",
  rowOf(deal, { on, asOf, world: { properties }, propertyOf }) {
    const id = on(asOf).listings.find((listing) => listingKey(listing) === listingKeyOf(deal))?.propertyId ?? '';
    const property = properties.get(id);
    if (property === undefined) return null;
    const parcel = propertyOf(property.countyFips, deal['roll_parcel_id']);
    return { ...deal, property: id, building: properties.get(parcel ?? '')?.building ?? null };
  },
  keyOf: ({ property }) => String(property),
  isOf: ({ kinds }) => kinds.includes('parcel_roll'),
  truth(truth, rolls, published) {
    const entries = rolls.flatMap(({ countyFips, lastGood }) => truth.on(lastGood).roll(countyFips));
    const byProperty = new Map(entries.map((entry) => [entry.propertyId, entry]));
    return published.map((deal) => {
      const property = truth.on(truth.asOf).property(String(deal['property']));
      const entry = byProperty.get(property.id);
      // The county's parcel layer may have a parcel without a last sale that the world knows.
      const onRoll = {
        building: property.building,
        ...(entry && columnsOf(entry, 'last_sale_date last_sale_price')),
        ...(entry && { assessed_market_value: `${entry.assessedValue}.00` }),
      };
      const isMissing = entry === undefined || mayMiss(truth, property);
      const notOnRoll = isMissing ? { roll_parcel_id: null } : { roll_status: 'matched' };
      return { key: property.id, columns: deal['roll_status'] === 'matched' ? onRoll : notOnRoll };
    });
  },
};

export const OF_LISTINGS: readonly RecordTable[] = [LISTINGS, DEALS, ROLLS];
