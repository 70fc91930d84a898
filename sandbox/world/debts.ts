/**
 * Tax debts of the made-up world: those of Ohio with their growth and payment, and outside Ohio unpaid tax by year, as
 * Milwaukee, St. Louis and Allegheny County publish it.
 */
import { dayText, DEFAULT_DAY, dollars, FIRST_DAY, LAST_DAY, monthStart, weekday } from './days.ts';
import { undashed } from './parcels.ts';
import { placesOfCounty, taxCounties } from './places.ts';
import type { PropertyBook } from './properties.ts';
import { Draw } from './random.ts';
import type { DelinquentParcel, Property } from './types.ts';

const MONTGOMERY = '39113';
const HAMILTON = '39061';

/** Day of the month on which Hamilton replaces its list. */
const HAMILTON_DAY = 19;

/**
 * Day of the list that a county shows on a day: Montgomery's is of Thursday, Hamilton's monthly, the others' of the
 * same day.
 */
export function listDay(countyFips: string, day: number): number {
  if (countyFips === MONTGOMERY) return day - ((weekday(day) + 3) % 7);
  if (countyFips !== HAMILTON) return day;
  const made = monthStart(day) + HAMILTON_DAY - 1;
  return made <= day ? made : monthStart(day, -1) + HAMILTON_DAY - 1;
}

const isListed = (plan: DebtPlan, day: number): boolean => {
  const on = listDay(plan.property.countyFips, day);
  return plan.from <= on && (plan.to === null || on < plan.to);
};

function classOf(units: number): string {
  if (units === 0) return 'VACANT LAND';
  if (units === 1) return '1-FAMILY DWELLING';
  if (units <= 3) return `${units}-FAMILY DWELLING`;
  return units < 20 ? 'APARTMENTS 4-19 UNITS' : 'APARTMENTS 20-39 UNITS';
}

/** Hamilton's map lags behind for a few parcels, and gets most of them around the default day. */
function mappedFrom(seed: number, property: Property): number {
  const draw = new Draw(seed, 'mapped', property.id);
  return property.countyFips === HAMILTON && draw.chance(0.07)
    ? draw.int(DEFAULT_DAY - 2, DEFAULT_DAY + 6)
    : FIRST_DAY - 100;
}

/** A parcel's debt over time: days as numbers, amounts in cents. A sheriff's sale pays it, and changes `to`. */
export type DebtPlan = ReturnType<typeof planDebt>;

/** @param from first day on the list @param to first day no longer on it */
function planDebt(seed: number, property: Property, from: number, to: number | null) {
  const draw = new Draw(seed, 'debt', property.id);
  const years = draw.among([1, 2, 3, 4, 6, 9, 0], [34, 24, 16, 10, 8, 5, 3]);
  // About two percent of the value per year, with charges.
  const base = Math.max(
    4_107,
    Math.round((property.value * 100 * (0.019 * Math.max(0.5, years)) * draw.int(70, 140)) / 100) + draw.int(0, 99),
  );
  return {
    property,
    from,
    to,
    /** Amount on the first day of the world. */
    base,
    /** Paid part of the debt, for a county that shows gross and paid amounts. */
    paid: property.countyFips === HAMILTON && draw.chance(0.15) ? Math.round((base * draw.int(5, 60)) / 100) : 0,
    /** A partial payment. */
    payment: draw.chance(0.05)
      ? { on: draw.int(FIRST_DAY, LAST_DAY), amount: Math.round((base * draw.int(10, 60)) / 100) }
      : null,
    certifiedYear: 2025 - years,
    propertyClass: classOf(property.units),
    foreclosureFiled: years >= 3 && draw.chance(0.25),
    paymentPlan: draw.chance(0.08),
    /** First day on which the county's map has the debt. */
    mappedFrom: mappedFrom(seed, property),
  };
}

/** Simple interest of 1 % of the initial debt per month, added on the first of a month. */
function owedOn(plan: DebtPlan, day: number): number {
  let months = 0;
  while (monthStart(FIRST_DAY, months + 1) <= day) months += 1;
  const grown = plan.base + Math.floor(plan.base / 100) * months;
  return grown - (plan.payment !== null && plan.payment.on <= day ? plan.payment.amount : 0);
}

/** Net amount of a debt on a day, in cents. */
export const netOwedOn = (plan: DebtPlan, day: number): number => owedOn(plan, day) - plan.paid;

