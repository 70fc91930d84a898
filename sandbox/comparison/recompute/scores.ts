/** Recomputes a deal's scores: motivation, distress, the deal score and the confidence. */
import { clamp, fraction, type Fraction } from '../../../lib/fraction.ts';
import { dayNumber, isPriced, isScored, percent, type Recomputed, type Values } from './record.ts';

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
  const ofKind = (kind: string): readonly Match[] => matches.filter((match) => match.kind === kind);
  const total = debtPoints(values, ofKind('tax_delinquent')) + salePoints(values, ofKind('sheriff_sale'));
  const coverage = Object.values(record['distress_coverage'] as Record<string, string>);
  const covered = coverage.filter((status) => status === 'covered').length;
  const unmatched = ['county_not_covered', 'partly_covered', 'none_found'][covered];
  return {
    distress_score: Math.min(count('distress_max'), total),
    distress_status: matches.length > 0 ? 'matched' : record['address_key'] === null ? 'address_unknown' : unmatched,
  };
}

const PARTS = ['yield', 'coverage', 'motivation', 'distress'] as const;

export function recomputeDealScoreParts(values: Values): Recomputed {
  const { of, assumed } = values;
  const scaled = (column: string, from: string, span: string, weight: string): number => {
    if (!isScored(values)) return 0;
    const share = clamp(of(column).minus(assumed(from)).over(assumed(span)));
    return points(share.times(assumed(weight)));
  };
  const ofScore = (column: string, weight: string): number =>
    points(of(column).times(assumed(weight)).over(fraction(100)));
  return {
    deal_score_yield: scaled('cap_scoring_pct', 'score_yield_from_pct', 'score_yield_span_pct', 'score_yield_weight'),
    deal_score_coverage: scaled(
      'coverage_scoring',
      'score_coverage_from',
      'score_coverage_span',
      'score_coverage_weight',
    ),
    deal_score_motivation: ofScore('motivation_score', 'score_motivation_weight'),
    deal_score_distress: ofScore('distress_score', 'score_distress_weight'),
  };
}

export const recomputeDealScore = ({ record }: Values): Recomputed => ({
  deal_score: PARTS.reduce((sum, part) => sum + Number(record[`deal_score_${part}`]), 0),
});

export function recomputeConfidence(values: Values): Recomputed {
  const { record, has, text } = values;
  const ok = record['underwrite_reliability'] === 'ok';
  const isZipRent = String(record['rent_basis']).startsWith('zip');
  const isCurrentRent = record['rent_outdated_reason'] === null;
  const parts = {
    price_verified: priceConfidence(values),
    units_known: has('units') ? text('confidence_units') : '0',
    rent_proxy: ok && isCurrentRent ? text(isZipRent ? 'confidence_rent_zip' : 'confidence_rent_metro') : '0',
    noi_source: noiConfidence(values),
    agreement: agreementConfidence(values),
    reliability: reliabilityConfidence(values),
    year_built: has('year_built') ? text('confidence_year_built') : '0',
  };
  const total = Object.values(parts).reduce((sum, part) => sum.plus(fraction(part)), fraction(0));
  return {
    confidence_parts: Object.fromEntries(Object.entries(parts).map(([k, part]) => [k, fraction(part).rounded(2)])),
    confidence_score: total.rounded(2),
  };
}

function priceConfidence(values: Values): string {
  const { record, asOf, count, text } = values;
  if (!isPriced(values)) return '0';
  const age = dayNumber(asOf) - dayNumber(record['last_verified']);
  if (age <= count('confidence_fresh_days')) return text('confidence_price_fresh');
  return text(age <= count('confidence_recent_days') ? 'confidence_price_recent' : 'confidence_price_old');
}

function noiConfidence({ record, text }: Values): string {
  const source = record['noi_source'];
  if (source === null) return '0';
  return text(`confidence_noi_${source === 'derived_from_advertised_cap' ? 'derived' : String(source)}`);
}

function agreementConfidence({ record, has, of, text, assumed }: Values): string {
  if (record['underwrite_reliability'] !== 'ok') return '0';
  if (!has('cap_gap_pct')) return text('confidence_gap_none');
  const gap = of('cap_gap_pct').isBelow(fraction(0)) ? fraction(0).minus(of('cap_gap_pct')) : of('cap_gap_pct');
  if (!assumed('confidence_gap_small_points').isBelow(gap)) return text('confidence_gap_small');
  return assumed('confidence_gap_medium_points').isBelow(gap) ? '0' : text('confidence_gap_medium');
}

function reliabilityConfidence({ record, text }: Values): string {
  if (record['underwrite_reliability'] === 'ok') return text('confidence_reliable');
  return record['underwrite_reliability'] === 'unknown' ? text('confidence_reliability_unknown') : '0';
}
