import { defineRecord, oneOf, text } from '../../../lib/record.ts';
import { defineModel } from '../../contract.ts';

export default defineModel({
  record: defineRecord(
    'int_property_address',
    'One row per address that identifies a property.',
    ['place_kind', 'place', 'address_key'],
    {
      place_kind: oneOf(['zip', 'city', 'county'], 'Kind of the place.'),
      place: text('ZIP; county and city; or county.'),
      address_key: text('Normalized address.'),
      property_key: text('Key of the property.'),
    },
  ),
});
