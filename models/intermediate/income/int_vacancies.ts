import { defineRecord, integer, percent, ratio, text } from '../../../lib/record.ts';
import { defineModel, never } from '../../contract.ts';

export default defineModel({
  record: defineRecord(
    'int_vacancy',
    'One row per metropolitan area of the vacancy survey: vacancy shrunk toward the region, with credit loss.',
    ['cbsa'],
    {
      cbsa: text('Code of the metropolitan area.'),
      area_name: text('Name of the area in the survey.'),
      region: text('Region toward whose mean it is drawn.'),
      year: integer('Year of the newest quarter.', { unit: 'year' }),
      quarter: integer('Newest quarter.'),
      quarters: integer('Quarters in the mean.'),
      metro_pct: percent('Mean vacancy of the metropolitan area.'),
      margin_pct: percent('Mean margin of error, at 90 %.'),
      region_pct: percent('Mean of the areas of the region.'),
      metro_weight: ratio("Weight of the area's own figure.", { decimals: 4 }),
      shrunk_pct: percent('The weighted mean of the two.'),
      vacancy_pct: percent('With credit loss, within the declared limits.'),
      source: text('Source of the survey.'),
      source_url: text('Page of the survey.'),
    },
  ),
  audits: [
    never(
      'int_vacancies',
      'shrunk_is_between',
      "the drawn figure is between the area's and the region's",
      'shrunk_pct NOT BETWEEN least(metro_pct, region_pct) AND greatest(metro_pct, region_pct)',
    ),
  ],
});
