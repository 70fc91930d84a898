/** Why a field of a version of a listing is null. */
import type { Cause } from '../../lib/record.ts';

const NO_MIX: readonly Cause[] = ['unit_mix_not_stated'];
const NOT_STATED: readonly Cause[] = ['not_stated_by_site'];

export const versionCauses = {
  street: ['hidden_by_source'],
  list_price: ['price_missing'],
  units: ['units_missing'],
  units_0br: NO_MIX,
  units_1br: NO_MIX,
  units_2br: NO_MIX,
  units_3br: NO_MIX,
  units_4br: NO_MIX,
  cap_rate: ['not_advertised'],
  noi: NOT_STATED,
  annual_taxes: NOT_STATED,
  year_built: NOT_STATED,
  property_type: NOT_STATED,
  listed_on: NOT_STATED,
  first_price: ['price_missing'],
  gone_on: ['not_gone_before_next_version'],
} as const;
