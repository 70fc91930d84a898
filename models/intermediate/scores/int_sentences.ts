import { defineRecord } from '../../../lib/record.ts';
import { defineModel } from '../../contract.ts';
import { fieldsOf } from '../../fields.ts';
import { Deal } from '../../marts/deals.ts';

export default defineModel({
  record: defineRecord(
    'int_sentence',
    'One row per property: its one-line reason, and whether the underwriting agrees with the claim.',
    ['id'],
    fieldsOf(Deal, ['id', 'why_this_is_interesting', 'underwriting_agreement', 'underwriting_note']),
  ),
});
