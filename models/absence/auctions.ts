/** Why a field of an auction is null. */
import type { Cause } from '../../lib/record.ts';

const NOT_PUBLISHED: readonly Cause[] = ['not_published_by_sheriff'];
const NO_STREET: readonly Cause[] = [
  { if: 'property_address IS NULL', code: 'not_published_by_sheriff' },
  'no_house_number',
];
const NO_PARTY: readonly Cause[] = [{ of: 'party_status' }];

export const auctionCauses = {
  property_address: NOT_PUBLISHED,
  city: NOT_PUBLISHED,
  appraised_value: ['not_appraised_or_not_published'],
  opening_bid: [{ of: 'opening_bid_basis' }],
  plaintiff: NO_PARTY,
  defendant: NO_PARTY,
  parcel_id: NOT_PUBLISHED,
  parcel_key: NOT_PUBLISHED,
  zip: NOT_PUBLISHED,
  address_key: NO_STREET,
  street_key: NO_STREET,
  house_low: NO_STREET,
  house_high: NO_STREET,
  unit_key: [{ if: 'address_key IS NOT NULL', code: 'no_unit' }, ...NO_STREET],
  statute_ref: ['basis_or_kind_of_sale_unknown'],
  sale_round: [{ of: 'sale_round_basis' }],
  appraisal_discount_pct: [{ if: 'appraised_value IS NULL', code: 'appraised_value_missing' }, 'opening_bid_missing'],
  deposit: NOT_PUBLISHED,
  sold_amount: [{ if: "sale_status <> 'sold'", code: 'not_sold' }, ...NOT_PUBLISHED],
  item_id: NOT_PUBLISHED,
  case_status_raw: NOT_PUBLISHED,
  slot_raw: NOT_PUBLISHED,
  sale_type_raw: NOT_PUBLISHED,
  previous_sale_date: ['no_other_sale_read'],
  next_sale_date: ['no_other_sale_read'],
} as const;
