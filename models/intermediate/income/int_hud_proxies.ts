import { defineRecord, money, percent } from '../../../lib/record.ts';
import { defineModel } from '../../contract.ts';
import { NO_INCOME } from '../../deal/absence.ts';
import { fieldsOf } from '../../fields.ts';
import { Deal } from '../../marts/deals.ts';

export default defineModel({
  record: defineRecord(
    'int_hud_proxy',
    "One row per property: the simple proxy, with HUD's 2-bedroom rent for all units and one ratio for all expenses.",
    ['id'],
    {
      ...fieldsOf(Deal, ['id']),
      gross_potential_rent: money('units x contract rent x 12, by the simple proxy.', { absent: NO_INCOME }),
      effective_gross_income: money('gross_potential_rent less vacancy.', { absent: NO_INCOME }),
      expense_ratio_of_size_pct: percent('Expense ratio of properties of this size.', { absent: 'units is null' }),
      expense_adjustment_pct: percent('Added to expense_ratio_of_size_pct for the age of the building.'),
      expense_ratio_pct: percent('The sum of the two.', { absent: 'units is null' }),
      ...fieldsOf(Deal, ['noi_hud_2br', 'cap_rate_hud_2br']),
    },
  ),
  audits: [],
});
