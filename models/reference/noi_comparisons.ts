import { date, defineRecord, integer, oneOf, ratio, text } from '../../lib/record.ts';
import { CELL_VINTAGES } from './bedroom_mixes.ts';
import { BUILDING_SIZES } from './building_sizes.ts';

export const POPULATIONS = ['survey', 'assessor', 'loans'] as const;

export const AIMS = ['reached', 'median_not_reached', 'spread_not_reached', 'neither_reached', 'too_few'] as const;

const quartile = (about: string) => ratio(`${about} of our NOI over the property's own.`);

/** Our underwriting of properties that nobody here made, against their own NOI. Written by `make calibrate`. */
export default defineRecord(
  'noi_comparison',
  'One row per group of properties, size and vintage.',
  ['population', 'size', 'vintage'],
  {
    population: oneOf(
      POPULATIONS,
      'survey: owners of the Rental Housing Finance Survey; assessor: worksheets of Cook County, a model of his own; ' +
        'loans: statements and underwriting of securitized loans.',
    ),
    size: oneOf(BUILDING_SIZES, 'Size of the building.'),
    vintage: oneOf(CELL_VINTAGES, 'Years of construction. any: all properties of the size.'),
    n: integer('Properties with a positive NOI of their own.'),
    underwriting_q1: quartile("By uw-2026.2 at today's tax: first quartile"),
    underwriting_median: quartile("By uw-2026.2 at today's tax: median"),
    underwriting_q3: quartile("By uw-2026.2 at today's tax: third quartile"),
    proxy_q1: quartile('By the simple proxy (noi_hud_2br): first quartile'),
    proxy_median: quartile('By the simple proxy (noi_hud_2br): median'),
    proxy_q3: quartile('By the simple proxy (noi_hud_2br): third quartile'),
    rent_median: ratio("Median of our potential rent over the property's own.", {
      absent: 'the files have no potential rent of these properties',
    }),
    expenses_median: ratio("Median of our operating expenses over the property's own.", {
      absent: 'the files have no expenses of these properties',
    }),
    aim: oneOf(
      AIMS,
      'Aim: a median of 0.90 to 1.10, and quartiles nearer to each other, over the median, than those of the simple ' +
        'proxy. too_few: fewer than 100 properties.',
    ),
    source: text('Source of the NOI.'),
    as_of: date('End of the newest month that a file of the comparison describes.'),
  },
);
