import { defineRecord, json } from '../../../lib/record.ts';
import { defineModel } from '../../contract.ts';
import { fieldsOf } from '../../fields.ts';
import { Report, Steps } from '../../marts/reports.ts';

export default defineModel({
  record: defineRecord(
    'int_offer_steps',
    'One row per property: its figures of paths and offer as formulas over named inputs.',
    ['id'],
    {
      ...fieldsOf(Report, ['id']),
      steps: json(Steps, 'The part of recompute that has these figures.'),
    },
  ),
});
