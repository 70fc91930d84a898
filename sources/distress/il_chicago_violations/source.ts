/**
 * Chicago, Illinois: open violations of the building code of the last six years. A row is one violation. Known from
 * public readers and part of a recorded row: the columns, and the status OPEN. The city leaves many old violations open
 * in the table, so older ones are not requested. The table has neither parcel number nor ZIP.
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

const HOME = 'https://data.cityofchicago.org/d/22u3-xenr';

export default socrataTable<'distress'>({
  name: 'il_chicago_violations',
  family: 'distress',
  title: 'Chicago building violations (open)',
  home: HOME,
  county: CHICAGO.county,
  covers: { kinds: ['code_violation'], city: CHICAGO.city },
  terms: chicagoTerms(HOME),
  everyDays: 7,
  expect: {
    minRows: 1,
    maxRejectShare: 0.02,
    maxDropShare: 0.4,
    joins: { address: 0.7 },
    newest: { column: 'filed_on', maxAgeDays: 130 },
  },
  portal: CHICAGO.portal,
  table: '22u3-xenr',
  where: openViolations,
  columns: VIOLATION_COLUMNS,
  link: 'id',
  identity: ({ id }) => ({ signal_type: 'code_violation', record_number: published(id), parcel_raw: null }),
  record: ([row]) => violation(row),
});
