import { defineRecord } from '../../lib/record.ts';
import { Registration } from '../../sources/rows/registration.ts';
import { defineModel } from '../contract.ts';
import { fieldsOf } from '../fields.ts';
import { Provenance } from '../inputs.ts';

export default defineModel({
  record: defineRecord(
    'stg_superseded',
    'One row per registration that a later read of the same filing replaces.',
    ['register', 'document_number', 'observed_at', 'page_sha256', 'page_row'],
    {
      ...fieldsOf(Registration, ['register', 'document_number']),
      ...fieldsOf(Provenance, ['observed_at', 'page_sha256', 'page_row']),
    },
  ),
});
