/** The loan rate of the day: the newest survey week, whoever published it, plus the spread, else the declared rate. */
import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { currentAssumptions } from '../../../models/assumptions.ts';
import { build, type InputRow } from '../build_models.ts';

const week = (observed_on: string, rate_pct: string | null, more: InputRow = {}): InputRow => ({
  series: 'MORTGAGE30US',
  observed_on,
  rate_pct,
  source: 'rates',
  source_url: 'https://rates.example/MORTGAGE30US.csv',
  observed_at: `${observed_on}T09:00:00Z`,
  is_made_up: true,
  ...more,
});

/** Invented weeks around the day of the run, 2026-11-21. */
const WEEKS = [
  week('2026-11-12', '6.90'),
  week('2026-11-19', '7.28'),
  week('2026-11-20', null),
  week('2026-11-26', '9.99'),
];

/** The row of int_loan_rates, with some assumptions changed. */
async function rateOf(
  weeks: readonly InputRow[],
  changes: Readonly<Record<string, string>> = {},
): Promise<Record<string, unknown>> {
  const declared_assumptions = currentAssumptions().rows.map((row) => ({
    ...row,
    value: changes[row.key] ?? row.value,
  }));
  using built = await build({ staged_survey_rate: weeks, declared_assumptions }, ({ name }) =>
    ['stg_survey_rates', 'int_loan_rates'].includes(name),
  );
  assert.deepEqual(built.failed, []);
  return await built.one('int_loan_rates');
}

describe('the loan rate', () => {
  it('is that of the newest survey week at or before the day, plus the spread', async () => {
    const expected = {
      as_of: '2026-11-21',
      loan_rate_pct: '7.53',
      loan_rate_basis: 'survey',
      loan_rate_series: 'MORTGAGE30US',
      loan_rate_on: '2026-11-19',
      loan_rate_age_days: 2,
      survey_rate_pct: '7.28',
      loan_rate_source: 'rates',
      loan_rate_source_url: 'https://rates.example/MORTGAGE30US.csv',
      loan_rate_observed_at: '2026-11-19 09:00:00',
      loan_rate_is_made_up: true,
      loan_years: 30,
      monthly_factor: '0.00701269912077590345',
      annual_constant: '0.08415238944931084138',
    };
    assert.deepEqual(await rateOf(WEEKS), expected);
  });

  it('is the declared one without a survey week, and if the method says so', async () => {
    for (const row of [
      await rateOf([]),
      await rateOf([week('2026-11-26', '7.28')]),
      await rateOf(WEEKS, { loan_rate_method: 'declared' }),
    ])
      assert.deepEqual(
        [row['loan_rate_pct'], row['loan_rate_basis'], row['loan_rate_series'], row['loan_rate_on']],
        ['7.00', 'declared', null, null],
      );
  });

  it('is a clear error outside the table of factors', async () => {
    const message = (rate: string): RegExp =>
      new RegExp(`The table loan_factors has no loan at ${rate.replace('.', '\\.')} % over 30 years\\. `, 'u');
    await assert.rejects(rateOf([week('2026-11-19', '15.01')]), message('15.26'));
    await assert.rejects(rateOf([week('2026-11-19', '1.74')]), message('1.99'));
  });
});

test('made-up rates next to real ones block publication', async () => {
  const rows = [week('2026-11-12', '6.97'), week('2026-11-19', '6.96', { is_made_up: false })];
  using built = await build({ staged_survey_rate: rows }, ({ name }) => name === 'stg_survey_rates');
  const failing = built.results.flatMap(({ audits }) => audits.filter((a) => a.failing > 0).map((a) => a.name));
  assert.deepEqual(failing, ['stg_survey_rates.all_made_up_or_none']);
});
