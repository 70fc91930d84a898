/** Ohio's sheriff sales of the made-up world: cases, sale days, rounds and outcomes. */
import { dayText, DEFAULT_DAY, dollars, LAST_DAY, weekday } from './days.ts';
import { type DebtPlan, netOwedOn } from './debts.ts';
import { Draw, pad } from './random.ts';
import { PLAINTIFFS } from './names.ts';
import { undashed } from './parcels.ts';
import { placesOfCounty } from './places.ts';
import type { PropertyBook } from './properties.ts';
import type { AuctionOnDay, Property, SaleKind, SaleStatus } from './types.ts';

const short = (year: number): string => String(year).slice(2);
const month = (serial: number): string => pad(1 + (serial % 12), 2);
const LUCAS = { tax_foreclosure: 'TF', mortgage_foreclosure: 'CI' } as const;

/** @param days weekdays of mortgage and of tax sales, 0 Sunday @param hasTaxList the world has the county's tax list */
const countyOf = (
  name: string,
  fips: string,
  weight: number,
  [mortgage, tax]: readonly [number, number],
  hour: string,
  hasTaxList: boolean,
  caseNumber: (year: number, serial: number, kind: SaleKind) => string,
) => ({
  name,
  fips,
  weight,
  weekdays: { mortgage_foreclosure: mortgage, tax_foreclosure: tax },
  startsAt: `${hour} AM ET`,
  hasTaxList,
  caseNumber,
});
type CountySales = ReturnType<typeof countyOf>;

const ROWS: readonly Parameters<typeof countyOf>[] = [
  ['Cuyahoga', '39035', 36, [1, 3], '09:00', true, (year, serial) => `CV${short(year)}${pad(serial, 6)}`],
  ['Franklin', '39049', 18, [5, 5], '09:00', false, (year, serial) => `${short(year)}CV${pad(serial, 6)}`],
  ['Hamilton', '39061', 14, [4, 4], '10:00', true, (year, serial) => `A${short(year)}${pad(serial, 5)}`],
  ['Montgomery', '39113', 11, [5, 5], '10:00', true, (year, serial) => `${year} CV ${pad(serial, 5)}`],
  ['Summit', '39153', 8, [5, 2], '10:00', false, (year, serial) => `CV-${year}-${month(serial)}-${pad(serial, 4)}`],
  ['Lucas', '39095', 6, [3, 3], '10:00', false, (year, serial, kind) => `${LUCAS[kind]}${year}${pad(serial, 5)}`],
  ['Stark', '39151', 4, [1, 1], '10:00', true, (year, serial) => `${year}CV${pad(serial, 5)}`],
  ['Butler', '39017', 3, [4, 4], '09:30', false, (year, serial) => `CV ${year} ${month(serial)} ${pad(serial, 4)}`],
];

/** The counties that sell through RealAuction in the sandbox. */
export const counties: readonly CountySales[] = ROWS.map((row) => countyOf(...row));

/** Counties whose calendar shows no sale. */
export const quietCounties: readonly Pick<CountySales, 'name' | 'fips'>[] = (
  'Mahoning 39099, Lorain 39093, Allen 39003, Portage 39133, Lawrence 39087, Jackson 39079, Clark 39023, ' +
  'Clermont 39025, Greene 39057, Miami 39109, Warren 39165, Lake 39085'
)
  .split(', ')
  .map((county) => ({ name: county.slice(0, -6), fips: county.slice(-5) }));

type Late = 'parcel' | 'showsParcel' | 'showsAddress' | 'assessed';
type Dated = 'propertyId' | 'saleDate' | 'postedOn' | 'status' | 'slotWords' | 'caseStatus' | 'soldFor' | 'defendant';

/** An item of a sale day over time, in Ohio and elsewhere. Days are numbers. */
export interface SalePlan {
  readonly property: Property;
  readonly saleDay: number;
  /** First day on the site. */
  readonly posted: number;
  /** Cancellation before the sale day. A sheriff writes it into the time slot, seldom into the case status. */
  readonly change: {
    readonly on: number;
    readonly status: SaleStatus;
    readonly words: string;
    readonly inCaseStatus?: boolean;
  } | null;
  /** Outcome of the sale day, shown from the next day on; the price in cents. */
  readonly outcome: { readonly status: 'sold' | 'unsold'; readonly price: number; readonly words: string | null };
  readonly fixed: Omit<AuctionOnDay, Late | Dated>;
  /** What the site may enter as the sale comes near. */
  readonly entered: (day: number) => Pick<AuctionOnDay, Late>;
}

