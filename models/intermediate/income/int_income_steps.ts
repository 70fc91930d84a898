import { defineRecord, json } from '../../../lib/record.ts';
import { defineModel } from '../../contract.ts';
import { fieldsOf } from '../../fields.ts';
import { Report, Steps } from '../../marts/reports.ts';

export default defineModel({
  record: defineRecord(
    'int_income_steps',
    'One row per property: its figures of rent, tax, expenses and NOI as formulas over named inputs.',
    ['id'],
    {
      ...fieldsOf(Report, ['id']),
      steps: json(Steps, 'The part of recompute that has these figures.'),
    },
  ),
});
