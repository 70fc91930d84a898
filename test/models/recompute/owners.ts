/** Recomputes what owners of buildings like a deal's earned, given our cap rate, and the NOI that its scores use. */
import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { clamp, fraction, minimum, type Fraction } from '../../../lib/fraction.ts';
import {
  cents,
  isClaimed,
  isScored,
  noiAfterReserves,
  percent,
  valueIf,
  yearBuilt,
  type Recomputed,
  type Values,
} from './record.ts';

type Knot = Readonly<
  Record<'least_units' | 'most_units' | 'cap_pct' | 'low_pct' | 'middle_pct' | 'high_pct' | 'n' | 'as_of', string>
>;
type End = 'low_pct' | 'middle_pct' | 'high_pct';

const KNOTS = parse(readFileSync('models/reference/noi_ranges.csv', 'utf8'), { columns: true }) as Knot[];
const SMALL = KNOTS.filter(({ most_units: most }) => most !== '');
const LARGE = KNOTS.filter(({ most_units: most }) => most === '');

const four = (value: Fraction): Fraction => fraction(value.rounded(4));

/** The knot at or below a cap rate, if any, and the next one. */
function around(block: readonly Knot[], cap: Fraction): readonly [Knot | undefined, Knot | undefined] {
  const at = block.findLastIndex((knot) => !cap.isBelow(fraction(knot.cap_pct)));
  return [block[at], block[at + 1]];
}

/** What owners of a block earned in percent of the price. */
function rateOf(block: readonly Knot[], cap: Fraction, end: End): Fraction {
  const [below, above] = around(block, cap);
  if (!below) return cap.plus(fraction(above?.[end] ?? '')).minus(fraction(above?.cap_pct ?? ''));
  const [rate, from] = [fraction(below[end]), fraction(below.cap_pct)];
  if (!above) return rate;
  const way = four(cap.minus(from).over(fraction(above.cap_pct).minus(from)));
  return cents(rate.plus(fraction(above[end]).minus(rate).times(way)));
}

/** How far a building is from the block of small ones to that of large ones, in percent. */
const wayToLarge = ({ of, assumed }: Values): Fraction =>
  cents(
    clamp(of('units').minus(assumed('range_small_units')).over(assumed('range_units_span'))).times(fraction('100')),
  );

function ownersRate(values: Values, end: End): Fraction {
  const cap = values.of('cap_rate_underwritten');
  const [small, large] = [rateOf(SMALL, cap, end), rateOf(LARGE, cap, end)];
  return cents(small.plus(large.minus(small).times(wayToLarge(values)).over(fraction('100'))));
}

const ofPrice = ({ of }: Values, rate: Fraction): string =>
  of('list_price').times(rate).over(fraction('100')).rounded(2);

function rangeReason(values: Values): string {
  const { record, count } = values;
  if (record['underwrite_reason'] !== null) return String(record['underwrite_reason']);
  if (!isScored(values)) return String(record['dscr_reason']);
  const year = yearBuilt(values);
  return year !== null && year >= count('new_from_year') ? 'built_from_2000' : 'owners_of_survey';
}

/** "$28,300", to the hundred dollars. */
function hundreds(amount: string): string {
  const rounded = Math.round(Math.abs(Number(amount)) / 100) * 100;
  return `${amount.startsWith('-') ? '-' : ''}$${rounded.toLocaleString('en-US')}`;
}

export function recomputeOwners(values: Values): Recomputed {
  const rate = valueIf(isScored(values), () => ownersRate(values, 'middle_pct').rounded(2));
  const reason = rangeReason(values);
  const [low, middle, high] = (['low_pct', 'middle_pct', 'high_pct'] as const).map((end) =>
    valueIf(reason === 'owners_of_survey', () => ofPrice(values, ownersRate(values, end))),
  );
  const range = { cap_rate_middle: rate, noi_range_reason: reason, noi_low: low, noi_middle: middle, noi_high: high };
  if (typeof low !== 'string' || typeof high !== 'string')
    return { ...range, noi_range_n: null, noi_range_units: null, noi_range_note: null };
  const isSmall = wayToLarge(values).isBelow(fraction('50'));
  const cap = values.of('cap_rate_underwritten');
  const [below, above] = around(isSmall ? SMALL : LARGE, cap);
  const isNearAbove =
    !below ||
    (above &&
      fraction(above.cap_pct)
        .minus(cap)
        .isBelow(cap.minus(fraction(below.cap_pct))));
  const nearest = isNearAbove ? above : below;
  const most = Number(SMALL[0]?.most_units);
  const units = isSmall ? `2 to ${most} units` : `${most + 1} units and more`;
  return {
    ...range,
    noi_range_n: Number(nearest?.n),
    noi_range_units: units,
    noi_range_note:
      `Half of the owners of such buildings in a national survey (${String(nearest?.as_of).slice(0, 4)}, ` +
      `${String(nearest?.n)} of ${units}) earned between ${hundreds(low)} and ${hundreds(high)}; ` +
      `our figure is ${hundreds(String(values.record['noi_underwritten']))}.`,
  };
}

/** NOI that the scores use: the lower of the middle and our own, or the mean of that and a lower claim. */
export function recomputeScoringIncome(values: Values): Recomputed {
  const { of } = values;
  const noi = (): string => {
    const own = minimum(fraction(ofPrice(values, of('cap_rate_middle'))), of('noi_underwritten'));
    const mean = (isClaimed(values) ? of('noi') : own).plus(own).over(fraction(2));
    return minimum(own, fraction(mean.rounded(2))).rounded(2);
  };
  return { noi_scoring: valueIf(isScored(values), noi) };
}

/** Cap rate and coverage that the scores use. */
export function recomputeScoringBasis(values: Values): Recomputed {
  const { of } = values;
  const scored = isScored(values);
  return {
    cap_scoring_pct: valueIf(scored, () => percent(of('noi_scoring'), of('list_price'))),
    coverage_scoring: valueIf(scored, () => noiAfterReserves(values).over(of('annual_debt_service')).rounded(2)),
  };
}
