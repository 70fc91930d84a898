import {
  causesOf,
  date,
  defineRecord,
  flag,
  integer,
  money,
  oneOf,
  percent,
  text,
  uuid,
  because,
  cause,
  type Cause,
} from '../../lib/record.ts';
import { KIND_MEANINGS, SIGNAL_TYPES } from '../../sources/kinds.ts';
import { comesAndGoes, defineMart } from '../contract.ts';
import {
  addressParts,
  kindFollowsFromClass,
  missing,
  point,
  pointInRange,
  propertyKind,
  readFrom,
  seen,
  NO_WHOLE_NUMBER,
} from '../fields.ts';

// Why a field is null.
const STREET: Cause = { of: 'address_status', if: "address_status <> 'available'" };
const OF_COUNTY = cause('not_published_by_county', "neither the source nor the county's parcel layer has it");
const OF_SOURCE = cause('not_published_by_source', 'the source does not publish it');

const NOT_PUBLISHED = because(OF_COUNTY);
const NO_PARCEL = because(cause('no_parcel_number_published', 'the source prints no parcel number'));
const NO_ADDRESS = because({ of: 'address_status', if: "address_status = 'pending_parcel_lookup'" });
const NO_STREET = because(STREET);
const NO_NUMBER = because(NO_WHOLE_NUMBER, STREET);
const NO_UNIT = because(STREET, cause('no_unit', 'the address has no unit'));
const IN_NO_SOURCE = because(cause('in_no_source', 'no source has it'));
const NO_TAX = because(
  cause('not_a_tax_delinquency', 'the record is no tax delinquency', "signal_type <> 'tax_delinquent'"),
  OF_COUNTY,
);
const NO_RATIO = because(
  cause('amount_missing', 'amount is null', 'amount IS NULL'),
  cause('county_value_missing', 'county_value is null', 'county_value IS NULL'),
);
const TAX_RECORD = because(cause('tax_delinquency', 'a tax delinquency: its parcel identifies it'));
const NO_RECORD = because(
  cause('tax_delinquency', 'the record is a tax delinquency', "signal_type = 'tax_delinquent'"),
  OF_SOURCE,
);
const NO_LIEN = because(cause('not_a_tax_lien', 'the record is no tax lien', "signal_type <> 'tax_lien'"), OF_SOURCE);
const NO_AMOUNT = because(cause('amount_missing', 'amount is null', 'amount IS NULL'));

