/** Every figure that is declared as a step is computed under its name, and its inputs lead to what they are read from. */
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

it('no input of a step ends at its own model, unless it is of another SELECT of that', async () => {
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
