/** Recomputes a deal's confidence: its parts, and why parts are low. */
import { fraction, minimum, type Fraction } from '../../../lib/fraction.ts';
import { dayNumber, isPriced, type Recomputed, type Values } from './record.ts';

const CONTRADICTED = 'confidence_claim_contradicted';

const RATE_PENALTIES = {
  loan_rate_stale: 'rate_stale',
  loan_rate_old: 'rate_old',
  loan_rate_without_survey: 'rate_old',
} as const;

/** Why the loan rate of the scores lowers confidence. */
function rateReasonOf({ record, has, count }: Values): keyof typeof RATE_PENALTIES | null {
  if (record['score_limit'] === 'not_scored') return null;
  if (!has('loan_rate_age_days')) return 'loan_rate_without_survey';
  const age = Number(record['loan_rate_age_days']);
  if (age > count('confidence_rate_old_days')) return 'loan_rate_old';
  return age > count('confidence_rate_stale_days') ? 'loan_rate_stale' : null;
}

const isNoiContradicted = ({ record }: Values): boolean => String(record['claim_issue']).startsWith('noi_');

export function recomputeConfidence(values: Values): Recomputed {
  const { record, has, text } = values;
  const issue = String(record['claim_issue']);
  const isContradicted = isNoiContradicted(values);
  const noi = noiConfidence(values);
  const rateReason = rateReasonOf(values);
  const ok = record['underwrite_reliability'] === 'ok';
  const isZipRent = String(record['rent_basis']).startsWith('zip');
  const isCurrentRent = record['rent_outdated_reason'] === null;
  const parts = {
    price_verified: priceConfidence(values),
    units_known: has('units') ? text('confidence_units') : '0',
    rent_proxy: ok && isCurrentRent ? text(isZipRent ? 'confidence_rent_zip' : 'confidence_rent_metro') : '0',
    noi_source: noi,
    agreement: agreementConfidence(values),
    reliability: reliabilityConfidence(values),
    year_built: has('year_built') && issue !== 'year_built_in_future' ? text('confidence_year_built') : '0',
    condition_risk: conditionPenalty(values),
    loan_rate: rateReason === null ? '0' : negative(fraction(text(`confidence_${RATE_PENALTIES[rateReason]}`))),
    claim_contradicted: isContradicted ? negative(minimum(fraction(noi), fraction(text(CONTRADICTED)))) : '0',
  };
  const total = Object.values(parts).reduce((sum, part) => sum.plus(fraction(part)), fraction(0));
  return {
    confidence_parts: Object.fromEntries(Object.entries(parts).map(([k, part]) => [k, fraction(part).rounded(2)])),
    confidence_score: total.rounded(2),
    confidence_reasons: [
      ...priceReasons(values),
      ...(isCurrentRent ? [] : ['rent_outdated']),
      ...(fraction(parts.condition_risk).isBelow(fraction(0)) ? ['condition_risk'] : []),
      ...(fraction(parts.claim_contradicted).isBelow(fraction(0)) ? [issue] : []),
      ...(issue === 'year_built_in_future' ? [issue] : []),
      ...(rateReason !== null && fraction(parts.loan_rate).isBelow(fraction(0)) ? [rateReason] : []),
    ],
  };
}

const negative = (value: Fraction): string => fraction(0).minus(value).rounded(2);

/** Deducted in proportion to the points that condition risk deducts. */
function conditionPenalty({ record, of, assumed }: Values): string {
  if (record['score_limit'] !== 'condition_risk') return '0';
  const lost = fraction(100).minus(of('score_share_pct')).over(fraction(100));
  return negative(assumed('confidence_condition_risk').times(lost));
}

const priceAge = ({ record, asOf }: Values): number => dayNumber(asOf) - dayNumber(record['last_verified']);

function priceReasons(values: Values): string[] {
  if (!isPriced(values) || priceAge(values) <= values.count('confidence_fresh_days')) return [];
  return [
    priceAge(values) > values.count('confidence_recent_days') ? 'price_older_than_recent' : 'price_older_than_fresh',
  ];
}

function priceConfidence(values: Values): string {
  const { count, text } = values;
  if (!isPriced(values)) return '0';
  const age = priceAge(values);
  if (age <= count('confidence_fresh_days')) return text('confidence_price_fresh');
  return text(age <= count('confidence_recent_days') ? 'confidence_price_recent' : 'confidence_price_old');
}

function noiConfidence({ record, text }: Values): string {
  const source = record['noi_source'];
  if (source === null) return '0';
  return text(`confidence_noi_${source === 'derived_from_advertised_cap' ? 'derived' : String(source)}`);
}

function agreementConfidence(values: Values): string {
  const { record, has, of, text, assumed } = values;
  if (record['underwrite_reliability'] !== 'ok' || isNoiContradicted(values)) return '0';
  if (!has('cap_gap_pct')) return text('confidence_gap_none');
  const gap = of('cap_gap_pct').isBelow(fraction(0)) ? fraction(0).minus(of('cap_gap_pct')) : of('cap_gap_pct');
  if (!assumed('confidence_gap_small_points').isBelow(gap)) return text('confidence_gap_small');
  return assumed('confidence_gap_medium_points').isBelow(gap) ? '0' : text('confidence_gap_medium');
}

function reliabilityConfidence({ record, text }: Values): string {
  if (record['underwrite_reliability'] === 'ok') return text('confidence_reliable');
  return record['underwrite_reliability'] === 'unknown' ? text('confidence_reliability_unknown') : '0';
}
