import { defineRecord, text } from '../../lib/record.ts';
import { Parcel } from '../../sources/rows/parcel.ts';
import { defineModel } from '../contract.ts';
import { fieldsOf } from '../fields.ts';
import { Provenance } from '../inputs.ts';

export default defineModel({
  record: defineRecord(
    'stg_parcel_owner',
    "One row per parcel of a county's parcel layer or tax roll whose owner may be an organization.",
    ['county_fips', 'parcel_key'],
    {
      ...fieldsOf(Parcel, ['county_fips']),
      parcel_key: text('Normalized parcel number.'),
      owner_name: text('Owner of record.'),
      ...fieldsOf(Parcel, ['mail_street', 'mail_city', 'mail_state', 'mail_zip']),
      ...fieldsOf(Provenance, ['observed_at']),
    },
  ),
});
