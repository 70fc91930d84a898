import { date, defineRecord, integer, money, oneOf, text } from '../../lib/record.ts';
import { UP_TO_A_BILLION, UP_TO_TEN_BILLION, YEAR, YEARS_OF_DEBT } from '../ranges.ts';

/** A tax-delinquent parcel as the county publishes it. */
export const TaxParcel = defineRecord(
  'tax_parcel',
  "One row per parcel on a county's delinquency list.",
  ['county_fips', 'parcel_raw'],
  {
    county_fips: text('Five-digit county FIPS.'),
    county: text('County and state, such as "Cuyahoga County, OH".'),
    parcel_raw: text('Parcel number exactly as published.'),
    owner_name: text('Owner of record.', { personal: true, absent: 'the list does not publish the owner' }),
    street: text('Street address of the property (situs).', {
      absent: 'the list does not publish it, or it is blank: the parcel is looked up in another source',
    }),
    city: text('City of the property.', { absent: 'not published' }),
    zip: text('Five-digit ZIP.', { absent: 'not published' }),
    mail_street: text("Owner's mailing street.", { personal: true, absent: 'not published' }),
    mail_city: text("Owner's mailing city.", { absent: 'not published' }),
    mail_state: text("Owner's mailing state.", { absent: 'not published' }),
    mail_zip: text("Owner's mailing ZIP.", { absent: 'not published' }),
    amount: money('Net delinquent amount.', { absent: 'the list has no amount column', range: UP_TO_A_BILLION }),
    amount_basis: oneOf(
      ['net', 'principal'],
      'Meaning of amount. net: the tax owed, with the charges that the county adds; principal: tax without interest ' +
        'and penalties, so the actual debt is higher.',
      { absent: 'amount is null' },
    ),
    years_delinquent: integer('Years the parcel has been delinquent.', {
      absent: 'not published',
      unit: 'years',
      range: YEARS_OF_DEBT,
    }),
    certified_year: integer('Year in which the delinquency was certified.', {
      absent: 'not published',
      unit: 'year',
      range: YEAR,
    }),
    paid_on: date('Day of the last payment of a parcel that owes nothing any more.', {
      absent: 'the list has no day of payment, or the parcel owes',
    }),
    county_value: money("Market value on the county's roll. Models read less than a dollar as not published.", {
      absent: 'not published',
      range: UP_TO_TEN_BILLION,
    }),
    property_class: text("The county's own word or code for the property.", { absent: 'not published' }),
  },
);
