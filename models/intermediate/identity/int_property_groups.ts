import { defineRecord, text } from '../../../lib/record.ts';
import { defineModel } from '../../contract.ts';

export default defineModel({
  record: defineRecord(
    'int_property_group',
    'One row per signal or auction and key, with the group of records of one property.',
    ['record_id', 'property_key'],
    {
      record_id: text('Signal or auction.'),
      property_key: text('Key of its property, by this record alone.'),
      property_group: text('Least key of all records of the property.'),
    },
  ),
});
