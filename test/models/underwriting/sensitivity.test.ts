/** The grid of the report: what follows income when rents fall, and where the rates and vacancies of the grid are. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
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

const unique = (values: readonly string[]): string[] => [...new Set(values)];
const cellAt = ({ cells }: Grid, rent: string, vacancy: string, expense = '0.00') =>
  cells.find((c) => c.rent_change === rent && c.vacancy === vacancy && c.expense_change === expense);

describe('the grid of a report', () => {
  it('is around the rate of the day and the vacancy of the deal', async () => {
    const grid = await gridOf(CLEVELAND);
    assert.deepEqual(
      grid.rates.map((rate) => rate.rate_pct),
      ['6.53', '7.53', '8.53'],
    );
    assert.deepEqual(unique(grid.cells.map((cell) => cell.vacancy)), ['0.0450', '0.0650', '0.0950']);
    assert.equal(grid.cells.length, 36);
  });

  it('leaves fixed expenses as they are in dollars when rents fall, and management follows income', async () => {
    const grid = await gridOf(CLEVELAND);
    const base = cellAt(grid, '0.00', '0.0650');
    assert.deepEqual([base?.noi, base?.cap_rate_pct, base?.dscr?.[1]], ['44335.59', '5.99', '0.95']);
    // 80,022.60 x 0.935 = 74,821.13, less 8 % of it, 5,985.69, less 38,799.00 - 6,650.77 = 32,148.23
    assert.equal(cellAt(grid, '-0.10', '0.0650')?.noi, '36687.21');
    // 5 % of the income of the base case, 4,156.73, more expenses
    assert.equal(cellAt(grid, '0.00', '0.0650', '0.05')?.noi, '40178.86');
  });

  it('has the debt at each rate over 20, 25 and 30 years', async () => {
    const { loans } = await gridOf(CLEVELAND);
    assert.deepEqual(
      loans.map(({ years, rate_pct }) => `${years} ${rate_pct}`),
      ['20', '25', '30'].flatMap((years) => ['6.53', '7.53', '8.53'].map((rate) => `${years} ${rate}`)),
    );
    const { monthly_factor, ...payments } = loans.find((l) => l.years === 20 && l.rate_pct === '7.53') ?? assert.fail();
    assert.equal(monthly_factor, '0.00807428582775380050');
    assert.deepEqual(payments, {
      years: 20,
      rate_pct: '7.53',
      monthly_payment: '4481.23',
      annual_debt_service: '53774.76',
      dscr: '0.82',
    });
  });
});
