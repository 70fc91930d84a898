import { date, defineRecord, flag, oneOf, percent } from '../../lib/record.ts';

export const RATE_SERIES = ['MORTGAGE30US', 'DGS10', 'SOFR'] as const;
export type RateSeries = (typeof RATE_SERIES)[number];

/** An interest rate of one day, as its publisher's series gives it. */
export const SurveyRate = defineRecord('survey_rate', 'One row per series and day.', ['series', 'observed_on'], {
  series: oneOf(
    RATE_SERIES,
    'Series by its code in FRED: MORTGAGE30US is the weekly average rate of 30-year fixed mortgages in the survey of ' +
      'Freddie Mac, DGS10 the market yield of 10-year Treasuries, SOFR the Secured Overnight Financing Rate.',
  ),
  observed_on: date('Day of the rate; for MORTGAGE30US the last day of the survey week.'),
  rate_pct: percent('The rate, per year.', { absent: 'the series has no figure for the day, such as a holiday' }),
  is_made_up: flag('Whether the page says that its rates are made up, as the pages of the sandbox do.'),
});
