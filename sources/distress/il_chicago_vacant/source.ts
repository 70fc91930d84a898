/**
 * Chicago, Illinois: open violations at vacant and abandoned buildings of the last six years. A row is one violation.
 *
 * Known from one recorded row: the columns, and the status OPEN. The table has neither parcel number nor ZIP.
 */
import {
  CHICAGO,
  chicagoTerms,
  openViolations,
  violation,
  VIOLATION_COLUMNS,
} from '../../families/open_data/chicago.ts';
import { socrataTable } from '../../families/open_data/socrata.ts';
import { published } from '../../families/open_data/table.ts';

const HOME = 'https://data.cityofchicago.org/d/u7si-yh3t';

export default socrataTable<'distress'>({
  name: 'il_chicago_vacant',
  family: 'distress',
  title: 'Chicago vacant and abandoned buildings (open violations)',
  home: HOME,
  county: CHICAGO.county,
  covers: { kinds: ['vacant_building'], city: CHICAGO.city },
  terms: chicagoTerms(HOME),
  everyDays: 7,
  expect: {
    minRows: 1,
    maxRejectShare: 0.02,
    maxDropShare: 0.4,
    joins: { address: 0.7 },
    newest: { column: 'filed_on', maxAgeDays: 180 },
  },
  portal: CHICAGO.portal,
  table: 'u7si-yh3t',
  where: openViolations,
  columns: VIOLATION_COLUMNS,
  link: 'id',
  identity: ({ id }) => ({ signal_type: 'vacant_building', record_number: published(id), parcel_raw: null }),
  record: ([row]) => violation(row),
});
