/** Records and names that people asked to have left out (docs/privacy.md). */
import { operatorRows } from '../families/operator_rows.ts';
import { Suppression } from '../rows/operator.ts';

export default operatorRows({
  name: 'suppressions',
  title: 'Records and names that are left out on request',
  row: Suppression,
});
