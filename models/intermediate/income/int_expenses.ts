import { defineRecord, money, oneOf, percent, ratio } from '../../../lib/record.ts';
import { defineModel, never } from '../../contract.ts';
import { NO_INCOME } from '../../deal/absence.ts';
import { EXPENSE_CHECKS } from '../../deal/income.ts';
import { fieldsOf } from '../../fields.ts';
import { Deal } from '../../marts/deals.ts';

const NO_UNITS = { absent: 'units is null' };
const NO_LINES = { absent: 'units or market_rent_2br is null, or there is no price' };

export default defineModel({
  record: defineRecord(
    'int_expense',
    'One row per property: income after vacancy, operating expenses line by line, and the check of their ratio.',
    ['id'],
    {
      ...fieldsOf(Deal, ['id', 'gross_potential_rent', 'vacancy_pct', 'vacancy_basis', 'effective_gross_income']),
      insurance: money('Insurance of a year.', NO_UNITS),
      insurance_size_factor: ratio('Factor of the size.', { ...NO_UNITS, decimals: 4 }),
      insurance_state_factor: ratio('Factor of the state; 1 if it is in no table.', { decimals: 4 }),
      insurance_basis: oneOf(['size', 'size_and_state'], 'Basis of the premium.'),
      management: money('Management fee of a year.', { absent: NO_INCOME }),
      management_share: ratio('Share of effective gross income.', { ...NO_UNITS, decimals: 4 }),
      repairs: money('Repairs of a year.', NO_UNITS),
      repairs_per_unit: money('Repairs of a unit and year.', NO_UNITS),
      owner_utilities: money('Utilities that the owner pays, of a year.', NO_UNITS),
      utilities_per_unit: money('owner_utilities per unit.', NO_UNITS),
      other: money('Other expenses of a year.', NO_UNITS),
      ...fieldsOf(Deal, ['reserves']),
      reserves_per_unit: money('Replacement reserves of a unit and year.', NO_UNITS),
      lines_after_reset: money('Sum of the lines, with the tax after a sale.', NO_LINES),
      lines_at_current_tax: money("Sum of the lines, with today's tax.", NO_LINES),
      ratio_after_reset_pct: percent('lines_after_reset over effective gross income.', NO_LINES),
      expense_check: oneOf(
        EXPENSE_CHECKS,
        'ratio_after_reset_pct compared with the quartiles of buildings of this size and age.',
      ),
      expense_check_at_current_tax: oneOf(EXPENSE_CHECKS, "expense_check with today's tax."),
      cell_q1_pct: percent('First quartile.', NO_UNITS),
      cell_median_pct: percent('Median.', NO_UNITS),
      cell_q3_pct: percent('Third quartile.', NO_UNITS),
      cell_shrunk_pct: percent('Typical ratio, shrunk toward that of the size.', NO_UNITS),
      operating_expenses: money('Operating expenses of a year that count, after a sale.', { absent: NO_INCOME }),
      operating_expenses_at_current_tax: money("operating_expenses with today's tax.", { absent: NO_INCOME }),
      ...fieldsOf(Deal, ['noi_after_reset', 'noi_at_current_tax']),
    },
  ),
  audits: [
    never(
      'int_expenses',
      'every_size_has_a_cell',
      'a property with units has the figures of its size and age',
      'reserves IS NOT NULL AND (cell_q1_pct IS NULL OR repairs IS NULL OR owner_utilities IS NULL)',
    ),
  ],
});
