/** One foreclosure case of the made-up world: its first sale, a second one without bids, and interruptions. */
import { dayText, weekday } from './days.ts';
import { netOwedOn, type DebtPlan } from './debts.ts';
import { pad } from './digits.ts';
import { PLAINTIFFS } from './names.ts';
import type { Draw } from './random.ts';
import type { Property, SaleKind, SaleStatus } from './types.ts';

export interface CountySales {
  readonly name: string;
  readonly fips: string;
  readonly weight: number;
  /** Weekdays of mortgage and of tax sales, 0 Sunday. */
  readonly weekdays: Readonly<Record<SaleKind, number>>;
  readonly startsAt: string;
  /** The world has the county's tax list. */
  readonly hasTaxList: boolean;
  /** Case number in the clerk's format. */
  readonly caseNumber: (year: number, serial: number, kind: SaleKind) => string;
}

const short = (year: number): string => String(year).slice(2);
const days = (mortgage: number, tax = mortgage): Readonly<Record<SaleKind, number>> => ({
  mortgage_foreclosure: mortgage,
  tax_foreclosure: tax,
});

/** The counties that sell through RealAuction in the sandbox. */
export const counties: readonly CountySales[] = [
  {
    name: 'Cuyahoga',
    fips: '39035',
    weight: 36,
    weekdays: days(1, 3),
    startsAt: '09:00 AM ET',
    hasTaxList: true,
    caseNumber: (year, serial) => `CV${short(year)}${pad(serial, 6)}`,
  },
  {
    name: 'Franklin',
    fips: '39049',
    weight: 18,
    weekdays: days(5),
    startsAt: '09:00 AM ET',
    hasTaxList: false,
    caseNumber: (year, serial) => `${short(year)}CV${pad(serial, 6)}`,
  },
  {
    name: 'Hamilton',
    fips: '39061',
    weight: 14,
    weekdays: days(4),
    startsAt: '10:00 AM ET',
    hasTaxList: true,
    caseNumber: (year, serial) => `A${short(year)}${pad(serial, 5)}`,
  },
  {
    name: 'Montgomery',
    fips: '39113',
    weight: 11,
    weekdays: days(5),
    startsAt: '10:00 AM ET',
    hasTaxList: true,
    caseNumber: (year, serial) => `${year} CV ${pad(serial, 5)}`,
  },
  {
    name: 'Summit',
    fips: '39153',
    weight: 8,
    weekdays: days(5, 2),
    startsAt: '10:00 AM ET',
    hasTaxList: false,
    caseNumber: (year, serial) => `CV-${year}-${pad(1 + (serial % 12), 2)}-${pad(serial, 4)}`,
  },
  {
    name: 'Lucas',
    fips: '39095',
    weight: 6,
    weekdays: days(3),
    startsAt: '10:00 AM ET',
    hasTaxList: false,
    caseNumber: (year, serial, kind) => `${kind === 'tax_foreclosure' ? 'TF' : 'CI'}${year}${pad(serial, 5)}`,
  },
  {
    name: 'Stark',
    fips: '39151',
    weight: 4,
    weekdays: days(1),
    startsAt: '10:00 AM ET',
    hasTaxList: true,
    caseNumber: (year, serial) => `${year}CV${pad(serial, 5)}`,
  },
  {
    name: 'Butler',
    fips: '39017',
    weight: 3,
    weekdays: days(4),
    startsAt: '09:30 AM ET',
    hasTaxList: false,
    caseNumber: (year, serial) => `CV ${year} ${pad(1 + (serial % 12), 2)} ${pad(serial, 4)}`,
  },
];

/** Counties whose calendar shows no sale. */
export const quietCounties: readonly Pick<CountySales, 'name' | 'fips'>[] = [
  { name: 'Mahoning', fips: '39099' },
  { name: 'Lorain', fips: '39093' },
  { name: 'Allen', fips: '39003' },
  { name: 'Portage', fips: '39133' },
  { name: 'Lawrence', fips: '39087' },
  { name: 'Jackson', fips: '39079' },
  { name: 'Clark', fips: '39023' },
  { name: 'Clermont', fips: '39025' },
  { name: 'Greene', fips: '39057' },
  { name: 'Miami', fips: '39109' },
  { name: 'Warren', fips: '39165' },
  { name: 'Lake', fips: '39085' },
];

/** An item of a sale day over time. Days are numbers, amounts cents. */
export interface AuctionPlan {
  readonly case: Case;
  readonly aid: string;
  readonly internalId: string;
  readonly round: 1 | 2;
  readonly saleDay: number;
  /** First day on the site. */
  readonly posted: number;
  /** Cancellation before the sale day. The sheriff writes it into the time slot, seldom into the case status. */
  readonly change: {
    readonly on: number;
    readonly status: SaleStatus;
    readonly words: string;
    readonly inCaseStatus: boolean;
  } | null;
  /** Outcome of the sale day, shown from the next day on. */
  readonly outcome: { readonly status: 'sold' | 'unsold'; readonly price: number | null };
  readonly appraised: number | null;
  readonly openingBid: number | null;
  readonly deposit: number;
}

export interface Case {
  readonly number: string;
  readonly county: CountySales;
  readonly kind: SaleKind;
  readonly property: Property;
  readonly plaintiff: string;
  readonly items: readonly AuctionPlan[];
}

export interface CaseOptions {
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

function amounts(
  draw: Draw,
  options: CaseOptions,
): {
  appraised: number | null;
  first: number | null;
  minimum: number;
} {
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

/** A case and all its items. */
export function draft(draw: Draw, options: CaseOptions): Case {
  const { county, kind, property } = options;
  const filed =
    2026 -
    draw.weighted<number>([
      [0, 2],
      [1, 5],
      [2, 3],
      [3, 1],
    ]);
  // Unique per case.
  const serial = 1000 + Number(options.id) * 7;
  const { appraised, first, minimum } = amounts(draw, options);
  const items: AuctionPlan[] = [];
  const one: Case = {
    number: county.caseNumber(filed, serial, kind),
    county,
    kind,
    property,
    plaintiff: kind === 'tax_foreclosure' ? `${county.name.toUpperCase()} COUNTY TREASURER` : draw.pick(PLAINTIFFS),
    items,
  };
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
      case: one,
      aid: String(1_200_000 + Number(options.id) * 5 + at),
      internalId: String(40_000 + Number(options.id) * 5 + at),
      round,
      saleDay,
      posted,
      change,
      outcome: sold ? { status: 'sold', price } : { status: 'unsold', price: null },
      appraised,
      openingBid,
      deposit: depositFor(appraised),
    });
    if (change !== null) {
      if (change.status === 'postponed') add(round, saleDay + draw.int(21, 40), change.on);
    } else if (!sold && round === 1) {
      add(2, saleDay + draw.int(14, 26), saleDay + draw.int(1, 3));
    }
  };
  add(1, options.day, null);
  return one;
}
