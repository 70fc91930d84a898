import { defineRecord } from '../../../lib/record.ts';
import { defineModel } from '../../contract.ts';
import { fieldsOf } from '../../fields.ts';
import { Change } from '../../marts/changes.ts';

const record = defineRecord(
  'int_change_place',
  'One row per record with a change since the previous snapshot, with its kind and place.',
  ['list', 'record_id'],
  fieldsOf(Change, ['list', 'record_id', 'kind', 'state', 'county', 'county_fips', 'city', 'zip']),
);

export default defineModel({ record });
