import { defineRecord } from '../../lib/record.ts';
import { defineModel, never } from '../contract.ts';
import { fieldsOf } from '../fields.ts';
import { Deal } from '../marts/deals.ts';

export default defineModel({
  record: defineRecord(
    'int_offer',
    'One row per property: the range of offers at the declared target cap rate, and what binds it.',
    ['id'],
    fieldsOf(Deal, ['id', 'offer_status', 'offer_low', 'offer_high', 'offer_binding', 'ask_at_or_below_target_value']),
  ),
  audits: [
    never(
      'int_offers',
      'absent_as_said',
      'an offer stands exactly where its status says so',
      "(offer_high IS NULL) <> (offer_status NOT IN ('computed', 'claimed_basis_unverified'))",
    ),
  ],
});
