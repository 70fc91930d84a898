/** Recomputes a deal's confidence: what each input earns of its weight, and why some earn less. */
import { fraction, minimum, type Fraction } from '../../../lib/fraction.ts';
import { dayNumber, isNotLet, type Recomputed, type Values } from './record.ts';

/** Inputs by the keys of their weights: the name of the part, and the reason if it is not known, or in part. */
const INPUTS: Readonly<Record<string, readonly [part: string, unknown: string, partly?: string]>> = {
  price: ['price', 'price_old_or_missing', 'price_recent'],
  units: ['units', 'units_missing'],
  year_built: ['year_built', 'year_built_missing'],
  bedrooms: ['bedrooms', 'bedrooms_assumed'],
  rent: ['rent', 'rent_outdated', 'rent_of_area'],
  in_place: ['rent_in_place', 'rent_in_place_assumed', 'rent_in_place_of_reference'],
  utilities: ['utilities', 'utilities_assumed', 'utilities_of_area'],
  vacancy: ['vacancy', 'vacancy_assumed'],
  tax_bill: ['tax_bill', 'tax_bill_assumed', 'tax_after_sale_assumed'],
  tax_rate: ['tax_rate', 'tax_rate_assumed', 'tax_rate_of_area'],
  loan_rate: ['loan_rate', 'loan_rate_old_or_assumed', 'loan_rate_stale'],
  claim: ['claim', 'claim_missing', 'claim_derived'],
  agreement: ['agreement', 'claim_not_confirmed', 'claim_differs'],
};
/** Inputs that say nothing where HUD's rent does not fit. */
const OF_RENT = new Set(['bedrooms', 'rent', 'in_place', 'utilities', 'agreement']);

/** Not known, known in part, known. */
type Level = 0 | 1 | 2;

const byBasis = (basis: unknown, known: readonly string[], unknown: readonly string[]): Level =>
  unknown.includes(String(basis)) ? 0 : known.includes(String(basis)) ? 2 : 1;

/** Known up to a first limit, in part up to a second. */
const byLimits = (value: Fraction | null, [first, second]: readonly [Fraction, Fraction]): Level =>
  value === null || second.isBelow(value) ? 0 : first.isBelow(value) ? 1 : 2;

const sizeOf = (value: Fraction): Fraction => (value.isBelow(fraction(0)) ? fraction(0).minus(value) : value);

type Json = Readonly<Record<string, unknown>>;

function levelsOf(
  { record, has, of, assumed, asOf }: Values,
  isContradicted: boolean,
): Readonly<Record<string, Level>> {
  const [rents, tax] = [record['rent_steps'] as Readonly<Record<string, Json>>, record['property_tax'] as Json];
  const priceAge = has('list_price') ? fraction(String(dayNumber(asOf) - dayNumber(record['last_verified']))) : null;
  const limits = (first: string, second: string): readonly [Fraction, Fraction] => [
    assumed(`confidence_${first}`),
    assumed(`confidence_${second}`),
  ];
  const claims: Readonly<Record<string, Level>> = { stated: 2, derived_from_advertised_cap: 1 };
  const isOfZip = String(record['rent_basis']).startsWith('zip');
  const gap = has('cap_gap_pct') && !isContradicted ? sizeOf(of('cap_gap_pct')) : null;
  return {
    price: byLimits(priceAge, limits('fresh_days', 'recent_days')),
    units: has('units') ? 2 : 0,
    year_built: has('year_built') && record['claim_issue'] !== 'year_built_in_future' ? 2 : 0,
    bedrooms: rents['mix']?.['basis'] === 'listing' ? 2 : 0,
    rent: record['rent_outdated_reason'] === null ? (isOfZip ? 2 : 1) : 0,
    in_place: byBasis(rents['in_place']?.['basis'], ['metro_of_source'], ['declared']),
    utilities: byBasis(rents['contract']?.['basis'], ['county'], ['declared']),
    vacancy: record['vacancy_basis'] === 'declared' ? 0 : 2,
    tax_bill: byBasis(
      tax['after_basis'],
      ['uncapped_to_assessment', ...(tax['rule_basis'] === 'confirmed' ? ['bill'] : [])],
      ['estimated', 'unknown'],
    ),
    tax_rate: byBasis(tax['rate_basis'], ['county'], ['declared']),
    loan_rate: byLimits(
      has('loan_rate_age_days') ? of('loan_rate_age_days') : null,
      limits('rate_stale_days', 'rate_old_days'),
    ),
    claim: isContradicted ? 0 : (claims[String(record['noi_source'])] ?? 0),
    agreement: byLimits(gap, limits('gap_small_points', 'gap_medium_points')),
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
  const { record, has, assumed } = values;
  const issue = String(record['claim_issue']);
  const isContradicted = issue.startsWith('noi_');
  const isFit = record['underwrite_reliability'] === 'ok';
  const levels = levelsOf(values, isContradicted);
  const afterSale = (record['property_tax'] as Json)['after_basis'];
  // A claim that cannot be, and a year to come, are their own reasons; without a price, claim and tax are not missing.
  const own: Readonly<Record<string, string | null>> = {
    ...(has('list_price') ? {} : { tax_bill: 'tax_after_sale_unknown' }),
    ...(has('cap_rate') ? { claim: 'claim_without_price' } : {}),
    ...(isContradicted ? { claim: issue, agreement: null } : {}),
    ...(has('year_built') ? { year_built: issue } : {}),
  };
  const parts = Object.entries(INPUTS).map(([key, [part, unknown, partly]]) => {
    const isSilent = OF_RENT.has(key) && !isFit;
    const level = isSilent ? 0 : (levels[key] ?? 0);
    const weight = assumed(`confidence_${key}`);
    const half = fraction(weight.times(assumed('confidence_partly')).rounded(2));
    const inPart = key === 'tax_bill' && afterSale === 'exemption_ends' ? 'tax_bill_exempt' : partly;
    const reason = isSilent ? null : [key in own ? own[key] : unknown, inPart, null][level];
    return { part, points: [fraction(0), half, weight][level] ?? weight, reason };
  });
  const earned = parts.reduce((sum, { points }) => sum.plus(points), fraction(0));
  const lost = conditionOf(values, earned);
  const isTested = has('list_price') && has('units') && has('market_rent_2br');
  const ofCondition = isNotLet(values) ? 'condition_record' : 'condition_risk';
  return {
    confidence_parts: Object.fromEntries([
      ...parts.map(({ part, points }) => [part, points.rounded(2)]),
      ['condition', fraction(0).minus(lost).rounded(2)],
    ]),
    confidence_score: earned.minus(lost).rounded(2),
    confidence_reasons: [
      ...(isFit ? [] : [isTested ? 'rent_does_not_fit' : 'rent_fit_not_tested']),
      ...parts.flatMap(({ reason }) => reason ?? []),
      ...(isNotLet(values) || fraction(0).isBelow(lost) ? [ofCondition] : []),
    ],
  };
}
