import { defineRecord } from '../../../lib/record.ts';
import { defineModel } from '../../contract.ts';
import { fieldsOf } from '../../fields.ts';
import { Deal } from '../../marts/deals.ts';

export default defineModel({
  record: defineRecord(
    'int_confidence',
    'One row per property: confidence as a sum of named parts, and why parts are low.',
    ['id'],
    fieldsOf(Deal, ['id', 'confidence_score', 'confidence_parts', 'confidence_reasons']),
  ),
});
