/** The fields of a deal on the property, its listings, its place, the county's roll and distress. */
import { z } from 'zod';
import {
  date,
  flag,
  instant,
  integer,
  json,
  money,
  oneOf,
  percent,
  ratio,
  text,
  uuid,
  words,
} from '../../lib/record.ts';
import { RECORD_KINDS } from '../../sources/kinds.ts';
import { addressParts, CORRECTED, point, readFrom } from '../fields.ts';
import { INSIDE } from '../inside.ts';
import * as why from './absence.ts';

const nullableText = z.string().nullable();

/** Values of underwrite_reliability. */
export const UNDERWRITE_RELIABILITIES = ['ok', 'proxy_out_of_range', 'unknown'] as const;

/** The first fields: the property, its listing, and the main figures of claim, underwriting and scores. */
export const summary = {
  // Property
  id: uuid('UUID of address and ZIP, or of source and listing id if the site hides the street.'),
  address: text('Street address of the property.', { absent: why.NO_STREET }),
  city: text('City of the property.'),
  state: text('Two-letter state.'),
  zip: text('Five-digit ZIP.'),

  // Listing
  source: readFrom.source,
  listing_url: text('Page of the listing, or its record in an MLS feed, which needs a license.'),
  list_price: money('Asking price.', { absent: why.NO_PRICE }),
  units: integer('Dwelling units.', { absent: why.NO_UNITS, unit: 'units' }),
  cap_rate: percent('Advertised cap rate.', { absent: why.NOT_ADVERTISED }),
  noi: money('Net operating income per year; noi_source names its origin.', { absent: why.NO_NOI }),
  noi_source: oneOf(['stated', 'derived_from_advertised_cap', 'underwritten'], 'Origin of noi.', {
    absent: why.NO_NOI_SOURCE,
  }),

  // Underwriting
  market_rent_2br: money('HUD Fair Market Rent of 2 bedrooms per month: gross rent, not a rent roll.', {
    absent: why.NO_RENT,
  }),
  noi_underwritten: money('NOI from the HUD rent and the declared assumptions, per year, before reserves.', {
    absent: why.NO_INCOME,
  }),
  cap_rate_underwritten: percent('noi_underwritten over list_price.', { absent: why.NO_UNDERWRITING }),
  dscr: ratio('noi over annual_debt_service.', { absent: why.NO_DSCR }),
  dscr_status: oneOf(['computed', 'insufficient_data', 'not_applicable'], 'Whether dscr could be computed.'),

  // Scores
  deal_score: integer('0 to 100: the sum of the five deal_score parts.', { unit: 'points', follows: 'day' }),
  confidence_score: ratio('How much is known rather than assumed, 0 to 1: the sum of confidence_parts.', {
    follows: 'day',
  }),
  why_this_is_interesting: text('What decides the deal, in at most 80 characters.', { follows: 'day' }),
  cap_gap_pct: percent('Claimed cap rate (cap_rate, else cap_rate_derived) less cap_rate_underwritten.', {
    absent: why.NO_GAP,
    unit: 'percentage points',
  }),
  underwrite_reliability: oneOf(UNDERWRITE_RELIABILITIES, "Whether HUD's 2-bedroom rent fits this property."),
  rental_status: oneOf(['Hot', 'Warm', 'Pass'], 'Status of the rental path.'),
  motivation_score: integer('Price cuts and time on the feed, as observed, 0 to 100.', {
    unit: 'points',
    follows: 'day',
  }),

  // Freshness
  last_verified: instant("Last read of the asking price on the listing's page.", { follows: 'reads' }),
  price_reduction_pct: percent('Price drop from first_price to list_price; 0.00 if none.', { absent: why.NO_PRICE }),
  days_on_feed: integer('Days from first_seen to the data clock, or until it was found gone. Not days on market.', {
    unit: 'days',
    follows: 'day',
  }),
};

const LISTING_STATUSES = ['active', 'under_contract', 'sold', 'delisted'] as const;

const AlsoListed = z.strictObject({
  source: z.string(),
  listing_id: z.string(),
  listing_url: z.string(),
  listing_status: z.enum(LISTING_STATUSES),
  list_price: nullableText,
  units: z.int().nullable(),
  cap_rate: nullableText,
  noi: nullableText,
  first_seen: z.string(),
  last_seen: z.string(),
});

/** Units by bedrooms; "4br" is four or more. */
const UnitMix = z.strictObject({ '0br': z.int(), '1br': z.int(), '2br': z.int(), '3br': z.int(), '4br': z.int() });

/** The identity and state of its listings. */
export const listing = {
  ...addressParts(why.NO_ADDRESS_KEY, why.NO_UNIT, why.NO_NUMBER),
  address_status: oneOf(
    ['available', 'hidden_by_source', 'no_house_number'],
    'Whether the street address can match county records.',
  ),
  listing_id: text("The site's own identifier."),
  listing_status: oneOf(LISTING_STATUSES, 'active: for sale on the last good read; delisted: no longer on the site.'),
  delisted_on: date('Day of the run that found the listing gone.', { absent: why.LISTED }),
  relisted: flag('True if the property left this site and returned within the declared days.'),
  also_listed: json(z.array(AlsoListed), 'Other listings of the same property.', {
    follows: 'reads',
    inside: INSIDE.also_listed,
  }),
  property_type: text("Property type in the site's words.", { absent: why.notStated('property_type') }),
  unit_mix_stated: json(UnitMix, 'Units by bedrooms, as listed; 4br is four or more. The sum may differ from units.', {
    absent: why.NO_UNIT_MIX,
  }),
  annual_taxes: money('Property tax of one year, as the listing states it.', { absent: why.NOT_STATED }),
  year_built: integer('Year of construction.', { absent: why.notStated('year_built'), unit: 'year' }),
  listed_on: date('Day of posting, according to the site.', { absent: why.notStated('listed_on') }),
  unread_fields: text('Optional fields that the listing states in a form that is not read.', { absent: why.ALL_READ }),
  corrected: CORRECTED,
  first_seen: instant('First read of a listing of the property.'),
  last_seen: instant('Last read of any listing of the property.', { follows: 'reads' }),
  first_price: money('First asking price read of the main listing.', { absent: why.NO_PRICE }),
  price_per_unit: money('list_price over units.', { absent: why.NO_PRICE_OR_UNITS }),
  source_url: readFrom.source_url,
  observed_at: instant('When the page was read.', { follows: 'reads' }),
  page_sha256: readFrom.page_sha256,
  page_row: readFrom.page_row,
};

