import { defineRecord } from '../../../lib/record.ts';
import { defineModel } from '../../contract.ts';
import { todaysFields } from './int_tax_signals.ts';

export default defineModel({
  record: defineRecord(
    'int_distress_signal',
    'One row per record of distress that its publisher shows today, other than tax delinquencies and sales.',
    ['id'],
    todaysFields,
  ),
  view: true,
});
