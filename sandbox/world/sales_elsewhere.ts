/** Foreclosure and tax sales outside Ohio in the made-up world: what their sites show, and when. */
import { DAY_MS } from '../../lib/time.ts';
import type { AuctionType } from '../../sources/kinds.ts';
import { money, type SalePlan } from './auctions.ts';
import { dayText, DEFAULT_DAY, dollars, FIRST_DAY, LAST_DAY, weekday } from './days.ts';
import { Draw, pad } from './random.ts';
import { PLAINTIFFS } from './names.ts';
import { DUVAL, HILLSBOROUGH, onForeclosureSite, PASCO, PINELLAS } from './parcels.ts';
import { placesOfCounty } from './places.ts';
import type { PropertyBook } from './properties.ts';
import type { Property, SaleStatus } from './types.ts';

interface Numbered {
  readonly year: number;
  /** Unique per county and type. */
  readonly serial: number;
}

/** One kind of sale of one county. */
interface SaleSite {
  readonly fips: string;
  readonly county: string;
  readonly type: Exclude<AuctionType, 'sheriff_sale'>;
  /** Items of the default day or later, in percent of the option `auctions`. */
  readonly size: number;
  readonly startsAt: string;
  readonly isSaleDay: (day: number) => boolean;
  /** Number of the case; the county's number of the whole sale where items have none. */
  readonly caseNumber: (of: Numbered) => string;
  readonly certificate: ((of: Numbered) => string) | null;
  readonly parcel: (property: Property) => string;
  /** Words that replace the time of an item. */
  readonly words: readonly (readonly [{ readonly status: SaleStatus; readonly words: string }, number])[];
  /** Whether it has the debt, the value on the roll and the plaintiff's bid; the opening bid. */
  readonly hasJudgment: boolean;
  readonly hasOpeningBid: boolean;
}

const on =
  (...days: readonly number[]) =>
  (day: number): boolean =>
    days.includes(weekday(day));
/** The first of a weekday in a month: Texas sells on Tuesdays (Property Code 51.002, Tax Code 34.01). */
const firstOfMonth =
  (of: number) =>
  (day: number): boolean =>
    weekday(day) === of && new Date(day * DAY_MS).getUTCDate() <= 7;
const printed = ({ parcel }: Property): string => parcel ?? '';

const FORECLOSURE = {
  type: 'foreclosure_sale',
  certificate: null,
  parcel: onForeclosureSite,
  hasJudgment: true,
  hasOpeningBid: false,
  words: [
    [{ status: 'cancelled', words: 'Canceled per Order' }, 5],
    [{ status: 'cancelled', words: 'Canceled per Bankruptcy' }, 3],
    [{ status: 'cancelled', words: 'Canceled per County' }, 2],
    [{ status: 'postponed', words: 'Rescheduled' }, 3],
  ],
} as const;

const TAX_DEED = {
  type: 'tax_deed_sale',
  parcel: printed,
  hasJudgment: false,
  hasOpeningBid: true,
  words: [
    [{ status: 'cancelled', words: 'Redeemed' }, 7],
    [{ status: 'cancelled', words: 'Canceled per County' }, 2],
    [{ status: 'cancelled', words: 'Canceled per Bankruptcy' }, 1],
  ],
} as const;

/** Lists without results: an item that is called off leaves the list. */
const OTHER = {
  parcel: printed,
  certificate: null,
  hasJudgment: false,
  words: [[{ status: 'withdrawn', words: '' }, 1]],
} as const;

const DUVAL_SITE = { fips: DUVAL, county: 'Duval', startsAt: '11:00 AM ET' };
const HILLSBOROUGH_SITE = { fips: HILLSBOROUGH, county: 'Hillsborough', startsAt: '10:00 AM ET' };
const PINELLAS_SITE = { fips: PINELLAS, county: 'Pinellas', startsAt: '10:00 AM ET' };
const PASCO_SITE = { fips: PASCO, county: 'Pasco', startsAt: '11:00 AM ET' };
const BEXAR_SITE = { ...OTHER, fips: '48029', county: 'Bexar', startsAt: '10:00 AM CT' };
const SHELBY_SITE = { ...OTHER, fips: '47157', county: 'Shelby', startsAt: '10:00 AM CT', hasOpeningBid: false };

type Place = Pick<SaleSite, 'fips' | 'county' | 'startsAt'>;

/** Sales of every workday. */
const foreclosures = (place: Place, size: number, caseNumber: SaleSite['caseNumber']): SaleSite => ({
  ...place,
  ...FORECLOSURE,
  size,
  isSaleDay: on(1, 2, 3, 4, 5),
  caseNumber,
});

