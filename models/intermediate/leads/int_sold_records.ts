import { defineRecord, text } from '../../../lib/record.ts';
import { defineModel } from '../../contract.ts';

export default defineModel({
  record: defineRecord('int_sold_record', 'One row per record of a sold property.', ['record_id'], {
    record_id: text('Id of a record in property_keys.'),
  }),
});
