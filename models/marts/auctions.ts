import { date, defineRecord, flag, integer, money, oneOf, percent, text, uuid } from '../../lib/record.ts';
import { AUCTION_TYPES, KIND_MEANINGS } from '../../sources/kinds.ts';
import { auctionCauses } from '../absence/auctions.ts';
import { defineMart, never } from '../contract.ts';
import { comesAndGoes, keepsRows } from '../drift.ts';
import { addressParts, point, pointInRange, readFrom, seen } from '../fields.ts';

const LOGIN = 'the site shows the parties only to logged-in users, and this service does not log in';
const NO_PLAINTIFF = `party_status is defendant_only, not_published, or login_required: ${LOGIN}` as const;
const NO_DEFENDANT = `party_status is plaintiff_only, not_published, or login_required: ${LOGIN}` as const;
const NOT_PRINTED = "the sale's page does not print it";

const fields = {
  auction_type: oneOf(
    AUCTION_TYPES,
    `Kind of auction. ${AUCTION_TYPES.map((type) => `${type}: ${KIND_MEANINGS[type]}`).join(' ')}`,
  ),
  county: text('County name and state.'),
  sale_date: date('Day of the sale.'),
  property_address: text('Street address of the property.', { absent: NOT_PRINTED }),
  city: text('City of the property.', { absent: NOT_PRINTED }),
  appraised_value: money('Appraised value.', {
    absent: "the sale's page prints none, or 0.00, which means not appraised",
  }),
  opening_bid: money('Lowest opening bid; opening_bid_basis says where it comes from.', {
    absent: 'opening_bid_basis is no_minimum_second_sale or unknown',
  }),
  plaintiff: text('Plaintiff.', { absent: NO_PLAINTIFF }),
  source_url: readFrom.source_url,

  // Identity and state
  id: uuid(
    'UUID: version 5 of kind, county, case, parcel and sale day; outside sheriff sales, the item number of the ' +
      'page, if any, replaces the parcel. Not the id of a lead.',
  ),
  sale_status: oneOf(
    ['scheduled', 'cancelled', 'withdrawn', 'postponed', 'sold', 'unsold', 'removed', 'result_unknown', 'unknown'],
    "State of the sale. removed: no longer on the seller's calendar; result_unknown: its day passed without a " +
      'published result.',
  ),
  status_since: date('Day of the run that found this state.'),
  county_fips: text('Five-digit county FIPS.'),
  case_number: text('Court case number.'),
  defendant: text('Defendant.', { absent: NO_DEFENDANT }),
  party_status: oneOf(
    ['available', 'plaintiff_only', 'defendant_only', 'login_required', 'not_published'],
    'Whether the parties are public: both, one of them, or none.',
  ),
  parcel_id: text("Parcel number as the sale's page prints it.", { absent: `${NOT_PRINTED}, or a placeholder` }),
  parcel_key: text('Parcel number, upper case, letters and digits only; comparable within one county.', {
    absent: 'parcel_id is null',
  }),
  state: text('Two-letter state.'),
  zip: text('Five-digit ZIP.', { absent: NOT_PRINTED }),
  ...addressParts('the address is missing or has no house number'),
  opening_bid_basis: oneOf(
    ['two_thirds_of_appraisal', 'published_minimum', 'court_ordered_minimum', 'no_minimum_second_sale', 'unknown'],
    'Origin of opening_bid. A published figure wins; two thirds of the appraisal is derived only for ' +
      'first sales of mortgage foreclosures in Ohio, never for a tax sale or in another state.',
  ),
  opening_bid_derived: flag('True if opening_bid was computed here and not published.'),
  opening_bid_mismatch: flag('True if the published bid of a first mortgage sale is not two thirds of the appraisal.'),
  statute_ref: text('Section of the law of the state behind the basis.', {
    absent: 'opening_bid_basis or sale_kind is unknown, or the section was not verified',
  }),
  sale_kind: oneOf(
    ['mortgage_foreclosure', 'tax_foreclosure', 'other_judgment', 'unknown'],
    'Kind of sale; unknown unless the source states it. tax_foreclosure: any sale for unpaid taxes, including tax ' +
      'deed sales.',
  ),
  sale_round: integer('1 for a first sale, 2 for a second.', { absent: 'sale_round_basis is unknown' }),
  sale_round_basis: oneOf(
    ['published', 'case_not_seen_before', 'unknown'],
    'published: the page prints the round; case_not_seen_before: a mortgage case without an earlier sale day.',
  ),
  appraisal_discount_pct: percent(
    '(appraised_value - opening_bid) over appraised_value. A discount to appraisal, not owner equity: liens ' +
      'are unknown.',
    { absent: 'appraised_value or opening_bid is null' },
  ),
  judgment_amount: money('Final judgment: the debt that the sale is for. Not the opening bid.', {
    absent: 'not published, or published as 0.00',
  }),
  assessed_value: money("Value on the county's roll as the sale's page prints it. Not an appraisal for the sale.", {
    absent: 'not published, or published as 0.00',
  }),
  plaintiff_max_bid: money('Highest bid of the plaintiff: a buyer must bid more.', {
    absent: 'plaintiff_max_bid_status is not published',
  }),
  plaintiff_max_bid_status: oneOf(
    ['published', 'hidden_until_sale', 'no_plaintiff', 'not_published'],
    'Whether the highest bid of the plaintiff is public. hidden_until_sale: the site shows it when the sale begins; ' +
      'no_plaintiff: a sale for unpaid taxes has no bidding plaintiff.',
  ),
  certificate_number: text('Number of the tax certificate behind a tax deed sale.', {
    absent: 'auction_type is not tax_deed_sale, or it is not published',
  }),
  deposit: money('Deposit required of a bidder.', { absent: 'not published' }),
  sold_amount: money('Price of the sale.', {
    absent: 'sale_status is not sold, or the price is not published',
  }),
  item_id: text("The auction site's own item number.", { absent: 'the page has none' }),
  case_status_raw: text('Case status exactly as published.', { absent: 'not published' }),
  slot_raw: text('Text of the time slot: a time, or a status word.', { absent: 'not published' }),
  sale_type_raw: text('Sale type exactly as published.', { absent: 'not published' }),
  previous_sale_date: date(
    'Previous sale day of the same case and parcel. With next_sale_date it links the rows of a postponed or repeated ' +
      'sale.',
    { absent: 'none was ever read' },
  ),
  next_sale_date: date('Next sale day of the same case and parcel.', { absent: 'none was read yet' }),
  first_seen: seen.first_seen,
  last_seen: seen.last_seen,
  source: readFrom.source,
  page_sha256: readFrom.page_sha256,
  page_row: readFrom.page_row,

  // Place
  ...point,
};

