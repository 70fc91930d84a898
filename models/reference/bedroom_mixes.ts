import { date, defineRecord, integer, oneOf, ratio, text } from '../../lib/record.ts';
import { BUILDING_SIZES } from './building_sizes.ts';
import { VINTAGES } from './building_vintages.ts';

/** Vintages of the calibrated tables. any: all properties of a size; for buildings of unknown year and thin cells. */
export const CELL_VINTAGES = [...VINTAGES, 'any'] as const;

/** Source of a cell's figures: its own properties, or those of its size if its own are too few. */
export const CELL_BASES = ['cell', 'parent'] as const;

const share = (bedrooms: string) => ratio(`Share of units with ${bedrooms}.`, { decimals: 4 });

/** Average mix of bedrooms by size and year of construction, from the survey of landlords. */
export default defineRecord('bedroom_mix', 'One row per size and vintage of buildings.', ['size', 'vintage'], {
  size: oneOf(BUILDING_SIZES, 'Size of the building.'),
  vintage: oneOf(CELL_VINTAGES, 'Years of construction. any: all of the size, also of unknown year.'),
  share_0: share('no bedroom'),
  share_1: share('one bedroom'),
  share_2: share('two bedrooms'),
  share_3: share('three bedrooms'),
  share_4: share('four or more bedrooms. The five shares add up to one'),
  n: integer('Properties of the cell.'),
  n_eff: ratio('Effective number of properties of the cell: square of the sum of weights over the sum of squares.', {
    decimals: 1,
  }),
  basis: oneOf(CELL_BASES, 'Properties behind the shares. parent: those of vintage any, as n_eff is below 15.'),
  source: text('Source of the figures.'),
  as_of: date('Last day that the figures describe.'),
});
