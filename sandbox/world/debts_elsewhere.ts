/** Tax debts outside Ohio: unpaid tax by year, as Milwaukee, St. Louis and Allegheny County publish it. */
import { dayText, DEFAULT_DAY, dollars, FIRST_DAY, LAST_DAY } from './days.ts';
import { placesOfCounty } from './places.ts';
import type { PropertyBook } from './properties.ts';
import { Draw } from './random.ts';
import type { DelinquentParcel, Property } from './types.ts';

/** A parcel's unpaid tax over time. Days are numbers, amounts cents. */
export interface LevyPlan {
  readonly property: Property;
  /** First day on the list, and first day no longer on it. */
  readonly from: number;
  readonly to: number | null;
  readonly levies: readonly { readonly year: number; readonly amount: number }[];
  /** Day on which the oldest of several years is paid. */
  readonly paysOldest: number | null;
}

/** A list of a county or of its city; its size in percent of the option `distress`. */
const LISTS = [
  { fips: '55079', city: 'Milwaukee', size: 120 },
  { fips: '29510', city: null, size: 110 },
  { fips: '42003', city: null, size: 70 },
] as const;

const isListed = (plan: LevyPlan, day: number): boolean => plan.from <= day && (plan.to === null || day < plan.to);

/** The parcels on the lists of a day. */
export function delinquentElsewhereOn(plans: readonly LevyPlan[], day: number): DelinquentParcel[] {
  return plans
    .filter((plan) => isListed(plan, day))
    .map(({ property, levies, paysOldest }) => {
      const unpaid = levies.slice(paysOldest !== null && paysOldest <= day ? 1 : 0);
      return {
        propertyId: property.id,
        countyFips: property.countyFips,
        parcel: property.parcel ?? '',
        amount: dollars(unpaid.reduce((sum, { amount }) => sum + amount, 0)),
        paid: '0.00',
        certifiedYear: unpaid[0]?.year ?? 2025,
        marketValue: property.value,
        propertyClass: property.units === 0 ? 'Vacant Lot' : property.units < 4 ? 'Residential' : 'Apartments',
        foreclosureFiled: false,
        paymentPlan: false,
        listDay: dayText(day),
        isMapped: true,
        levies: unpaid.map(({ year, amount }) => ({ year, amount: dollars(amount) })),
      };
    });
}

function planLevies(seed: number, property: Property, from: number, to: number | null): LevyPlan {
  const draw = new Draw(seed, 'levies', property.id);
  const years = draw.weighted<number>([
    [1, 45],
    [2, 25],
    [3, 15],
    [5, 10],
    [8, 5],
  ]);
  const levies = Array.from({ length: years }, (_, at) => ({
    year: 2025 - years + 1 + at,
    amount: Math.max(1_500, Math.round(property.value * (1.4 + draw.unit()))) + draw.int(0, 99),
  }));
  const paysOldest = years > 1 && draw.chance(0.1) ? draw.int(FIRST_DAY, LAST_DAY) : null;
  return { property, from, to, levies, paysOldest };
}

/** Share of parcels that are paid, and that are new, in the months of the world. */
const TURNOVER = 0.12;

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
    const total = Math.round(wanted * (1 + TURNOVER));
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
        : draw.chance(TURNOVER)
          ? draw.int(FIRST_DAY + 1, DEFAULT_DAY)
          : FIRST_DAY - 100;
      const to = !isLater && draw.chance(TURNOVER) ? draw.int(DEFAULT_DAY + 1, LAST_DAY) : null;
      return planLevies(seed, property, from, to);
    });
  });
}
