/** Why a field of a lead is null. */
import { because, cause, type Absence, type Cause } from '../../lib/record.ts';
import { NO_WHOLE_NUMBER } from '../fields.ts';

const TAX_LEAD = cause('tax_lead', 'lead_type is tax_delinquent', "lead_type = 'tax_delinquent'");
const AUCTION_LEAD = cause('auction_lead', 'lead_type is sheriff_sale_auction', "lead_type = 'sheriff_sale_auction'");
const ofSale = (...causes: readonly Cause[]): Absence => because(TAX_LEAD, ...causes);
const ofDebt = (...causes: readonly Cause[]): Absence => because(AUCTION_LEAD, ...causes);

export const NO_SALE = ofSale();
export const NO_DEBT = ofDebt();
export const NOT_ON_PAGE = because(cause('not_on_public_page', 'the public page does not print it'));
export const NOT_ON_LIST = ofDebt(cause('not_published_by_county', "the county's list does not publish it"));
export const NO_RATIO = ofDebt(cause('county_value_missing', 'county_value is null', 'county_value IS NULL'));
export const NOT_APPRAISED = ofSale(cause('not_appraised_or_not_published', 'the page prints none'));
export const NO_BID = ofSale({
  of: 'opening_bid_basis',
  if: "opening_bid_basis IN ('no_minimum_second_sale', 'unknown')",
});
export const NO_PARTY = ofSale(cause('not_public', 'the site shows it to logged-in users only'));
export const NO_STATUTE = ofSale(
  cause(
    'section_not_verified',
    'the section was not verified',
    "statute_ref IS NULL AND state <> 'OH' AND opening_bid_basis <> 'unknown'",
  ),
  cause('basis_or_kind_of_sale_unknown', 'the basis or the kind of sale is unknown'),
);
export const NO_ROUND = ofSale(cause('round_unknown', 'the round is unknown'));
export const NO_JUDGMENT = ofSale(cause('not_published', 'the page prints none, or 0.00'));
export const NO_TAXES = ofSale(cause('not_on_a_list', 'no tax list or lien list read here has them'));
export const NO_VALUE = ofSale({ of: 'value_basis', if: "value_basis = 'not_published'" });
export const NO_EQUITY = ofSale(
  cause('property_value_missing', 'property_value is null', 'property_value IS NULL'),
  cause('debt_not_published', 'no page prints the debt'),
);
export const NO_DEPOSIT = ofSale(
  cause('not_published', 'the site publishes none', "deposit IS NULL AND auction_type <> 'sheriff_sale'"),
  cause('not_published_by_sheriff', 'the sheriff publishes none'),
);
export const NO_CLASS = because({
  of: 'property_kind_basis',
  if: "property_kind_basis IN ('not_published_by_county', 'no_parcel_number')",
});
export const NO_HOUSE = because(cause('no_house_number', 'never: a lead has an address with a house number'));
export const NO_NUMBER = because(NO_WHOLE_NUMBER);
export const NO_UNIT = because(cause('no_unit', 'the address has no unit'));

const NO_PARCEL = cause('no_roll_of_parcel', 'no parcel layer or roll read here has the parcel', 'roll_source IS NULL');
export const NO_ROLL = because(NO_PARCEL);
export const NOT_ON_ROLL = because(NO_PARCEL, cause('not_on_roll', 'it publishes none, or a token amount'));
