import { date, defineRecord, flag, oneOf, percent } from '../../lib/record.ts';

/** An interest rate of one day, as its publisher's series gives it. */
export const SurveyRate = defineRecord('survey_rate', 'One row per series and day.', ['series', 'observed_on'], {
  series: oneOf(
    ['MORTGAGE30US'],
    'Series by its code in FRED: the weekly average rate of 30-year fixed mortgages in the survey of Freddie Mac.',
  ),
  observed_on: date('Last day of the survey week.'),
  rate_pct: percent('The rate, per year.', { absent: 'the series has no figure for the day, such as a holiday' }),
  is_made_up: flag('Whether the page says that its rates are made up, as the pages of the sandbox do.'),
});
