/**
 * The table of loan factors: every row recomputed, and every loan repaid by its payments. And payments as statements of
 * securitized loans compute them: months of 30 days, or interest only by the days of the year over 360.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { parse } from 'csv-parse/sync';
import { loanFactorsCsv } from '../../../docs/generate/generated.ts';
import { openDuck, rowsOf, type Duck } from '../../../lib/duck.ts';
import { Fraction, fraction } from '../../../lib/fraction.ts';
import { loadReferences, macrosSql, referenceSql } from '../../../models/index.ts';

const text = readFileSync(new URL('../../../models/reference/loan_factors.csv', import.meta.url), 'utf8');
const rows = parse(text, { columns: true }) as Record<
  'rate_pct' | 'years' | 'monthly_factor' | 'annual_constant',
  string
>[];

/** Digits after the point with which the balance of a loan is carried. */
const DIGITS = 30n;
/** A decimal string as a whole number of 10^-30. */
const scaled = (decimal: string): bigint => {
  const [whole = '', decimals = ''] = decimal.split('.');
  return BigInt(whole + decimals.padEnd(Number(DIGITS), '0'));
};

describe('the table of loan factors', () => {
  it('has every rate from 2.00 to 15.00 % over 20, 25 and 30 years, as make docs writes it', () => {
    assert.equal(text, `${loanFactorsCsv()}\n`);
    assert.equal(rows.length, 1301 * 3);
    assert.deepEqual(
      [rows.at(0), rows.at(-1)].map((row) => [row?.rate_pct, row?.years]),
      [
        ['2.00', '20'],
        ['15.00', '30'],
      ],
    );
  });

  it('repays a dollar by the last payment, and has twelve payments a year', () => {
    for (const { rate_pct, years, monthly_factor, annual_constant } of rows) {
      const [rate, payment] = [BigInt(rate_pct.replace('.', '')), scaled(monthly_factor)];
      let balance = 10n ** DIGITS;
      for (let month = 0; month < 12 * Number(years); month += 1)
        balance = balance + (balance * rate) / 120_000n - payment;
      // Half of the twentieth decimal of the factor, at 15 % over 30 years, grows to less than 10^-16.
      const isRepaid = (balance < 0n ? -balance : balance) < 10n ** (DIGITS - 16n);
      assert.ok(isRepaid, `${rate_pct} % over ${years} years leaves ${balance} x 10^-30`);
      const difference = scaled(annual_constant) - 12n * payment;
      assert.ok((difference < 0n ? -difference : difference) <= 6n * 10n ** (DIGITS - 20n), `${rate_pct} %, ${years}`);
    }
  });

  it('has the constants that lenders print: 7 % over 30 years is 0.0798, over 20 years 0.0930', () => {
    const constants = rows.filter((row) => row.rate_pct === '7.00').map((row) => row.annual_constant.slice(0, 6));
    assert.deepEqual(constants, ['0.0930', '0.0848', '0.0798']);
  });
});

describe('an invented loan of $5,000,000 at 6.50 % with a net cash flow of $428,368.06', () => {
  let duck: Duck;
  before(async () => {
    duck = await openDuck(':memory:', { threads: 1, memoryLimit: '500MB' });
    await duck.connection.run(macrosSql());
    const factors = loadReferences().filter(({ name }) => name === 'loan_factors');
    for (const sql of factors.flatMap(referenceSql)) await duck.connection.run(sql);
  });
  after(() => duck.close());
  const value = async (sql: string): Promise<unknown> =>
    (await rowsOf(duck.connection, `SELECT ${sql} AS value`))[0]?.['value'];

  it('pays 31,603.40 a month over 30 years, and is covered 1.13 times', async () => {
    const payment = await value(
      'payment_of(5000000.00::DECIMAL(14, 2), (SELECT monthly_factor FROM ref_loan_factors ' +
        'WHERE rate_pct = 6.50 AND years = 30))',
    );
    assert.equal(payment, '31603.40');
    assert.equal(await value(`quotient(428368.06, 12 * ${String(payment)})`), '1.13');
  });

  it('pays 329,513.89 a year of interest only by actual days over 360, and is covered 1.30 times', async () => {
    const interest = await value('from_hundredths(nearest(5000000::BIGINT * 650 * 365, 36000))');
    assert.equal(interest, '329513.89');
    assert.equal(await value(`quotient(428368.06, ${String(interest)})`), '1.30');
    // Months of 30 days would be 325,000.00, and 1.32
    assert.equal(await value('quotient(428368.06, 325000.00)'), '1.32');
  });
});

const LOANS = new URL('../../../../shared/real/underwriting/ex102/mf_properties_distinct.csv', import.meta.url);
const skip = existsSync(LOANS) ? false : 'the folder of real files is not here';

it('14 filed loans have the coverage of one of the two formulas, to two decimals', { skip }, () => {
  const loans = parse(readFileSync(LOANS, 'utf8'), { columns: true }) as Readonly<Record<string, string>>[];
  assert.equal(loans.length, 14);
  for (const { name, loan = '', rate = '', ncf_uw: income = '', dscr_ncf_uw: filed = '' } of loans) {
    const monthly = fraction(rate).over(fraction(12));
    const { numerator, denominator } = monthly.plus(fraction(1));
    const factor = monthly.over(fraction(1).minus(new Fraction(denominator ** 360n, numerator ** 360n)));
    const services = [factor.times(fraction(12)), fraction(rate).times(new Fraction(365n, 360n))];
    const coverages = services.map((service) => fraction(income).over(fraction(loan).times(service)).rounded(2));
    assert.ok(coverages.includes(Number(filed).toFixed(2)), `${name ?? ''}: ${coverages.join(' or ')}, filed ${filed}`);
  }
});
