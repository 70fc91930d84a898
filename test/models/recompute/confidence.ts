/** Recomputes a deal's confidence: what each input earns of its weight, and why some earn less. */
import { fraction, minimum, type Fraction } from '../../../lib/fraction.ts';
import { dayNumber, isNotLet, type Recomputed, type Values } from './record.ts';

/** Whether an input is known (2), known in part (1) or not known (0), and its reason if it is not known or in part. */
type Evidence = readonly [level: 0 | 1 | 2, unknown: string | null, partly?: string];

type Json = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Known, known in part, or not, by the basis of an input. */
function byBasis(basis: unknown, known: readonly string[], unknown: readonly string[]): 0 | 1 | 2 {
  if (unknown.includes(String(basis))) return 0;
  return known.includes(String(basis)) ? 2 : 1;
}

/** Known up to a first limit, in part up to a second. */
function byLimits(value: Fraction | null, first: Fraction, second: Fraction): 0 | 1 | 2 {
  if (value === null || second.isBelow(value)) return 0;
  return first.isBelow(value) ? 1 : 2;
}

const sizeOf = (value: Fraction): Fraction => (value.isBelow(fraction(0)) ? fraction(0).minus(value) : value);
const all = (isKnown: boolean): 0 | 2 => (isKnown ? 2 : 0);

/** The inputs by the keys of their weights. */
function inputsOf(values: Values): Readonly<Record<string, readonly [part: string, Evidence]>> {
  const { record, has, of, assumed, asOf } = values;
  const isFit = record['underwrite_reliability'] === 'ok';
  const issue = String(record['claim_issue']);
  const isContradicted = issue.startsWith('noi_');
  const [rents, tax] = [record['rent_steps'] as Json, record['property_tax'] as Readonly<Record<string, unknown>>];
  const ifFit = (evidence: Evidence): Evidence => (isFit ? evidence : [0, null]);
  const days = (column: string): Fraction | null =>
    has(column) ? fraction(String(dayNumber(asOf) - dayNumber(record[column]))) : null;
  const age = has('list_price') ? days('last_verified') : null;
  const rateAge = has('loan_rate_age_days') ? of('loan_rate_age_days') : null;
  const isYearKnown = has('year_built') && issue !== 'year_built_in_future';
  const isZip = String(record['rent_basis']).startsWith('zip');
  const claim = { stated: 2, derived_from_advertised_cap: 1 }[String(record['noi_source'])] ?? 0;
  const limits = (name: string, from: string, to: string): readonly [Fraction, Fraction] => [
    assumed(`confidence_${name}_${from}`),
    assumed(`confidence_${name}_${to}`),
  ];
  const gap = has('cap_gap_pct') && !isContradicted ? sizeOf(of('cap_gap_pct')) : null;
  return {
    price: [
      'price',
      [
        byLimits(age, assumed('confidence_fresh_days'), assumed('confidence_recent_days')),
        'price_old_or_missing',
        'price_recent',
      ],
    ],
    units: ['units', [all(has('units')), 'units_missing']],
    year_built: ['year_built', [all(isYearKnown), has('year_built') ? issue : 'year_built_missing']],
    bedrooms: ['bedrooms', ifFit([all(rents['mix']?.['basis'] === 'listing'), 'bedrooms_assumed'])],
    rent: [
      'rent',
      ifFit([record['rent_outdated_reason'] === null ? (isZip ? 2 : 1) : 0, 'rent_outdated', 'rent_of_area']),
    ],
    in_place: [
      'rent_in_place',
      ifFit([
        byBasis(rents['in_place']?.['basis'], ['metro_of_source'], ['declared']),
        'rent_in_place_assumed',
        'rent_in_place_of_reference',
      ]),
    ],
    utilities: [
      'utilities',
      ifFit([
        byBasis(rents['contract']?.['basis'], ['county'], ['declared']),
        'utilities_assumed',
        'utilities_of_area',
      ]),
    ],
    vacancy: ['vacancy', [byBasis(record['vacancy_basis'], ['metro_survey'], ['declared']), 'vacancy_assumed']],
    tax_bill: [
      'tax_bill',
      [byBasis(tax['after_basis'], ['bill', 'reset'], ['estimated', 'unknown']), 'tax_bill_assumed', 'tax_bill_exempt'],
    ],
    tax_rate: [
      'tax_rate',
      [byBasis(tax['rate_basis'], ['county'], ['declared']), 'tax_rate_assumed', 'tax_rate_of_area'],
    ],
    expenses: ['expenses', ifFit([all(record['expense_check'] === 'within_quartiles'), 'expenses_clipped'])],
    loan_rate: [
      'loan_rate',
      [byLimits(rateAge, ...limits('rate', 'stale_days', 'old_days')), 'loan_rate_old_or_assumed', 'loan_rate_stale'],
    ],
    claim: ['claim', isContradicted ? [0, issue] : [claim as 0 | 1 | 2, 'claim_missing', 'claim_derived']],
    agreement: [
      'agreement',
      ifFit([
        byLimits(gap, ...limits('gap', 'small_points', 'medium_points')),
        isContradicted ? null : 'claim_not_confirmed',
        'claim_differs',
      ]),
    ],
  };
}

/** Deducted for the condition of the building, at most what the inputs earn. */
function conditionOf(values: Values, earned: Fraction): Fraction {
  const { record, of, assumed } = values;
  if (isNotLet(values)) return minimum(assumed('confidence_condition_record'), earned);
  if (record['score_limit'] !== 'condition_risk') return fraction(0);
  const lost = fraction(100).minus(of('score_share_pct')).over(fraction(100));
  return minimum(fraction(assumed('confidence_condition_risk').times(lost).rounded(2)), earned);
}

export function recomputeConfidence(values: Values): Recomputed {
  const { record, assumed } = values;
  const inputs = Object.entries(inputsOf(values)).map(([key, [part, [level, unknown, partly]]]) => {
    const weight = assumed(`confidence_${key}`);
    const half = fraction(weight.times(assumed('confidence_partly')).rounded(2));
    const [points, reason] = [
      [fraction(0), unknown],
      [half, partly],
      [weight, null],
    ][level] as [Fraction, string | null];
    return { part, points, reason };
  });
  const earned = inputs.reduce((sum, { points }) => sum.plus(points), fraction(0));
  const lost = conditionOf(values, earned);
  const ofCondition = isNotLet(values) ? 'condition_record' : 'condition_risk';
  return {
    confidence_parts: Object.fromEntries([
      ...inputs.map(({ part, points }) => [part, points.rounded(2)]),
      ['condition', fraction(0).minus(lost).rounded(2)],
    ]),
    confidence_score: earned.minus(lost).rounded(2),
    confidence_reasons: [
      ...(record['underwrite_reliability'] === 'ok' ? [] : ['rent_does_not_fit']),
      ...inputs.flatMap(({ reason }) => reason ?? []),
      ...(isNotLet(values) || fraction(0).isBelow(lost) ? [ofCondition] : []),
    ],
  };
}
