/** Recomputes the status of a deal's three paths. */
import { fraction } from '../../../lib/fraction.ts';
import { noiLine } from './expenses.ts';
import { priceAt } from './offer.ts';
import { cents, isNotLet, isRented, isScored, noiAfterReserves, type Recomputed, type Values } from './record.ts';

export const recomputePaths = (values: Values): Recomputed => ({
  rental_status: isScored(values) && !isNotLet(values) ? withRisk(values, rentalStatus(values)) : 'Pass',
  wholesale_status: isScored(values) ? withRisk(values, wholesaleStatus(values)) : 'Pass',
  creative_finance_status: isScored(values) && !isNotLet(values) ? withRisk(values, creativeStatus(values)) : 'Pass',
});

const withRisk = (values: Values, status: string): string =>
  status === 'Hot' && (values.record['score_limit'] === 'condition_risk' || isNotLet(values)) ? 'Warm' : status;

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
  const repairedValue = priceAt(noiLine(values), fraction(0), assumed('wholesale_arv_cap_pct').over(fraction(100)));
  const maximumOffer = cents(
    repairedValue
      .times(assumed('wholesale_share'))
      .minus(of('upfront_repairs_per_unit').plus(assumed('wholesale_repairs_per_unit')).times(of('units')))
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
