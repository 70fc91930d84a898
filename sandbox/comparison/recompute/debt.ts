/** Recomputes a deal's loan, DSCR, and the NOI that its scores use. */
import { fraction, minimum } from '../../../lib/fraction.ts';
import {
  hasNoIncome,
  isClaimed,
  isPriced,
  isRented,
  isScored,
  noiAfterReserves,
  percent,
  valueIf,
  type Recomputed,
  type Values,
} from './record.ts';

function dscrReason(values: Values): string | null {
  const { record, has, of, count, assumed } = values;
  if (has('units') && Number(record['units']) < count('minimum_units')) return 'single_unit';
  if (/\b(?:land|lot|vacant)\b/iu.test(String(record['property_type'] ?? ''))) return 'not_income_property';
  if (!isPriced(values)) return has('noi') ? 'price_missing' : 'price_and_noi_missing';
  if (of('loan_amount').isBelow(assumed('minimum_loan'))) return 'loan_below_minimum';
  return has('noi') ? null : 'noi_missing';
}

export const recomputeLoan = (values: Values): Recomputed => ({
  loan_amount: valueIf(isPriced(values), () =>
    values.of('list_price').times(values.assumed('loan_to_value')).rounded(2),
  ),
});

export const recomputePayment = (values: Values): Recomputed => ({
  monthly_payment: valueIf(isPriced(values), () =>
    values.of('loan_amount').times(values.assumed('loan_monthly_factor')).rounded(2),
  ),
});

export const recomputeDebtService = (values: Values): Recomputed => ({
  annual_debt_service: valueIf(isPriced(values), () => values.of('monthly_payment').times(fraction(12)).rounded(2)),
  dscr_reason: dscrReason(values),
});

export function recomputeDscrStatus(values: Values): Recomputed {
  const { dscr_reason: reason } = values.record;
  if (reason === null) return { dscr_status: 'computed' };
  const isNotApplicable = hasNoIncome(values) || reason === 'loan_below_minimum';
  return { dscr_status: isNotApplicable ? 'not_applicable' : 'insufficient_data' };
}

export function recomputeCoverage(values: Values): Recomputed {
  const { record, of } = values;
  const isComputed = record['dscr_status'] === 'computed';
  const isUnderwritten = record['dscr_status'] !== 'not_applicable' && isRented(values) && isPriced(values);
  const costs = () => of('effective_gross_income').minus(of('noi_underwritten')).plus(of('annual_debt_service'));
  return {
    dscr: valueIf(isComputed, () => of('noi').over(of('annual_debt_service')).rounded(2)),
    debt_yield_pct: valueIf(isComputed, () => percent(of('noi'), of('loan_amount'))),
    dscr_underwritten: valueIf(isUnderwritten, () => of('noi_underwritten').over(of('annual_debt_service')).rounded(2)),
    break_even_occupancy_pct: valueIf(isUnderwritten, () => percent(costs(), of('gross_potential_rent'))),
  };
}

/** NOI that the scores use. */
export function recomputeScoringIncome(values: Values): Recomputed {
  const { of } = values;
  const noi = (): string => {
    const underwritten = of('noi_underwritten');
    const mean = (isClaimed(values) ? of('noi') : underwritten).plus(underwritten).over(fraction(2));
    return minimum(underwritten, fraction(mean.rounded(2))).rounded(2);
  };
  return { noi_scoring: valueIf(isScored(values), noi) };
}

/** Cap rate and coverage that the scores use. */
export function recomputeScoringBasis(values: Values): Recomputed {
  const { of } = values;
  const scored = isScored(values);
  return {
    cap_scoring_pct: valueIf(scored, () => percent(of('noi_scoring'), of('list_price'))),
    coverage_scoring: valueIf(scored, () => noiAfterReserves(values).over(of('annual_debt_service')).rounded(2)),
  };
}
