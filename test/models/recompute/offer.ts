/** Recomputes a deal's offer range. */
import { fraction, maximum, minimum, type Fraction } from '../../../lib/fraction.ts';
import { managementShare, noiLine, type NoiLine } from './expenses.ts';
import { annualConstantOf } from './loan_factor.ts';
import { cents, hasNoIncome, isClaimed, isScored, type Recomputed, type Values } from './record.ts';

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
  const { of, assumed } = values;
  const one = fraction(1);
  const income = of('effective_gross_income');
  const occupied = one.minus(of('vacancy_pct').over(fraction(100))).minus(assumed('stress_vacancy'));
  const stressed = cents(
    of('gross_potential_rent')
      .times(one.plus(assumed('stress_rent')))
      .times(occupied),
  );
  const kept = one.minus(managementShare(values));
  const loss = cents(
    income
      .minus(stressed)
      .times(kept)
      .plus(stressed.times(assumed('stress_expenses'))),
  );
  if (isScored(values)) return loss;
  const own = of('noi_underwritten');
  return loss.isBelow(own) ? cents(noi.times(loss).over(own)) : noi;
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
