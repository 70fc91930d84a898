/**
 * 33 published worked cases through the arithmetic of the models: assessor's worksheets, loans of securitizations as
 * their filings state them, and examples of courses. Figures are facts; names and places are left out.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openDuck, rowsOf, type Duck } from '../../../lib/duck.ts';
import { Fraction, fraction } from '../../../lib/fraction.ts';
import { macrosSql } from '../../../models/index.ts';

/** Potential income, expense ratio, cap rate; effective income, NOI and value as computed; the value as printed. */
const WORKSHEETS: readonly (readonly string[])[] = [
  ['81600', '0.445472', '0.08', '77520', '42987', '537338', '537000'],
  ['124200', '0.443221', '0.1', '117990', '65694', '656944', '657000'],
  ['81000', '0.445471', '0.08', '76950', '42671', '533388', '533000'],
  ['95400', '0.461459', '0.07', '90630', '48808', '697257', '697000'],
  ['201600', '0.445471', '0.08', '191520', '106203', '1327542', '1328000'],
  ['383160', '0.445471', '0.08', '364002', '201850', '2523121', '2523000'],
  ['307800', '0.445472', '0.08', '292410', '162150', '2026869', '2027000'],
  ['349920', '0.445471', '0.08', '332424', '184339', '2304234', '2304000'],
  ['96000', '0.445471', '0.08', '91200', '50573', '632163', '632000'],
  ['627000', '0.461459', '0.07', '595650', '320782', '4582599', '4583000'],
  ['155400', '0.445471', '0.08', '147630', '81865', '1023314', '1023000'],
  ['145800', '0.461459', '0.07', '138510', '74593', '1065619', '1066000'],
];

/**
 * Revenue, expenses, reserves, loan, rate; NOI, net cash flow and coverage as filed; coverage of interest by actual
 * days over 360 and of 30 years of payments. Two filed NOIs differ from their parts by 0.01 and 0.03: computed here.
 */
const LOANS: readonly (readonly string[])[] = [
  ['2343376.45', '642604.52', '23200.00', '18500000.00', '0.06385', '1700771.93', '1677571.93', '1.21', '1.40', '1.21'],
  [
    '7631829.43',
    '1821905.88',
    '76800.00',
    '69500000.00',
    '0.06394',
    '5809923.55',
    '5733123.55',
    '1.27',
    '1.27',
    '1.10',
  ],
  ['5052771.43', '1180800.14', '50400.00', '45400000.00', '0.0638', '3871971.29', '3821571.28', '1.30', '1.30', '1.12'],
  [
    '5583339.65',
    '1991344.29',
    '120000.00',
    '38000000.00',
    '0.05613',
    '3591995.36',
    '3471995.36',
    '1.61',
    '1.61',
    '1.32',
  ],
  [
    '4335531.12',
    '1523988.54',
    '23750.00',
    '34000000.00',
    '0.05884',
    '2811542.58',
    '2787792.58',
    '1.37',
    '1.37',
    '1.15',
  ],
  ['3203640.58', '1329941.87', '77100.00', '22350000.00', '0.0611', '1873698.71', '1796598.71', '1.30', '1.30', '1.10'],
  ['3391263.17', '1666266.19', '71400.00', '18800000.00', '0.0615', '1724996.98', '1653596.98', '1.41', '1.41', '1.20'],
  ['1749347.80', '443281.52', '13000.00', '17000000.00', '0.05687', '1306066.28', '1293066.28', '1.32', '1.32', '1.09'],
  ['1718616.80', '756144.75', '31000.00', '10550000.00', '0.0648', '962472.05', '931472.05', '1.34', '1.34', '1.17'],
  ['833683.71', '187093.21', '8944.00', '8200000.00', '0.0591', '646590.50', '637646.50', '1.30', '1.30', '1.09'],
  [
    '4529899.00',
    '1307174.00',
    '15400.00',
    '35000000.00',
    '0.0492443',
    '3222725.00',
    '3207325.00',
    '1.84',
    '1.84',
    '1.43',
  ],
  [
    '2874427.00',
    '1262105.00',
    '104700.00',
    '17000000.00',
    '0.04983',
    '1612322.00',
    '1507622.00',
    '1.38',
    '1.76',
    '1.38',
  ],
  ['1498735.00', '762871.00', '32250.00', '7500000.00', '0.0472', '735864.00', '703614.00', '1.50', '1.96', '1.50'],
  ['584658.20', '352920.70', '27342.00', '1900000.00', '0.0619', '231737.50', '204395.47', '1.47', '1.71', '1.47'],
];

