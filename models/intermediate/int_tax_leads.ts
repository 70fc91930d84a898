import { defineRecord } from '../../lib/record.ts';
import { defineModel } from '../contract.ts';
import { fieldsOf } from '../fields.ts';
import { Lead } from '../marts/leads.ts';

export default defineModel({
  record: defineRecord('int_tax_lead', 'One row per listed tax delinquency that qualifies as a lead, scored.', ['id'], fieldsOf(Lead, [
    'lead_type', 'lead_score', 'score_rationale', 'address', 'source_url', 'county', 'city',
    'id', 'score_parts', 'last_verified', 'verified_age_days', 'first_seen', 'signal_id', 'corroboration',
    'county_fips', 'state', 'zip', 'address_key', 'street_key', 'house_low', 'house_high', 'unit_key', 'parcel_id', 'parcel_key', 'owner_location',
    'owner_name', 'amount', 'years_delinquent', 'certified_year', 'county_value', 'amount_to_value_pct', 'property_class',
    'mail_street', 'mail_city', 'mail_state', 'mail_zip',
    'source', 'page_sha256',
  ])),
  audits: [],
});
