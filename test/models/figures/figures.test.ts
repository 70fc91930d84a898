/** Every figure that is declared as a step is computed under its name. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { stepModels } from '../../../models/figures/steps.ts';
import { loadModels, selectMacros } from '../../../models/index.ts';

it('the models compute every declared step under its name', async () => {
  const renamed = (await loadModels()).map((model) => ({
    ...model,
    sql: model.sql.replaceAll('deal_score_yield', 'yield_points'),
  }));
  await assert.rejects(stepModels(renamed, selectMacros), /^Error: int_scores does not compute deal_score_yield/);
});
