import {
  causesOf,
  date,
  defineRecord,
  instant,
  integer,
  oneOf,
  text,
  uuid,
  words,
  because,
  cause,
  type Cause,
} from '../../lib/record.ts';
import { AMENDMENT_KINDS } from '../../sources/rows/register.ts';
import { defineMart } from '../contract.ts';
import { readFrom, seen } from '../fields.ts';

// Why a field is null.
const notPublished = (register: string, state: string): Cause =>
  cause('not_published_by_register', `the register of ${state} does not publish it`, `source = '${register}'`);
const IN_OHIO = notPublished('ohio_sos', 'Ohio');
const IN_COLORADO = notPublished('colorado_sos', 'Colorado');
const IS_BLANK = cause('blank_in_filing', 'the filing leaves it blank');

const BLANK = because(IS_BLANK);
const BLANK_OR_OHIO = because(IN_OHIO, IS_BLANK);
const BLANK_OR_COLORADO = because(IN_COLORADO, IS_BLANK);
const NO_AGENT = because({ of: 'registered_agent_status', if: "registered_agent_status <> 'available'" });
const NO_NAICS = because({ of: 'naics_status', if: "naics_status <> 'available'" });
const NO_AMENDMENT = because(IN_COLORADO, cause('no_amendment_read', 'no amendment of its charter number was read'));

/** Normalized entity types of both registers. */
export const ENTITY_TYPES = words(
  'domestic_llc foreign_llc domestic_corporation foreign_corporation',
  'domestic_public_benefit_corporation domestic_nonprofit foreign_nonprofit domestic_professional',
  'foreign_professional domestic_lp foreign_lp domestic_llp foreign_llp domestic_lllp foreign_lllp',
  'domestic_lpa foreign_lpa domestic_cooperative foreign_cooperative general_partnership ditch_company',
  'water_company credit_union savings_and_loan unincorporated_nonprofit other not_stated',
);

/** Colorado's statuses, each by itself: Noncompliant is not Delinquent. */
export const ENTITY_STATUSES = [
  'Good Standing',
  'Exists',
  'Noncompliant',
  'Delinquent',
  'Registered Agent Resigned',
  'Administratively Dissolved',
  'Voluntarily Dissolved',
  'Judicially Dissolved',
  'Dissolved',
  'Dissolved (Term Expired)',
  'Revoked',
  'Withdrawn',
  'Merged',
  'Consolidated',
  'Converted',
  'Expired',
  'Other',
] as const;

export const REGISTER = oneOf(['ohio_sos', 'colorado_sos'], 'The register.');

const fields = {
  id: uuid('UUID: version 5 of source and document number.'),
  document_number: text('Ohio: filing document number. Colorado: entity id.'),
  charter_number: text('Ohio charter or registration number.', { absent: BLANK_OR_COLORADO }),
  business_name: text('Registered legal name, without the status that Colorado appends.'),
  filing_date: date('Ohio: effective date. Colorado: entity formation date.'),
  entity_type: oneOf(ENTITY_TYPES, 'Normalized type.'),
  entity_type_raw: text("The registry's own type text.", { absent: BLANK }),
  entity_status: oneOf(ENTITY_STATUSES, 'Status of the entity.', { absent: BLANK_OR_OHIO }),
  registered_agent_name: text('Statutory agent, an organization or a person.', { absent: NO_AGENT }),
  registered_agent_status: oneOf(['available', 'not_provided_by_source'], 'Whether the filing names an agent.'),
  agent_addr1: text("Agent's address, first line.", { absent: BLANK }),
  agent_city: text("Agent's city.", { absent: BLANK }),
  agent_state: text("Agent's state.", { absent: BLANK }),
  agent_zip: text("Agent's ZIP.", { absent: BLANK }),
  business_city: text('City of the business.', { absent: BLANK }),
  business_state: text('State of the business.', { absent: BLANK_OR_OHIO }),
  business_zip: text('ZIP of the business.', { absent: BLANK_OR_OHIO }),
  source_state: oneOf(['OH', 'CO'], 'State of the registry.'),
  naics: text('Industry code.', { absent: NO_NAICS }),
  naics_status: oneOf(['available', 'not_collected_by_source'], 'Neither registry collects industry codes.'),
  source: REGISTER,
  source_url: readFrom.source_url,
  first_seen: seen.first_seen,
  last_seen: seen.last_seen,
  last_updated: instant('When this service first read the row with its present values.'),

  // Change, raw values and amendments
  change_kind: oneOf(
    ['added', 'late', 'changed'],
    'Change at last_updated. late: a new row, filed before the latest day of the feed.',
  ),
  business_name_raw: text('Name exactly as published.'),
  entity_status_raw: text("Status in the register's own words.", { absent: BLANK_OR_OHIO }),
  jurisdiction: text('Jurisdiction of formation.', { absent: BLANK_OR_OHIO }),
  agent_addr2: text("Agent's address, second line.", { absent: BLANK }),
  business_county: text('County of the business.', { absent: BLANK_OR_COLORADO }),
  agent_filings: integer('Filings of this feed with the same agent name.', {
    absent: NO_AGENT,
    unit: 'filings',
    follows: 'reads',
  }),
  amendment_kind: oneOf(
    AMENDMENT_KINDS,
    'Latest amendment of the charter number in the monthly reports. Not a status.',
    { absent: NO_AMENDMENT },
  ),
  amendment_date: date('Its effective date.', { absent: NO_AMENDMENT }),
  amendment_document: text('Its document number.', { absent: NO_AMENDMENT }),
  amendment_url: text('Its public page.', { absent: NO_AMENDMENT }),
  page_sha256: readFrom.page_sha256,
  page_row: readFrom.page_row,
};

const ABOUT = 'One row per filing document of Ohio or entity of Colorado, from its first read on.';

/** A filing as people read it. */
export const Filing = defineRecord('filing', ABOUT, ['id'], fields, causesOf(fields));

// One new filing changes the count of thousands.
const { agent_filings: _, ...ownFields } = fields;

/** Columns of a filing `f` and its agent `a`. */
const SHOWN = Filing.columns.map(({ name }) => (name === 'agent_filings' ? `a.filings AS ${name}` : `f.${name}`));

/** The agent that a name means: spellings that differ only in case and punctuation are one. */
const AGENT = `upper(regexp_replace(registered_agent_name, '[^A-Za-z0-9]+', ' ', 'g'))`;

/** The same of a name outside of SQL. */
export const agentOf = (name: string): string => name.replaceAll(/[^A-Za-z0-9]+/gu, ' ').toUpperCase();

export default defineMart({
  record: defineRecord('filing', ABOUT, ['id'], ownFields, causesOf(ownFields)),
  publish: {
    orderBy: ['filing_date DESC', 'id'],
    parts: {
      before: 'int_filings_before',
      shown: {
        record: Filing,
        sql: (rows) => `SELECT ${SHOWN.join(', ')}
          FROM ${rows} AS f LEFT JOIN agents AS a ON a.source = f.source AND a.agent = ${AGENT}`,
      },
    },
  },
});
