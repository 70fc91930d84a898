import { defineRecord } from '../../../lib/record.ts';
import { defineModel } from '../../contract.ts';
import { fieldsOf } from '../../fields.ts';
import { Deal } from '../../marts/deals.ts';

export default defineModel({
  record: defineRecord(
    'int_claim_issue',
    'One row per property: whether the figures of the listing contradict each other or cannot be.',
    ['id'],
    fieldsOf(Deal, ['id', 'claim_issue']),
  ),
});
