import { defineRecord } from '../../lib/record.ts';
import { Amendment } from '../../sources/rows/amendment.ts';
import { defineModel } from '../contract.ts';
import { fieldsOf } from '../fields.ts';
import { Provenance } from '../inputs.ts';

export default defineModel({
  record: defineRecord(
    'stg_amendment',
    'One row per amendment and business in the latest reads of the registers.',
    ['register', 'document_number', 'charter_number'],
    {
      ...fieldsOf(Amendment, ['register', 'document_number', 'charter_number', 'kind', 'effective_date']),
      ...fieldsOf(Provenance, ['source_url', 'observed_at', 'page_sha256', 'page_row']),
    },
  ),
});
