/** Foreclosure and tax sales outside Ohio in the made-up world: what their sites show, and when. */
import { dayText, DEFAULT_DAY, dollars, FIRST_DAY, LAST_DAY } from './days.ts';
import { PLAINTIFFS } from './names.ts';
import { placesOfCounty } from './places.ts';
import type { PropertyBook } from './properties.ts';
import { Draw } from './random.ts';
import { saleSites, type SaleSite } from './sale_counties.ts';
import type { AuctionOnDay, Property, SaleStatus } from './types.ts';

/** An item of a sale day over time. Days are numbers, amounts cents. */
export interface SalePlan {
  readonly site: SaleSite;
  readonly property: Property;
  readonly aid: string;
  readonly caseNumber: string;
  readonly certificate: string | null;
  readonly saleDay: number;
  /** First day on the site. */
  readonly posted: number;
  readonly change: {
    readonly on: number;
    readonly status: SaleStatus;
    readonly words: string;
  } | null;
  readonly outcome: { readonly status: 'sold' | 'unsold'; readonly price: number };
  readonly judgment: number | null;
  readonly assessed: number;
  readonly maxBid: number | null;
  readonly openingBid: number | null;
  readonly plaintiff: string;
  /** From 0 to 1: the site enters the parcels of items with low values late, as the sale comes near. */
  readonly parcelIsLate: number;
  readonly addressIsLate: number;
}

/** Share of items without a parcel number, or without an address, by days until the sale. */
const lateShare = (days: number): number => (days > 35 ? 0.75 : days > 28 ? 0.4 : 0.11);

const isLate = (draw: number, days: number): boolean => draw < lateShare(days);

/** Whether the site is an auction platform, which enters parcels and addresses as the sale comes near. */
const isRealAuction = ({ words }: SaleSite): boolean => words.length > 1;

function printedParcel(plan: SalePlan, day: number): { parcel: string; showsParcel: boolean } {
  if (isRealAuction(plan.site) && isLate(plan.parcelIsLate, plan.saleDay - day))
    return { parcel: plan.parcelIsLate < 0.02 ? 'MULTIPLE PARCEL' : 'Property Appraiser', showsParcel: false };
  return { parcel: plan.site.parcel(plan.property), showsParcel: true };
}

function statusOn(plan: SalePlan, day: number): SaleStatus {
  if (plan.change !== null && plan.change.on <= day) return plan.change.status;
  return plan.saleDay < day ? plan.outcome.status : 'scheduled';
}

/** The items posted by a day, as of that day. */
export function salesElsewhereOn(plans: readonly SalePlan[], day: number): AuctionOnDay[] {
  const money = (amount: number | null): string | null => (amount === null ? null : dollars(amount));
  return plans
    .filter(({ posted }) => posted <= day)
    .map((plan) => {
      const { site, property } = plan;
      const status = statusOn(plan, day);
      const shown = printedParcel(plan, day);
      return {
        aid: plan.aid,
        countyFips: site.fips,
        county: site.county,
        propertyId: property.id,
        caseNumber: plan.caseNumber,
        internalId: '',
        auctionType: site.type,
        ...shown,
        // A list of notices has the address of each: all 126 recorded ones of Bexar County do.
        showsAddress: property.hasAddress && !(isRealAuction(site) && isLate(plan.addressIsLate, plan.saleDay - day)),
        saleDate: dayText(plan.saleDay),
        startsAt: site.startsAt,
        postedOn: dayText(plan.posted),
        kind: site.type === 'foreclosure_sale' ? 'mortgage_foreclosure' : 'tax_foreclosure',
        round: 1,
        status,
        slotWords: plan.change !== null && status === plan.change.status ? plan.change.words || null : null,
        caseStatus: status === 'sold' ? 'SOLD' : 'ACTIVE',
        appraised: null,
        openingBid: money(plan.openingBid),
        deposit: null,
        judgment: money(plan.judgment),
        // The site has the value of the parcel that it names.
        assessed: shown.showsParcel && isRealAuction(site) ? money(plan.assessed) : null,
        maxBid: money(plan.maxBid),
        certificate: plan.certificate,
        soldFor: status === 'sold' ? money(plan.outcome.price) : null,
        plaintiff: plan.plaintiff,
        defendant: property.owner.name,
      };
    });
}

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
  const year = 2026 - draw.weighted([[0, 3] as const, [1, 5] as const, [2, 2] as const]);
  const judgment = site.hasJudgment && !draw.chance(0.06) ? property.value * draw.int(40, 130) + draw.int(0, 99) : null;
  const debt = Math.round(property.value * (2 + draw.unit() * 10)) + draw.int(0, 99);
  const common = {
    site,
    property,
    caseNumber: site.caseNumber({ year, serial }),
    certificate: site.certificate?.({ year, serial }) ?? null,
    judgment,
    assessed: Math.round((property.value * draw.int(70, 105)) / 100) * 100,
    maxBid: judgment === null || draw.chance(0.7) ? null : draw.chance(0.6) ? judgment : Math.round(judgment * 0.8),
    openingBid: site.hasOpeningBid ? Math.max(80_000, debt) : null,
    plaintiff: site.type === 'foreclosure_sale' ? draw.pick(PLAINTIFFS) : `${site.county.toUpperCase()} COUNTY`,
    parcelIsLate: draw.unit(),
    addressIsLate: draw.unit(),
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
    const price = Math.max(common.openingBid ?? 0, Math.round(property.value * draw.int(35, 95)));
    items.push({
      ...common,
      aid: `${site.fips}${site.type === 'foreclosure_sale' ? 1 : 2}${serial}${items.length}`,
      saleDay,
      posted,
      change,
      outcome: { status: sold ? 'sold' : 'unsold', price },
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
