/** Why a field of a lead is null. */
import type { Cause } from '../../lib/record.ts';
import { pointCauses } from '../fields.ts';

const AUCTION_ONLY = { if: "lead_type = 'tax_delinquent'", code: 'tax_lead' };
const TAX_ONLY = { if: "lead_type = 'sheriff_sale_auction'", code: 'auction_lead' };
const OF_AUCTION: readonly Cause[] = [AUCTION_ONLY];
const OF_TAX: readonly Cause[] = [TAX_ONLY];
const NOT_ON_PAGE: readonly Cause[] = ['not_on_public_page'];
const NOT_ON_LIST: readonly Cause[] = [TAX_ONLY, 'not_published_by_county'];
const NOT_BY_SELLER: readonly Cause[] = [
  AUCTION_ONLY,
  { if: "auction_type <> 'sheriff_sale'", code: 'not_published' },
  'not_published_by_sheriff',
];
const NO_PARTY: readonly Cause[] = [AUCTION_ONLY, 'not_public'];
const NO_STREET: readonly Cause[] = ['no_house_number'];
const NO_ROLL: readonly Cause[] = ['no_roll_of_parcel'];
const NOT_ON_ROLL: readonly Cause[] = [{ if: 'roll_source IS NOT NULL', code: 'not_on_roll' }, ...NO_ROLL];

export const leadCauses = {
  auction_type: OF_AUCTION,
  sale_date: OF_AUCTION,
  property_address: OF_AUCTION,
  city: NOT_ON_PAGE,
  appraised_value: [AUCTION_ONLY, 'not_appraised_or_not_published'],
  opening_bid: [AUCTION_ONLY, { of: 'opening_bid_basis' }],
  plaintiff: NO_PARTY,
  signal_id: OF_TAX,
  auction_id: OF_AUCTION,
  zip: NOT_ON_PAGE,
  address_key: NO_STREET,
  street_key: NO_STREET,
  house_low: NO_STREET,
  house_high: NO_STREET,
  unit_key: ['no_unit'],
  parcel_id: NOT_ON_PAGE,
  parcel_key: NOT_ON_PAGE,
  owner_name: NOT_ON_LIST,
  amount: OF_TAX,
  years_delinquent: NOT_ON_LIST,
  months_delinquent: NOT_ON_LIST,
  certified_year: NOT_ON_LIST,
  county_value: NOT_ON_LIST,
  amount_to_value_pct: [TAX_ONLY, 'county_value_missing'],
  property_class: [{ of: 'property_kind_basis' }],
  mail_street: NOT_ON_LIST,
  mail_city: NOT_ON_LIST,
  mail_state: NOT_ON_LIST,
  mail_zip: NOT_ON_LIST,
  case_number: OF_AUCTION,
  defendant: NO_PARTY,
  opening_bid_basis: OF_AUCTION,
  opening_bid_derived: OF_AUCTION,
  opening_bid_mismatch: OF_AUCTION,
  statute_ref: [
    AUCTION_ONLY,
    { if: "state <> 'OH' AND opening_bid_basis <> 'unknown'", code: 'section_not_verified' },
    'basis_or_kind_of_sale_unknown',
  ],
  sale_kind: OF_AUCTION,
  sale_round: [AUCTION_ONLY, 'round_unknown'],
  appraisal_discount_pct: [
    AUCTION_ONLY,
    { if: 'appraised_value IS NULL', code: 'appraised_value_missing' },
    'opening_bid_missing',
  ],
  deposit: NOT_BY_SELLER,
  last_sale_date: NOT_ON_ROLL,
  last_sale_price: NOT_ON_ROLL,
  assessed_market_value: NOT_ON_ROLL,
  roll_source: NO_ROLL,
  roll_source_url: NO_ROLL,
  ...pointCauses,
} as const;
