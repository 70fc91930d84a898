/** The loan that a lender sizes, with figures computed by hand to the cent: survey rate 7.28 %, loan rate 7.53 %. */
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
  '740000.00': { loan_amount: '555000.00', monthly_payment: '3892.05', annual_debt_service: '46704.60' },
  '300000.00': { loan_amount: '225000.00', monthly_payment: '1577.86', annual_debt_service: '18934.32' },
  '60000.00': { loan_amount: '45000.00', monthly_payment: '315.57', annual_debt_service: '3786.84' },
};

const priced = (price: string, noi: string, reserves: string, more: InputRow = {}): InputRow => ({
  list_price: price,
  ...LOANS[price],
  units: 4,
  noi,
  noi_underwritten: noi,
  reserves,
  dscr_status: 'computed',
  dscr_reason: null,
  ...more,
});

const EXAMPLES: readonly Example[] = [
  {
    // 41,136 / (1.25 x 0.08415238944931084138) = 391,061.98
    name: 'Cleveland, 8 units of 1974: the income carries less than the price needs',
    underwriting: priced('740000.00', '44336.00', '3200.00', {
      units: 8,
      gross_potential_rent: '88914.00',
      effective_gross_income: '83134.00',
    }),
    expected: {
      dscr: '0.95',
      dscr_underwritten: '0.95',
      debt_yield_pct: '7.99',
      break_even_occupancy_pct: '96.16',
      rent_over_pitia: null,
      net_cash_flow: '41136.00',
      loan_sized: '391061.00',
      loan_binding: 'debt_coverage',
      debt_service_sized: '32908.68',
      cash_flow_after_debt: '8227.32',
      cash_needed: '371139.00',
      cash_on_cash_pct: '2.22',
    },
  },
  {
    // PITIA: 18,934.32 + 4,890.00 + 4,831.20 = 28,655.52 a year, 2,387.96 a month; rent 45,600 a year, 3,800 a month
    name: 'four units: rent over payment, taxes and insurance',
    underwriting: priced('300000.00', '24000.00', '1800.00', {
      gross_potential_rent: '45600.00',
      effective_gross_income: '42636.00',
    }),
    expected: {
      dscr_underwritten: '1.27',
      rent_over_pitia: '1.59',
      loan_sized: '211045.00',
      loan_binding: 'debt_coverage',
      cash_flow_after_debt: '4440.00',
      cash_needed: '97955.00',
      cash_on_cash_pct: '4.53',
    },
  },
  {
    // 12 x 1,577.86 = 18,934.32; cash 300,000 - 225,000 + 9,000
    name: 'a strong income: the price limits the loan',
    underwriting: priced('300000.00', '36000.00', '1800.00'),
    expected: {
      loan_sized: '225000.00',
      loan_binding: 'loan_to_value',
      debt_service_sized: '18934.32',
      cash_flow_after_debt: '15265.68',
      cash_needed: '84000.00',
      cash_on_cash_pct: '18.17',
    },
  },
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
      net_cash_flow: '-300.00',
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
    expected: { dscr: null, net_cash_flow: '5100.00', loan_sized: null, loan_binding: null, cash_on_cash_pct: null },
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
    expected: { net_cash_flow: '22200.00', loan_sized: null, cash_needed: null, rent_over_pitia: null },
  },
];

const idOf = (index: number): string => `deal${index}`;
const MODELS = ['int_loan_rates', 'int_loans', 'int_debt_coverage'];

describe('debt coverage', () => {
  let built: Built;
  before(async () => {
    const rows = (rowOf: (example: Example) => InputRow): InputRow[] =>
      EXAMPLES.map((example, i) => ({ id: idOf(i), ...rowOf(example) }));
    built = await build(
      {
        stg_survey_rates: [{ series: 'MORTGAGE30US', observed_on: '2026-11-19', rate_pct: '7.28' }],
        int_properties: rows(({ underwriting: { list_price } }) => ({ list_price })),
        int_underwriting: rows(({ underwriting }) => underwriting),
        int_expenses: rows(() => ({ insurance: '4831.20' })),
        int_property_taxes: rows(() => ({ tax_after_reset: '4890.00' })),
      },
      ({ name }) => MODELS.includes(name),
    );
    assert.deepEqual(built.failed, []);
  });
  after(() => built.close());

  const figures = async (table: string, index: number, expected: InputRow): Promise<InputRow> => {
    const row = await built.one(table, `id = '${idOf(index)}'`);
    return Object.fromEntries(Object.keys(expected).map((figure) => [figure, row[figure]]));
  };

  it('is measured at the loan that the price needs, at the rate of the day', async () => {
    for (const [index, { underwriting }] of EXAMPLES.entries()) {
      const { loan_amount, monthly_payment, annual_debt_service } = underwriting;
      const expected = { loan_amount, monthly_payment, annual_debt_service };
      assert.deepEqual(await figures('int_loans', index, expected), expected);
    }
    // 555,000 x 0.00771040614206644810 = 4,279.28 a month at 8.53 %
    const stressed = { stressed_debt_service: '51351.36' };
    assert.deepEqual(await figures('int_loans', 0, stressed), stressed);
  });

  for (const [index, { name, expected }] of EXAMPLES.entries()) {
    it(name, async () => assert.deepEqual(await figures('int_debt_coverage', index, expected), expected));
  }
});
