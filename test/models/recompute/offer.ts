/** Recomputes a deal's offer range. */
import { fraction, maximum, minimum, type Fraction } from '../../../lib/fraction.ts';
import { variableExpenses } from './expenses.ts';
import { annualConstantOf } from './loan_factor.ts';
import { hasNoIncome, isClaimed, isScored, percent, type Recomputed, type Values } from './record.ts';

/** The NOI from which the offer is computed, and the status if nothing else prevents an offer. */
function basisOf(values: Values): readonly [status: string, noi: Fraction | null] {
  const { record, of } = values;
  const isPositive = (column: string): boolean => fraction(0).isBelow(of(column));
  if (hasNoIncome(values)) return ['not_applicable', null];
  if (isScored(values)) return isPositive('noi_scoring') ? ['computed', of('noi_scoring')] : ['noi_not_positive', null];
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
const floorTo = (value: Fraction, step: string): Fraction =>
  fraction(String((value.numerator / (value.denominator * BigInt(step))) * BigInt(step)));

export function recomputeOffer(values: Values): Recomputed {
  const { of, assumed, text } = values;
  const [status, noi] = basisOf(values);
  if (noi === null) return { offer_status: status, ...NO_OFFER };
  const step = text('offer_step');
  const repairs = of('upfront_repairs_per_unit').times(of('units'));
  const target = assumed('target_cap_pct').over(fraction(100));
  const lender = assumed('offer_coverage').times(assumed('loan_to_value')).times(annualConstantOf(values));
  const afterRepairs = (value: Fraction): Fraction => floorTo(value, '1').minus(repairs);
  const atTarget = afterRepairs(noi.over(target));
  if (zero.isBelow(repairs) && atTarget.isBelow(fraction(step)))
    return { offer_status: 'repairs_exceed_value', ...NO_OFFER };
  const stressed = floorTo(maximum(zero, afterRepairs(stressedValue(values, noi.over(target)))), step);
  const limits = [of('list_price'), maximum(zero, atTarget), noi.over(lender)];
  const high = limits.map((limit) => floorTo(limit, step)).reduce(minimum);
  const low = minimum(high, stressed);
  const rangeBasis = (): string => {
    if (low.equals(zero) && zero.isBelow(high)) return 'no_value_under_stress';
    if (low.isBelow(high)) return 'range';
    return high.isBelow(stressed) ? 'stress_above_high_end' : 'within_one_step';
  };
  const isAtTarget = !noi.isBelow(of('list_price').plus(repairs).times(target));
  const isCovered = !noi.isBelow(of('list_price').times(lender));
  const binding = (): string => {
    if (isAtTarget && isCovered) return 'list_price';
    return floorTo(noi.over(lender), '1').isBelow(atTarget) ? 'debt_coverage' : 'target_cap';
  };
  return {
    offer_status: status,
    offer_high: high.rounded(2),
    offer_low: low.rounded(2),
    offer_range_basis: rangeBasis(),
    offer_binding: binding(),
    ask_at_or_below_target_value: isAtTarget,
  };
}

/** A value after less rent, more vacancy and more expenses, some of which keep their dollar amounts. */
function stressedValue(values: Values, value: Fraction): Fraction {
  const { of, assumed } = values;
  const one = fraction(1);
  const occupied = one.minus(of('vacancy_pct').over(fraction(100)));
  const ratio = of('expense_ratio_pct').over(fraction(100));
  const variable = fraction(percent(variableExpenses(values), of('effective_gross_income'))).over(fraction(100));
  const fixed = ratio.minus(variable);
  const left = one
    .plus(assumed('stress_rent'))
    .times(occupied.minus(assumed('stress_vacancy')))
    .over(occupied);
  const kept = left.times(one.minus(variable).minus(assumed('stress_expenses'))).minus(fixed);
  return maximum(zero, value.times(kept).over(one.minus(ratio)));
}
