/** The values that the formulas of a published record read: its own columns and the published assumptions. */
import { Fraction, fraction } from '../../../lib/fraction.ts';
import { DAY_MS } from '../../../lib/time.ts';
import { evaluate, holds } from '../figures/step_faults.ts';

/** A record in JSON form; JSON columns parsed. */
export type PublishedRecord = Readonly<Record<string, unknown>>;
export type Recomputed = Record<string, unknown>;

/** Value of a published assumption by its key. */
export type AssumptionValue = (key: string) => string;

export interface Values {
  readonly record: PublishedRecord;
  readonly asOf: string;
  /** Whether all of these columns have a value. */
  has(...columns: string[]): boolean;
  /** The value of a column. */
  of(column: string): Fraction;
  /** The value of an assumption: as text, as a fraction, as a number. */
  text(key: string): string;
  assumed(key: string): Fraction;
  count(key: string): number;
  /** The value of a formula over columns, assumptions and other values, and it with two decimals. */
  by(formula: string, others?: Others): Fraction;
  to2(formula: string, others?: Others): string;
  /** Whether a comparison of two formulas holds. */
  is(comparison: string, others?: Others): boolean;
}
type Others = Readonly<Record<string, Fraction>>;

export function valuesOf(record: PublishedRecord, text: AssumptionValue, asOf: string): Values {
  const inputs = (others: Others = {}) =>
    new Proxy<Readonly<Record<string, string | Fraction>>>(others, {
      get: (_, name: string) => others[name] ?? (name in record ? String(record[name]) : text(name)),
    });
  const by: Values['by'] = (formula, others) => evaluate(formula, inputs(others));
  return {
    record,
    asOf,
    has: (...columns) => columns.every((column) => (record[column] ?? null) !== null),
    of: (column) => fraction(String(record[column])),
    text,
    assumed: (key) => fraction(text(key)),
    count: (key) => Number(text(key)),
    by,
    to2: (formula, others) => by(formula, others).rounded(2),
    is: (comparison, others) => holds(comparison, inputs(others)),
  };
}

export const dayNumber = (instant: unknown): number => Date.parse(`${String(instant).slice(0, 10)}T00:00:00Z`) / DAY_MS;

/** An amount rounded to cents. */
export const cents = (value: Fraction): Fraction => fraction(value.rounded(2));

export const percent = (part: Fraction, whole: Fraction): string => part.over(whole).times(fraction(100)).rounded(2);

export const valueIf = <T>(condition: boolean, make: () => T): T | null => (condition ? make() : null);

/** Whether the deal is of a kind that has no rent: a single unit or land. */
export const hasNoIncome = ({ record }: Values): boolean =>
  ['single_unit', 'not_income_property'].includes(String(record['dscr_reason']));

/** Whether the deal has scores from income. */
export const isScored = (values: Values): boolean =>
  values.record['underwrite_reliability'] === 'ok' && !hasNoIncome(values);

/** The year of construction, if it is not after the data clock. */
export function yearBuilt({ record, has, asOf }: Values): number | null {
  const year = has('year_built') ? Number(record['year_built']) : null;
  return year !== null && year <= Number(asOf.slice(0, 4)) ? year : null;
}

export const isClaimed = ({ record }: Values): boolean =>
  record['noi_source'] === 'stated' || record['noi_source'] === 'derived_from_advertised_cap';

export const isPriced = ({ has }: Values): boolean => has('list_price');
export const isRented = ({ has }: Values): boolean => has('units', 'market_rent_2br');

/** Whether a record in force says that nobody may live in the building. */
export const isNotLet = ({ record }: Values): boolean =>
  ['condemned', 'order_to_vacate', 'vacant_building'].includes(String(record['condition_record']));

type Knots = readonly (readonly [name: string, at: number])[];
type Weights = readonly (readonly [name: string, weight: Fraction])[];

const SIZES: Knots = [
  ['2_4', 3],
  ['5_12', 12],
  ['25_49', 36],
  ['50_up', 113],
];
const AGES: Knots = [
  ['before_1960', 1940],
  ['1960_1999', 1978],
  ['from_2000', 2005],
];

function weightsAt(knots: Knots, value: number): Weights {
  const above = knots.findIndex(([, at]) => value < at);
  const [before, after] = [knots.at(above < 0 ? -1 : above - 1), knots[above]];
  if (above === 0 || !before || !after) return [[(above === 0 ? knots[0] : before)?.[0] ?? '', fraction(1)]];
  const way = fraction(
    fraction(value - before[1])
      .over(fraction(after[1] - before[1]))
      .rounded(4),
  );
  return [
    [before[0], fraction(1).minus(way)],
    [after[0], way],
  ];
}

export const weightsBySize = ({ record }: Values): Weights => weightsAt(SIZES, Number(record['units']));

export function weightsByAge(values: Values): Weights {
  const year = yearBuilt(values);
  return year === null ? [['any', fraction(1)]] : weightsAt(AGES, year);
}

/** The sum of a figure by name, each with its weight. */
export const blend = (weights: Weights, figureOf: (name: string) => Fraction): Fraction =>
  weights.reduce((sum, [name, weight]) => sum.plus(weight.times(figureOf(name))), fraction(0));

/** Decimals of a published factor. */
const DECIMALS = 20;

/** Exact factors by rate and years: a snapshot has one of each. */
const exact = new Map<string, Fraction>();

/** m / (1 - (1 + m)^-n), with m the rate of a month and n the months. */
function exactFactor(ratePct: string, years: number): Fraction {
  const key = `${ratePct} ${years}`;
  const known = exact.get(key);
  if (known) return known;
  const rate = fraction(ratePct).over(fraction(1200));
  const { numerator, denominator } = rate.plus(fraction(1));
  const months = BigInt(12 * years);
  const factor = rate.over(fraction(1).minus(new Fraction(denominator ** months, numerator ** months)));
  exact.set(key, factor);
  return factor;
}

const factorOf = ({ record, count }: Values): Fraction =>
  exactFactor(String(record['loan_rate_pct']), count('loan_years'));

export const monthlyFactorOf = (values: Values): Fraction => fraction(factorOf(values).rounded(DECIMALS));

export const annualConstantOf = (values: Values): Fraction =>
  fraction(factorOf(values).times(fraction(12)).rounded(DECIMALS));
