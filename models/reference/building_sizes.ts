import { defineRecord, integer, oneOf } from '../../lib/record.ts';

/** Sizes of buildings, in the order of the tables. A single unit is described by the smallest. */
export const BUILDING_SIZES = ['2_4', '5_12', '13_24', '25_49', '50_up'] as const;

export default defineRecord(
  'building_size',
  'One row per size under which the survey of landlords describes buildings.',
  ['size'],
  {
    size: oneOf(BUILDING_SIZES, 'Name of the size.'),
    least_units: integer('Fewest units.', { unit: 'units' }),
    most_units: integer('Most units.', { unit: 'units', absent: 'the size has no upper end' }),
  },
);
