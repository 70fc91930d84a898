import { defineRecord, ratio } from '../../../lib/record.ts';
import { defineModel } from '../../contract.ts';
import { fieldsOf } from '../../fields.ts';
import { Deal } from '../../marts/deals.ts';

export default defineModel({
  record: defineRecord(
    'int_debt_coverage',
    'One row per property: coverage at the loan that the price needs, and the loan that a lender sizes.',
    ['id'],
    {
      ...fieldsOf(Deal, ['id', 'dscr']),
      claimed_dscr: ratio('Debt service coverage of the claimed NOI.', {
        absent: 'there is no claim, or dscr_status is not computed',
      }),
      ...fieldsOf(Deal, [
        'dscr_underwritten',
        'debt_yield_pct',
        'break_even_occupancy_pct',
        'rent_over_pitia',
        'net_cash_flow',
        'loan_sized',
        'loan_binding',
        'debt_service_sized',
        'cash_flow_after_debt',
        'cash_needed',
        'cash_on_cash_pct',
      ]),
    },
  ),
});
