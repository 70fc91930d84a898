import { date, defineRecord, flag, integer, money, oneOf, percent, text } from '../../lib/record.ts';
import { signalCauses } from '../absence/signals.ts';
import { defineModel, never } from '../contract.ts';
import { comesAndGoes, keepsRows } from '../drift.ts';
import { addressParts, cityBasis, propertyKind, readFrom, seen } from '../fields.ts';

const NO_STREET = 'has_address is false; address_status says why';

export const Signal = defineRecord(
  'signal',
  "One row per parcel that is or was on a county's delinquency list.",
  ['id'],
  {
    signal_type: oneOf(['tax_delinquent'], 'Kind of distress.'),
    county: text('County name and state, such as "Cuyahoga County, OH".'),
    address: text('Street address of the property.', { absent: 'address_status is pending_parcel_lookup' }),
    owner_name: text('Owner of record, as the county publishes it.', {
      absent: "the county's list does not publish the owner",
    }),
    parcel_id: text('Parcel number as the county prints it.'),
    amount: money('Net delinquent amount.', { absent: "the county's list has no amount" }),
    source_url: readFrom.source_url,
    last_seen: seen.last_seen,
    has_address: flag('True if the row has a street address with a house number (mail-ready).'),
    address_status: oneOf(
      ['available', 'pending_parcel_lookup', 'no_house_number'],
      'pending_parcel_lookup: the list publishes no street for the parcel, and no other source has one yet; ' +
        'no_house_number: the street has no number, as for vacant land.',
    ),

    // Identity and state
    id: text('UUID: version 5 of "signal", signal type, county and parcel. Not the id of a lead.'),
    signal_state: oneOf(
      ['listed', 'removed', 'unknown'],
      "listed: on the county's latest list; removed: no longer on it, or nothing is owed; unknown: the county is no " +
        'longer read.',
    ),
    state_reason: oneOf(
      ['on_the_list', 'balance_zero', 'not_on_latest_list', 'source_not_read'],
      'Reason for the state.',
    ),
    state_since: date('Day of the run that found this state.'),
    county_fips: text('Five-digit county FIPS.'),
    parcel_key: text('Parcel number, upper case, letters and digits only; comparable within one county.'),
    address_basis: oneOf(
      ['tax_list', 'parcel_layer', 'sheriff_sale'],
      "Where the street address comes from: the list itself, the county's parcel layer or tax roll, or a sheriff " +
        'sale of the same parcel.',
      { absent: 'there is no address' },
    ),
    city: text('City of the property.', { absent: 'city_basis is null' }),
    city_basis: cityBasis('no source has the city'),
    state: text('Two-letter state.'),
    zip: text('Five-digit ZIP of the property.', { absent: 'zip_basis is null' }),
    zip_basis: oneOf(
      ['published', 'owner_mail'],
      "Where zip comes from. published: the list, the county's parcel layer or tax roll, or a sheriff sale; " +
        'owner_mail: none of them prints it, and the owner gets mail at the same street and number in the county.',
      { absent: 'no source has the ZIP' },
    ),
    ...addressParts(NO_STREET),
    mail_street: text("Owner's mailing street, public record.", { absent: "the county's list does not publish it" }),
    mail_city: text("Owner's mailing city.", { absent: "the county's list does not publish it" }),
    mail_state: text("Owner's mailing state.", { absent: "the county's list does not publish it" }),
    mail_zip: text("Owner's mailing ZIP.", { absent: "the county's list does not publish it" }),
    owner_location: oneOf(
      ['at_property', 'in_state', 'out_of_state', 'unknown'],
      'Where the owner gets mail: at the property, elsewhere in the state, in another state. unknown: not published, ' +
        'or a post office box in the state.',
    ),
    years_delinquent: integer(
      'Years the parcel has been delinquent. If the county publishes only the year of certification: the whole years ' +
        'since the last day of that year on which the law lets a delinquency be certified, which is the minimum.',
      { absent: 'years_basis is unknown', unit: 'years' },
    ),
    years_basis: oneOf(['published', 'since_certified_year', 'unknown'], 'Where years_delinquent comes from.'),
    months_delinquent: integer(
      'The same in whole months, from which the points of a lead follow; twelve for each year that a county publishes.',
      { absent: 'years_basis is unknown', unit: 'months' },
    ),
    certified_year: integer('Year the delinquency was certified.', {
      absent: "the county's list does not publish it",
      unit: 'year',
    }),
    county_value: money("Market value on the county's roll, from the list or the county's parcel layer.", {
      absent: "the county's list does not publish it, and its parcel layer does not have it",
    }),
    amount_to_value_pct: percent('amount over county_value.', { absent: 'amount or county_value is null' }),
    property_class: text("Property class in the county's own words or code.", {
      absent: "the county's list does not publish it",
    }),
    ...propertyKind,
    first_seen: seen.first_seen,
    source: readFrom.source,
    page_sha256: readFrom.page_sha256,
    page_row: readFrom.page_row,
  },
  signalCauses,
);

export default defineModel({
  record: Signal,
  audits: [
    never(
      'signals',
      'has_address_agrees',
      'has_address is true exactly if address_status is available',
      "(address_status = 'available') <> has_address OR has_address <> (address_key IS NOT NULL)",
    ),
    never(
      'signals',
      'address_absent_as_said',
      'the address is null exactly if a parcel lookup is pending',
      "(address IS NULL) <> (address_status = 'pending_parcel_lookup') OR (address IS NULL) <> (address_basis IS NULL)",
    ),
    never(
      'signals',
      'state_agrees',
      'state and reason go together',
      `(signal_state, state_reason) NOT IN (
        ('listed', 'on_the_list'),
        ('removed', 'balance_zero'),
        ('removed', 'not_on_latest_list'),
        ('unknown', 'source_not_read'))`,
    ),
    never(
      'signals',
      'years_absent_as_said',
      'years and months of delinquency are null exactly if their basis is unknown',
      `(years_delinquent IS NULL) <> (years_basis = 'unknown')
        OR (months_delinquent IS NULL) <> (years_basis = 'unknown')`,
    ),
    never(
      'signals',
      'kind_follows_from_class',
      'property_kind is known exactly if the class says it',
      `(property_kind = 'unknown') <> (property_kind_basis <> 'county_class')
        OR (property_class IS NULL) <> (property_kind_basis = 'not_published_by_county')`,
    ),
    never(
      'signals',
      'zip_absent_as_said',
      'the ZIP is null exactly if its basis is',
      '(zip IS NULL) <> (zip_basis IS NULL)',
    ),
    never(
      'signals',
      'city_absent_as_said',
      'the city is null exactly if its basis is',
      '(city IS NULL) <> (city_basis IS NULL)',
    ),
    never('signals', 'seen_in_order', 'first_seen is not after last_seen', 'first_seen > last_seen'),
    never(
      'signals',
      'ratio_as_said',
      'amount_to_value_pct is amount over county_value, null exactly if one of them is',
      'amount_to_value_pct IS DISTINCT FROM percentage(amount, county_value)',
    ),
    never(
      'signals',
      'figures_in_range',
      'amounts of listed parcels and county values are positive, and years are not negative',
      `(signal_state = 'listed' AND amount <= 0)
        OR county_value <= 0
        OR years_delinquent < 0
        OR CAST(last_seen AS DATE) > (SELECT as_of + 1 FROM run)`,
    ),
    keepsRows('signals', ['county_fips', 'parcel_key'], 'delinquency'),
    ...comesAndGoes('signals', "signal_state = 'listed'", 'listed delinquencies', true),
  ],
  publish: { orderBy: ['amount DESC NULLS LAST', 'id'] },
});
