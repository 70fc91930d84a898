import { defineRecord } from '../../../lib/record.ts';
import { defineModel } from '../../contract.ts';
import { fieldsOf } from '../../fields.ts';
import { StagedParcel } from '../../staging/stg_parcels.ts';

export default defineModel({
  record: defineRecord(
    'int_layer_address',
    "One row per parcel with its address, value and class from the county's parcel layer, today or earlier.",
    ['county_fips', 'parcel_key'],
    fieldsOf(StagedParcel, [
      'county_fips',
      'parcel_key',
      'street',
      'city',
      'city_basis',
      'zip',
      'address_key',
      'street_key',
      'house_low',
      'house_high',
      'unit_key',
      'county_value',
      'property_class',
    ]),
  ),
  view: true,
});
