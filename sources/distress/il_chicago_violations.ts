/**
 * Chicago, Illinois: open violations of the building code of the last six years. A row is one violation. Known from
 * public readers and part of a recorded row: the columns, and the status OPEN. The city leaves many old violations open
 * in the table, so older ones are not requested. The table has neither parcel number nor ZIP.
 */
import { chicagoViolations } from '../families/open_data/chicago.ts';

export default chicagoViolations({
  name: 'il_chicago_violations',
  title: 'Chicago building violations (open)',
  table: '22u3-xenr',
  signal: 'code_violation',
  maxAgeDays: 130,
});
