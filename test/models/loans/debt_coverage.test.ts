/**
 * Loans that no lender makes, with figures computed by hand: survey rate 7.28 %, loan rate 7.53 %. The worked deals
 * have the figures of the other limits.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { build, type Built, type InputRow } from '../build_models.ts';

interface Example {
  readonly name: string;
  readonly underwriting: InputRow;
  readonly expected: InputRow;
}

/** By price: the loan of 75 %, and its payments at 0.00701269912077590345 a month. */
const LOANS: Readonly<Record<string, InputRow>> = {
  '300000.00': { loan_amount: '225000.00', monthly_payment: '1577.86', annual_debt_service: '18934.32' },
  '60000.00': { loan_amount: '45000.00', monthly_payment: '315.57', annual_debt_service: '3786.84' },
};

const priced = (price: string, noi: string, reserves: string, more: InputRow = {}): InputRow => ({
  list_price: price,
  ...LOANS[price],
  units: 4,
  noi,
  noi_underwritten: noi,
  net_cash_flow: (Number(noi) - Number(reserves)).toFixed(2),
  dscr_status: 'computed',
  dscr_reason: null,
  ...more,
});

const EXAMPLES: readonly Example[] = [
  {
    // 4,200 / (1.25 x 0.08415...) = 39,927 is below the smallest loan of 50,000
    name: 'a weak income: no lender makes a loan so small',
    underwriting: priced('300000.00', '6000.00', '1800.00'),
    expected: {
      loan_sized: '0.00',
      loan_binding: 'minimum_loan',
      debt_service_sized: '0.00',
      cash_flow_after_debt: '4200.00',
      cash_needed: '309000.00',
      cash_on_cash_pct: '1.36',
    },
  },
  {
    name: 'nothing left after reserves: no loan, and a negative return',
    underwriting: priced('300000.00', '1500.00', '1800.00'),
    expected: {
      loan_sized: '0.00',
      loan_binding: 'none',
      cash_needed: '309000.00',
      cash_on_cash_pct: '-0.10',
    },
  },
  {
    name: 'a loan below the minimum at the asking price: nothing is sized',
    underwriting: priced('60000.00', '6000.00', '900.00', {
      units: 2,
      dscr_status: 'not_applicable',
      dscr_reason: 'loan_below_minimum',
    }),
    expected: { dscr: null, loan_sized: null, loan_binding: null, cash_on_cash_pct: null },
  },
  {
    name: 'no price: the income is known and the loan is not',
    underwriting: priced('300000.00', '24000.00', '1800.00', {
      list_price: null,
      loan_amount: null,
      monthly_payment: null,
      annual_debt_service: null,
      dscr_status: 'insufficient_data',
      dscr_reason: 'price_missing',
    }),
    expected: { loan_sized: null, cash_needed: null, rent_over_pitia: null },
  },
];

const idOf = (index: number): string => `deal${index}`;
const MODELS = ['int_loan_rates', 'int_debt_coverage'];

describe('debt coverage', () => {
  let built: Built;
  before(async () => {
    const rows = (rowOf: (example: Example) => InputRow): InputRow[] =>
      EXAMPLES.map((example, i) => ({ id: idOf(i), ...rowOf(example) }));
    built = await build(
      {
        stg_survey_rates: [
          { series: 'MORTGAGE30US', observed_on: '2026-11-19', rate_pct: '7.28', source_url: 'https://rates.example/' },
        ],
        int_underwriting: rows(({ underwriting }) => underwriting),
        int_expenses: rows(() => ({ insurance: '4831.20' })),
        int_property_taxes: rows(() => ({ tax_after_reset: '4890.00' })),
      },
      ({ name }) => MODELS.includes(name),
    );
    assert.deepEqual(built.failed, []);
  });
  after(() => built.close());

  const figures = async (index: number, expected: InputRow): Promise<InputRow> => {
    const row = await built.one('int_debt_coverage', `id = '${idOf(index)}'`);
    return Object.fromEntries(Object.keys(expected).map((figure) => [figure, row[figure]]));
  };

  for (const [index, { name, expected }] of EXAMPLES.entries()) {
    it(name, async () => assert.deepEqual(await figures(index, expected), expected));
  }
});