let duck: Duck;
before(async () => {
  duck = await openDuck(':memory:', { threads: 1, memoryLimit: '500MB' });
  await duck.connection.run(macrosSql());
});
after(() => duck.close());

/** Values of expressions of the models' arithmetic. */
async function values(...expressions: readonly string[]): Promise<string[]> {
  const list = expressions.map((sql, i) => `${sql} AS v${i}`).join(', ');
  return Object.values((await rowsOf(duck.connection, `SELECT ${list}`))[0] ?? {}).map(String);
}

const money = (amount: string): string => `${amount}::DECIMAL(14, 2)`;

/** Monthly payment per dollar over 30 years, to 20 decimals, for rates of more than two decimals. */
function factorOf(rate: string): string {
  const monthly = fraction(rate).over(fraction(12));
  const base = fraction(1).plus(monthly);
  const grown = new Fraction(base.numerator ** 360n, base.denominator ** 360n);
  return monthly
    .times(grown)
    .over(grown.minus(fraction(1)))
    .rounded(20);
}

describe('12 worksheets of an assessor, vacancy 5 %', () => {
  for (const [pgi = '', ratio = '', cap = '', egi, noi, value = '', printed] of WORKSHEETS)
    it(`${pgi} at ${ratio} over ${cap}`, async () => {
      const effective = `rounded(wide(${pgi}) * (1 - 0.05))`;
      const net = `rounded(${effective} * (1 - ${ratio}))`;
      assert.deepEqual(
        await values(
          `round(${effective})::BIGINT`,
          `round(${net})::BIGINT`,
          `round(quotient(${net}, ${cap}))::BIGINT`,
          `nearest(${value}, 1000) * 1000`,
        ),
        [egi, noi, value, printed],
      );
    });
});

describe('14 loans of securitizations', () => {
  for (const [revenue = '', expenses = '', reserves = '', loan = '', rate = '', ...expected] of LOANS)
    it(`${loan} at ${rate}`, async () => {
      const [noi = '', flow = '', filed = '', ofInterest, ofPayments] = expected;
      const net = `${money(revenue)} - ${money(expenses)}`;
      const cash = await values(`rounded(${net})`, `rounded(${net} - ${money(reserves)} - ${money(flow)})`);
      assert.equal(cash[0], noi);
      assert.ok(['-0.01', '0.00', '0.01', '0.03'].includes(cash[1] ?? ''), `net cash flow differs by ${cash[1] ?? ''}`);
      const interest = `quotient(wide(${loan}) * ${rate} * 365, 360)`;
      const payments = `rounded(12 * rounded(${money(loan)} * ${factorOf(rate)}::DECIMAL(22, 20)))`;
      const coverage = await values(`quotient(${money(flow)}, ${interest})`, `quotient(${money(flow)}, ${payments})`);
      assert.deepEqual(coverage, [ofInterest, ofPayments]);
      assert.ok(coverage.includes(filed), `filed ${filed}`);
    });
});

describe('7 examples of courses', () => {
  const cases: readonly (readonly [name: string, sql: string, expected: string])[] = [
    ['20 units', 'rounded((wide(10) * 1200 + wide(10) * 1400) * 12)', '312000.00'],
    ['100 units', 'rounded((wide(40) * 1500 + wide(60) * 2000) * 12)', '2160000.00'],
    ['vacancy of 5 %', 'rounded(wide(312000) * 0.05)', '15600.00'],
    ['vacancy of 7 %', 'rounded(wide(2160000) * 0.07)', '151200.00'],
    ['coverage of 700,000', 'quotient(900000.00, 700000.00)', '1.29'],
    ['coverage of 720,000', 'quotient(800000.00, 720000.00)', '1.11'],
    [
      'vacancy, collection loss and value',
      'quotient(rounded(wide(1200000) * (1 - 0.10) * (1 - 0.02)) - 120000, 0.10)',
      '9384000.00',
    ],
  ];
  for (const [name, sql, expected] of cases)
    it(name, async () => {
      assert.deepEqual(await values(sql), [expected]);
    });
});
