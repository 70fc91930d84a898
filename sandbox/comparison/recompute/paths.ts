/** Recomputes the status of a deal's three paths, and the offer. */
import { fraction, minimum, type Fraction } from '../../../lib/fraction.ts';
import { annualConstantOf } from './loan_factor.ts';
import {
  hasNoIncome,
  isClaimed,
  isRented,
  isScored,
  noiAfterReserves,
  valueIf,
  type Recomputed,
  type Values,
} from './record.ts';

const cents = (value: Fraction): Fraction => fraction(value.rounded(2));

export const recomputePaths = (values: Values): Recomputed => ({
  rental_status: isScored(values) ? rentalStatus(values) : 'Pass',
  wholesale_status: isScored(values) ? wholesaleStatus(values) : 'Pass',
  creative_finance_status: isScored(values) ? creativeStatus(values) : 'Pass',
});

function rentalStatus({ of, assumed }: Values): string {
  const reaches = (level: string): boolean =>
    !of('coverage_scoring').isBelow(assumed(`rental_${level}_coverage`)) &&
    !of('cap_scoring_pct').isBelow(assumed(`rental_${level}_cap_pct`));
  if (reaches('hot')) return 'Hot';
  return reaches('warm') ? 'Warm' : 'Pass';
}

function wholesaleStatus(values: Values): string {
  const { record, of, assumed, count } = values;
  if (!isRented(values)) return 'Pass';
  const repairedValue = cents(of('noi_underwritten').over(assumed('wholesale_arv_cap_pct')).times(fraction(100)));
  const maximumOffer = cents(
    repairedValue
      .times(assumed('wholesale_share'))
      .minus(assumed('wholesale_repairs_per_unit').times(of('units')))
      .minus(assumed('wholesale_fee')),
  );
  if (!maximumOffer.isBelow(of('list_price'))) return 'Hot';
  const isNear = !maximumOffer.times(assumed('wholesale_warm_multiple')).isBelow(of('list_price'));
  return isNear && Number(record['motivation_score']) >= count('wholesale_warm_motivation') ? 'Warm' : 'Pass';
}

function creativeStatus(values: Values): string {
  const { record, of, assumed, count } = values;
  const loan = cents(of('list_price').times(fraction(1).minus(assumed('seller_down_share'))));
  const payment = cents(loan.times(assumed('seller_monthly_factor')));
  const coverage = cents(noiAfterReserves(values).over(payment.times(fraction(12))));
  const motivation = Math.max(Number(record['motivation_score']), Number(record['distress_score']));
  const reaches = (level: string): boolean =>
    !coverage.isBelow(assumed(`creative_${level}_coverage`)) && motivation >= count(`creative_${level}_motivation`);
  if (reaches('hot')) return 'Hot';
  return reaches('warm') ? 'Warm' : 'Pass';
}

/** The NOI from which the offer is computed; null if there is no offer. */
function offerBasis(values: Values): Fraction | null {
  const { record, of } = values;
  const isPositive = (column: string): boolean => fraction(0).isBelow(of(column));
  if (isScored(values)) return isPositive('noi_scoring') ? of('noi_scoring') : null;
  const isUnverifiedClaim =
    !hasNoIncome(values) && record['underwrite_reliability'] === 'proxy_out_of_range' && isClaimed(values);
  return isUnverifiedClaim && isPositive('noi') ? of('noi') : null;
}

function offerStatus(values: Values, hasBasis: boolean): string {
  const { record } = values;
  if (hasNoIncome(values)) return 'not_applicable';
  if (isScored(values)) return hasBasis ? 'computed' : 'noi_not_positive';
  if (record['underwrite_reliability'] === 'proxy_out_of_range')
    return hasBasis ? 'claimed_basis_unverified' : 'proxy_out_of_range_without_claim';
  const isCheap = record['underwrite_reason'] === 'price_per_unit_below_24x_monthly_2br_rent';
  return isCheap ? 'price_below_proxy_range' : 'insufficient_data';
}

export function recomputeOffer(values: Values): Recomputed {
  const { of, assumed } = values;
  const basis = offerBasis(values);
  const target = assumed('target_cap_pct').over(fraction(100));
  const lender = assumed('offer_coverage').times(assumed('loan_to_value')).times(annualConstantOf(values));
  const highest = (noi: Fraction): Fraction =>
    floorToStep(values, minimum(of('list_price'), minimum(noi.over(target), noi.over(lender))));
  const lowest = (noi: Fraction): Fraction =>
    minimum(highest(noi), floorToStep(values, noi.over(target).times(stressFactor(values))));
  const supports = (divisor: Fraction): boolean => !(basis ?? fraction(0)).isBelow(of('list_price').times(divisor));
  const binding = (): string => {
    if (supports(target) && supports(lender)) return 'list_price';
    return target.isBelow(lender) ? 'debt_coverage' : 'target_cap';
  };
  return {
    offer_status: offerStatus(values, basis !== null),
    offer_high: basis && highest(basis).rounded(2),
    offer_low: basis && lowest(basis).rounded(2),
    offer_binding: valueIf(basis !== null, binding),
    ask_at_or_below_target_value: valueIf(basis !== null, () => supports(target)),
  };
}

const floorToStep = ({ text }: Values, value: Fraction): Fraction => {
  const step = BigInt(text('offer_step'));
  return fraction(String((value.n / (value.d * step)) * step));
};

/** Share of the income that is left under stress: less rent, more vacancy, more expenses. */
function stressFactor({ has, of, assumed }: Values): Fraction {
  const occupied = fraction(1).minus(assumed('vacancy'));
  const ratio = has('expense_ratio_pct') ? of('expense_ratio_pct').over(fraction(100)) : fraction(0);
  const margin = fraction(1).minus(ratio);
  return fraction(1)
    .plus(assumed('stress_rent'))
    .times(occupied.minus(assumed('stress_vacancy')).over(occupied))
    .times(margin.minus(assumed('stress_expenses')).over(margin));
}
