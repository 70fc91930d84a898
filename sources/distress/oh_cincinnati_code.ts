/**
 * Cincinnati, Ohio: open cases of code enforcement, from the city's open data portal. The rest of Hamilton County is
 * not in the table. The layout is not confirmed: no row and no description of the table was recorded, and public
 * readers disagree. The adapter uses the columns that most of them name: number_key, comp_type_desc, sub_type_desc,
 * entered_date, full_address, data_status_display, and status_class with the value OPEN. A table without one of them is
 * quarantined as missing_column; a table whose status_class has other values gives too few rows. It has neither parcel
 * number nor ZIP.
 */
import { socrataTable } from '../readers/open_data/socrata.ts';
import { date, joined, optional, published } from '../values.ts';

const HOME = 'https://data.cincinnati-oh.gov/d/cncm-znd6';

export default socrataTable<'distress'>({
  name: 'oh_cincinnati_code',
  family: 'distress',
  title: 'Cincinnati code enforcement (open cases)',
  home: HOME,
  county: { fips: '39061', name: 'Hamilton County', state: 'OH' },
  covers: { kinds: ['code_violation'], city: 'Cincinnati' },
  terms: {
    basis: 'open_data',
    note: "Published as open data by the city; neither a license nor the portal's terms of use were read.",
    url: HOME,
  },
  everyDays: 1,
  expect: {
    minRows: 5,
    maxRejectShare: 0.05,
    maxDropShare: 0.4,
    joins: { address: 0.7 },
    newest: { column: 'filed_on', maxAgeDays: 130 },
  },
  portal: 'https://data.cincinnati-oh.gov',
  table: 'cncm-znd6',
  where: () => "status_class = 'OPEN'",
  columns: [
    'number_key',
    'comp_type_desc',
    'sub_type_desc',
    'entered_date',
    'full_address',
    'data_status_display',
    'status_class',
  ],
  link: 'number_key',
  identity: ({ number_key: number }) => ({
    signal_type: 'code_violation',
    record_number: published(number),
    parcel_raw: null,
  }),
  record: ([row]) => ({
    street: optional(row.full_address),
    city: 'Cincinnati',
    filed_on: date('entered_date', row.entered_date),
    record_state: optional(row.status_class)?.toUpperCase() === 'OPEN' ? 'open' : 'unknown',
    state_raw: optional(row.data_status_display),
    description: joined([row.comp_type_desc, row.sub_type_desc], ': '),
  }),
});
