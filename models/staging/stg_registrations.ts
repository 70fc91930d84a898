import { defineRecord, oneOf, text } from '../../lib/record.ts';
import { Registration } from '../../sources/rows/registration.ts';
import { defineModel } from '../contract.ts';
import { fieldsOf } from '../fields.ts';
import { Provenance } from '../inputs.ts';
import { Filing } from '../marts/filings.ts';

export default defineModel({
  record: defineRecord('stg_registration', 'One row per filing in the latest reads of the registers.', ['filing_id'], {
    filing_id: text('Filing of the row.'),
    ...fieldsOf(Registration, ['register', 'document_number', 'charter_number']),
    ...fieldsOf(Filing, ['business_name', 'business_name_raw', 'filing_date', 'entity_type', 'entity_type_raw']),
    ...fieldsOf(Filing, ['entity_status', 'entity_status_raw', 'jurisdiction', 'registered_agent_name', 'agent_addr1']),
    ...fieldsOf(Filing, ['agent_addr2', 'agent_city', 'agent_state', 'agent_zip', 'business_city', 'business_state']),
    ...fieldsOf(Filing, ['business_zip', 'business_county']),
    source_state: oneOf(['OH', 'CO'], 'State of the registry.'),
    ...fieldsOf(Provenance, ['source_url', 'observed_at', 'page_sha256', 'page_row']),
  }),
  view: true,
});
