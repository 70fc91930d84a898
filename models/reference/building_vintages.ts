import { defineRecord, integer, oneOf } from '../../lib/record.ts';

/** Years of construction, in the order of the tables. */
export const VINTAGES = ['before_1960', '1960_1999', 'from_2000'] as const;

export default defineRecord(
  'building_vintage',
  'One row per group of years of construction under which the survey of landlords describes buildings.',
  ['vintage'],
  {
    vintage: oneOf(VINTAGES, 'Name of the years.'),
    first_year: integer('First year.', { unit: 'year', absent: 'the years have no first one' }),
    last_year: integer('Last year.', { unit: 'year', absent: 'the years have no last one' }),
  },
);
