/**
 * Payments as statements of securitized loans compute them: equal monthly payments with months of 30 days, and interest
 * only by the days of the year over 360. The invented loans are computed by the models' arithmetic.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { parse } from 'csv-parse/sync';
import { openDuck, rowsOf, type Duck } from '../../../lib/duck.ts';
import { Fraction, fraction } from '../../../lib/fraction.ts';
import { loadReferences, macrosSql, referenceSql } from '../../../models/index.ts';

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
