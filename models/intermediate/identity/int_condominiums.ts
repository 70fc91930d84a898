import { defineRecord, text } from '../../../lib/record.ts';
import { defineModel } from '../../contract.ts';

export default defineModel({
  record: defineRecord(
    'int_condominium',
    'One row per parcel that is one home of a building.',
    ['county_fips', 'parcel_key'],
    {
      county_fips: text('County.'),
      parcel_key: text('Normalized parcel number.'),
    },
  ),
});
