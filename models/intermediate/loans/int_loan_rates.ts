import { date, defineRecord, instant, integer, percent, ratio, text } from '../../../lib/record.ts';
import { defineModel, never } from '../../contract.ts';
import { debt } from '../../deal/debt.ts';

const FACTOR = { decimals: 20 } as const;
const DECLARED = { absent: 'loan_rate_basis is declared' } as const;

export default defineModel({
  record: defineRecord(
    'int_loan_rates',
    'One row: the loan rate of the day with its source, the stressed rate, and the payments per dollar of loan.',
    ['as_of'],
    {
      as_of: date('The data clock.'),
      loan_rate_pct: debt.loan_rate_pct,
      loan_rate_basis: debt.loan_rate_basis,
      loan_rate_series: debt.loan_rate_series,
      loan_rate_on: debt.loan_rate_on,
      loan_rate_age_days: debt.loan_rate_age_days,
      survey_rate_pct: percent('Rate of the survey week, before loan_rate_spread.', DECLARED),
      loan_rate_source: text('Name of the source of the survey week.', DECLARED),
      loan_rate_source_url: debt.loan_rate_source_url,
      loan_rate_observed_at: instant('When the survey week was read.', DECLARED),
      loan_rate_is_made_up: debt.loan_rate_is_made_up,
      loan_years: integer('Years of amortization.', { unit: 'years' }),
      monthly_factor: ratio('Monthly payment per dollar of loan at loan_rate_pct.', FACTOR),
      annual_constant: ratio('Payments of a year per dollar of loan at loan_rate_pct.', FACTOR),
      stressed_rate_pct: percent('loan_rate_pct plus loan_rate_stress.'),
      stressed_monthly_factor: ratio('Monthly payment per dollar of loan at stressed_rate_pct.', FACTOR),
      stressed_annual_constant: ratio('Payments of a year per dollar of loan at stressed_rate_pct.', FACTOR),
    },
  ),
  audits: [
    never(
      'int_loan_rates',
      'survey_as_said',
      'a rate from a survey is the survey rate plus loan_rate_spread, with its series, day and source',
      `(survey_rate_pct IS NULL) <> (loan_rate_basis = 'declared')
        OR (loan_rate_series IS NULL OR loan_rate_on IS NULL) <> (loan_rate_basis = 'declared')
        OR (loan_rate_age_days IS NULL OR loan_rate_source_url IS NULL) <> (loan_rate_basis = 'declared')
        OR loan_rate_pct <> survey_rate_pct + CAST(assumption('loan_rate_spread') AS DECIMAL(14, 2))
        OR loan_rate_on > as_of`,
    ),
  ],
});
