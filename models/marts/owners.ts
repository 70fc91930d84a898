import { z } from 'zod';
import {
  because,
  cause,
  causesOf,
  defineRecord,
  instant,
  integer,
  json,
  money,
  oneOf,
  text,
  uuid,
} from '../../lib/record.ts';
import { RECORD_KINDS } from '../../sources/kinds.ts';
import { defineMart } from '../contract.ts';
import { ORGANIZATION_KINDS } from '../fields.ts';
import { Filing } from './filings.ts';
import { INSIDE } from '../inside.ts';

const NO_MAIL = because(cause('not_published_by_county', 'no list read here prints where the owner gets mail'));

const OwnedRecord = z.strictObject({
  property: z.int().meta({ description: 'Number of the property among those of the owner, from 1.' }),
  kind: z.enum([...RECORD_KINDS, 'listing']),
  id: z.string().meta({ description: 'Row of signals, auctions or deals.' }),
  address: z.string().nullable().meta({ description: 'Null when: the record prints none.' }),
  city: z.string().nullable().meta({ description: 'Null when: the record prints none.' }),
  parcel_id: z.string().nullable().meta({ description: 'Null when: the record prints none.' }),
  amount: z.string().nullable().meta({
    description: 'Amount owed or claimed, USD. Null when: it is a sale or a listing, or the source publishes none.',
  }),
  source_url: z.string(),
  last_seen: z.iso.datetime(),
});

const { charter_number, entity_status, entity_type, filing_date, source } = Filing.schema.shape;
const RegisterFiling = z.strictObject({
  id: z.string().meta({ description: 'Row of filings.' }),
  source,
  document_number: z.string(),
  charter_number,
  business_name: z.string(),
  entity_type,
  entity_status,
  filing_date,
  is_agent_at_owner_mail: z
    .boolean()
    .meta({ description: "Whether the filing's agent has the address at which the owner gets mail." }),
  source_url: z.string(),
});

const fields = {
  id: uuid('UUID: version 5 of "owner", county and normalized name.'),
  owner_name: text('Name as most records print it.'),
  owner_key: text('Normalized name. Equal names in two counties may be two organizations.'),
  owner_kind: oneOf(ORGANIZATION_KINDS, 'Kind of organization by its name. trust: of loans or securities.'),
  county: text('County and state, such as "Cuyahoga County, OH".'),
  county_fips: text('Five-digit county FIPS.'),
  state: text('Two-letter state of the county.'),
  mail_city: text("City of the organization's mail.", { absent: NO_MAIL }),
  mail_state: text("State of the organization's mail.", { absent: NO_MAIL }),
  properties_count: integer('Properties with a record in force or an active listing, at least 2.', {
    unit: 'properties',
  }),
  distressed_count: integer('Properties with a record in force.', { unit: 'properties' }),
  listed_count: integer('Properties with an active listing.', { unit: 'properties' }),
  kind_counts: json(z.record(z.string(), z.int()), 'Records by kind.'),
  total_amount: money('Sum of the amounts owed or claimed; of records that may describe one debt, the larger sum.', {
    absent: because(cause('no_record_with_an_amount', 'no record has an amount')),
  }),
  properties: json(z.array(OwnedRecord), 'The records and listings, by property.', { inside: INSIDE.properties }),
  register_match_basis: oneOf(
    ['exact_name', 'exact_name_and_agent', 'ambiguous', 'none', 'register_not_covered'],
    'How register_filings were found. exact_name: one entity has this name; exact_name_and_agent: of ' +
      "several, one has an agent at the owner's address; ambiguous: several have it; register_not_covered: " +
      'neither the county nor the mail is in Ohio or Colorado.',
  ),
  register_filings: json(z.array(RegisterFiling), 'Filings with exactly this normalized name, the newest first.', {
    inside: INSIDE.register_filings,
  }),
  last_verified: instant('Last read of the latest record.', { follows: 'reads' }),
};

export const Owner = defineRecord(
  'owner',
  'One row per organization with at least two distressed or listed properties in a county. No natural persons, ' +
    'family trusts or public bodies.',
  ['id'],
  fields,
  causesOf(fields),
);

export default defineMart({ record: Owner, publish: { orderBy: ['properties_count DESC', 'id'] } });
