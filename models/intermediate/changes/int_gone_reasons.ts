import { defineRecord, oneOf } from '../../../lib/record.ts';
import { defineModel } from '../../contract.ts';
import { fieldsOf } from '../../fields.ts';
import { Change, GONE_REASONS } from '../../marts/changes.ts';

const record = defineRecord(
  'int_gone_reason',
  'One row per record that left a list since the previous snapshot.',
  ['list', 'record_id'],
  { ...fieldsOf(Change, ['list', 'record_id']), reason: oneOf(GONE_REASONS, 'Reason why the record is gone.') },
);

export default defineModel({ record });
