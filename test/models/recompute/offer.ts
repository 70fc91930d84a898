/** Recomputes a deal's paths, offer range and confidence. */
import { fraction, maximum, minimum, type Fraction } from '../../../lib/fraction.ts';
import { managementShare, noiLine, type NoiLine } from './income.ts';
import {
  annualConstantOf,
  dayNumber,
  hasNoIncome,
  isClaimed,
  isNotLet,
  isRented,
  isScored,
  type Recomputed,
  type Values,
} from './values.ts';

export const recomputePaths = (values: Values): Recomputed => ({
  rental_status: isScored(values) && !isNotLet(values) ? withRisk(values, rentalStatus(values)) : 'Pass',
  wholesale_status: isScored(values) ? withRisk(values, wholesaleStatus(values)) : 'Pass',
  creative_finance_status: isScored(values) && !isNotLet(values) ? withRisk(values, creativeStatus(values)) : 'Pass',
});

const withRisk = (values: Values, status: string): string =>
  status === 'Hot' && (values.record['score_limit'] === 'condition_risk' || isNotLet(values)) ? 'Warm' : status;

function rentalStatus({ is }: Values): string {
  const reaches = (level: string): boolean =>
    is(`coverage_scoring >= rental_${level}_coverage`) && is(`cap_scoring_pct >= rental_${level}_cap_pct`);
  if (reaches('hot')) return 'Hot';
  return reaches('warm') ? 'Warm' : 'Pass';
}

function wholesaleStatus(values: Values): string {
  const { by, is } = values;
  if (!isRented(values)) return 'Pass';
  const repaired = priceAt(noiLine(values), fraction(0), by('wholesale_arv_cap_pct / 100'));
  const repairs = '(upfront_repairs_per_unit + wholesale_repairs_per_unit) * units';
  const most = by(`round2(repaired * wholesale_share - ${repairs} - wholesale_fee)`, { repaired });
  if (is('most >= list_price', { most })) return 'Hot';
  const isNear = is('most * wholesale_warm_multiple >= list_price', { most });
  return isNear && is('motivation_score >= wholesale_warm_motivation') ? 'Warm' : 'Pass';
}

function creativeStatus(values: Values): string {
  const payment = values.by('round2(round2(list_price * (1 - seller_down_share)) * seller_monthly_factor)');
  const coverage = values.by('round2((noi_scoring - reserves) / (payment * 12))', { payment });
  const reaches = (level: string): boolean =>
    values.is(`coverage >= creative_${level}_coverage`, { coverage }) &&
    values.is(`max(motivation_score, distress_score) >= creative_${level}_motivation`);
  if (reaches('hot')) return 'Hot';
  return reaches('warm') ? 'Warm' : 'Pass';
}

/** Whether the underwriting, and the mean of it and the claim, are above zero. */
function isEarning(values: Values): boolean {
  const noi = values.of('noi_underwritten');
  const claim = isClaimed(values) ? values.of('noi') : fraction(0);
  return fraction(0).isBelow(noi) && fraction(0).isBelow(claim.plus(noi));
}

/** The NOI from which the offer is computed, and the status if nothing else prevents an offer. */
function basisOf(values: Values): readonly [status: string, noi: Fraction | null] {
  const { record, of } = values;
  const isPositive = (column: string): boolean => fraction(0).isBelow(of(column));
  if (hasNoIncome(values)) return ['not_applicable', null];
  if (isScored(values)) return isEarning(values) ? ['computed', of('noi_underwritten')] : ['noi_not_positive', null];
  if (record['underwrite_reliability'] === 'proxy_out_of_range') {
    const isUsable = isClaimed(values) && isPositive('noi');
    return isUsable ? ['claimed_basis_unverified', of('noi')] : ['proxy_out_of_range_without_claim', null];
  }
  const isCheap = record['underwrite_reason'] === 'price_per_unit_below_24x_monthly_2br_rent';
  return [isCheap ? 'price_below_proxy_range' : 'insufficient_data', null];
}

const NO_OFFER = {
  offer_high: null,
  offer_low: null,
  offer_range_basis: null,
  offer_binding: null,
  ask_at_or_below_target_value: null,
};

