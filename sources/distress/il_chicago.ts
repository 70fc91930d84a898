/**
 * Chicago, Illinois: open violations of the building code, and those at vacant and abandoned buildings, of the last six
 * years. A row is one violation. The tables have neither parcel number nor ZIP.
 *
 * Known from public readers and recorded rows: the columns, and the status OPEN.
 */
import type { SourceSpec } from '../contract.ts';
import { addDays } from '../days.ts';
import { date, optional, published } from '../values.ts';
import { socrataTable } from '../readers/open_data/socrata.ts';
import type { Cells } from '../readers/open_data/table.ts';

const PORTAL = 'https://data.cityofchicago.org';
const CITY = 'Chicago';

/** Days of violations to read: the city rarely closes older ones in the table. */
const DAYS = 2192;

/** Values of a violation, which has neither parcel number nor ZIP. */
const violation = (row: Cells) =>
  ({
    street: optional(row.address),
    city: CITY,
    filed_on: date('violation_date', row.violation_date),
    record_state: published(row.violation_status)?.toUpperCase() === 'OPEN' ? 'open' : 'unknown',
    state_raw: optional(row.violation_status),
    description: optional(row.violation_description) ?? optional(row.violation_code),
  }) as const;

interface ViolationTable {
  readonly name: string;
  readonly title: string;
  /** Code of the table on the portal. */
  readonly table: string;
  readonly signal: 'vacant_building' | 'code_violation';
  /** Most days since the newest violation. */
  readonly maxAgeDays: number;
}

/** An adapter for a table of open violations of the last six years. */
const chicagoViolations = ({ name, title, table, signal, maxAgeDays }: ViolationTable): SourceSpec =>
  socrataTable<'distress'>({
    name,
    family: 'distress',
    title,
    home: `${PORTAL}/d/${table}`,
    county: { fips: '17031', name: 'Cook County', state: 'IL' },
    covers: { kinds: [signal], city: CITY },
    terms: {
      basis: 'open_data',
      note: "Published as open data by the city; neither a license nor the portal's terms of use were read.",
      url: `${PORTAL}/d/${table}`,
    },
    everyDays: 7,
    expect: {
      minRows: 1,
      maxRejectShare: 0.02,
      maxDropShare: 0.4,
      joins: { address: 0.7 },
      newest: { column: 'filed_on', maxAgeDays },
    },
    portal: PORTAL,
    table,
    where: (asOf) => `violation_status = 'OPEN' AND violation_date >= '${addDays(asOf, -DAYS)}T00:00:00.000'`,
    columns: ['id', 'violation_date', 'violation_code', 'violation_status', 'violation_description', 'address'],
    link: 'id',
    identity: ({ id }) => ({ signal_type: signal, record_number: published(id), parcel_raw: null }),
    record: ([row]) => violation(row),
  });

export default [
  {
    name: 'il_chicago_vacant',
    title: 'Chicago vacant and abandoned buildings (open violations)',
    table: 'u7si-yh3t',
    signal: 'vacant_building',
    maxAgeDays: 180,
  } as const,
  {
    name: 'il_chicago_violations',
    title: 'Chicago building violations (open)',
    table: '22u3-xenr',
    signal: 'code_violation',
    maxAgeDays: 130,
  } as const,
].map(chicagoViolations);