type Certificate = NonNullable<SaleSite['certificate']>;
const taxDeeds = (
  place: Place,
  [size, day]: readonly [number, number],
  caseNumber: SaleSite['caseNumber'],
  certificate: Certificate,
): SaleSite => ({ ...place, ...TAX_DEED, size, isSaleDay: on(day), caseNumber, certificate });

const saleSites: readonly SaleSite[] = [
  foreclosures(DUVAL_SITE, 36, ({ year, serial }) => {
    return `16-${year}-CA-${pad(serial, 6)}-${serial % 5 === 0 ? 'AXXX' : 'XXXX'}-MA`;
  }),
  taxDeeds(
    DUVAL_SITE,
    [24, 3],
    ({ year, serial }) => `${year}-${pad(serial % 10_000, 4)}TD`,
    ({ year, serial }) => `${pad(serial % 100_000, 5)}-${year - 3}`,
  ),
  foreclosures(HILLSBOROUGH_SITE, 36, ({ year, serial }) => {
    return `29${year}${serial % 4 === 0 ? 'CC' : 'CA'}${pad(serial, 6)}A001HC`;
  }),
  taxDeeds(
    HILLSBOROUGH_SITE,
    [24, 4],
    ({ year, serial }) => `${year}-${serial}`,
    ({ year, serial }) => `${year - 3} / ${serial}`,
  ),
  foreclosures(PINELLAS_SITE, 28, ({ year, serial }) => {
    return `52${year}${serial % 4 === 0 ? `CC${pad(serial, 6)}XXCOCO` : `CA${pad(serial, 6)}XXCICI`}`;
  }),
  taxDeeds(
    PINELLAS_SITE,
    [22, 3],
    ({ year, serial }) => `${year}-${pad(serial, 5)}`,
    ({ year, serial }) => `${year}-${pad(serial, 5)}`,
  ),
  foreclosures(PASCO_SITE, 24, ({ year, serial }) => {
    return `51-${year}-CA-${pad(serial, 6)}-CAAX-${serial % 2 === 0 ? 'ES' : 'WS'}`;
  }),
  taxDeeds(
    PASCO_SITE,
    [20, 4],
    ({ year, serial }) => `51${year}XX${pad(serial, 6)}TDAXXX`,
    ({ year, serial }) => `${String(year - 3).slice(2)}${pad(serial, 5)}`,
  ),
  {
    ...BEXAR_SITE,
    type: 'foreclosure_sale',
    size: 40,
    isSaleDay: firstOfMonth(2),
    caseNumber: ({ year, serial }) => `${year}${pad((serial % 12) + 1, 2)}${pad(serial, 5)}`,
    hasOpeningBid: false,
  },
  {
    ...BEXAR_SITE,
    type: 'tax_sale',
    size: 32,
    isSaleDay: firstOfMonth(2),
    caseNumber: ({ year, serial }) => `${year}TA1${pad(serial, 5)}`,
    hasOpeningBid: true,
  },
  {
    ...SHELBY_SITE,
    type: 'tax_sale',
    size: 36,
    isSaleDay: firstOfMonth(4),
    caseNumber: ({ year }) => `${String(year).slice(2)}01`,
  },
];

/** Share of items without a parcel number, or without an address, by days until the sale. */
const lateShare = (days: number): number => (days > 35 ? 0.75 : days > 28 ? 0.4 : 0.11);

/** Whether the site is an auction platform, which enters parcels and addresses as the sale comes near. */
const isRealAuction = ({ words }: SaleSite): boolean => words.length > 1;

const HOLIDAYS = new Set(['2026-11-26', '2026-11-27', '2026-12-25', '2027-01-01']);

function saleDayFrom(site: SaleSite, day: number): number {
  let at = day;
  while (!site.isSaleDay(at) || HOLIDAYS.has(dayText(at))) at += 1;
  return at;
}

interface Item {
  readonly serial: number;
  readonly property: Property;
  /** The sale is on the site's next sale day on or after this one. */
  readonly day: number;
  /** Posted by this day at the latest, and on this day at the earliest. */
  readonly postedBy: number | null;
  readonly postedFrom: number | null;
}