const zero = fraction(0);
const two = fraction(2);
const floorTo = (value: Fraction, step: string): Fraction =>
  fraction(String((value.numerator / (value.denominator * BigInt(step))) * BigInt(step)));

/** The price at which NOI less costs is a yield of it, on a line of NOI over the price. */
export function priceAt({ highest, untaxed, perDollar }: NoiLine, costs: Fraction, yieldShare: Fraction): Fraction {
  const of = (noi: Fraction, slope = zero): Fraction =>
    floorTo(maximum(zero, noi.minus(costs)).over(yieldShare.plus(slope)), '1');
  return minimum(of(highest), of(untaxed, perDollar));
}

/** The line of NOI, and the one half way to a claim. */
function noiLines(values: Values, noi: Fraction): readonly NoiLine[] {
  if (!isScored(values)) return [{ highest: noi, untaxed: noi, perDollar: zero }];
  const own = noiLine(values);
  if (!isClaimed(values)) return [own];
  const claim = values.of('noi');
  const halfWay = (amount: Fraction): Fraction => amount.plus(claim).over(two);
  const { highest, untaxed, perDollar } = own;
  const between = { highest: halfWay(highest), untaxed: halfWay(untaxed) };
  return [own, { ...between, perDollar: perDollar.over(two) }];
}

/** NOI that less rent, more vacancy and a higher expense ratio take. A claim loses the same share. */
function lossUnderStress(values: Values, noi: Fraction): Fraction {
  const { by, is } = values;
  const occupied = '(1 - vacancy_pct / 100 - stress_vacancy)';
  const stressed = by(`round2(gross_potential_rent * (1 + stress_rent) * ${occupied})`);
  const lost = 'round2((effective_gross_income - stressed) * (1 - management) + stressed * stress_expenses)';
  const loss = by(lost, { stressed, management: managementShare(values) });
  if (isScored(values)) return loss;
  return is('loss < noi_underwritten', { loss })
    ? by('round2(own * loss / noi_underwritten)', { own: noi, loss })
    : noi;
}

export function recomputeOffer(values: Values): Recomputed {
  const { of, assumed, text } = values;
  const [status, noi] = basisOf(values);
  if (noi === null) return { offer_status: status, ...NO_OFFER };
  const step = text('offer_step');
  const repairs = of('upfront_repairs_per_unit').times(of('units'));
  const target = assumed('target_cap_pct').over(fraction(100));
  const lender = assumed('offer_coverage').times(assumed('loan_to_value')).times(annualConstantOf(values));
  const lines = noiLines(values, noi);
  const price = (costs: Fraction, yieldShare: Fraction): Fraction =>
    lines.map((line) => priceAt(line, costs, yieldShare)).reduce(minimum);
  const atTarget = price(repairs.times(target), target);
  const atCoverage = price(of('reserves'), lender);
  if (zero.isBelow(repairs) && atTarget.isBelow(fraction(step)))
    return { offer_status: 'repairs_exceed_value', ...NO_OFFER };
  const asked = of('list_price');
  const stressed = floorTo(price(repairs.times(target).plus(lossUnderStress(values, noi)), target), step);
  const high = floorTo([asked, atTarget, atCoverage].reduce(minimum), step);
  const low = minimum(high, stressed);
  const rangeBasis = (): string => {
    if (low.equals(zero) && zero.isBelow(high)) return 'no_value_under_stress';
    if (low.isBelow(high)) return 'range';
    return high.isBelow(stressed) ? 'stress_above_high_end' : 'within_one_step';
  };
  const binding = (): string => {
    if (!minimum(atTarget, atCoverage).isBelow(asked)) return 'list_price';
    return atCoverage.isBelow(atTarget) ? 'debt_coverage' : 'target_cap';
  };
  return {
    offer_status: status,
    offer_high: high.rounded(2),
    offer_low: low.rounded(2),
    offer_range_basis: rangeBasis(),
    offer_binding: binding(),
    ask_at_or_below_target_value: !atTarget.isBelow(asked),
  };
}

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
  const { record, by } = values;
  if (isNotLet(values)) return by('min(confidence_condition_record, earned)', { earned });
  if (record['score_limit'] !== 'condition_risk') return fraction(0);
  return by('min(round2(confidence_condition_risk * (100 - score_share_pct) / 100), earned)', { earned });
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
