import { defineRecord, text } from '../../../lib/record.ts';
import { defineModel } from '../../contract.ts';
import { propertyKind } from '../../fields.ts';

export default defineModel({
  record: defineRecord(
    'int_property_class',
    'One row per county and property class as published, with the kind of property that it means.',
    ['county_fips', 'property_class'],
    {
      county_fips: text('Five-digit county FIPS.'),
      property_class: text("Property class in the county's own words or code."),
      ...propertyKind,
    },
  ),
});
