import { defineRecord, integer, oneOf, ratio } from '../../../lib/record.ts';
import { defineModel, never } from '../../contract.ts';
import { UNIT_MIX_BASES } from '../../deal/income.ts';
import { fieldsOf } from '../../fields.ts';
import { Deal } from '../../marts/deals.ts';

const share = (bedrooms: number) =>
  ratio(`Units of ${bedrooms} bedrooms if the listing states the mix, else their share.`, {
    absent: 'units is null',
    decimals: 4,
  });

export default defineModel({
  record: defineRecord('int_unit_mix', 'One row per property: its units by bedrooms.', ['id'], {
    ...fieldsOf(Deal, ['id']),
    unit_mix_basis: oneOf(
      UNIT_MIX_BASES,
      'Origin of the mix. listing: the listing states it; size_and_age: the average of such buildings; size: ' +
        'the same, of an unknown year; stated_mix_does_not_add_up: the listing states one that has another number of ' +
        'units, and the average is used.',
    ),
    mix_0br: share(0),
    mix_1br: share(1),
    mix_2br: share(2),
    mix_3br: share(3),
    mix_4br: share(4),
    mix_sum: integer('The sum of the five: units of the listing, or 1.', { absent: 'units is null' }),
  }),
  audits: [
    never(
      'int_unit_mixes',
      'adds_up',
      'the five add up to mix_sum',
      'mix_0br + mix_1br + mix_2br + mix_3br + mix_4br <> mix_sum',
    ),
    never(
      'int_unit_mixes',
      'every_size_has_a_mix',
      'a property with units has a mix',
      "unit_mix_basis <> 'unknown' AND (mix_0br IS NULL OR mix_sum IS NULL)",
    ),
  ],
});
