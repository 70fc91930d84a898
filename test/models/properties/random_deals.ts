/** Random deals, and the variants of each that the properties compare it with. */
import fc from 'fast-check';
import { DEALS, SEED } from './checked.ts';

/** A deal as whole numbers: cents, hundredths of a percent, units and days. */
export interface Deal {
  readonly price: number | null;
  readonly units: number | null;
  readonly rent: number | null;
  readonly year: number | null;
  readonly cap: number | null;
  readonly noi: number | null;
  readonly taxes: number | null;
  readonly cut: number;
  readonly days: number;
  readonly debt: number | null;
  readonly daysToSale: number | null;
  /** Record in force on the condition of the building. */
  readonly condition: string;
}

/** @param missing percent of the values that are null */
export const maybe = <T>(arbitrary: fc.Arbitrary<T>, missing: number): fc.Arbitrary<T | null> =>
  fc.oneof({ arbitrary: fc.constant(null), weight: missing }, { arbitrary, weight: 100 - missing });

/** A price per unit is a multiple of the rent, so that the HUD rent fits most deals and some lie at the limits. */
const deal: fc.Arbitrary<Deal> = fc
  .record({
    rent: maybe(fc.integer({ min: 500, max: 2900 }), 3),
    units: maybe(fc.oneof(fc.integer({ min: 2, max: 14 }), fc.integer({ min: 1, max: 90 })), 3),
    multiple: fc.oneof(
      { arbitrary: fc.integer({ min: 300, max: 1400 }), weight: 7 },
      { arbitrary: fc.integer({ min: 100, max: 3000 }), weight: 3 },
    ),
    oddCents: fc.integer({ min: 0, max: 99_999 }),
    hasPrice: fc.integer({ min: 1, max: 100 }).map((n) => n > 3),
    year: maybe(fc.integer({ min: 1880, max: 2026 }), 20),
    cap: maybe(fc.integer({ min: 100, max: 1500 }), 40),
    noiPct: maybe(fc.integer({ min: -50, max: 1500 }), 60),
    taxes: maybe(fc.integer({ min: 10_000, max: 10_000_000 }), 50),
    cut: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 2500 })),
    days: fc.integer({ min: 0, max: 400 }),
    debt: maybe(fc.integer({ min: 1, max: 9_000_000 }), 70),
    daysToSale: maybe(fc.integer({ min: 0, max: 90 }), 80),
    condition: fc.oneof(
      { arbitrary: fc.constant('none'), weight: 85 },
      { arbitrary: fc.constantFrom('condemned', 'order_to_vacate', 'vacant_building', 'code_case'), weight: 15 },
    ),
  })
  .map(({ multiple, oddCents, hasPrice, noiPct, ...rest }) => {
    const price = hasPrice ? Math.round((rest.rent ?? 1200) * (rest.units ?? 4) * multiple * 10) + oddCents : null;
    const noi = noiPct === null || price === null ? null : Math.round((price * noiPct) / 10_000);
    return { ...rest, price, noi };
  });

/** Each deal with the size of the change that a variant makes. */
export const bases = fc.sample(fc.tuple(deal, fc.integer({ min: 2, max: 60 })), { numRuns: DEALS, seed: SEED });

/** A deal of so many more units at the same price, NOI, bill and debt a unit. */
const withUnits = (d: Deal, units: number): Deal => {
  const scaled = (value: number | null): number | null => value && Math.round((value / (d.units ?? units)) * units);
  return { ...d, units, price: scaled(d.price), noi: scaled(d.noi), taxes: scaled(d.taxes), debt: scaled(d.debt) };
};

const times = (value: number | null, factor: number): number | null => value && Math.round(value * factor);

export const VARIANTS = {
  higherPrice: (d: Deal, by: number): Deal => ({ ...d, price: times(d.price, 1 + by / 100) }),
  higherRent: (d: Deal, by: number): Deal => ({ ...d, rent: d.rent === null ? null : d.rent + by }),
  noClaim: (d: Deal): Deal => ({ ...d, cap: null, noi: null }),
  deeperCut: (d: Deal, by: number): Deal => ({ ...d, cut: d.cut + by * 10 }),
  moreDays: (d: Deal, by: number): Deal => ({ ...d, days: d.days + by }),
  moreDebt: (d: Deal, by: number): Deal => ({ ...d, debt: (d.debt ?? 0) + by * 1000 }),
  soonerSale: (d: Deal): Deal => ({ ...d, daysToSale: Math.floor((d.daysToSale ?? 60) / 2) }),
  codeCase: (d: Deal): Deal => ({ ...d, condition: 'code_case' }),
  condemned: (d: Deal): Deal => ({ ...d, condition: 'condemned' }),
  registeredVacant: (d: Deal): Deal => ({ ...d, condition: 'vacant_building' }),
  toBeVacated: (d: Deal): Deal => ({ ...d, condition: 'order_to_vacate' }),
  sound: (d: Deal): Deal => ({ ...d, condition: 'none' }),
  oneMoreUnit: (d: Deal): Deal => (d.units === null ? d : withUnits(d, d.units + 1)),
  sizeOfKnot: (d: Deal, by: number): Deal => withUnits(d, [2, 3, 4, 7, 11, 12, 23, 35][by % 8] ?? 2),
  oneMoreThanKnot: (d: Deal, by: number): Deal =>
    withUnits(withUnits(d, [2, 3, 4, 7, 11, 12, 23, 35][by % 8] ?? 2), [3, 4, 5, 8, 12, 13, 24, 36][by % 8] ?? 2),
  oneMoreYear: (d: Deal): Deal => (d.year === null || d.year >= 2026 ? d : { ...d, year: d.year + 1 }),
  yearOfKnot: (d: Deal, by: number): Deal => ({ ...d, year: [1939, 1959, 1977, 1999, 2004][by % 5] ?? 1999 }),
  oneMoreThanYear: (d: Deal, by: number): Deal => ({ ...d, year: [1940, 1960, 1978, 2000, 2005][by % 5] ?? 2000 }),
  tenfold: (d: Deal): Deal => ({ ...d, price: times(d.price, 10), rent: times(d.rent, 10), noi: times(d.noi, 10) }),
} as const;
export type Variant = keyof typeof VARIANTS;