/** The tax roll of its county: last sale and assessed value. */
export const roll = {
  roll_status: oneOf(
    ['matched', 'ambiguous', 'no_match', 'county_not_covered', 'address_unknown'],
    'Result of the search in parcel layers and tax rolls. matched: one parcel has exactly the address, ' +
      'or a matching county record; ambiguous: several parcels; no_match: a roll has the ZIP, and not the ' +
      'address; county_not_covered: no roll has the ZIP.',
  ),
  roll_parcel_id: text('Parcel number as the roll prints it.', { absent: why.NO_PARCEL }),
  last_sale_date: date('Day of the last transfer on the roll.', { absent: why.NO_ROLL_FIGURE }),
  last_sale_price: money('Price of the last transfer on the roll. No score uses it.', { absent: why.NO_ROLL_FIGURE }),
  last_sale_basis: oneOf(
    ['market', 'not_market', 'unknown'],
    'Whether the roll says that the last transfer was a sale at market.',
    { absent: why.NO_ROLL_FIGURE },
  ),
  assessed_market_value: money("Market value of the parcel on the county's roll.", { absent: why.NO_ROLL_FIGURE }),
  roll_source: text('Source of the roll, a row of sources.', { absent: why.NO_PARCEL }),
  roll_source_url: text('Public page of the parcel on the roll.', { absent: why.NO_PARCEL }),
};

const Kind = z.enum(RECORD_KINDS);

export const MatchBasis = z.enum(
  words(
    'address_exact parcel_exact address_range address_without_unit address_without_zip',
    'address_exact_place_unknown condominium_of_building',
  ),
);

/** A public record that matches the property, or may. */
const Distress = z.strictObject({
  kind: Kind,
  id: z.string(),
  match_basis: MatchBasis,
  county: z.string(),
  parcel_id: nullableText,
  address: nullableText,
  amount: nullableText,
  filed_on: nullableText,
  sale_date: nullableText,
  description: nullableText,
  source_url: z.string(),
  last_seen: z.string(),
});

const Coverage = z.partialRecord(Kind, z.enum(['covered', 'partly_covered', 'county_not_covered']));

const Origin = z.strictObject({
  method: z.enum(['published', 'derived', 'assumed', 'matched', 'absent']),
  source: nullableText,
  source_url: nullableText,
  observed_at: nullableText,
  row: z.array(z.string().nullable()).nullable(),
});

/** Distress, and the provenance of each group of fields. */
export const distress = {
  distress_score: integer('Tax delinquency and sale of the same address, 0 to 100.', {
    unit: 'points',
    follows: 'day',
  }),
  distress_status: oneOf(
    ['matched', 'none_found', 'partly_covered', 'county_not_covered', 'address_unknown'],
    'Result of the search in public records. none_found: both tax lists and sales cover the place; ' +
      'partly_covered: only one of them, or a part; county_not_covered: neither. distress_coverage has ' +
      'each kind.',
  ),
  distress_kinds: json(z.array(Kind), 'Kinds of records in distress_matches.'),
  distress_signals_count: integer('Independent kinds in distress_matches, counted as signals_count of leads.', {
    unit: 'kinds',
  }),
  distress_coverage: json(Coverage, 'Whether sources cover the place, by kind of record.'),
  distress_matches: json(
    z.array(Distress),
    'Public records of exactly this address (address_exact) or of its parcel (parcel_exact).',
    { follows: 'reads', inside: INSIDE.distress },
  ),
  distress_candidates: json(
    z.array(Distress),
    'Public records that may belong to this property, each with the reason. They score nothing.',
    { follows: 'reads', inside: INSIDE.distress },
  ),

  provenance: json(
    z.record(z.string(), Origin),
    'Origin of each group of fields. row: the texts that name the row on the page. assumed: the ' +
      'assumption set in source declares it. matched: distress_matches has the records with their pages. ' +
      'underwriting follows from the others.',
    { follows: 'reads', inside: INSIDE.provenance },
  ),
  assumption_set_id: text('Assumption set.'),
};

/** Its county and its point. */
export const place = {
  county: text('County and state, such as "Cuyahoga County, OH".', { absent: why.NO_COUNTY, follows: 'reads' }),
  county_fips: text('Five-digit county FIPS.', { absent: why.NO_COUNTY, follows: 'reads' }),
  county_basis: oneOf(
    ['parcel', 'zip', 'zip_most_land'],
    'Origin of county. parcel: of the roll; zip: all land of the ZIP is in the county; zip_most_land: ' +
      'most of it is.',
    { absent: why.NO_COUNTY, follows: 'reads' },
  ),
  ...point,
};
