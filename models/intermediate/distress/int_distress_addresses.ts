import { defineRecord } from '../../../lib/record.ts';
import { defineModel } from '../../contract.ts';
import { addressParts, fieldsOf } from '../../fields.ts';
import { DistressRecord } from './int_distress_records.ts';

export default defineModel({
  record: defineRecord(
    'int_distress_address',
    'One row per address of a county record in force today. A line with two addresses gives two rows.',
    ['kind', 'record_id', 'address_key'],
    {
      ...fieldsOf(DistressRecord, ['kind', 'record_id', 'zip']),
      ...addressParts('never'),
    },
  ),
});
