import { defineRecord } from '../../../lib/record.ts';
import { defineModel } from '../../contract.ts';
import { fieldsOf } from '../../fields.ts';
import { Report } from '../../marts/reports.ts';

export default defineModel({
  record: defineRecord(
    'int_sensitivity',
    'One row per property: its underwriting under other rents, vacancies, expense ratios and loan rates.',
    ['id'],
    fieldsOf(Report, ['id', 'sensitivity']),
  ),
});
