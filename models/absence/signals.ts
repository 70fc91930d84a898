/** Why a field of a signal is null. */
import type { Cause } from '../../lib/record.ts';

const NOT_PUBLISHED: readonly Cause[] = ['not_published_by_county'];
const NO_STREET: readonly Cause[] = [{ of: 'address_status' }];
const IN_NO_SOURCE: readonly Cause[] = ['in_no_source'];

export const signalCauses = {
  address: NO_STREET,
  owner_name: NOT_PUBLISHED,
  amount: NOT_PUBLISHED,
  address_basis: NO_STREET,
  city: IN_NO_SOURCE,
  city_basis: IN_NO_SOURCE,
  zip: IN_NO_SOURCE,
  zip_basis: IN_NO_SOURCE,
  address_key: NO_STREET,
  street_key: NO_STREET,
  house_low: NO_STREET,
  house_high: NO_STREET,
  unit_key: [{ if: 'address_key IS NOT NULL', code: 'no_unit' }, ...NO_STREET],
  mail_street: NOT_PUBLISHED,
  mail_city: NOT_PUBLISHED,
  mail_state: NOT_PUBLISHED,
  mail_zip: NOT_PUBLISHED,
  years_delinquent: NOT_PUBLISHED,
  months_delinquent: NOT_PUBLISHED,
  certified_year: NOT_PUBLISHED,
  county_value: NOT_PUBLISHED,
  amount_to_value_pct: [{ if: 'amount IS NULL', code: 'amount_missing' }, 'county_value_missing'],
  property_class: NOT_PUBLISHED,
} as const;
