import { z } from 'zod';
import { defineRecord, json } from '../../../lib/record.ts';
import { defineModel } from '../../contract.ts';
import { fieldsOf } from '../../fields.ts';
import { Change } from '../../marts/changes.ts';

const record = defineRecord(
  'int_changed_fields',
  'One row per changed record of a list, with the names of the fields that have another value.',
  ['list', 'record_id'],
  {
    ...fieldsOf(Change, ['list', 'record_id']),
    changed_fields: json(z.array(z.string()), 'Names of the fields, in the order of the record.'),
  },
);

export default defineModel({ record });
