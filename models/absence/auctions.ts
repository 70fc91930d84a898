/** Why a field of an auction is null. */
import { because, cause, type Absence, type Cause } from '../../lib/record.ts';
import { NO_WHOLE_NUMBER } from '../fields.ts';

const NOT_PRINTED = cause('not_published', "the sale's page prints none");
const NO_STREET: Cause = { ...NOT_PRINTED, if: 'property_address IS NULL' };
const NO_HOUSE = cause('no_house_number', 'the address has no house number');
const NO_KEY: readonly Cause[] = [NO_STREET, { ...NO_HOUSE, if: 'address_key IS NULL' }];

export const NOT_PUBLISHED = because(NOT_PRINTED);
export const NO_ADDRESS_KEY = because(NO_STREET, NO_HOUSE);
export const NO_NUMBER = because(NO_WHOLE_NUMBER, ...NO_KEY);
export const NO_UNIT = because(...NO_KEY, cause('no_unit', 'the address has no unit'));
export const NOT_APPRAISED = because(cause('not_appraised_or_not_published', "the sale's page prints none, or 0.00"));
export const NO_BID = because({
  of: 'opening_bid_basis',
  if: "opening_bid_basis IN ('no_minimum_second_sale', 'unknown')",
});
/** The page does not name a party of a sale. */
export const noParty = (other: 'plaintiff' | 'defendant'): Absence =>
  because({ of: 'party_status', if: `party_status IN ('${other}_only', 'login_required', 'not_published')` });
export const NO_STATUTE = because(
  cause(
    'basis_or_kind_of_sale_unknown',
    'the basis or the kind of sale is unknown',
    "opening_bid_basis = 'unknown' OR (state = 'OH' AND sale_kind = 'unknown')",
  ),
  cause('section_not_verified', 'the section was not verified'),
);
export const NO_ROUND = because({ of: 'sale_round_basis', if: "sale_round_basis = 'unknown'" });
export const NO_DISCOUNT = because(
  cause('appraised_value_missing', 'appraised_value is null', 'appraised_value IS NULL'),
  cause('opening_bid_missing', 'opening_bid is null', 'opening_bid IS NULL'),
);
export const NO_MAX_BID = because({ of: 'plaintiff_max_bid_status', if: "plaintiff_max_bid_status <> 'published'" });
export const NO_CERTIFICATE = because(
  cause('no_tax_deed_sale', 'it is no tax deed sale', "auction_type <> 'tax_deed_sale'"),
  NOT_PRINTED,
);
export const NOT_SOLD = because(cause('not_sold', 'sale_status is not sold', "sale_status <> 'sold'"), NOT_PRINTED);
export const NO_CLASS = because({
  of: 'property_kind_basis',
  if: "property_kind_basis IN ('not_published_by_county', 'no_parcel_number')",
});
export const NO_UNITS = because(
  cause('no_parcel_number', "the sale's page prints no parcel number", 'parcel_key IS NULL'),
  cause('not_published_by_county', "the county's parcel layer states none"),
);
export const NO_OTHER_SALE = because(cause('no_other_sale_read', 'no such sale was read'));
