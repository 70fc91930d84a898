import { defineRecord, text } from '../../../lib/record.ts';
import { defineModel } from '../../contract.ts';
import { propertyKind } from '../../fields.ts';

export default defineModel({
  record: defineRecord(
    'int_sale_class',
    'One row per parcel with a sheriff sale whose county publishes a property class.',
    ['county_fips', 'parcel_key'],
    {
      county_fips: text('Five-digit county FIPS.'),
      parcel_key: text('Normalized parcel number.'),
      property_class: text("Property class in the county's own words or code."),
      ...propertyKind,
    },
  ),
});
