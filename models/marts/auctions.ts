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
  type Absence,
  type Cause,
} from '../../lib/record.ts';
import { ABOUT_AUCTION_TYPE, AUCTION_TYPES } from '../../sources/kinds.ts';
import { comesAndGoes, defineMart, keepsRows } from '../contract.ts';
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
const NOT_PRINTED = cause('not_published', "the sale's page prints none");
const NO_STREET: Cause = { ...NOT_PRINTED, if: 'property_address IS NULL' };
const NO_HOUSE = cause('no_house_number', 'the address has no house number');
const NO_KEY: readonly Cause[] = [NO_STREET, { ...NO_HOUSE, if: 'address_key IS NULL' }];

const NOT_PUBLISHED = because(NOT_PRINTED);
const NO_ADDRESS_KEY = because(NO_STREET, NO_HOUSE);
const NO_NUMBER = because(NO_WHOLE_NUMBER, ...NO_KEY);
const NO_UNIT = because(...NO_KEY, cause('no_unit', 'the address has no unit'));
const NOT_APPRAISED = because(cause('not_appraised_or_not_published', "the sale's page prints none, or 0.00"));
const NO_BID = because({
  of: 'opening_bid_basis',
  if: "opening_bid_basis IN ('no_minimum_second_sale', 'unknown')",
});
/** The page does not name a party of a sale. */
const noParty = (other: 'plaintiff' | 'defendant'): Absence =>
  because({ of: 'party_status', if: `party_status IN ('${other}_only', 'login_required', 'not_published')` });
const NO_STATUTE = because(
  cause(
    'basis_or_kind_of_sale_unknown',
    'the basis or the kind of sale is unknown',
    "opening_bid_basis = 'unknown' OR (state = 'OH' AND sale_kind = 'unknown')",
  ),
  cause('section_not_verified', 'the section was not verified'),
);
const NO_ROUND = because({ of: 'sale_round_basis', if: "sale_round_basis = 'unknown'" });
const NO_DISCOUNT = because(
  cause('appraised_value_missing', 'appraised_value is null', 'appraised_value IS NULL'),
  cause('opening_bid_missing', 'opening_bid is null', 'opening_bid IS NULL'),
);
const NO_MAX_BID = because({ of: 'plaintiff_max_bid_status', if: "plaintiff_max_bid_status <> 'published'" });
const NO_CERTIFICATE = because(
  cause('no_tax_deed_sale', 'it is no tax deed sale', "auction_type <> 'tax_deed_sale'"),
  NOT_PRINTED,
);
const NOT_SOLD = because(cause('not_sold', 'sale_status is not sold', "sale_status <> 'sold'"), NOT_PRINTED);
const NO_CLASS = because({
  of: 'property_kind_basis',
  if: "property_kind_basis IN ('not_published_by_county', 'no_parcel_number')",
});
const NO_UNITS = because(
  cause('no_parcel_number', "the sale's page prints no parcel number", 'parcel_key IS NULL'),
  cause('not_published_by_county', "the county's parcel layer states none"),
);
const NO_OTHER_SALE = because(cause('no_other_sale_read', 'no such sale was read'));

