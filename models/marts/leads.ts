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
  because,
  cause,
  type Absence,
  type Cause,
} from '../../lib/record.ts';
import { ABOUT_AUCTION_TYPE, AUCTION_TYPES, RECORD_KINDS } from '../../sources/kinds.ts';
import { comesAndGoes, defineMart } from '../contract.ts';
import {
  addressParts,
  INDEPENDENT_KINDS,
  kindFollowsFromClass,
  missing,
  point,
  pointInRange,
  propertyKind,
  readFrom,
  NO_WHOLE_NUMBER,
} from '../fields.ts';
import { INSIDE } from '../inside.ts';

// Why a field is null.
const TAX_LEAD = cause('tax_lead', 'lead_type is tax_delinquent', "lead_type = 'tax_delinquent'");
const AUCTION_LEAD = cause('auction_lead', 'lead_type is sheriff_sale_auction', "lead_type = 'sheriff_sale_auction'");
const ofSale = (...causes: readonly Cause[]): Absence => because(TAX_LEAD, ...causes);
const ofDebt = (...causes: readonly Cause[]): Absence => because(AUCTION_LEAD, ...causes);

const NO_SALE = ofSale();
const NO_DEBT = ofDebt();
const NOT_ON_PAGE = because(cause('not_on_public_page', 'the public page does not print it'));
const NOT_ON_LIST = ofDebt(cause('not_published_by_county', "the county's list does not publish it"));
const NO_RATIO = ofDebt(cause('county_value_missing', 'county_value is null', 'county_value IS NULL'));
const NOT_APPRAISED = ofSale(cause('not_appraised_or_not_published', 'the page prints none'));
const NO_BID = ofSale({
  of: 'opening_bid_basis',
  if: "opening_bid_basis IN ('no_minimum_second_sale', 'unknown')",
});
const NO_PARTY = ofSale(cause('not_public', 'the site shows it to logged-in users only'));
const NO_STATUTE = ofSale(
  cause(
    'section_not_verified',
    'the section was not verified',
    "statute_ref IS NULL AND state <> 'OH' AND opening_bid_basis <> 'unknown'",
  ),
  cause('basis_or_kind_of_sale_unknown', 'the basis or the kind of sale is unknown'),
);
const NO_ROUND = ofSale(cause('round_unknown', 'the round is unknown'));
const NO_JUDGMENT = ofSale(cause('not_published', 'the page prints none, or 0.00'));
const NO_TAXES = ofSale(cause('not_on_a_list', 'no tax list or lien list read here has them'));
const NO_VALUE = ofSale({ of: 'value_basis', if: "value_basis = 'not_published'" });
const NO_EQUITY = ofSale(
  cause('property_value_missing', 'property_value is null', 'property_value IS NULL'),
  cause('debt_not_published', 'no page prints the debt'),
);
const NO_DEPOSIT = ofSale(
  cause('not_published', 'the site publishes none', "deposit IS NULL AND auction_type <> 'sheriff_sale'"),
  cause('not_published_by_sheriff', 'the sheriff publishes none'),
);
const NO_CLASS = because({
  of: 'property_kind_basis',
  if: "property_kind_basis IN ('not_published_by_county', 'no_parcel_number')",
});
const NO_HOUSE = because(cause('no_house_number', 'never: a lead has an address with a house number'));
const NO_NUMBER = because(NO_WHOLE_NUMBER);
const NO_UNIT = because(cause('no_unit', 'the address has no unit'));

const NO_PARCEL = cause('no_roll_of_parcel', 'no parcel layer or roll read here has the parcel', 'roll_source IS NULL');
const NO_ROLL = because(NO_PARCEL);
const NOT_ON_ROLL = because(NO_PARCEL, cause('not_on_roll', 'it publishes none, or a token amount'));

/** The fields of a lead from the roll of its parcel. */
export const rollOfLead = {
  last_sale_date: date('Day of the last transfer on the roll.', { absent: NOT_ON_ROLL }),
  last_sale_price: money('Price of the last transfer on the roll. No score uses it.', { absent: NOT_ON_ROLL }),
  assessed_market_value: money("Market value of the parcel on the county's roll.", { absent: NOT_ON_ROLL }),
  roll_source: text('Source of the roll, a row of sources.', { absent: NO_ROLL }),
  roll_source_url: text('Public page of the parcel on the roll.', { absent: NO_ROLL }),
};

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
  score_parts: json(z.record(z.string(), z.int()), 'Points of each component.', { follows: 'day' }),
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
    { absent: NO_SALE },
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
