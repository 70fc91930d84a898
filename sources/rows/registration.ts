import { date, defineRecord, oneOf, text } from '../../lib/record.ts';

/** A business registration as the state register publishes it. Normalization happens in models/. */
export const Registration = defineRecord(
  'registration',
  'One row per filing document (Ohio) or entity (Colorado).',
  ['register', 'document_number'],
  {
    register: oneOf(['ohio_sos', 'colorado_sos'], 'The register.'),
    document_number: text('Ohio: filing document number. Colorado: entity id.'),
    charter_number: text('Ohio charter or registration number.', { absent: 'the register has none' }),
    business_name_raw: text('Name exactly as published, including a status suffix.'),
    filing_date: date('Ohio: effective date. Colorado: entity formation date.'),
    entity_type_raw: text(
      "Entity type in the register's own words: Ohio the file's transaction description, Colorado the type code.",
      { absent: 'the register left it blank' },
    ),
    entity_type_file: text('Number of the Ohio report file, such as 0100, which states the entity type.', {
      absent: 'the register does not publish by file',
    }),
    entity_status_raw: text("Status in the register's own words.", {
      absent: 'the register does not publish a status',
    }),
    jurisdiction_raw: text('Jurisdiction of formation.', { absent: 'not published' }),
    agent_name: text("Registered agent: the organization, or the person's names joined.", {
      personal: true,
      absent: 'the filing names no agent',
    }),
    agent_addr1: text("Agent's address, first line.", { absent: 'not provided' }),
    agent_addr2: text("Agent's address, second line.", { absent: 'not provided' }),
    agent_city: text("Agent's city.", { absent: 'not provided' }),
    agent_state: text("Agent's state.", { absent: 'not provided' }),
    agent_zip: text("Agent's ZIP.", { absent: 'not provided' }),
    business_city: text('City of the business.', { absent: 'not provided' }),
    business_state: text('State of the business.', { absent: 'not provided' }),
    business_zip: text('ZIP of the business.', { absent: 'not provided' }),
    business_county: text('County of the business.', { absent: 'not provided' }),
  },
);
