import { defineRecord, text } from '../../lib/record.ts';
import { Parcel } from '../../sources/rows/parcel.ts';
import { defineModel } from '../contract.ts';
import { Provenance } from '../inputs.ts';

export default defineModel({
  record: defineRecord(
    'stg_parcel_row',
    'One row per row of a parcel layer, or of a roll if another row may be of the parcel.',
    ['source', 'county_fips', 'parcel_raw'],
    {
      ...Parcel.schema.shape,
      ...Provenance.schema.shape,
      parcel_key: text('Normalized parcel number.', { absent: 'parcel_raw is no parcel number' }),
    },
  ),
});