/** Cents as a decimal string, if there are any. */
export const money = (amount: number | null): string | null => (amount === null ? null : dollars(amount));

/** The items posted by a day, as of that day. */
export const auctionsOn = (plans: readonly SalePlan[], day: number): AuctionOnDay[] =>
  plans
    .filter(({ posted }) => posted <= day)
    .map(({ property, saleDay, posted, change, outcome, fixed, entered }) => {
      const changed = change !== null && change.on <= day ? change : null;
      const status = changed?.status ?? (saleDay < day ? outcome.status : 'scheduled');
      return {
        ...fixed,
        ...entered(day),
        propertyId: property.id,
        saleDate: dayText(saleDay),
        postedOn: dayText(posted),
        status,
        slotWords: (changed ? changed.words : status === 'scheduled' ? null : outcome.words) || null,
        caseStatus: status === 'sold' ? 'SOLD' : changed?.inCaseStatus ? status.toUpperCase() : 'ACTIVE',
        soldFor: status === 'sold' ? dollars(outcome.price) : null,
        defendant: property.owner.name,
      };
    });

interface CaseOptions {
  readonly id: string;
  readonly county: CountySales;
  readonly kind: SaleKind;
  readonly property: Property;
  readonly debt: DebtPlan | null;
  /** The first sale is on the county's next sale day on or after this one. */
  readonly day: number;
  /** Posted by this day at the latest. */
  readonly postedBy: number | null;
  /** Posted on this day at the earliest. */
  readonly postedFrom: number | null;
}

/** Days on which courts are closed. */
const HOLIDAYS = new Set(['2026-11-26', '2026-12-25', '2027-01-01']);

function saleDayFrom(county: CountySales, kind: SaleKind, day: number): number {
  let on = day + ((county.weekdays[kind] - weekday(day) + 7) % 7);
  while (HOLIDAYS.has(dayText(on))) on += 7;
  return on;
}

/** Deposit by appraised value (ORC 2329.211); without one, the middle step. */
const depositFor = (appraised: number | null): number =>
  appraised === null ? 500_000 : appraised <= 1_000_000 ? 200_000 : appraised <= 20_000_000 ? 500_000 : 1_000_000;

/** Appraisals are rounded to $5,000, small ones to $500. */
function appraise(draw: Draw, value: number): number {
  const raw = (value * draw.int(80, 115)) / 100;
  const step = raw > 40_000 ? 5_000 : 500;
  return Math.max(step, Math.round(raw / step) * step) * 100;
}

/** Two thirds of the appraisal in whole dollars, rounded up (ORC 2329.20). */
const twoThirds = (appraised: number): number => Math.ceil((appraised * 2) / 300) * 100;

/** Appraisal, first opening bid and least bid, in cents. */
function amounts(draw: Draw, options: CaseOptions) {
  const appraised = appraise(draw, options.property.value);
  if (options.kind === 'tax_foreclosure') {
    // The debt with costs. Such a sale is seldom appraised.
    const owed =
      options.debt === null
        ? Math.round(options.property.value * draw.int(3, 25))
        : netOwedOn(options.debt, options.day);
    const minimum = owed + draw.int(45_000, 180_000);
    return { appraised: draw.chance(0.1) ? appraised : null, first: minimum, minimum };
  }
  const minimum = draw.int(150_000, 450_000);
  if (draw.chance(0.12)) return { appraised, first: null, minimum };
  return {
    appraised,
    first: draw.chance(0.02) ? Math.round((appraised * 0.4) / 100) * 100 : twoThirds(appraised),
    minimum,
  };
}

const WORDS: readonly (readonly [{ readonly status: SaleStatus; readonly words: string }, number])[] = [
  [{ status: 'cancelled', words: 'Cancelled' }, 5],
  [{ status: 'cancelled', words: 'CANCELLED BANKRUPTCY CH 13' }, 3],
  [{ status: 'cancelled', words: 'CANCELLED PER PLAINTIFF' }, 3],
  [{ status: 'withdrawn', words: 'Withdrawn' }, 4],
  [{ status: 'postponed', words: 'POSTPONED BY ATTORNEY' }, 4],
];

