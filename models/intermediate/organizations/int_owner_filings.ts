import { defineRecord, flag } from '../../../lib/record.ts';
import { defineModel } from '../../contract.ts';
import { fieldsOf } from '../../fields.ts';
import { Filing } from '../../marts/filings.ts';
import { OwnedRecord } from './int_owned_records.ts';

export default defineModel({
  record: defineRecord(
    'int_owner_filing',
    'One row per organization of a county and filing of a register with exactly its normalized name.',
    ['county_fips', 'owner_key', 'id'],
    {
      ...fieldsOf(OwnedRecord, ['county_fips', 'owner_key']),
      ...fieldsOf(Filing, [
        'id',
        'source',
        'document_number',
        'charter_number',
        'business_name',
        'entity_type',
        'entity_status',
        'filing_date',
        'source_url',
      ]),
      is_agent_at_owner_mail: flag("The filing's agent has the address at which the owner gets mail."),
    },
  ),
});