/** The parcels on the county lists of a day. */
export function delinquentOn(plans: readonly DebtPlan[], day: number): DelinquentParcel[] {
  return plans
    .filter((plan) => isListed(plan, day))
    .map((plan) => {
      const { property } = plan;
      const on = listDay(property.countyFips, day);
      const { parcel, countyFips } = property;
      if (parcel === null) throw new Error(`${property.id} is on a tax list and has no parcel number`);
      return {
        propertyId: property.id,
        countyFips,
        parcel: countyFips === MONTGOMERY ? parcel : undashed(parcel),
        amount: dollars(netOwedOn(plan, on)),
        paid: dollars(plan.paid),
        certifiedYear: plan.certifiedYear,
        propertyClass: plan.propertyClass,
        foreclosureFiled: plan.foreclosureFiled,
        paymentPlan: plan.paymentPlan,
        isMapped: plan.mappedFrom <= day,
        levies: [],
      };
    });
}

/** Share of parcels that are paid, and that are new, per day. */
const TURNOVER = 0.0012;

/** All debts of the world. On the default day the lists show `count` parcels, some of which are for sale. */
export function planDebts(seed: number, count: number, forSale: readonly Property[], book: PropertyBook): DebtPlan[] {
  const plans: DebtPlan[] = [];
  let listed = 0;
  let made = 0;
  /** Add a debt. @returns 1 if it is on the lists of the default day, else 0 */
  const add = (property: Property, from: number, to: number | null): number => {
    const plan = planDebt(seed, property, from, to);
    plans.push(plan);
    return isListed(plan, DEFAULT_DAY) ? 1 : 0;
  };
  const make = (): Property => {
    const id = `T${made}`;
    made += 1;
    const draw = new Draw(seed, 'parcel', id);
    return book.make(id, { place: draw.weighted(placesOfCounty(draw.weighted(taxCounties))), multifamily: false });
  };
  const counties = new Set(taxCounties.map(([fips]) => fips));
  const daysOf = (from: number, to: number): number => Math.round(count * TURNOVER * (to - from + 1));
  const longAgo = FIRST_DAY - 100;

  // Of the properties for sale, some owe, some of those for two parcels, and others have a condominium that owes.
  const most = count * 0.3;
  for (const property of forSale) {
    if (listed >= most || !counties.has(property.countyFips)) continue;
    const draw = new Draw(seed, 'owes', property.id);
    if (draw.chance(0.2)) {
      listed += add(property, longAgo, draw.chance(0.12) ? draw.int(FIRST_DAY + 1, LAST_DAY) : null);
      if (listed < most && draw.chance(0.25)) listed += add(book.makeSecondParcel(property), longAgo, null);
    } else if (draw.chance(0.15)) {
      const condominium = book.makeCondominium(property);
      if (condominium) listed += add(condominium, longAgo, null);
    }
  }
  for (let i = daysOf(FIRST_DAY + 1, DEFAULT_DAY); i > 0; i -= 1)
    add(make(), longAgo, new Draw(seed, 'cured', i).int(FIRST_DAY + 1, DEFAULT_DAY - 8));
  const curedLater = daysOf(DEFAULT_DAY + 1, LAST_DAY) / Math.max(1, count);
  const newBefore = daysOf(FIRST_DAY + 1, DEFAULT_DAY) / Math.max(1, count);
  while (listed < count) {
    const property = make();
    const draw = new Draw(seed, 'owes', property.id);
    listed += add(
      property,
      draw.chance(newBefore) ? draw.int(FIRST_DAY + 1, DEFAULT_DAY - 8) : longAgo,
      draw.chance(curedLater) ? draw.int(DEFAULT_DAY + 1, LAST_DAY) : null,
    );
  }
  for (let i = daysOf(DEFAULT_DAY + 1, LAST_DAY); i > 0; i -= 1)
    add(make(), new Draw(seed, 'new', i).int(DEFAULT_DAY + 1, LAST_DAY), null);
  return plans;
}

/** A list of a county or of its city; its size in percent of the option `distress`. */
const LISTS = [
  { fips: '55079', city: 'Milwaukee', size: 120 },
  { fips: '29510', city: null, size: 110 },
  { fips: '42003', city: null, size: 70 },
] as const;

