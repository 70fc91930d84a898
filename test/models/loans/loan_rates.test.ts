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
  week('2026-11-20', '4.20', { series: 'DGS10' }),
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
  const built = await build({ staged_survey_rate: weeks, declared_assumptions }, ({ name }) =>
    ['stg_survey_rates', 'int_loan_rates'].includes(name),
  );
  try {
    assert.deepEqual(built.failed, []);
    return await built.one('int_loan_rates');
  } finally {
    built.close();
  }
}

const DECLARED = {
  loan_rate_pct: '7.00',
  loan_rate_basis: 'declared',
  loan_rate_series: null,
  loan_rate_on: null,
  loan_rate_age_days: null,
  survey_rate_pct: null,
  loan_rate_source: null,
  loan_rate_source_url: null,
  loan_rate_observed_at: null,
  loan_rate_is_made_up: null,
};
const sameFields = (row: Record<string, unknown>, expected: InputRow): Record<string, unknown> =>
  Object.fromEntries(Object.keys(expected).map((name) => [name, row[name]]));

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

  it('is a figure at any age of the week, and states the age', async () => {
    const row = await rateOf([week('2025-11-20', '6.26')]);
    assert.deepEqual([row['loan_rate_pct'], row['loan_rate_age_days']], ['6.51', 366]);
  });

  it('is the declared one without a survey week, and if the method says so', async () => {
    for (const row of [
      await rateOf([]),
      await rateOf([week('2026-11-26', '7.28')]),
      await rateOf(WEEKS, { loan_rate_method: 'declared' }),
    ])
      assert.deepEqual(sameFields(row, DECLARED), DECLARED);
  });

  it('is a clear error outside the table of factors', async () => {
    const message = (rate: string): RegExp =>
      new RegExp(`The table loan_factors has no loan at ${rate.replace('.', '\\.')} % over 30 years\\. `, 'u');
    await assert.rejects(rateOf([week('2026-11-19', '15.01')]), message('15.26'));
    await assert.rejects(rateOf([week('2026-11-19', '1.74')]), message('1.99'));
  });
});

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
  const built = await build({ staged_survey_rate: rows }, ({ name }) => name === 'stg_survey_rates');
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
