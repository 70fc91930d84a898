/** Recomputes a deal's scores: motivation, distress and the deal score. */
import { clamp, fraction, type Fraction } from '../../../lib/fraction.ts';
import { AUCTION_TYPES, isSale } from '../../../sources/kinds.ts';
import { dayNumber, isNotLet, isPriced, isScored, percent, type Recomputed, type Values } from './record.ts';

const points = (value: Fraction): number => Number(value.rounded(0));

export function recomputeMotivationParts(values: Values): Recomputed {
  const { of, assumed, count } = values;
  const days = assumed('motivation_days_max').times(of('days_on_feed')).over(assumed('motivation_days_full'));
  const cut = isPriced(values) ? points(assumed('motivation_points_per_cut_pct').times(of('price_reduction_pct'))) : 0;
  return {
    motivation_price_cut: Math.min(count('motivation_cut_max'), cut),
    motivation_days: Math.min(count('motivation_days_max'), points(days)),
  };
}

export const recomputeMotivation = ({ record }: Values): Recomputed => ({
  motivation_score: Number(record['motivation_price_cut']) + Number(record['motivation_days']),
});

interface Match {
  readonly kind: string;
  readonly amount: string | null;
  readonly sale_date: string | null;
}

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
  const { has, of, assumed } = values;
  const scaled = (column: string, part: string, unit: string): number => {
    if (!isScored(values) || !has(column)) return 0;
    const share = clamp(
      of(column)
        .minus(assumed(`score_${part}_from${unit}`))
        .over(assumed(`score_${part}_span${unit}`)),
    );
    return points(
      share
        .times(assumed(`score_${part}_weight`))
        .times(of('score_share_pct'))
        .over(fraction(100)),
    );
  };
  const ofScore = (column: string, weight: string): number =>
    points(of(column).times(assumed(weight)).over(fraction(100)));
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
