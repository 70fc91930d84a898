import { defineRecord, text } from '../../lib/record.ts';
import { Parcel } from '../../sources/rows/parcel.ts';
import { defineModel } from '../contract.ts';
import { addressParts, cityBasis, fieldsOf } from '../fields.ts';
import { Provenance } from '../inputs.ts';

export const StagedParcel = defineRecord(
  'stg_parcel',
  "One row per parcel of a county's parcel layer or tax roll, with normalized parcel number and address.",
  ['county_fips', 'parcel_key'],
  {
    ...fieldsOf(Parcel, ['county_fips']),
    parcel_key: text('Normalized parcel number.'),
    ...fieldsOf(Parcel, ['street', 'city']),
    city_basis: cityBasis('city is null'),
    ...fieldsOf(Parcel, ['zip']),
    ...addressParts('the layer has no street address with a house number'),
    ...fieldsOf(Parcel, ['county_value', 'annual_taxes', 'property_class']),
    ...fieldsOf(Provenance, ['source', 'observed_at']),
  },
);

export default defineModel({ record: StagedParcel, audits: [] });
