/**
 * Chicago, Illinois: open violations at vacant and abandoned buildings of the last six years. A row is one violation.
 *
 * Known from one recorded row: the columns, and the status OPEN. The table has neither parcel number nor ZIP.
 */
import { chicagoViolations } from '../families/open_data/chicago.ts';

export default chicagoViolations({
  name: 'il_chicago_vacant',
  title: 'Chicago vacant and abandoned buildings (open violations)',
  table: 'u7si-yh3t',
  signal: 'vacant_building',
  maxAgeDays: 180,
});