/** All items of a case. */
function draft(draw: Draw, options: CaseOptions): SalePlan[] {
  const { county, kind, property } = options;
  const filed = 2026 - draw.among([0, 1, 2, 3], [2, 5, 3, 1]);
  // Unique per case.
  const serial = 1000 + Number(options.id) * 7;
  const { appraised, first, minimum } = amounts(draw, options);
  const items: SalePlan[] = [];
  const number = county.caseNumber(filed, serial, kind);
  const plaintiff =
    kind === 'tax_foreclosure' ? `${county.name.toUpperCase()} COUNTY TREASURER` : draw.pick(PLAINTIFFS);
  const entered = { parcel: undashed(property.parcel ?? ''), showsParcel: true, showsAddress: true, assessed: null };
  const add = (round: 1 | 2, day: number, postedOn: number | null): void => {
    const saleDay = saleDayFrom(county, kind, day);
    const usual = saleDay - draw.int(21, 40);
    const posted = postedOn ?? Math.max(options.postedFrom ?? usual, Math.min(options.postedBy ?? usual, usual));
    const change =
      items.length < 3 && draw.chance(0.19)
        ? {
            ...draw.weighted(WORDS),
            on: Math.max(posted + 1, saleDay - draw.int(0, 16)),
            inCaseStatus: draw.chance(0.08),
          }
        : null;
    // A second mortgage sale has no minimum; some sheriffs publish the costs to be covered.
    const openingBid = round === 1 || kind === 'tax_foreclosure' ? first : draw.chance(0.2) ? minimum : null;
    const sold = draw.chance(round === 2 ? 0.8 : kind === 'tax_foreclosure' ? 0.5 : 0.6);
    const worth = appraised ?? property.value * 100;
    const price = Math.max(
      openingBid ?? 0,
      Math.round((worth * draw.int(round === 2 ? 30 : 67, round === 2 ? 75 : 105)) / 10_000) * 100,
    );
    const at = items.length;
    items.push({
      property,
      saleDay,
      posted,
      change,
      outcome: { status: sold ? 'sold' : 'unsold', price, words: sold ? null : 'NO BID NO SALE' },
      fixed: {
        aid: String(1_200_000 + Number(options.id) * 5 + at),
        countyFips: county.fips,
        county: county.name,
        caseNumber: number,
        internalId: String(40_000 + Number(options.id) * 5 + at),
        auctionType: 'sheriff_sale',
        startsAt: county.startsAt,
        kind,
        round,
        appraised: money(appraised),
        openingBid: money(openingBid),
        deposit: dollars(depositFor(appraised)),
        judgment: null,
        maxBid: null,
        certificate: null,
        plaintiff,
      },
      entered: () => entered,
    });
    if (change !== null) {
      if (change.status === 'postponed') add(round, saleDay + draw.int(21, 40), change.on);
    } else if (!sold && round === 1) {
      add(2, saleDay + draw.int(14, 26), saleDay + draw.int(1, 3));
    }
  };
  add(1, options.day, null);
  return items;
}

/** Properties for cases, by county. Each is used once. */
function groupStock(properties: readonly Property[]): (countyFips: string) => Property | undefined {
  const byCounty = Map.groupBy(properties, ({ countyFips }) => countyFips);
  const used = new Map<string, number>();
  return (countyFips) => {
    const next = used.get(countyFips) ?? 0;
    used.set(countyFips, next + 1);
    return byCounty.get(countyFips)?.[next];
  };
}

/** Properties of the world that may come to auction. */
interface AuctionStock {
  readonly forSale: readonly Property[];
  readonly debts: readonly DebtPlan[];
}

/** Makes cases, each of a property of the stock or of a new one. */
class CasePlanner {
  readonly plans: SalePlan[] = [];
  /** Number of items posted on the default day, of that day or later. */
  upcoming = 0;
  readonly #seed: number;
  readonly #book: PropertyBook;
  readonly #debts: ReadonlyMap<string, DebtPlan>;
  readonly #takeListed: (countyFips: string) => Property | undefined;
  readonly #takeOwing: (countyFips: string) => Property | undefined;
  #made = 0;

