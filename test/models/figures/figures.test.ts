/** The SQL that computes a figure is the only text of it: how models must compute, and what a step must say. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { DuckDBConnection } from '@duckdb/node-api';
import { openDuck, type Duck } from '../../../lib/duck.ts';
import { currentAssumptions } from '../../../models/assumptions.ts';
import { readFigures, readMacros } from '../../../models/figures/figures.ts';
import { STEPS, stepModels } from '../../../models/figures/steps.ts';
import { loadModels, selectMacros, type Model } from '../../../models/index.ts';
import { conventionFaults } from './conventions.ts';

const stepNames = new Set(Object.values(STEPS).flatMap((figures) => figures.split(/\s+/u)));
const assumptions = new Set(currentAssumptions().rows.map(({ key }) => key));

async function faultsIn(connection: DuckDBConnection, models: readonly Model[]): Promise<string[]> {
  const macros = await readMacros(connection, selectMacros(models.map(({ sql }) => sql)));
  const read = await readFigures(connection, models);
  return read.flatMap((model) => {
    const steps = STEPS[model.name]?.split(/\s+/u) ?? [];
    return conventionFaults(model, {
      macros,
      assumptions,
      steps,
      stepNames,
      hasLookup: model.name === 'int_loan_rates',
    });
  });
}

/** Changes of a model's SQL, each with the fault that it makes. */
const PLANTED: readonly (readonly [model: string, from: string, to: string, fault: string])[] = [
  ['int_underwriting', 'quotient(list_price, units) as', 'list_price / units as', 'price_per_unit calls /'],
  ['int_underwriting', 'quotient(list_price, units) as', 'list_price // units as', 'price_per_unit calls //'],
  ['int_underwriting', 'wide(list_price) * loan_to_value', 'wide(list_price) % loan_to_value', 'loan_amount calls %'],
  [
    'int_expenses',
    'rounded(wide(units) * repairs_per_unit)',
    'round(units * repairs_per_unit, 2)',
    'repairs calls round',
  ],
  ['int_expenses', 'rounded(wide(units) * other_per_unit)', 'cast(units * other_per_unit as integer)', 'other casts'],
  ['int_expenses', '* contract_rent *', '* contract_rent::double *', 'incomes has a binary float'],
  ['int_expenses', 'as_share(vacancy_pct)', '(vacancy_pct * 1e-2)', 'incomes has a binary float'],
  ['int_scores', 'motivation_price_cut + motivation_days as', 'sum(motivation_days) as', 'motivation_score calls sum'],
  [
    'int_scores',
    'motivation_price_cut + motivation_days as',
    'max(motivation_days) over () as',
    'motivation_score has a WINDOW',
  ],
  ['int_scores', 'from scores\n', 'from scores where true\n', 'points filters rows'],
  ['int_scores', 'from scores\n', 'from scores cross join terms\n', 'points reads something else than scores'],
  ['int_scores', 'as deal_score_motivation', 'as motivation_score', 'motivation_score is computed twice'],
  ['int_scores', 'as distress_of_taxes', 'as distress_max', 'distress_max is an assumption'],
  ['int_scores', '    *,\n', '*, terms.distress_max as most,', 'inputs renames the assumption distress_max'],
  [
    'int_debt_coverage',
    'select * replace',
    'select int_property_taxes.tax_current as tax_after_reset, * replace',
    'inputs has tax_current as tax_after_reset',
  ],
  ['int_scores', '    *,\n', '*, tax_amount * 2 as tax_amount,', 'inputs computes tax_amount'],
  ['int_scores', '    *,\n', '*, tax_amount::integer as tax_amount,', 'inputs computes tax_amount'],
  [
    'int_scores',
    'when tax_records = 0 then 0',
    "when dscr_status = 'x' then 0",
    'distress_of_taxes tests a status and not its reason',
  ],
  [
    'int_scores',
    'least(distress_max, distress_of_taxes',
    'least(distress_max, coalesce(distress_of_taxes, 0)',
    'distress_score has a CASE within arithmetic',
  ],
  [
    'int_debt_coverage',
    'total(net_cash_flow - debt',
    'total(0.5 * net_cash_flow - debt',
    'cash_flow_after_debt has a product as a total',
  ],
  [
    'int_scores',
    'rounded(upfront_repairs_per_unit * units)',
    'rounded(inputs.upfront_repairs_per_unit * units)',
    'upfront_repairs names a table: inputs.upfront_repairs_per_unit',
  ],
];

describe('the models of figures', () => {
  let duck: Duck;
  let models: readonly Model[];
  before(async () => {
    duck = await openDuck();
    models = (await loadModels()).filter(({ name }) => name in STEPS || name === 'int_vacancies');
  });
  after(() => duck.close());

  it('compute in one way', async () => {
    // The loan rate is a figure and, on a day without a survey week, an assumption.
    assert.deepEqual(await faultsIn(duck.connection, models), [
      'int_loan_rates: loan_rate_pct is an assumption',
      'int_loan_rates: inputs renames the assumption loan_rate_pct',
    ]);
  });

  for (const [name, from, to, fault] of PLANTED)
    it(`are refused if ${name} has ${to.trim()}`, async () => {
      const model = models.find((each) => each.name === name) ?? assert.fail(name);
      const sql = model.sql.replace(from, to);
      assert.ok(sql !== model.sql, `${name} has no ${from}`);
      assert.ok((await faultsIn(duck.connection, [{ ...model, sql }])).includes(`${name}: ${fault}`));
    });

  it('compute every declared step under its name', async () => {
    const renamed = models.map((model) => ({
      ...model,
      sql: model.sql.replaceAll('deal_score_yield', 'yield_points'),
    }));
    await assert.rejects(stepModels(renamed, selectMacros), /^Error: int_scores does not compute deal_score_yield/);
  });
});
