/** Shared by the tables of the City of Chicago. */
import { addDays } from '../../days.ts';
import { date, optional } from '../../values.ts';
import { published, type Cells } from './table.ts';

export const CHICAGO = {
  portal: 'https://data.cityofchicago.org',
  county: { fips: '17031', name: 'Cook County', state: 'IL' },
  city: 'Chicago',
} as const;

/** Terms of a table. @param page address of its page on the portal */
export const chicagoTerms = (page: string) =>
  ({
    basis: 'open_data',
    note: "Published as open data by the city; neither a license nor the portal's terms of use were read.",
    url: page,
  }) as const;

/** Columns of both tables of violations. */
export const VIOLATION_COLUMNS = [
  'id',
  'violation_date',
  'violation_code',
  'violation_status',
  'violation_description',
  'address',
] as const;

/** Days of violations to read: the city rarely closes older ones in the table. */
const DAYS = 2192;

/** Violations that are open, of the last six years. */
export const openViolations = (asOf: string): string =>
  `violation_status = 'OPEN' AND violation_date >= '${addDays(asOf, -DAYS)}T00:00:00.000'`;

/** Values of a violation, which has neither parcel number nor ZIP. */
export const violation = (row: Cells) =>
  ({
    street: optional(row.address),
    city: CHICAGO.city,
    filed_on: date('violation_date', row.violation_date),
    record_state: published(row.violation_status)?.toUpperCase() === 'OPEN' ? 'open' : 'unknown',
    state_raw: optional(row.violation_status),
    description: optional(row.violation_description) ?? optional(row.violation_code),
  }) as const;
