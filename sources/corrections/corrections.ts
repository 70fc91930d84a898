/** Values that the operator put right, each with the page that shows the right one. */
import { operatorRows } from '../readers/operator_rows.ts';
import { Correction } from '../rows/operator.ts';

export default operatorRows({
  name: 'corrections',
  title: 'Values that the operator put right',
  row: Correction,
});
