/** Recomputes a deal's loans, DSCR, and the NOI that its scores use. */
import { fraction, minimum } from '../../../lib/fraction.ts';
import { annualConstantOf, monthlyFactorOf } from './loan_factor.ts';
import { hasNoIncome, isPriced, isRented, percent, valueIf, type Recomputed, type Values } from './record.ts';

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
  monthly_payment: valueIf(isPriced(values), () => values.of('loan_amount').times(monthlyFactorOf(values)).rounded(2)),
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

/** Rent over the payment, taxes and insurance, of 2 to 4 units whose expenses are known line by line. */
function rentOverPitia(values: Values): string {
  const { of, record } = values;
  const lines = record['expense_lines'] as readonly { readonly line: string; readonly amount: string }[];
  const insurance = fraction(lines.find(({ line }) => line === 'insurance')?.amount ?? '0');
  const costs = of('annual_debt_service').plus(of('tax_after_reset')).plus(insurance);
  return of('gross_potential_rent').over(costs).rounded(2);
}

/** The loan that a lender sizes, and which limit gives it. */
function sizeLoan(values: Values): { readonly loan: string; readonly binding: string } {
  const { of, assumed } = values;
  const income = of('net_cash_flow');
  if (!fraction(0).isBelow(income)) return { loan: '0.00', binding: 'none' };
  const covered = income.over(assumed('loan_coverage').times(annualConstantOf(values)));
  const loan = minimum(of('loan_amount'), fraction(String(covered.numerator / covered.denominator)));
  if (loan.isBelow(assumed('minimum_loan'))) return { loan: '0.00', binding: 'minimum_loan' };
  return { loan: loan.rounded(2), binding: loan.isBelow(of('loan_amount')) ? 'debt_coverage' : 'loan_to_value' };
}

export const recomputeNetCashFlow = (values: Values): Recomputed => ({
  net_cash_flow: valueIf(values.has('noi_underwritten'), () =>
    values.of('noi_underwritten').minus(values.of('reserves')).rounded(2),
  ),
});

export function recomputeSizedLoan(values: Values): Recomputed {
  const { record, of, has, count, assumed } = values;
  const isSized = has('dscr_underwritten');
  const sized = valueIf(isSized, () => sizeLoan(values));
  const payment = sized && fraction(fraction(sized.loan).times(monthlyFactorOf(values)).rounded(2));
  const service = payment && payment.times(fraction(12));
  const cashFlow = service && of('net_cash_flow').minus(service);
  const closing = valueIf(isSized, () => fraction(of('list_price').times(assumed('closing_cost_share')).rounded(2)));
  const cash = sized && closing && of('list_price').minus(fraction(sized.loan)).plus(closing);
  const isSmall = has('units') && Number(record['units']) <= count('small_units_max');
  const hasPitia = isSized && isSmall;
  return {
    rent_over_pitia: valueIf(hasPitia, () => rentOverPitia(values)),
    loan_sized: sized && sized.loan,
    loan_binding: sized && sized.binding,
    debt_service_sized: service && service.rounded(2),
    cash_flow_after_debt: cashFlow && cashFlow.rounded(2),
    cash_needed: cash && cash.rounded(2),
    cash_on_cash_pct: cashFlow && cash && percent(cashFlow, cash),
  };
}
