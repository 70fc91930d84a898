/** Recomputes a deal's coverage with less rent and a higher rate, on the loan that the income supports. */
import { fraction, minimum, type Fraction } from '../../../lib/fraction.ts';
import { variableExpenses } from './expenses.ts';
import { annualConstantOf, stressedMonthlyFactorOf } from './loan_factor.ts';
import { cents, isScored, valueIf, type Recomputed, type Values } from './record.ts';

const wholeDollars = ({ numerator, denominator }: Fraction): Fraction => fraction(String(numerator / denominator));

export function recomputeStressedIncome(values: Values): Recomputed {
  const { of, assumed } = values;
  const noi = (): string => {
    const income = of('effective_gross_income');
    return of('noi_underwritten')
      .plus(income.minus(variableExpenses(values)).times(assumed('stress_coverage_rent')))
      .rounded(2);
  };
  return { noi_stressed: valueIf(isScored(values), noi) };
}

/** Loan whose payments the underwritten income covers as lenders require, at most the loan of the price. */
function loanSupported(values: Values): Fraction {
  const { of, assumed } = values;
  const income = of('noi_underwritten').minus(of('reserves'));
  if (!fraction(0).isBelow(income)) return fraction(0);
  const largest = income.over(assumed('loan_coverage').times(annualConstantOf(values)));
  return minimum(of('loan_amount'), wholeDollars(largest));
}

export function recomputeStressedCoverage(values: Values): Recomputed {
  const { of } = values;
  if (!isScored(values)) return { dscr_stressed: null };
  const payment = cents(loanSupported(values).times(stressedMonthlyFactorOf(values)));
  const service = cents(payment.times(fraction(12)));
  const income = of('noi_stressed').minus(of('reserves'));
  return { dscr_stressed: valueIf(fraction(0).isBelow(service), () => income.over(service).rounded(2)) };
}
