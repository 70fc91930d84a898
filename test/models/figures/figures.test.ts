/** Every declared step is computed once, under its name, without binary floats, and its inputs lead to their tables. */
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { openDuck, type Duck } from '../../../lib/duck.ts';
import { columnsOfModels } from '../../../models/columns.ts';
import { columnsOf } from '../../../models/figures/expression.ts';
import { computedIn, originsIn, readFigures, type FigureModel } from '../../../models/figures/figures.ts';
import { STEPS, stepModels } from '../../../models/figures/steps.ts';
import { loadModels, selectMacros } from '../../../models/index.ts';

let duck: Duck;
let models: readonly FigureModel[];
before(async () => {
  duck = await openDuck();
  models = await readFigures(
    duck.connection,
    (await loadModels()).filter(({ name }) => name in STEPS),
  );
});
after(() => duck.close());

it('the models compute every declared step under its name', async () => {
  const renamed = (await loadModels()).map((model) => ({
    ...model,
    sql: model.sql.replaceAll('deal_score_yield', 'yield_points'),
  }));
  await assert.rejects(stepModels(renamed, selectMacros), /^Error: int_scores does not compute deal_score_yield/);
});

it('every input of a step comes from another model or another SELECT', async () => {
  const originsOf = originsIn(models, await columnsOfModels(), () => false);
  const ended = models.flatMap(({ name, selects }) =>
    selects
      .filter((select) => select.name === 'inputs')
      .flatMap(computedIn)
      .filter(([, expression]) => columnsOf(expression).some((column) => !column.includes('.')))
      .map(([column]) => ({ table: name, column }))
      .filter((own) => originsOf(own.table, own.column).some((origin) => isDeepStrictEqual(origin, own))),
  );
  assert.deepEqual(ended, []);
});

/** A cast at the end would hide a binary float, and a report shows one formula of a name. */
function faultsIn({ name, selects }: FigureModel): string[] {
  const floats = selects.filter(({ node }) =>
    /"(?:DOUBLE|FLOAT)"|"function_name":"\/"/u.test(JSON.stringify(node['select_list'])),
  );
  const figures = selects.flatMap((select) => (select.isRowwise ? computedIn(select) : [])).map(([figure]) => figure);
  const again = figures.filter((figure, at) => figures.indexOf(figure) !== at);
  return [
    ...floats.map((select) => `${name}: a binary float in ${select.name}`),
    ...again.map((figure) => `${name}: ${figure} is computed twice`),
  ];
}

it('figures are computed once, without binary floats', async () => {
  assert.deepEqual(models.flatMap(faultsIn), []);
  for (const [name, from, to, fault] of [
    ['int_underwriting', 'quotient(list_price, units) as', 'list_price / units as', 'a binary float in claims'],
    ['int_expenses', '* contract_rent *', '* contract_rent::double *', 'a binary float in incomes'],
    ['int_scores', 'as deal_score_motivation', 'as motivation_score', 'motivation_score is computed twice'],
  ] as const) {
    const sql = (await loadModels()).find((model) => model.name === name)?.sql ?? '';
    const planted = sql.replace(from, to);
    assert.notEqual(planted, sql);
    const [model = assert.fail()] = await readFigures(duck.connection, [{ name, sql: planted }]);
    assert.deepEqual(faultsIn(model), [`${name}: ${fault}`]);
  }
});