const isOwing = (plan: LevyPlan, day: number): boolean => plan.from <= day && (plan.to === null || day < plan.to);

/** The parcels on the lists of a day. */
export function delinquentElsewhereOn(plans: readonly LevyPlan[], day: number): DelinquentParcel[] {
  return plans
    .filter((plan) => isOwing(plan, day))
    .map(({ property, levies, paysOldest }) => {
      const unpaid = levies.slice(paysOldest !== null && paysOldest <= day ? 1 : 0);
      return {
        propertyId: property.id,
        countyFips: property.countyFips,
        parcel: property.parcel ?? '',
        amount: dollars(unpaid.reduce((sum, { amount }) => sum + amount, 0)),
        paid: '0.00',
        certifiedYear: unpaid[0]?.year ?? 2025,
        propertyClass: property.units === 0 ? 'Vacant Lot' : property.units < 4 ? 'Residential' : 'Apartments',
        foreclosureFiled: false,
        paymentPlan: false,
        isMapped: true,
        levies: unpaid.map(({ year, amount }) => ({ year, amount: dollars(amount) })),
      };
    });
}

export type PaidDebt = ReturnType<typeof paidElsewhereOn>[number];

/** The debts that were paid in the two months before a day. The table shows a payment two days later. */
export const paidElsewhereOn = (plans: readonly LevyPlan[], day: number) =>
  plans.flatMap(({ property, levies, to }) =>
    to === null || to > day || to < day - 60
      ? []
      : [
          {
            countyFips: property.countyFips,
            parcel: property.parcel ?? '',
            levies: levies.map(({ year, amount }) => ({ year, amount: dollars(amount) })),
            paidOn: dayText(to - 2),
          },
        ],
  );

/** A parcel's unpaid tax by year. Days are numbers, amounts cents. The oldest of several years may be paid first. */
export type LevyPlan = ReturnType<typeof planLevies>;

/** @param from first day on the list @param to first day no longer on it */
function planLevies(seed: number, property: Property, from: number, to: number | null) {
  const draw = new Draw(seed, 'levies', property.id);
  const years = draw.among([1, 2, 3, 5, 8], [45, 25, 15, 10, 5]);
  const levies = Array.from({ length: years }, (_, at) => ({
    year: 2025 - years + 1 + at,
    amount: Math.max(1_500, Math.round(property.value * (1.4 + draw.unit()))) + draw.int(0, 99),
  }));
  const paysOldest = years > 1 && draw.chance(0.1) ? draw.int(FIRST_DAY, LAST_DAY) : null;
  return { property, from, to, levies, paysOldest };
}

/** Share of parcels that are paid, and that are new, in the months of the world. */
const LEVY_TURNOVER = 0.12;

/** All debts. On the default day each list has about its size, a third of it for sale where so many are. */
export function planDebtsElsewhere(
  seed: number,
  size: number,
  forSale: readonly Property[],
  book: PropertyBook,
): LevyPlan[] {
  return LISTS.flatMap(({ fips, city, size: percent }) => {
    const wanted = Math.round((size * percent) / 100);
    const listed = forSale.filter(
      (property) => property.countyFips === fips && (city === null || property.city === city),
    );
    const owing = listed.filter(({ id }) => new Draw(seed, 'owes levies', id).chance(0.4));
    const places = placesOfCounty(fips).filter(([place]) => city === null || place.city === city);
    const properties = owing.slice(0, Math.round(wanted / 3));
    const total = Math.round(wanted * (1 + LEVY_TURNOVER));
    while (properties.length < total) {
      const id = `V${fips}-${properties.length}`;
      const draw = new Draw(seed, 'levied', id);
      properties.push(book.make(id, { place: draw.weighted(places), multifamily: draw.chance(0.2) }));
    }
    return properties.map((property, at) => {
      const draw = new Draw(seed, 'levy days', property.id);
      const isLater = at >= wanted;
      const from = isLater
        ? draw.int(DEFAULT_DAY + 1, LAST_DAY)
        : draw.chance(LEVY_TURNOVER)
          ? draw.int(FIRST_DAY + 1, DEFAULT_DAY)
          : FIRST_DAY - 100;
      const to = !isLater && draw.chance(LEVY_TURNOVER) ? draw.int(DEFAULT_DAY + 1, LAST_DAY) : null;
      return planLevies(seed, property, from, to);
    });
  });
}
