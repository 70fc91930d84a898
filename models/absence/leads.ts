/** Why a field of a lead is null. */
import { because, type Absence, type Cause } from '../../lib/record.ts';
import { NO_WHOLE_NUMBER } from '../fields.ts';

const TAX_LEAD: Cause = { code: 'tax_lead', if: "lead_type = 'tax_delinquent'", about: 'lead_type is tax_delinquent' };
const AUCTION_LEAD: Cause = {
  code: 'auction_lead',
  if: "lead_type = 'sheriff_sale_auction'",
  about: 'lead_type is sheriff_sale_auction',
};
const ofSale = (...causes: readonly Cause[]): Absence => because(TAX_LEAD, ...causes);
const ofDebt = (...causes: readonly Cause[]): Absence => because(AUCTION_LEAD, ...causes);

export const NO_SALE = ofSale();
export const NO_DEBT = ofDebt();
export const NOT_ON_PAGE = because({ code: 'not_on_public_page', about: 'the public page does not print it' });
export const NOT_ON_LIST = ofDebt({ code: 'not_published_by_county', about: "the county's list does not publish it" });
export const NO_RATIO = ofDebt({
  code: 'county_value_missing',
  if: 'county_value IS NULL',
  about: 'county_value is null',
});
export const NOT_APPRAISED = ofSale({ code: 'not_appraised_or_not_published', about: 'the page prints none' });
export const NO_BID = ofSale({
  of: 'opening_bid_basis',
  if: "opening_bid_basis IN ('no_minimum_second_sale', 'unknown')",
});
export const NO_PARTY = ofSale({ code: 'not_public', about: 'the site shows it to logged-in users only' });
export const NO_STATUTE = ofSale(
  {
    code: 'section_not_verified',
    if: "statute_ref IS NULL AND state <> 'OH' AND opening_bid_basis <> 'unknown'",
    about: 'the section was not verified',
  },
  { code: 'basis_or_kind_of_sale_unknown', about: 'the basis or the kind of sale is unknown' },
);
export const NO_ROUND = ofSale({ code: 'round_unknown', about: 'the round is unknown' });
export const NO_JUDGMENT = ofSale({ code: 'not_published', about: 'the page prints none, or 0.00' });
export const NO_TAXES = ofSale({ code: 'not_on_a_list', about: 'no tax list or lien list read here has them' });
export const NO_VALUE = ofSale({ of: 'value_basis', if: "value_basis = 'not_published'" });
export const NO_EQUITY = ofSale(
  { code: 'property_value_missing', if: 'property_value IS NULL', about: 'property_value is null' },
  { code: 'debt_not_published', about: 'no page prints the debt' },
);
export const NO_DEPOSIT = ofSale(
  { code: 'not_published', if: "deposit IS NULL AND auction_type <> 'sheriff_sale'", about: 'the site publishes none' },
  { code: 'not_published_by_sheriff', about: 'the sheriff publishes none' },
);
export const NO_CLASS = because({
  of: 'property_kind_basis',
  if: "property_kind_basis IN ('not_published_by_county', 'no_parcel_number')",
});
export const NO_HOUSE = because({ code: 'no_house_number', about: 'never: a lead has an address with a house number' });
export const NO_NUMBER = because(NO_WHOLE_NUMBER);
export const NO_UNIT = because({ code: 'no_unit', about: 'the address has no unit' });

const NO_PARCEL: Cause = {
  code: 'no_roll_of_parcel',
  if: 'roll_source IS NULL',
  about: 'no parcel layer or roll read here has the parcel',
};
export const NO_ROLL = because(NO_PARCEL);
export const NOT_ON_ROLL = because(NO_PARCEL, { code: 'not_on_roll', about: 'it publishes none, or a token amount' });
