import { date, defineRecord, integer, money, oneOf, text } from '../../lib/record.ts';
import { AUCTION_TYPES } from '../kinds.ts';
import { ABOVE_ZERO, APPRAISAL, FROM_ZERO, SALE_ROUND } from '../ranges.ts';

/** One item of a sale day: of a sheriff in Ohio, elsewhere of a clerk of court, trustee or county. */
export const Auction = defineRecord(
  'auction',
  'One row per case, parcel and sale date.',
  ['county_fips', 'case_number', 'parcel_raw', 'sale_date'],
  {
    county_fips: text('Five-digit county FIPS.'),
    county: text('County and state, such as "Cuyahoga County, OH".'),
    auction_type: oneOf(AUCTION_TYPES, 'Kind of auction: who sells, and for what.'),
    item_id: text("The site's item number.", { absent: 'the page has none' }),
    case_number: text("Court case number without the site's internal id in parentheses."),
    parcel_raw: text('Parcel number exactly as published.', { absent: 'not published' }),
    street: text('Street address of the property.', { absent: 'not published' }),
    city: text('City of the property.', { absent: 'not published' }),
    state: text('Two-letter state.'),
    zip: text('Five-digit ZIP.', { absent: 'not published' }),
    sale_date: date('Day of the sale.'),
    status: oneOf(
      ['scheduled', 'cancelled', 'withdrawn', 'postponed', 'sold', 'unsold', 'unknown'],
      'Status from the case status and the time slot, in which sheriffs write cancellations.',
    ),
    case_status_raw: text('Case status exactly as published.', { absent: 'not published' }),
    slot_raw: text('Text of the time slot: a time, or the word that replaced it.', { absent: 'not published' }),
    sale_type_raw: text('Sale type exactly as published.', { absent: 'not published' }),
    sale_kind: oneOf(
      ['mortgage_foreclosure', 'tax_foreclosure', 'other_judgment', 'unknown'],
      'Kind of sale, if the source states it. tax_foreclosure: any sale for unpaid taxes, including tax deed sales.',
    ),
    sale_round: integer('1 for a first sale, 2 for a second.', {
      absent: 'the source does not state it',
      range: SALE_ROUND,
    }),
    appraised_value: money('Appraised value.', {
      absent: 'not published, or published as 0.00',
      range: APPRAISAL,
    }),
    opening_bid: money('Published opening bid.', { absent: 'not published', range: FROM_ZERO }),
    judgment_amount: money('Final judgment: the debt that the sale is for.', {
      absent: 'not published, or published as 0.00',
      range: ABOVE_ZERO,
    }),
    assessed_value: money("Value on the county's roll as the auction page prints it. Not an appraisal for the sale.", {
      absent: 'not published, or published as 0.00',
      range: ABOVE_ZERO,
    }),
    plaintiff_max_bid: money('Highest bid of the plaintiff.', {
      absent: 'not published, or hidden until the sale',
      range: ABOVE_ZERO,
    }),
    plaintiff_max_bid_raw: text("Plaintiff's highest bid exactly as published, such as Hidden.", {
      absent: 'not published',
    }),
    certificate_number: text('Tax certificate behind a tax deed sale.', { absent: 'not published' }),
    deposit: money('Deposit required of a bidder.', { absent: 'not published', range: FROM_ZERO }),
    sold_amount: money('Price at which the item was sold.', {
      absent: 'not sold, or not published',
      range: FROM_ZERO,
    }),
    plaintiff: text('Plaintiff.', {
      personal: true,
      absent: 'shown only to logged-in users, and this service does not log in',
    }),
    defendant: text('Defendant.', {
      personal: true,
      absent: 'shown only to logged-in users, and this service does not log in',
    }),
  },
);
