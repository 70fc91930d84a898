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
    parcel_id: text('Parcel number as printed.'),
    ...fieldsOf(Parcel, ['street', 'city']),
    city_basis: cityBasis('city is null'),
    ...fieldsOf(Parcel, ['zip']),
    ...addressParts('the layer has no street address with a house number'),
    ...fieldsOf(Parcel, ['county_value', 'annual_taxes', 'property_class', 'owner_name']),
    ...fieldsOf(Parcel, ['last_sale_date', 'last_sale_price', 'last_sale_basis', 'year_built', 'units']),
    ...fieldsOf(Parcel, ['latitude', 'longitude']),
    ...fieldsOf(Provenance, ['source', 'source_url', 'observed_at']),
  },
);

export default defineModel({ record: StagedParcel });
