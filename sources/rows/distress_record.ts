import { date, defineRecord, integer, money, oneOf, text } from '../../lib/record.ts';
import { DISTRESS_TYPES } from '../kinds.ts';
import { UP_TO_A_BILLION, YEAR } from '../ranges.ts';

/** A public record of distress other than a tax delinquency or a sale, as its publisher shows it. */
export const DistressRecord = defineRecord(
  'distress_record',
  'One row per kind, record number and parcel.',
  ['county_fips', 'signal_type', 'record_number', 'parcel_raw'],
  {
    county_fips: text('Five-digit county FIPS.'),
    county: text('County name and state, such as "Wayne County, MI".'),
    signal_type: oneOf(DISTRESS_TYPES, 'Kind of distress.'),
    record_number: text(
      'Case, ticket, docket or permit number as published; the parcel number if the list has no other.',
    ),
    parcel_raw: text('Parcel number exactly as published.', { absent: 'not published, or published as a placeholder' }),
    street: text('Street address of the property.', { absent: 'not published' }),
    city: text('City of the property.', { absent: 'not published' }),
    zip: text('Five-digit ZIP.', { absent: 'not published' }),
    owner_name: text('Owner as published.', { personal: true, absent: 'not published' }),
    mail_street: text("Owner's mailing street.", { personal: true, absent: 'not published' }),
    mail_city: text("Owner's mailing city.", { absent: 'not published' }),
    mail_state: text("Owner's mailing state.", { absent: 'not published' }),
    mail_zip: text("Owner's mailing ZIP.", { absent: 'not published' }),
    amount: money('Amount of the record, of the kind that amount_basis says.', {
      absent: 'the record has none, or it is published as 0 for unknown',
      range: UP_TO_A_BILLION,
    }),
    amount_basis: oneOf(
      ['claimed', 'lien', 'balance_due'],
      'Meaning of amount. claimed: the amount that the plaintiff claims; lien: the amount of the lien as recorded; ' +
        'balance_due: the unpaid part of a judgment or fine.',
      { absent: 'amount is null' },
    ),
    filed_on: date('Day on which the record began: filed, opened, issued or declared.', {
      absent: 'not published, or no possible day',
    }),
    last_activity_on: date('Day of its latest event.', { absent: 'not published' }),
    record_state: oneOf(
      ['open', 'closed', 'unknown'],
      'open: in force by its publisher; closed: satisfied, dismissed, complied with or paid; unknown: the publisher ' +
        'does not say.',
    ),
    state_raw: text('State exactly as published.', { absent: 'not published' }),
    description: text("Subject of the record, in its publisher's words.", { absent: 'not published' }),
    plaintiff: text('Party that filed the case or holds the lien.', { personal: true, absent: 'not published' }),
    tax_year: integer('Tax year of a lien.', {
      absent: 'not a tax lien, or not published',
      unit: 'year',
      range: YEAR,
    }),
    property_class: text("Property class in the publisher's own words or code.", { absent: 'not published' }),
  },
);
