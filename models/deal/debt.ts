/** The fields of a deal on its loan: the rate of the day, the loan at the price, and what the income carries. */
import { date, flag, integer, oneOf, percent, text } from '../../lib/record.ts';

const DECLARED_RATE = { absent: 'loan_rate_basis is declared' } as const;

export const debt = {
  loan_rate_pct: percent('Yearly rate of the bank loan: the survey rate plus loan_rate_spread, or the declared rate.'),
  loan_rate_basis: oneOf(
    ['survey', 'declared'],
    'survey: the newest survey week at or before the day; declared: the assumption loan_rate_pct, by ' +
      'loan_rate_method or because no survey week is known.',
  ),
  loan_rate_series: text('Series of the survey rate.', DECLARED_RATE),
  loan_rate_on: date('Survey week of the rate, by its last day.', DECLARED_RATE),
  loan_rate_age_days: integer('Days from loan_rate_on to the data clock.', { ...DECLARED_RATE, unit: 'days' }),
  loan_rate_source_url: text('Page that publishes the survey rate.', DECLARED_RATE),
  loan_rate_is_made_up: flag('Whether the survey rate is made up, as that of the sandbox is.', DECLARED_RATE),
};
