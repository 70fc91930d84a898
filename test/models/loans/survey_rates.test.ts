/** Survey rates and vacancy as models read them: one row per series and day, whoever published it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { build, type Built, type InputRow } from '../build_models.ts';

const ON = '2026-11-19';

const rate = (source: string, rate_pct: string | null, readOn = '2026-11-20', more: InputRow = {}): InputRow => ({
  series: 'MORTGAGE30US',
  observed_on: ON,
  rate_pct,
  source,
  observed_at: `${readOn}T12:00:00Z`,
  ...more,
});

async function ratesOf(rows: readonly InputRow[]): Promise<{ picked: unknown[]; failing: string[] }> {
  const built: Built = await build({ staged_survey_rate: rows }, ({ name }) => name === 'stg_survey_rates');
  try {
    const picked = await built.rows('stg_survey_rates');
    return {
      picked: picked.map((row) => [row['series'], row['observed_on'], row['rate_pct'], row['source']]),
      failing: built.results.flatMap(({ audits }) => audits.filter((a) => a.failing > 0).map((a) => a.name)),
    };
  } finally {
    built.close();
  }
}

test('a rate that two sources publish is one row, of the newer read; of equal reads, of the publisher', async () => {
  const [fred, own] = [rate('fred_rates', '6.97'), rate('freddie_pmms', '6.97')];
  const newer = rate('fred_rates', '6.97', '2026-11-21');
  const row = (source: string): unknown[] => ['MORTGAGE30US', ON, '6.97', source];
  assert.deepEqual(await ratesOf([fred, own]), { picked: [row('freddie_pmms')], failing: [] });
  assert.deepEqual(await ratesOf([newer, own]), { picked: [row('fred_rates')], failing: [] });
});

test('a source without a figure of the day yields to one that has it, at any age', async () => {
  const { picked } = await ratesOf([rate('fred_rates', null, '2026-11-21'), rate('freddie_pmms', '6.97')]);
  assert.deepEqual(picked, [['MORTGAGE30US', ON, '6.97', 'freddie_pmms']]);
});

test('two sources that contradict each other are reported, and the table is published', async () => {
  const { failing } = await ratesOf([rate('fred_rates', '6.96'), rate('freddie_pmms', '6.97')]);
  assert.deepEqual(failing, ['stg_survey_rates.sources_agree']);
});

test('made-up rates next to real ones block publication', async () => {
  const real = rate('fred_rates', '6.96', '2026-11-20', { is_made_up: false });
  const sandbox = rate('freddie_pmms', '6.97', '2026-11-20', { is_made_up: true, observed_on: '2026-11-12' });
  assert.deepEqual((await ratesOf([real, sandbox])).failing, ['stg_survey_rates.all_made_up_or_none']);
});

test('without a source both tables exist, and are empty', async () => {
  const models = ['stg_survey_rates', 'stg_area_vacancies'];
  const built = await build({}, ({ name }) => models.includes(name));
  try {
    for (const model of models) assert.deepEqual(await built.rows(model), []);
    assert.deepEqual(built.failed, []);
  } finally {
    built.close();
  }
});
