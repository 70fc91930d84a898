import { defineRecord } from '../../../lib/record.ts';
import { defineModel } from '../../contract.ts';
import { fieldsOf } from '../../fields.ts';
import { Deal } from '../../marts/deals.ts';

export default defineModel({
  record: defineRecord(
    'int_deal_income',
    'One row per property: rents, taxes and expenses in the form in which a deal shows them.',
    ['id'],
    fieldsOf(Deal, [
      'id',
      'market_rent_mix',
      'rent_in_place',
      'contract_rent',
      'rent_steps',
      'vacancy_survey',
      'expense_lines',
      'expense_check',
      'expense_q1_pct',
      'expense_q3_pct',
      'expense_typical_pct',
      'property_tax',
      'tax_after_reset',
    ]),
  ),
});
