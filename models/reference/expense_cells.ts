import { date, defineRecord, integer, oneOf, ratio, text } from '../../lib/record.ts';
import { CELL_BASES, CELL_VINTAGES } from './bedroom_mixes.ts';
import { BUILDING_SIZES } from './building_sizes.ts';

const share = (about: string) => ratio(about, { decimals: 4 });

/** Operating expenses over collected rent by size and year of construction, from the survey of landlords. */
export default defineRecord('expense_cell', 'One row per size and vintage of buildings.', ['size', 'vintage'], {
  size: oneOf(BUILDING_SIZES, 'Size of the building.'),
  vintage: oneOf(CELL_VINTAGES, 'Years of construction. any: all of the size, also of unknown year.'),
  q1: share('First weighted quartile of the ratio.'),
  median: share('Weighted median of the ratio.'),
  q3: share('Third weighted quartile of the ratio.'),
  shrunk: share("The cell's own median, shrunk toward its prior with the weight of 30 properties."),
  n: integer('Properties of the cell.'),
  n_eff: ratio('Effective number of properties of the cell: square of the sum of weights over the sum of squares.', {
    decimals: 1,
  }),
  basis: oneOf(CELL_BASES, 'Properties behind the quartiles. parent: those of vintage any, as n_eff is below 15.'),
  source: text('Source of the figures.'),
  as_of: date('Last day that the figures describe.'),
});
