import { defineRecord } from '../../../lib/record.ts';
import { defineModel } from '../../contract.ts';
import { fieldsOf } from '../../fields.ts';
import { Change } from '../../marts/changes.ts';

const record = defineRecord(
  'int_record_change',
  'One row per record that entered or left a list since the previous snapshot, or has another value.',
  ['list', 'record_id'],
  { ...fieldsOf(Change, ['list', 'record_id', 'change']) },
);

export default defineModel({ record });
