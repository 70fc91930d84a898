/** The grid of the report by hand: what follows income when rents fall. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { z } from 'zod';
import { Report } from '../../../models/marts/reports.ts';
import { build, type InputRow } from '../build_models.ts';

type Grid = z.infer<typeof Report.schema.shape.sensitivity>;

const MODELS = ['int_loan_rates', 'int_grid_formulas', 'int_sensitivity'];

/** Cleveland, 8 units at $740,000: 88,914 x 0.935 = 83,134.59; management of 8 % is 6,650.77. */
const CLEVELAND: InputRow = {
  id: 'deal',
  list_price: '740000.00',
  units: 8,
  market_rent_2br: '1279.00',
  gross_potential_rent: '88914.00',
  vacancy_pct: '6.50',
  effective_gross_income: '83134.59',
  operating_expenses: '38799.00',
  management: '6650.77',
  expense_ratio_pct: '46.67',
  noi_underwritten: '44335.59',
  cap_rate_underwritten: '5.99',
  loan_amount: '555000.00',
  dscr_status: 'computed',
  dscr_reason: null,
  underwrite_reliability: 'ok',
};

async function gridOf(underwriting: InputRow): Promise<Grid> {
  const built = await build(
    {
      stg_survey_rates: [{ series: 'MORTGAGE30US', observed_on: '2026-11-19', rate_pct: '7.28' }],
      int_underwriting: [underwriting],
      int_expenses: [{ id: 'deal', management_share: '0.0800' }],
    },
    ({ name }) => MODELS.includes(name),
  );
  try {
    const { sensitivity } = await built.one('int_sensitivity');
    return Report.schema.shape.sensitivity.parse(JSON.parse(String(sensitivity)));
  } finally {
    built.close();
  }
}

const cellAt = ({ cells }: Grid, rent: string, vacancy: string, expense = '0.00') =>
  cells.find((c) => c.rent_change === rent && c.vacancy === vacancy && c.expense_change === expense);

it('the grid leaves fixed expenses in dollars when rents fall, and management follows income', async () => {
  const grid = await gridOf(CLEVELAND);
  const base = cellAt(grid, '0.00', '0.0650');
  assert.deepEqual([base?.noi, base?.cap_rate_pct, base?.dscr?.[1]], ['44335.59', '5.99', '0.95']);
  // 80,022.60 x 0.935 = 74,821.13, less 8 % of it, 5,985.69, less 38,799.00 - 6,650.77 = 32,148.23
  assert.equal(cellAt(grid, '-0.10', '0.0650')?.noi, '36687.21');
  // 5 % of the income of the base case, 4,156.73, more expenses
  assert.equal(cellAt(grid, '0.00', '0.0650', '0.05')?.noi, '40178.86');
});