  constructor(seed: number, { forSale, debts }: AuctionStock, book: PropertyBook) {
    this.#seed = seed;
    this.#book = book;
    const owing = new Map(debts.filter(({ to }) => to === null).map((debt) => [debt.property.id, debt]));
    this.#debts = owing;
    const withCounty = new Set(counties.map(({ fips }) => fips));
    this.#takeListed = groupStock(
      forSale.filter(
        ({ id, countyFips }) =>
          withCounty.has(countyFips) && new Draw(seed, 'sued', id).chance(owing.has(id) ? 0.35 : 0.13),
      ),
    );
    // A property for sale must not be used twice, and a vacant lot has no mortgage.
    this.#takeOwing = groupStock(
      [...owing.values()]
        .filter(({ from, property }) => from < DEFAULT_DAY - 60 && property.id.startsWith('T') && property.units > 0)
        .map(({ property }) => property),
    );
  }

  /** Add a case with a first sale around `day`, and its consequences. */
  add(day: number, { by, from }: { readonly by?: number; readonly from?: number } = {}): void {
    const id = String(this.#made);
    this.#made += 1;
    const draw = new Draw(this.#seed, 'case', id);
    const county = draw.weighted(counties.map((each) => [each, each.weight] as const));
    const wanted: SaleKind = draw.chance(0.22) ? 'tax_foreclosure' : 'mortgage_foreclosure';
    const property = this.#chooseProperty(draw, county, wanted, id);
    const debt = this.#debts.get(property.id) ?? null;
    // In a county with a tax list, a tax foreclosure is always of a parcel on it.
    const kind = wanted === 'tax_foreclosure' && county.hasTaxList && debt === null ? 'mortgage_foreclosure' : wanted;
    const posted = { postedBy: by ?? null, postedFrom: from ?? null };
    const items = draft(draw, { id, county, kind, property, debt, day, ...posted });
    this.plans.push(...items);
    this.upcoming += items.filter((item) => item.saleDay >= DEFAULT_DAY && item.posted <= DEFAULT_DAY).length;
    const sold = items.find(({ outcome, change }) => change === null && outcome.status === 'sold');
    // The sale pays the taxes some weeks later, and the parcel leaves the list.
    if (sold && debt) debt.to = Math.max(DEFAULT_DAY + 1, sold.saleDay + 14 + (Number(id) % 17));
  }

  #chooseProperty(draw: Draw, { fips, hasTaxList }: CountySales, kind: SaleKind, id: string): Property {
    if (kind === 'mortgage_foreclosure' && draw.chance(0.3)) {
      const property = this.#takeListed(fips);
      if (property) return property;
    }
    if (hasTaxList && (kind === 'tax_foreclosure' || draw.chance(0.2))) {
      const property = this.#takeOwing(fips);
      if (property) return property;
    }
    return this.#book.make(`A${id}`, { place: draw.weighted(placesOfCounty(fips)), multifamily: draw.chance(0.2) });
  }
}

/**
 * All items of the world. On the default day about `count` of them are posted for that day or later; about half as many
 * are past.
 */
export function planAuctions(seed: number, count: number, stock: AuctionStock, book: PropertyBook): SalePlan[] {
  const planner = new CasePlanner(seed, stock, book);
  const past = Math.round(count * 0.6);
  for (let i = 0; i < past; i += 1) planner.add(DEFAULT_DAY - 1 - new Draw(seed, 'past', i).int(0, 48));
  for (let i = 0; planner.upcoming < count; i += 1)
    planner.add(DEFAULT_DAY + new Draw(seed, 'soon', i).int(0, 42), { by: DEFAULT_DAY });
  const weeks = { from: DEFAULT_DAY + 33, to: LAST_DAY + 28 };
  const later = Math.round((count * (weeks.to - weeks.from)) / 42);
  for (let i = 0; i < later; i += 1)
    planner.add(new Draw(seed, 'later', i).int(weeks.from, weeks.to), { from: DEFAULT_DAY + 1 });
  return planner.plans;
}
