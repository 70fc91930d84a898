/** Why a field of a row of coverage is null. */
import type { Cause } from '../../lib/record.ts';

const NOT_READ: readonly Cause[] = ['no_source_read'];
const NO_ROWS: readonly Cause[] = ['no_rows_in_force'];

export const coverageCauses = {
  since: [{ if: "kind = 'parcel_roll'", code: 'not_recorded_of_rolls' }, 'no_rows'],
  newest_read: NOT_READ,
  oldest_read: NOT_READ,
  age_days: NOT_READ,
  address_pct: NO_ROWS,
  zip_pct: NO_ROWS,
  parcel_pct: [
    { if: "kind = 'parcel_roll'", code: 'is_the_roll' },
    { if: 'listed_rows = 0', code: 'no_rows_in_force' },
    'no_parcel_layer_read',
  ],
  match_pct: ['no_listings'],
  why: ['covered_or_partly_covered'],
} as const;
