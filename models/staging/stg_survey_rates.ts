import { defineRecord } from '../../lib/record.ts';
import { SurveyRate } from '../../sources/rows/survey_rate.ts';
import { defineModel, never } from '../contract.ts';
import { Provenance } from '../inputs.ts';

export default defineModel({
  record: defineRecord(
    'stg_survey_rate',
    'One row per series and day of the interest rate surveys, from the source that has a figure and was read last.',
    ['series', 'observed_on'],
    { ...SurveyRate.schema.shape, ...Provenance.schema.shape },
  ),
  audits: [
    never(
      'stg_survey_rates',
      'not_of_the_future',
      'no rate is of a day after it was read',
      'observed_on > cast(observed_at as date)',
    ),
    {
      name: 'stg_survey_rates.sources_agree',
      about: 'two sources of one series state the same rate of a day',
      blocking: false,
      sql: `SELECT series, observed_on FROM staged_survey_rate WHERE rate_pct IS NOT NULL
        GROUP BY ALL HAVING min(rate_pct) <> max(rate_pct)`,
    },
    {
      // A made-up rate in a real snapshot, or a real rate in the sandbox.
      name: 'stg_survey_rates.all_made_up_or_none',
      about: 'either all rates are made up or none is',
      blocking: true,
      sql: 'SELECT count(*) AS rates FROM stg_survey_rates HAVING min(is_made_up) <> max(is_made_up)',
    },
  ],
});
