import { defineRecord, integer, percent, ratio } from '../../lib/record.ts';

/** The loans of the table: rates in whole hundredths of a percent (200n is 2.00 %), and years. */
export const LOAN_RATES = { least: 200n, most: 1500n } as const;
export const LOAN_YEARS = [20, 25, 30] as const;

/**
 * Written by `make docs` from monthlyFactor and annualConstant of models/assumptions/declare.ts; do not edit. SQL has
 * no exact powers, so the models look the factors up.
 */
export default defineRecord(
  'loan_factor',
  'One row per loan rate and years of amortization: the payments per dollar of loan.',
  ['rate_pct', 'years'],
  {
    rate_pct: percent('Yearly rate of the loan.'),
    years: integer('Years until the loan is repaid by equal monthly payments.', { unit: 'years' }),
    monthly_factor: ratio('Monthly payment per dollar of loan.', { decimals: 20 }),
    annual_constant: ratio('Payments of a year per dollar of loan.', { decimals: 20 }),
  },
);
