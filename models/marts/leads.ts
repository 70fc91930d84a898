import { z } from 'zod';
import {
  causesOf,
  date,
  defineRecord,
  flag,
  instant,
  integer,
  json,
  money,
  oneOf,
  percent,
  text,
  uuid,
} from '../../lib/record.ts';
import { ABOUT_AUCTION_TYPE, AUCTION_TYPES, RECORD_KINDS } from '../../sources/kinds.ts';
import {
  NO_BID,
  NO_CLASS,
  NO_DEBT,
  NO_DEPOSIT,
  NO_HOUSE,
  NO_PARTY,
  NO_RATIO,
  NO_ROUND,
  NO_SALE,
  NO_STATUTE,
  NO_UNIT,
  NO_NUMBER,
  NO_EQUITY,
  NO_JUDGMENT,
  NO_TAXES,
  NO_VALUE,
  NOT_APPRAISED,
  NOT_ON_LIST,
  NOT_ON_PAGE,
} from '../absence/leads.ts';
import { defineMart } from '../contract.ts';
import { rollOfLead } from '../deal/roll.ts';
import { comesAndGoes } from '../drift.ts';
import {
  addressParts,
  INDEPENDENT_KINDS,
  kindFollowsFromClass,
  missing,
  point,
  pointInRange,
  propertyKind,
  readFrom,
} from '../fields.ts';
import { INSIDE } from '../absence/inside.ts';

const Corroboration = z.strictObject({
  kind: z.enum([...RECORD_KINDS, 'listing']),
  id: z.string(),
  match_basis: z.enum(['parcel_exact', 'address_exact']),
  source_url: z.string(),
  counts_as: z
    .enum(INDEPENDENT_KINDS)
    .nullable()
    .meta({ description: 'Independent kind of distress that the record counts as. Null when: it is a listing.' }),
});