/** An item, and the one of the day to which it is postponed. */
function planItem(seed: number, site: SaleSite, item: Item): SalePlan[] {
  const { serial, property } = item;
  const draw = new Draw(seed, 'sale', site.fips, site.type, serial);
  const year = 2026 - draw.among([0, 1, 2], [3, 5, 2]);
  const judgment = site.hasJudgment && !draw.chance(0.06) ? property.value * draw.int(40, 130) + draw.int(0, 99) : null;
  const debt = Math.round(property.value * (2 + draw.unit() * 10)) + draw.int(0, 99);
  const assessed = dollars(Math.round((property.value * draw.int(70, 105)) / 100) * 100);
  const maxBid =
    judgment === null || draw.chance(0.7) ? null : draw.chance(0.6) ? judgment : Math.round(judgment * 0.8);
  const openingBid = site.hasOpeningBid ? Math.max(80_000, debt) : null;
  const isForeclosure = site.type === 'foreclosure_sale';
  const fixed = {
    countyFips: site.fips,
    county: site.county,
    caseNumber: site.caseNumber({ year, serial }),
    internalId: '',
    auctionType: site.type,
    startsAt: site.startsAt,
    kind: isForeclosure ? 'mortgage_foreclosure' : 'tax_foreclosure',
    round: 1,
    appraised: null,
    openingBid: money(openingBid),
    deposit: null,
    judgment: money(judgment),
    maxBid: money(maxBid),
    certificate: site.certificate?.({ year, serial }) ?? null,
    plaintiff: isForeclosure ? draw.pick(PLAINTIFFS) : `${site.county.toUpperCase()} COUNTY`,
  } as const;
  const [parcelIsLate, addressIsLate] = [draw.unit(), draw.unit()];
  /** The site has the value of the parcel that it names. A list of notices has the address of each. */
  const enteredOf = (saleDay: number) => (day: number) => {
    const late = isRealAuction(site) ? lateShare(saleDay - day) : 0;
    const showsParcel = parcelIsLate >= late;
    const words = parcelIsLate < 0.02 ? 'MULTIPLE PARCEL' : 'Property Appraiser';
    return {
      parcel: showsParcel ? site.parcel(property) : words,
      showsParcel,
      showsAddress: property.hasAddress && addressIsLate >= late,
      assessed: showsParcel && isRealAuction(site) ? assessed : null,
    };
  };
  const items: SalePlan[] = [];
  const add = (day: number, postedOn: number | null): void => {
    const saleDay = saleDayFrom(site, day);
    const usual = saleDay - draw.int(24, 62);
    const posted = postedOn ?? Math.max(item.postedFrom ?? usual, Math.min(item.postedBy ?? usual, usual));
    const isChanged = items.length < 2 && draw.chance(0.22);
    const change = isChanged
      ? { ...draw.weighted(site.words), on: Math.max(posted + 1, saleDay - draw.int(0, 16)) }
      : null;
    const sold = draw.chance(0.6);
    const price = Math.max(openingBid ?? 0, Math.round(property.value * draw.int(35, 95)));
    items.push({
      property,
      saleDay,
      posted,
      change,
      outcome: { status: sold ? 'sold' : 'unsold', price, words: null },
      fixed: { ...fixed, aid: `${site.fips}${isForeclosure ? 1 : 2}${serial}${items.length}` },
      entered: enteredOf(saleDay),
    });
    if (change?.status === 'postponed') add(saleDay + draw.int(21, 40), change.on);
  };
  add(item.day, null);
  return items;
}

/** Share of the items that are of properties for sale, and that are of properties that owe taxes. */
const LISTED_SHARE = 1 / 3;
const MAX_LISTED = 0.5;

/** All items. On the default day each site shows about its size for that day or later; half as many are past. */
export function planSalesElsewhere(
  seed: number,
  size: number,
  forSale: readonly Property[],
  book: PropertyBook,
): SalePlan[] {
  return saleSites.flatMap((site) => {
    const wanted = Math.round((size * site.size) / 100);
    const past = Math.round(wanted / 2);
    const later = Math.round((wanted * (LAST_DAY - DEFAULT_DAY)) / 42);
    const draws = new Draw(seed, 'sales of', site.fips, site.type);
    const listed = forSale
      .filter(({ countyFips }) => countyFips === site.fips)
      .filter(({ id }) => new Draw(seed, 'auctioned', site.type, id).chance(MAX_LISTED));
    const places = placesOfCounty(site.fips);
    const total = wanted + past + later;
    return Array.from({ length: total }, (_, at): SalePlan[] => {
      const id = `S${site.fips}-${site.type === 'foreclosure_sale' ? 1 : 2}-${at}`;
      const draw = new Draw(seed, 'auctioned', id);
      const fromList = draw.chance(LISTED_SHARE) ? listed.shift() : undefined;
      const property = fromList ?? book.make(id, { place: draw.weighted(places), multifamily: draw.chance(0.15) });
      const when =
        at < wanted
          ? { day: DEFAULT_DAY + draws.int(0, 55), postedBy: DEFAULT_DAY, postedFrom: null }
          : at < wanted + past
            ? { day: Math.max(FIRST_DAY - 10, DEFAULT_DAY - 1 - draws.int(0, 48)), postedBy: null, postedFrom: null }
            : { day: draws.int(DEFAULT_DAY + 33, LAST_DAY + 20), postedBy: null, postedFrom: DEFAULT_DAY + 1 };
      return planItem(seed, site, { serial: 101 + at * 3, property, ...when });
    }).flat();
  });
}
