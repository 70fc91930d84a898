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

export const AMENDMENT_KINDS = ['merger', 'dissolution', 'cancellation', 'reinstatement', 'amendment'] as const;

const NOT_PROVIDED = 'not provided';

/** A later filing of a registered business, such as a merger or dissolution. */
export const Amendment = defineRecord(
  'amendment',
  'One row per filing document and business it concerns.',
  ['register', 'document_number', 'charter_number'],
  {
    register: oneOf(['ohio_sos'], 'The register.'),
    document_number: text('Filing document number of the amendment.'),
    charter_number: text('Charter or registration number of the business it concerns.'),
    kind: oneOf(AMENDMENT_KINDS, 'Kind, from the report file of the row.'),
    effective_date: date('Effective date.'),
    business_name_raw: text('Name of the business exactly as published.'),
    transaction_raw: text("Transaction in the register's own words.", { absent: 'the register left it blank' }),
    filer_name: text('Name of the filer.', { absent: NOT_PROVIDED }),
    filer_addr1: text("Filer's address, first line.", { absent: NOT_PROVIDED }),
    filer_addr2: text("Filer's address, second line.", { absent: NOT_PROVIDED }),
    filer_city: text("Filer's city.", { absent: NOT_PROVIDED }),
    filer_state: text("Filer's state.", { absent: NOT_PROVIDED }),
    filer_zip: text("Filer's ZIP.", { absent: NOT_PROVIDED }),
    business_city: text('City of the business.', { absent: NOT_PROVIDED }),
    business_county: text('County of the business.', { absent: NOT_PROVIDED }),
  },
);
