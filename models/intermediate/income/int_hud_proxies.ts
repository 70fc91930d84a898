import { defineRecord, percent } from '../../../lib/record.ts';
import { defineModel } from '../../contract.ts';
import { fieldsOf } from '../../fields.ts';
import { Deal } from '../../marts/deals.ts';

export default defineModel({
  record: defineRecord(
    'int_hud_proxy',
    "One row per property: the simple proxy, with HUD's 2-bedroom rent for all units and one ratio for all expenses.",
    ['id'],
    {
      ...fieldsOf(Deal, ['id']),
      expense_ratio_of_size_pct: percent('Expense ratio of properties of this size.', { absent: 'units is null' }),
      expense_adjustment_pct: percent('Added to expense_ratio_of_size_pct for the age of the building.'),
      ...fieldsOf(Deal, ['noi_hud_2br', 'cap_rate_hud_2br']),
    },
  ),
});
