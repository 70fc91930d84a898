/** Recomputes what owners earned given our cap rate, repairs and condition, motivation, distress and the deal score. */
import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { fraction, minimum, type Fraction } from '../../../lib/fraction.ts';
import { AUCTION_TYPES, isSale } from '../../../sources/kinds.ts';
import {
  blend,
  cents,
  dayNumber,
  isClaimed,
  isNotLet,
  isPriced,
  isScored,
  percent,
  valueIf,
  weightsByAge,
  yearBuilt,
  type Recomputed,
  type Values,
} from './values.ts';

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
const wayToLarge = ({ by }: Values): Fraction =>
  by('round2(clamp((units - range_small_units) / range_units_span) * 100)');

function ownersRate(values: Values, end: End): Fraction {
  const cap = values.of('cap_rate_underwritten');
  const [small, large] = [rateOf(SMALL, cap, end), rateOf(LARGE, cap, end)];
  return values.by('round2(small + (large - small) * way / 100)', { small, large, way: wayToLarge(values) });
}

const ofPrice = ({ to2 }: Values, rate: Fraction): string => to2('list_price * rate / 100', { rate });

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
  const scored = isScored(values);
  return {
    cap_scoring_pct: valueIf(scored, () => values.to2('noi_scoring / list_price * 100')),
    coverage_scoring: valueIf(scored, () => values.to2('(noi_scoring - reserves) / annual_debt_service')),
  };
}

/** Whether the figures of the listing contradict each other or cannot be. */
export function recomputeClaimIssue(values: Values): Recomputed {
  const { record, has, of, is } = values;
  const gap = 'round2(noi / list_price * 100) - cap_rate';
  const isContradicted = (): boolean =>
    record['claim_consistency'] === 'inconsistent' && is(`max(${gap}, -(${gap})) > claim_contradiction`);
  const issue = (): string => {
    if (isClaimed(values) && !fraction(0).isBelow(of('noi'))) return 'noi_not_positive';
    if (isContradicted()) return 'noi_contradicts_cap_rate';
    return has('year_built') && yearBuilt(values) === null ? 'year_built_in_future' : 'none';
  };
  return { claim_issue: issue() };
}

/** Declared repairs for a building of this age. */
export const recomputeRepairs = (values: Values): Recomputed => ({
  upfront_repairs_per_unit: blend(weightsByAge(values), (age) => values.assumed(`upfront_repairs_${age}`)).rounded(2),
});

export function recomputeYieldOnCost(values: Values): Recomputed {
  const { to2 } = values;
  const cost = 'list_price + upfront_repairs_per_unit * units';
  return {
    yield_on_cost_pct: valueIf(isScored(values), () => to2(`noi_scoring / (${cost}) * 100`)),
    price_to_rent: valueIf(isScored(values), () => to2('price_per_unit / market_rent_2br')),
  };
}

interface Match {
  readonly kind: string;
  readonly id: string;
  readonly description: string | null;
  readonly amount: string | null;
  readonly filed_on: string | null;
  readonly sale_date: string | null;
  readonly source_url: string;
}

const VACATE = /\b(?:vacate|unfit for (?:human )?(?:habitation|occupancy))\b/iu;
const SERIOUS = /\b(?:unsafe|dangerous|hazardous|structural|structure|collapsed?|roof|foundation|fire damage)\b/iu;
const UNHEALTHY = /\b(?:no heat|without heat|sewage|smoke alarms?|smoke detectors?)\b/iu;

/** What a match says about the building, from the gravest. */
const GRAVITY: readonly (readonly [string, (match: Match) => boolean])[] = [
  ['condemned', ({ kind }) => kind === 'condemned'],
  ['order_to_vacate', ({ kind, description }) => kind === 'code_violation' && VACATE.test(description ?? '')],
  ['vacant_building', ({ kind }) => kind === 'vacant_building'],
  [
    'code_case',
    ({ kind, description }) =>
      kind === 'code_violation' && [SERIOUS, UNHEALTHY].some((words) => words.test(description ?? '')),
  ],
];

export function recomputeConditionRecord({ record }: Values): Recomputed {
  const matches = (record['distress_matches'] as readonly Match[]).toSorted(
    (a, b) => (b.filed_on ?? '').localeCompare(a.filed_on ?? '') || a.id.localeCompare(b.id),
  );
  const [name = 'none', says = () => false] = GRAVITY.find(([, isOf]) => matches.some(isOf)) ?? [];
  const found = matches.find(says);
  return {
    condition_record: name,
    condition_record_on: found?.filed_on ?? null,
    condition_record_id: found?.id ?? null,
    condition_record_url: found?.source_url ?? null,
  };
}

