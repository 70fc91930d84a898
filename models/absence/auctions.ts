/** Why a field of an auction is null. */
import { because, type Absence, type Cause } from '../../lib/record.ts';
import { NO_WHOLE_NUMBER } from '../fields.ts';

const NOT_PRINTED = { code: 'not_published', about: "the sale's page prints none" } as const;
const NO_STREET: Cause = { ...NOT_PRINTED, if: 'property_address IS NULL' };
const NO_HOUSE = { code: 'no_house_number', about: 'the address has no house number' } as const;
const NO_KEY: readonly Cause[] = [NO_STREET, { ...NO_HOUSE, if: 'address_key IS NULL' }];

export const NOT_PUBLISHED = because(NOT_PRINTED);
export const NO_ADDRESS_KEY = because(NO_STREET, NO_HOUSE);
export const NO_NUMBER = because(NO_WHOLE_NUMBER, ...NO_KEY);
export const NO_UNIT = because(...NO_KEY, { code: 'no_unit', about: 'the address has no unit' });
export const NOT_APPRAISED = because({
  code: 'not_appraised_or_not_published',
  about: "the sale's page prints none, or 0.00",
});
export const NO_BID = because({
  of: 'opening_bid_basis',
  if: "opening_bid_basis IN ('no_minimum_second_sale', 'unknown')",
});
/** The page does not name a party of a sale. */
export const noParty = (other: 'plaintiff' | 'defendant'): Absence =>
  because({ of: 'party_status', if: `party_status IN ('${other}_only', 'login_required', 'not_published')` });
export const NO_STATUTE = because(
  {
    code: 'basis_or_kind_of_sale_unknown',
    if: "opening_bid_basis = 'unknown' OR (state = 'OH' AND sale_kind = 'unknown')",
    about: 'the basis or the kind of sale is unknown',
  },
  { code: 'section_not_verified', about: 'the section was not verified' },
);
export const NO_ROUND = because({ of: 'sale_round_basis', if: "sale_round_basis = 'unknown'" });
export const NO_DISCOUNT = because(
  { code: 'appraised_value_missing', if: 'appraised_value IS NULL', about: 'appraised_value is null' },
  { code: 'opening_bid_missing', if: 'opening_bid IS NULL', about: 'opening_bid is null' },
);
export const NO_MAX_BID = because({ of: 'plaintiff_max_bid_status', if: "plaintiff_max_bid_status <> 'published'" });
export const NO_CERTIFICATE = because(
  { code: 'no_tax_deed_sale', if: "auction_type <> 'tax_deed_sale'", about: 'it is no tax deed sale' },
  NOT_PRINTED,
);
export const NOT_SOLD = because(
  { code: 'not_sold', if: "sale_status <> 'sold'", about: 'sale_status is not sold' },
  NOT_PRINTED,
);
export const NO_CLASS = because({
  of: 'property_kind_basis',
  if: "property_kind_basis IN ('not_published_by_county', 'no_parcel_number')",
});
export const NO_UNITS = because(
  { code: 'no_parcel_number', if: 'parcel_key IS NULL', about: "the sale's page prints no parcel number" },
  { code: 'not_published_by_county', about: "the county's parcel layer states none" },
);
export const NO_OTHER_SALE = because({ code: 'no_other_sale_read', about: 'no such sale was read' });
