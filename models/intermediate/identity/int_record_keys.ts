import { defineRecord, text } from '../../../lib/record.ts';
import { defineModel } from '../../contract.ts';

export default defineModel({
  record: defineRecord(
    'int_record_key',
    'One row per signal or auction and key of its property.',
    ['record_id', 'property_key'],
    {
      record_id: text('Signal or auction.'),
      property_key: text('Key of its property, by this record alone.'),
    },
  ),
});
