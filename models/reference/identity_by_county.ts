import { defineRecord, integer, ratio, text } from '../../lib/record.ts';

const NONE_RECORDED = 'no recorded file with parcel numbers of the county';

/** How well rows of one property are joined, by county. Written by `WRITE=1 make identity`; a test recomputes it. */
export default defineRecord(
  'identity_by_county',
  'One row per county with a parcel form of its own: pairs of invented rows through the models, and recorded numbers.',
  ['county_fips'],
  {
    county_fips: text('Five-digit county FIPS.'),
    county: text('County and state.'),
    pairs: integer('Pairs of rows.', { unit: 'pairs' }),
    same: integer('Pairs of one property.', { unit: 'pairs' }),
    joined: integer('Pairs that the models hold for one property.', { unit: 'pairs' }),
    right: integer('Joined pairs of one property.', { unit: 'pairs' }),
    precision: ratio('right / joined.'),
    recall: ratio('right / same.'),
    recorded: integer('Parcel numbers in recorded files of real sources, words for a number left out.', {
      absent: NONE_RECORDED,
      unit: 'numbers',
    }),
    recorded_keys: integer('Those that have a key.', { absent: NONE_RECORDED, unit: 'numbers' }),
  },
);