const fields = {
  lead_type: oneOf(
    ['tax_delinquent', 'sheriff_sale_auction'],
    'Kind of lead. sheriff_sale_auction: the sale that auction_type names is scheduled.',
  ),
  lead_score: integer('0 to 100, the sum of score_parts.', { unit: 'points', follows: 'day' }),
  score_rationale: json(z.record(z.string(), z.string()), 'Each component with its points and the reason.', {
    follows: 'day',
  }),
  address: text('Street address of the property.'),
  source_url: readFrom.source_url,

  // Auction fields
  auction_type: oneOf(AUCTION_TYPES, ABOUT_AUCTION_TYPE, { absent: NO_SALE }),
  county: text('County and state, such as "Cuyahoga County, OH".'),
  sale_date: date('Day of the sale.', { absent: NO_SALE }),
  property_address: text('Street address of the property.', { absent: NO_SALE }),
  city: text('City of the property.', { absent: NOT_ON_PAGE }),
  appraised_value: money('Appraised value.', { absent: NOT_APPRAISED }),
  opening_bid: money('Lowest opening bid.', { absent: NO_BID }),
  plaintiff: text('Plaintiff.', { absent: NO_PARTY }),

  // Lead
  id: uuid('UUID of lead type, county and parcel or case.'),
  score_parts: json(z.record(z.string(), z.int()), 'Points of each component.', {
    follows: 'day',
  }),
  freshness: oneOf(['within_1_day', 'within_3_days', 'within_7_days'], 'Age of the signal at the data clock.', {
    follows: 'day',
  }),
  last_verified: instant('Last read of the signal on its public page.', { follows: 'reads' }),
  verified_age_days: integer('Whole days from last_verified to the data clock.', { unit: 'days', follows: 'day' }),
  first_seen: instant('First read of the signal.'),
  signal_id: uuid('Row of signals behind the lead.', { absent: NO_DEBT }),
  auction_id: uuid('Row of auctions behind the lead.', { absent: NO_SALE }),
  corroboration: json(
    z.array(Corroboration),
    'Other public records of the parcel or exact address: one of each kind and source, and a listing.',
    { inside: INSIDE.corroboration },
  ),
  signals_count: integer(
    'Independent kinds of distress of the property in force. As one count: tax lien, tax delinquency and ' +
      'sale for unpaid taxes; foreclosure filing and sale; code violation and blight judgment; vacant and ' +
      'condemned building.',
    { unit: 'kinds' },
  ),
  signal_kinds: json(z.array(z.enum(RECORD_KINDS)), 'Kinds of records in force of the property, its own included.'),
  county_fips: text('Five-digit county FIPS.'),
  state: text('Two-letter state.'),
  zip: text('Five-digit ZIP.', { absent: NOT_ON_PAGE }),
  ...addressParts(NO_HOUSE, NO_UNIT, NO_NUMBER),
  parcel_id: text('Parcel number as printed.', { absent: NOT_ON_PAGE }),
  parcel_key: text('Letters and digits of the parcel number, in capitals; comparable within one county.', {
    absent: NOT_ON_PAGE,
  }),
  owner_location: oneOf(
    ['at_property', 'in_state', 'out_of_state', 'unknown'],
    'Where the owner gets mail. unknown: not published, or a post office box in the state.',
  ),

  // Tax fields
  owner_name: text('Owner of record, as published.', { absent: NOT_ON_LIST }),
  amount: money('Net delinquent amount.', { absent: NO_DEBT }),
  years_delinquent: integer(
    'Years the parcel has been delinquent. If the county publishes only the year of ' +
      'certification, the minimum: whole years since the last day on which the law lets it be ' +
      'certified.',
    { absent: NOT_ON_LIST, unit: 'years' },
  ),
  months_delinquent: integer('years_delinquent in whole months; 12 for each year that a county publishes.', {
    absent: NOT_ON_LIST,
    unit: 'months',
  }),
  certified_year: integer('Year the delinquency was certified.', { absent: NOT_ON_LIST, unit: 'year' }),
  county_value: money("Market value on the county's roll.", { absent: NOT_ON_LIST }),
  amount_to_value_pct: percent('amount over county_value.', { absent: NO_RATIO }),
  property_class: text("The county's own word or code for the property.", { absent: NO_CLASS }),
  ...propertyKind,
  mail_street: text("Owner's mailing street.", { absent: NOT_ON_LIST }),
  mail_city: text("Owner's mailing city.", { absent: NOT_ON_LIST }),
  mail_state: text("Owner's mailing state.", { absent: NOT_ON_LIST }),
  mail_zip: text("Owner's mailing ZIP.", { absent: NOT_ON_LIST }),

  // More auction fields
  case_number: text('Court case number.', { absent: NO_SALE }),
  defendant: text('Defendant.', { absent: NO_PARTY }),
  opening_bid_basis: oneOf(
    ['two_thirds_of_appraisal', 'published_minimum', 'court_ordered_minimum', 'no_minimum_second_sale', 'unknown'],
    'Origin of opening_bid.',
    { absent: NO_SALE },
  ),
  opening_bid_derived: flag('True if opening_bid was computed here.', { absent: NO_SALE }),
  opening_bid_mismatch: flag('True if the published bid of a first mortgage sale is not two thirds of the appraisal.', {
    absent: NO_SALE,
  }),
  statute_ref: text('Section of state law behind opening_bid_basis.', { absent: NO_STATUTE }),
  sale_kind: oneOf(
    ['mortgage_foreclosure', 'tax_foreclosure', 'other_judgment', 'unknown'],
    'Kind of sale. tax_foreclosure: any sale for unpaid taxes.',
    {
      absent: NO_SALE,
    },
  ),
  sale_round: integer('1 for a first sale, 2 for a second.', { absent: NO_ROUND }),
  deposit: money('Deposit required of a bidder.', { absent: NO_DEPOSIT }),
  judgment_amount: money('Final judgment: the debt that the sale is for.', { absent: NO_JUDGMENT }),
  unpaid_taxes: money('Unpaid taxes on tax lists or, if more, on lien lists.', { absent: NO_TAXES }),
  property_value: money("Appraisal, else the county's market value, else the assessed value of the page.", {
    absent: NO_VALUE,
  }),
  value_basis: oneOf(['appraisal', 'county_roll', 'assessed_on_page', 'not_published'], 'Origin of property_value.', {
    absent: NO_SALE,
  }),
  equity_pct: percent(
    'Part of property_value that the published debts leave, 0.00 if nothing. Other liens are unknown.',
    { absent: NO_EQUITY },
  ),
  ...rollOfLead,
  source: readFrom.source,
  page_sha256: readFrom.page_sha256,
  assumption_set_id: text('Assumption set.'),
  ...point,
  ...missing,
};

export const Lead = defineRecord(
  'lead',
  'One row per property that qualifies as a lead, by lead type and parcel or case.',
  ['id'],
  fields,
  causesOf(fields),
);

export default defineMart({
  record: Lead,
  audits: [kindFollowsFromClass('leads'), pointInRange('leads'), ...comesAndGoes('leads', 'true', 'leads', false)],
  publish: {
    orderBy: ['lead_score DESC', 'id'],
    references: { signal_id: 'signals', auction_id: 'auctions' },
    notReleased: 'an exclusive lead is sold once, so no copy of it may exist elsewhere',
  },
});
