import { defineRecord, money, ratio } from '../../../lib/record.ts';
import { defineModel, never } from '../../contract.ts';
import { NO_INCOME } from '../../deal/absence.ts';
import { fieldsOf } from '../../fields.ts';
import { Deal } from '../../marts/deals.ts';

export default defineModel({
  record: defineRecord(
    'int_underwriting',
    'One row per property: the claim, the HUD underwriting, the declared loan, and the inputs of scores.',
    ['id'],
    {
      ...fieldsOf(Deal, ['id', 'list_price', 'units', 'price_per_unit', 'market_rent_2br']),
      ...fieldsOf(Deal, ['cap_rate', 'cap_rate_derived', 'cap_rate_source', 'noi', 'noi_source', 'claim_consistency']),
      claimed_noi: money('NOI that the broker states, or that the advertised cap rate implies.', {
        absent: 'there is no claim',
      }),
      ...fieldsOf(Deal, [
        'gross_potential_rent',
        'vacancy_pct',
        'vacancy_basis',
        'effective_gross_income',
        'operating_expenses',
      ]),
      variable_expenses: money('Operating expenses that follow income.', { absent: NO_INCOME }),
      ...fieldsOf(Deal, [
        'expense_ratio_pct',
        'noi_at_current_tax',
        'noi_after_reset',
        'noi_underwritten',
        'noi_hud_2br',
        'cap_rate_hud_2br',
      ]),
      reserves_per_unit: money('Replacement reserves of a unit and year.', { absent: 'units is null' }),
      ...fieldsOf(Deal, [
        'reserves',
        'cap_rate_underwritten',
        'cap_gap_pct',
        'cap_gap_basis',
        'underwrite_reliability',
        'underwrite_reason',
        'loan_amount',
        'monthly_payment',
        'annual_debt_service',
        'dscr_status',
        'dscr_reason',
        'gross_rent_multiplier',
        'noi_scoring',
        'cap_scoring_pct',
        'coverage_scoring',
      ]),
      seller_loan: money('Loan from a seller who carries it, at the declared terms.', {
        absent: 'the site publishes no price',
      }),
      seller_payment: money('Monthly payment of seller_loan.', { absent: 'the site publishes no price' }),
      seller_debt_service: money('Twelve payments to a seller who carries the loan, at the declared terms.', {
        absent: 'the site publishes no price',
      }),
      seller_coverage: ratio('noi_scoring less reserves, over seller_debt_service.', {
        absent: 'noi_scoring or the price is null',
      }),
    },
  ),
  audits: [
    never(
      'int_underwriting',
      'reason_agrees',
      'a reason is set exactly if the proxy is not ok',
      "(underwrite_reliability = 'ok') <> (underwrite_reason IS NULL)",
    ),
  ],
});
