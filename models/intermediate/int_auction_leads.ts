import { defineRecord } from '../../lib/record.ts';
import { defineModel } from '../contract.ts';
import { fieldsOf } from '../fields.ts';
import { Lead } from '../marts/leads.ts';

export default defineModel({
  record: defineRecord('int_auction_lead', 'One row per sheriff sale to come that qualifies as a lead, scored.', ['id'], fieldsOf(Lead, [
    'lead_type', 'lead_score', 'score_rationale', 'address', 'source_url',
    'auction_type', 'county', 'sale_date', 'property_address', 'city', 'appraised_value', 'opening_bid', 'plaintiff',
    'id', 'score_parts', 'last_verified', 'verified_age_days', 'first_seen', 'auction_id', 'corroboration',
    'county_fips', 'state', 'zip', 'address_key', 'street_key', 'house_low', 'house_high', 'unit_key', 'parcel_id', 'parcel_key', 'owner_location',
    'case_number', 'defendant', 'opening_bid_basis', 'opening_bid_derived', 'opening_bid_mismatch', 'statute_ref', 'sale_kind', 'sale_round', 'appraisal_discount_pct', 'deposit',
    'source', 'page_sha256',
  ])),
  audits: [],
});
