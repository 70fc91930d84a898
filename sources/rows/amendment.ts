import { date, defineRecord, oneOf, text } from '../../lib/record.ts';

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