export const Auction = defineRecord(
  'auction',
  'One row per court case, parcel and sale day.',
  ['id'],
  fields,
  auctionCauses,
);

export default defineMart({
  record: Auction,
  audits: [
    never(
      'auctions',
      'two_thirds_holds',
      'an opening bid of two thirds is not below two thirds of the appraisal',
      "opening_bid_basis = 'two_thirds_of_appraisal' AND 3 * opening_bid < 2 * appraised_value",
    ),
    never(
      'auctions',
      'bid_absent_as_said',
      'opening_bid is null exactly if its basis says so',
      "(opening_bid IS NULL) <> (opening_bid_basis IN ('no_minimum_second_sale', 'unknown'))",
    ),
    never(
      'auctions',
      'tax_never_derived',
      'the bid of a tax sale is never derived',
      "sale_kind = 'tax_foreclosure' AND opening_bid_derived",
    ),
    never(
      'auctions',
      'derived_in_ohio_alone',
      'no bid outside Ohio is derived or has a basis of Ohio law',
      `state <> 'OH'
        AND (opening_bid_derived OR opening_bid_basis IN ('two_thirds_of_appraisal', 'no_minimum_second_sale'))`,
    ),
    never(
      'auctions',
      'max_bid_as_said',
      'plaintiff_max_bid is null exactly if its status says so',
      "(plaintiff_max_bid IS NULL) <> (plaintiff_max_bid_status <> 'published')",
    ),
    never(
      'auctions',
      'certificate_of_tax_deeds',
      'only a tax deed sale has a certificate',
      "certificate_number IS NOT NULL AND auction_type <> 'tax_deed_sale'",
    ),
    never(
      'auctions',
      'round_absent_as_said',
      'sale_round is null exactly if its basis is unknown',
      "(sale_round IS NULL) <> (sale_round_basis = 'unknown')",
    ),
    never(
      'auctions',
      'parties_as_said',
      'each party is null exactly if party_status says so',
      `(plaintiff IS NULL) <> (party_status IN ('login_required', 'not_published', 'defendant_only'))
        OR (defendant IS NULL) <> (party_status IN ('login_required', 'not_published', 'plaintiff_only'))`,
    ),
    never(
      'auctions',
      'past_is_not_scheduled',
      'a sale with a past day is not scheduled',
      "sale_status = 'scheduled' AND sale_date < (SELECT as_of FROM run)",
    ),
    never(
      'auctions',
      'discount_as_said',
      'appraisal_discount_pct is the gap of bid and appraisal, null exactly if one of them is',
      'appraisal_discount_pct IS DISTINCT FROM percentage(appraised_value - opening_bid, appraised_value)',
    ),
    never(
      'auctions',
      'sold_as_said',
      'only sold items have a price',
      "sold_amount IS NOT NULL AND sale_status <> 'sold'",
    ),
    never(
      'auctions',
      'figures_in_range',
      'amounts are positive and rounds are the first or the second',
      `appraised_value <= 0 OR opening_bid < 0 OR deposit < 0 OR sold_amount < 0 OR sale_round NOT IN (1, 2)
        OR judgment_amount <= 0 OR assessed_value <= 0 OR plaintiff_max_bid <= 0`,
    ),
    never(
      'auctions',
      'days_in_order',
      'previous_sale_date is before sale_date, next_sale_date after it',
      'previous_sale_date >= sale_date OR next_sale_date <= sale_date',
    ),
    keepsRows('auctions', ['id'], 'sale'),
    pointInRange('auctions'),
    ...comesAndGoes('auctions', "sale_status = 'scheduled'", 'upcoming sales', false),
    never('auctions', 'seen_in_order', 'first_seen is not after last_seen', 'first_seen > last_seen'),
  ],
  publish: { orderBy: ['sale_date', 'id'] },
});
