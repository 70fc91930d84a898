import { defineRecord, money, oneOf, percent } from '../../../lib/record.ts';
import { defineModel, never } from '../../contract.ts';
import { NO_OFFER } from '../../deal/absence.ts';
import { fieldsOf } from '../../fields.ts';
import { Deal } from '../../marts/deals.ts';

export default defineModel({
  record: defineRecord(
    'int_offer',
    'One row per property: the range of offers at the declared target cap rate, and its limits.',
    ['id'],
    {
      ...fieldsOf(Deal, [
        'id',
        'offer_status',
        'offer_low',
        'offer_high',
        'offer_range_basis',
        'offer_binding',
        'ask_at_or_below_target_value',
      ]),
      variable_expense_ratio_pct: percent('Expenses that follow income over effective gross income.', {
        absent: 'there is no underwriting',
      }),
      offer_basis: oneOf(['noi_scoring', 'claimed_noi'], 'NOI of the offer.', { absent: NO_OFFER }),
      offer_noi: money('Value of that NOI.', { absent: NO_OFFER }),
      limit_list_price: money('Asking price, rounded down to offer_step.', { absent: NO_OFFER }),
      limit_target_cap: money('Value of the NOI at the target cap rate less repairs, rounded down.', {
        absent: NO_OFFER,
      }),
      limit_debt_coverage: money('Price whose loan the NOI covers as lenders require, rounded down.', {
        absent: NO_OFFER,
      }),
      limit_under_stress: money('Value of the NOI under stress at the target cap rate less repairs, rounded down.', {
        absent: NO_OFFER,
      }),
    },
  ),
  audits: [
    never(
      'int_offers',
      'absent_as_said',
      'an offer is set exactly if its status says so',
      "(offer_high IS NULL) <> (offer_status NOT IN ('computed', 'claimed_basis_unverified'))",
    ),
  ],
});
