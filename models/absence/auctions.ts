/** Why a field of an auction is null. */
import type { Cause } from '../../lib/record.ts';
import { NO_WHOLE_NUMBER, pointCauses } from '../fields.ts';

const BY_SHERIFF = { if: "auction_type = 'sheriff_sale'", code: 'not_published_by_sheriff' } as const;
const NOT_PUBLISHED: readonly Cause[] = [BY_SHERIFF, 'not_published'];
const NO_STREET: readonly Cause[] = [
  { if: "property_address IS NULL AND auction_type = 'sheriff_sale'", code: 'not_published_by_sheriff' },
  { if: 'property_address IS NULL', code: 'not_published' },
  'no_house_number',
];
const NO_NUMBER: readonly Cause[] = [NO_WHOLE_NUMBER, ...NO_STREET];
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
  house_low: NO_NUMBER,
  house_high: NO_NUMBER,
  unit_key: [{ if: 'address_key IS NOT NULL', code: 'no_unit' }, ...NO_STREET],
  statute_ref: [
    { if: "state <> 'OH' AND opening_bid_basis <> 'unknown'", code: 'section_not_verified' },
    'basis_or_kind_of_sale_unknown',
  ],
  sale_round: [{ of: 'sale_round_basis' }],
  appraisal_discount_pct: [{ if: 'appraised_value IS NULL', code: 'appraised_value_missing' }, 'opening_bid_missing'],
  judgment_amount: NOT_PUBLISHED,
  assessed_value: NOT_PUBLISHED,
  plaintiff_max_bid: [{ of: 'plaintiff_max_bid_status' }],
  certificate_number: [{ if: "auction_type <> 'tax_deed_sale'", code: 'no_tax_deed_sale' }, ...NOT_PUBLISHED],
  deposit: NOT_PUBLISHED,
  sold_amount: [{ if: "sale_status <> 'sold'", code: 'not_sold' }, ...NOT_PUBLISHED],
  item_id: NOT_PUBLISHED,
  case_status_raw: NOT_PUBLISHED,
  slot_raw: NOT_PUBLISHED,
  sale_type_raw: NOT_PUBLISHED,
  previous_sale_date: ['no_other_sale_read'],
  next_sale_date: ['no_other_sale_read'],
  ...pointCauses,
} as const;