const fields = {
  auction_type: oneOf(AUCTION_TYPES, ABOUT_AUCTION_TYPE),
  county: text('County and state, such as "Cuyahoga County, OH".'),
  sale_date: date('Day of the sale.'),
  property_address: text('Street address of the property.', { absent: NOT_PUBLISHED }),
  city: text('City of the property.', { absent: NOT_PUBLISHED }),
  appraised_value: money('Appraised value.', { absent: NOT_APPRAISED }),
  opening_bid: money('Lowest opening bid.', { absent: NO_BID }),
  plaintiff: text('Plaintiff.', { absent: noParty('defendant') }),
  source_url: readFrom.source_url,

  // Identity and state
  id: uuid(
    'UUID of kind, county, case, parcel (outside sheriff sales the item number) and sale day. Not the id ' +
      'of a lead.',
  ),
  sale_status: oneOf(
    ['scheduled', 'cancelled', 'withdrawn', 'postponed', 'sold', 'unsold', 'removed', 'result_unknown', 'unknown'],
    'removed: no longer on the calendar; result_unknown: the day passed without a result.',
  ),
  status_since: date('Day of the run that found this state.'),
  county_fips: text('Five-digit county FIPS.'),
  case_number: text('Court case number.'),
  defendant: text('Defendant.', { absent: noParty('plaintiff') }),
  party_status: oneOf(
    ['available', 'plaintiff_only', 'defendant_only', 'login_required', 'not_published'],
    'Whether the parties are public. login_required: this service does not log in.',
  ),
  parcel_id: text('Parcel number as printed.', { absent: NOT_PUBLISHED }),
  parcel_key: text('Letters and digits of the parcel number, in capitals; comparable within one county.', {
    absent: NOT_PUBLISHED,
  }),
  state: text('Two-letter state.'),
  zip: text('Five-digit ZIP.', { absent: NOT_PUBLISHED }),
  ...addressParts(NO_ADDRESS_KEY, NO_UNIT, NO_NUMBER),
  opening_bid_basis: oneOf(
    ['two_thirds_of_appraisal', 'published_minimum', 'court_ordered_minimum', 'no_minimum_second_sale', 'unknown'],
    'Origin of opening_bid.',
  ),
  opening_bid_derived: flag('True if opening_bid was computed here.'),
  opening_bid_mismatch: flag('True if the published bid of a first mortgage sale is not two thirds of the appraisal.'),
  statute_ref: text('Section of state law behind opening_bid_basis.', { absent: NO_STATUTE }),
  sale_kind: oneOf(
    ['mortgage_foreclosure', 'tax_foreclosure', 'other_judgment', 'unknown'],
    'Kind of sale. tax_foreclosure: any sale for unpaid taxes.',
  ),
  sale_round: integer('1 for a first sale, 2 for a second.', { absent: NO_ROUND }),
  sale_round_basis: oneOf(
    ['published', 'case_not_seen_before', 'unknown'],
    'case_not_seen_before: a mortgage case without an earlier sale day.',
  ),
  appraisal_discount_pct: percent('(appraised_value - opening_bid) over appraised_value. Not owner equity.', {
    absent: NO_DISCOUNT,
  }),
  judgment_amount: money('Final judgment: the debt that the sale is for.', { absent: NOT_PUBLISHED }),
  assessed_value: money("Value on the county's roll, by the sale's page. Not an appraisal.", { absent: NOT_PUBLISHED }),
  plaintiff_max_bid: money('Highest bid of the plaintiff: a buyer must bid more.', { absent: NO_MAX_BID }),
  plaintiff_max_bid_status: oneOf(
    ['published', 'hidden_until_sale', 'no_plaintiff', 'not_published'],
    'Whether plaintiff_max_bid is public. no_plaintiff: a sale for unpaid taxes.',
  ),
  certificate_number: text('Tax certificate behind a tax deed sale.', { absent: NO_CERTIFICATE }),
  deposit: money('Deposit required of a bidder.', { absent: NOT_PUBLISHED }),
  sold_amount: money('Price of the sale.', { absent: NOT_SOLD }),
  item_id: text("The site's item number.", { absent: NOT_PUBLISHED }),
  case_status_raw: text('Case status exactly as published.', { absent: NOT_PUBLISHED }),
  slot_raw: text('Text of the time slot: a time, or a status word.', { absent: NOT_PUBLISHED }),
  sale_type_raw: text('Sale type exactly as published.', { absent: NOT_PUBLISHED }),
  previous_sale_date: date('Previous sale day of the case and parcel.', { absent: NO_OTHER_SALE }),
  next_sale_date: date('Next sale day of the case and parcel.', { absent: NO_OTHER_SALE }),
  units: integer("Dwelling units, by the county's parcel layer.", { absent: NO_UNITS, unit: 'units' }),
  property_class: text("The county's own word or code for the property.", { absent: NO_CLASS }),
  ...propertyKind,
  first_seen: seen.first_seen,
  last_seen: seen.last_seen,
  source: readFrom.source,
  page_sha256: readFrom.page_sha256,
  page_row: readFrom.page_row,

  // Place
  ...point,
  ...missing,
};

export const Auction = defineRecord(
  'auction',
  'One row per court case, parcel and sale day.',
  ['id'],
  fields,
  causesOf(fields),
);

export default defineMart({
  record: Auction,
  audits: [
    keepsRows('auctions', ['id'], 'sale'),
    kindFollowsFromClass('auctions'),
    pointInRange('auctions'),
    ...comesAndGoes('auctions', "sale_status = 'scheduled'", 'upcoming sales', false),
  ],
  publish: { orderBy: ['sale_date', 'id'] },
});