const fields = {
  signal_type: oneOf(
    SIGNAL_TYPES,
    `Kind of distress. ${SIGNAL_TYPES.map((type) => `${type}: ${KIND_MEANINGS[type]}`).join(' ')}`,
  ),
  county: text('County and state, such as "Cuyahoga County, OH".'),
  address: text('Street address of the property.', { absent: NO_ADDRESS }),
  owner_name: text('Owner of record, as published.', { absent: NOT_PUBLISHED }),
  parcel_id: text('Parcel number as printed.', { absent: NO_PARCEL }),
  amount: money('Amount owed or claimed; amount_basis says of what kind.', { absent: NOT_PUBLISHED }),
  source_url: readFrom.source_url,
  last_seen: seen.last_seen,
  has_address: flag('True if the row has a street address with a house number.'),
  address_status: oneOf(
    ['available', 'pending_parcel_lookup', 'no_house_number'],
    'pending_parcel_lookup: no source has a street of the parcel yet; no_house_number: as for vacant land.',
  ),

  // Identity and state
  id: uuid(
    'UUID of signal type, county and parcel, with the record number if it is no tax delinquency. Not the ' +
      'id of a lead.',
  ),
  signal_state: oneOf(
    ['listed', 'removed', 'unknown'],
    "listed: on the source's latest list; removed: no longer on it, closed, or nothing is owed; unknown: " +
      'the source is no longer read, or does not say and the latest event is long past.',
  ),
  state_reason: oneOf(
    ['on_the_list', 'balance_zero', 'closed_by_publisher', 'no_recent_event', 'not_on_latest_list', 'source_not_read'],
    'Reason for the state.',
  ),
  state_since: date('Day of the run that found this state.'),
  county_fips: text('Five-digit county FIPS.'),
  parcel_key: text('Letters and digits of the parcel number, in capitals; comparable within one county.', {
    absent: NO_PARCEL,
  }),
  address_basis: oneOf(['tax_list', 'record', 'parcel_layer', 'sheriff_sale'], 'Origin of the address.', {
    absent: NO_ADDRESS,
  }),
  city: text('City of the property.', { absent: IN_NO_SOURCE }),
  city_basis: oneOf(
    ['published', 'municipality', 'owner_mail'],
    'Origin of city. municipality: the one that taxes the parcel, and mail may name another; owner_mail: ' +
      'the owner gets mail at the same street and number in the county.',
    { absent: IN_NO_SOURCE },
  ),
  state: text('Two-letter state.'),
  zip: text('Five-digit ZIP.', { absent: IN_NO_SOURCE }),
  zip_basis: oneOf(['published', 'owner_mail'], 'Origin of zip, as in city_basis.', { absent: IN_NO_SOURCE }),
  ...addressParts(NO_STREET, NO_UNIT, NO_NUMBER),
  mail_street: text("Owner's mailing street.", { absent: NOT_PUBLISHED }),
  mail_city: text("Owner's mailing city.", { absent: NOT_PUBLISHED }),
  mail_state: text("Owner's mailing state.", { absent: NOT_PUBLISHED }),
  mail_zip: text("Owner's mailing ZIP.", { absent: NOT_PUBLISHED }),
  owner_location: oneOf(
    ['at_property', 'in_state', 'out_of_state', 'unknown'],
    'Where the owner gets mail. unknown: not published, or a post office box in the state.',
  ),
  years_delinquent: integer(
    'Years the parcel has been delinquent. If the county publishes only the year of certification, the ' +
      'minimum: whole years since the last day on which the law lets it be certified.',
    { absent: NO_TAX, unit: 'years' },
  ),
  years_basis: oneOf(
    ['published', 'since_certified_year', 'unknown', 'not_applicable'],
    'Origin of years_delinquent. not_applicable: the record is no tax delinquency.',
  ),
  months_delinquent: integer('years_delinquent in whole months; 12 for each year that a county publishes.', {
    absent: NO_TAX,
    unit: 'months',
  }),
  certified_year: integer('Year the delinquency was certified.', { absent: NO_TAX, unit: 'year' }),
  county_value: money("Market value on the county's roll.", { absent: NOT_PUBLISHED }),
  amount_to_value_pct: percent('amount over county_value.', { absent: NO_RATIO }),
  property_class: text("The county's own word or code for the property.", { absent: NOT_PUBLISHED }),
  ...propertyKind,

  // Record
  record_number: text('Case, ticket, docket or permit number as published; unique within county and signal type.', {
    absent: TAX_RECORD,
  }),
  filed_on: date('Day on which the record began: filed, opened, issued or declared.', { absent: NO_RECORD }),
  last_activity_on: date('Day of its latest event.', { absent: NO_RECORD }),
  state_raw: text('State of the record exactly as published.', { absent: NO_RECORD }),
  description: text("Subject of the record, in its publisher's words.", { absent: NO_RECORD }),
  plaintiff: text('Party that filed the case or holds the lien.', { absent: NO_RECORD }),
  tax_year: integer('Tax year of a lien.', { absent: NO_LIEN, unit: 'year' }),
  amount_basis: oneOf(
    ['net', 'principal', 'claimed', 'lien', 'balance_due'],
    "net: the tax owed, with the county's charges; principal: without interest and penalties, so the " +
      'debt is higher; claimed: by the plaintiff; lien: as recorded; balance_due: the unpaid part of a ' +
      'judgment or fine.',
    { absent: NO_AMOUNT },
  ),
  first_seen: seen.first_seen,
  source: readFrom.source,
  page_sha256: readFrom.page_sha256,
  page_row: readFrom.page_row,

  // Place
  ...point,
  ...missing,
};

export const Signal = defineRecord(
  'signal',
  "One row per parcel that is or was on a county's delinquency list, or other public record of distress.",
  ['id'],
  fields,
  causesOf(fields),
);

export default defineMart({
  record: Signal,
  audits: [
    kindFollowsFromClass('signals'),
    pointInRange('signals'),
    ...comesAndGoes('signals', "signal_state = 'listed'", 'listed signals', true),
  ],
  publish: { orderBy: ['amount DESC NULLS LAST', 'id'] },
});
