/** Why a field of a signal is null. */
import type { Cause } from '../../lib/record.ts';
import { NO_WHOLE_NUMBER, pointCauses } from '../fields.ts';

const NOT_PUBLISHED: readonly Cause[] = ['not_published_by_county'];
const NO_PARCEL: readonly Cause[] = ['no_parcel_number_published'];
const NO_STREET: readonly Cause[] = [{ of: 'address_status' }];
const NO_NUMBER: readonly Cause[] = [NO_WHOLE_NUMBER, ...NO_STREET];
const TAX = { if: "signal_type = 'tax_delinquent'", code: 'tax_delinquency' };
const NO_TAX = { if: "signal_type <> 'tax_delinquent'", code: 'not_a_tax_delinquency' };
const OF_TAX: readonly Cause[] = [NO_TAX, ...NOT_PUBLISHED];
const OF_RECORD: readonly Cause[] = [TAX, 'not_published_by_source'];
const IN_NO_SOURCE: readonly Cause[] = ['in_no_source'];

export const signalCauses = {
  address: NO_STREET,
  owner_name: NOT_PUBLISHED,
  parcel_id: NO_PARCEL,
  amount: NOT_PUBLISHED,
  parcel_key: NO_PARCEL,
  address_basis: NO_STREET,
  city: IN_NO_SOURCE,
  city_basis: IN_NO_SOURCE,
  zip: IN_NO_SOURCE,
  zip_basis: IN_NO_SOURCE,
  address_key: NO_STREET,
  street_key: NO_STREET,
  house_low: NO_NUMBER,
  house_high: NO_NUMBER,
  unit_key: [{ if: 'address_key IS NOT NULL', code: 'no_unit' }, ...NO_STREET],
  mail_street: NOT_PUBLISHED,
  mail_city: NOT_PUBLISHED,
  mail_state: NOT_PUBLISHED,
  mail_zip: NOT_PUBLISHED,
  years_delinquent: OF_TAX,
  months_delinquent: OF_TAX,
  certified_year: OF_TAX,
  county_value: NOT_PUBLISHED,
  amount_to_value_pct: [{ if: 'amount IS NULL', code: 'amount_missing' }, 'county_value_missing'],
  property_class: NOT_PUBLISHED,
  record_number: ['tax_delinquency'],
  filed_on: OF_RECORD,
  last_activity_on: OF_RECORD,
  state_raw: OF_RECORD,
  description: OF_RECORD,
  plaintiff: OF_RECORD,
  tax_year: [{ if: "signal_type <> 'tax_lien'", code: 'not_a_tax_lien' }, 'not_published_by_source'],
  amount_basis: ['amount_missing'],
  ...pointCauses,
} as const;