export function recomputeShare(values: Values): Recomputed {
  const { by } = values;
  const recorded = String(values.record['condition_record']);
  const riskOr = (other: string): string => (recorded === 'none' ? other : recorded);
  if (!isScored(values) || !isPriced(values))
    return { score_share_pct: null, score_limit: 'not_scored', condition_risk: riskOr('not_evaluated') };
  // Distance from a limit as a percentage of the span in which points taper
  const shareOf = (distance: string): Fraction => by(`round2(clamp(${distance}) * 100)`);
  const shares: readonly (readonly [string, Fraction])[] = [
    ['low_price_per_unit', shareOf('(price_per_unit - taper_price_per_unit_from) / taper_price_per_unit_span')],
    ['high_cap_rate', shareOf('(taper_cap_to_pct - cap_rate_underwritten) / taper_cap_span_pct')],
    ['low_price_to_rent', shareOf('(price_to_rent - proxy_low_multiple) / taper_low_multiple_span')],
  ];
  const upper = shareOf('(proxy_high_multiple - price_to_rent) / taper_high_multiple_span');
  const lowest = shares.map(([, share]) => share).reduce(minimum);
  const lowestOf = shares.find(([, one]) => one.equals(lowest))?.[0] ?? 'none';
  const isWhole = (share: Fraction): boolean => share.equals(fraction(100));
  const share = minimum(lowest, upper);
  const limit = (): string => {
    if (isWhole(share)) return 'none';
    return share.equals(lowest) ? 'condition_risk' : 'near_upper_proxy_limit';
  };
  return {
    score_share_pct: share.rounded(2),
    score_limit: limit(),
    condition_risk: isNotLet(values) || isWhole(lowest) ? riskOr('none') : lowestOf,
  };
}

const points = (value: Fraction): number => Number(value.rounded(0));

export function recomputeMotivationParts(values: Values): Recomputed {
  const { by, count } = values;
  const days = by('motivation_days_max * days_on_feed / motivation_days_full');
  const cut = isPriced(values) ? points(by('motivation_points_per_cut_pct * price_reduction_pct')) : 0;
  return {
    motivation_price_cut: Math.min(count('motivation_cut_max'), cut),
    motivation_days: Math.min(count('motivation_days_max'), points(days)),
  };
}

export const recomputeMotivation = ({ record }: Values): Recomputed => ({
  motivation_score: Number(record['motivation_price_cut']) + Number(record['motivation_days']),
});

function debtPoints(values: Values, debts: readonly Match[]): number {
  const { of, assumed, count } = values;
  if (debts.length === 0) return 0;
  const amounts = debts.flatMap(({ amount }) => (amount === null ? [] : [fraction(amount)]));
  const owed = amounts.reduce((sum, amount) => sum.plus(amount), fraction(0));
  const share = isPriced(values) && amounts.length > 0 ? fraction(percent(owed, of('list_price'))) : fraction(0);
  const ofAmount = points(assumed('distress_tax_points_per_pct').times(share));
  return count('distress_tax') + Math.min(count('distress_tax_amount_max'), ofAmount);
}

function salePoints({ asOf, count }: Values, sales: readonly Match[]): number {
  if (sales.length === 0) return 0;
  const days = Math.min(...sales.map(({ sale_date }) => dayNumber(sale_date) - dayNumber(asOf)));
  return count('distress_sale') + (days <= count('distress_sale_soon_days') ? count('distress_sale_soon') : 0);
}

export function recomputeDistress(values: Values): Recomputed {
  const { record, count } = values;
  const matches = record['distress_matches'] as readonly Match[];
  const debts = matches.filter(({ kind }) => kind === 'tax_delinquent');
  const sales = matches.filter(({ kind }) => isSale(kind));
  const total = debtPoints(values, debts) + salePoints(values, sales);
  const coverage = record['distress_coverage'] as Readonly<Record<string, string>>;
  const statuses = [['tax_delinquent'], AUCTION_TYPES].map((kinds) => kinds.map((kind) => coverage[kind]));
  const isCovered = statuses.map((of) => of.includes('covered'));
  const isTouched = statuses.flat().some((status) => status === 'covered' || status === 'partly_covered');
  const partly = isTouched ? 'partly_covered' : 'county_not_covered';
  const unmatched = isCovered.every(Boolean) ? 'none_found' : partly;
  return {
    distress_kinds: [...new Set(matches.map(({ kind }) => kind))].toSorted(),
    distress_score: Math.min(count('distress_max'), total),
    distress_status: matches.length > 0 ? 'matched' : record['address_key'] === null ? 'address_unknown' : unmatched,
  };
}

const EARNED = ['yield', 'coverage', 'motivation', 'distress'] as const;

export function recomputeDealScoreParts(values: Values): Recomputed {
  const { has, by } = values;
  const scaled = (column: string, part: string, unit: string): number => {
    if (!isScored(values) || !has(column)) return 0;
    const share = `clamp((${column} - score_${part}_from${unit}) / score_${part}_span${unit})`;
    return points(by(`${share} * score_${part}_weight * score_share_pct / 100`));
  };
  const ofScore = (column: string, weight: string): number => points(by(`${column} * ${weight} / 100`));
  return {
    deal_score_yield: scaled('yield_on_cost_pct', 'yield', '_pct'),
    deal_score_coverage: scaled('coverage_scoring', 'coverage', ''),
    deal_score_motivation: ofScore('motivation_score', 'score_motivation_weight'),
    deal_score_distress: ofScore('distress_score', 'score_distress_weight'),
  };
}

export function recomputeDealScore(values: Values): Recomputed {
  const { record, count } = values;
  const earned = EARNED.reduce((sum, part) => sum + Number(record[`deal_score_${part}`]), 0);
  const score = (): number => {
    if (isNotLet(values)) return Math.min(earned, count('condition_score_cap'));
    return record['condition_record'] === 'code_case' ? Math.max(0, earned - count('condition_case_points')) : earned;
  };
  return { deal_score: score(), deal_score_condition: score() - earned };
}
