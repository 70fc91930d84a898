import { date, defineRecord, integer, money, oneOf, ratio, text } from '../../lib/record.ts';
import { BUILDING_SIZES } from './building_sizes.ts';

/** Insurance a unit by size of building against buildings of 50 units and more, from the survey of landlords. */
export default defineRecord('insurance_size', 'One row per size of buildings.', ['size'], {
  size: oneOf(BUILDING_SIZES, 'Size of the building.'),
  survey_amount: money('Weighted median a unit in dollars of the year of the survey, where insurance is paid.', {
    unit: 'USD per unit and year',
  }),
  factor: ratio('survey_amount over that of 50 units and more, rounded to one decimal.', { decimals: 4 }),
  n: integer('Properties behind the figure.'),
  source: text('Source of the figures.'),
  as_of: date('Last day that the figures describe.'),
});
