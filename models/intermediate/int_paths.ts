import { defineRecord } from '../../lib/record.ts';
import { defineModel } from '../contract.ts';
import { fieldsOf } from '../fields.ts';
import { Deal } from '../marts/deals.ts';

export default defineModel({
  record: defineRecord(
    'int_path',
    'One row per property: the three paths, each with its status and the thresholds and inputs behind it.',
    ['id'],
    fieldsOf(Deal, [
      'id',
      'rental_status',
      'rental_rationale',
      'wholesale_status',
      'wholesale_rationale',
      'creative_finance_status',
      'creative_finance_rationale',
    ]),
  ),
  audits: [],
});
