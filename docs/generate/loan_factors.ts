/** models/reference/loan_factors.csv: the factors of every loan rate and years that the models may look up. */
import { annualConstant, monthlyFactor } from '../../models/assumptions/declare.ts';
import { LOAN_RATES, LOAN_YEARS } from '../../models/references.ts';

/** Whole hundredths of a percent as a percentage: 753n is "7.53". */
const percentOf = (rate: bigint): string => `${rate / 100n}.${String(rate % 100n).padStart(2, '0')}`;

/** The table as CSV, by rate and years. */
export function loanFactorsCsv(): string {
  const rows = ['rate_pct,years,monthly_factor,annual_constant'];
  for (let rate = LOAN_RATES.least; rate <= LOAN_RATES.most; rate += 1n) {
    for (const years of LOAN_YEARS) {
      const term = BigInt(years);
      rows.push([percentOf(rate), years, monthlyFactor(rate, term), annualConstant(rate, term)].join(','));
    }
  }
  return rows.join('\n');
}
