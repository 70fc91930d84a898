/**
 * Published examples of others, computed by the SQL that underwrites deals. Some are wrong: for these the tests state
 * the right figure, so that nobody uses the wrong one as a fixture.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openDuck, rowsOf, type Duck } from '../../../lib/duck.ts';
import { monthlyFactor } from '../../../models/assumptions/declare.ts';
import { macrosSql } from '../../../models/index.ts';
import { Fraction, fraction } from '../../../lib/fraction.ts';

let duck: Duck;
before(async () => {
  duck = await openDuck(':memory:', { threads: 1, memoryLimit: '500MB' });
  await duck.connection.run(macrosSql());
});
after(() => duck.close());
/** Value of an expression of the models' arithmetic. */
const value = async (sql: string): Promise<unknown> =>
  (await rowsOf(duck.connection, `SELECT ${sql} AS value`))[0]?.['value'];
/** Monthly payment as int_loans.sql computes it. Rate in hundredths of a percent. */
const payment = (loan: string, rate: bigint, years: bigint): Promise<unknown> =>
  value(`payment_of(${loan}::DECIMAL(14, 2), ${monthlyFactor(rate, years)})`);

describe('right published examples', () => {
  it('30 units: expense ratio, cash flow, DSCR and break-even on either base (solutioninn.com 5678406)', async () => {
    const [potential, effective, noi, cashFlow] = ['252000.00', '239400.00', '161400.00', '14620.00'];
    const service = await value(`${noi} - ${cashFlow}`);
    assert.equal(await value(`percentage(${effective} - ${noi}, ${effective})`), '32.58');
    assert.equal(await value(`quotient(${noi}, ${String(service)})`), '1.10');
    // The book divides by effective income; break_even_occupancy_pct divides by potential rent.
    assert.equal(await value(`quotient(${effective} - ${noi} + ${String(service)}, ${effective})`), '0.94');
    assert.equal(await value(`quotient(${effective} - ${noi} + ${String(service)}, ${potential})`), '0.89');
  });
  it('42 units: price per unit, and DSCR as cap rate over loan-to-value times constant (planease.com)', async () => {
    assert.equal(await value('round(quotient(1550000.00, 42))'), '36905');
    // 8.70 % over 80 % of 10.53 %, in thousandths
    assert.equal(Number(await value('nearest(8700000, 8424)')), 1033);
  });
  it('a mortgage constant: $250,000 at 5 % over 30 years', async () => {
    const monthly = await payment('250000', 500n, 30n);
    assert.deepEqual([monthly, await value(`rounded(12 * ${String(monthly)})`)], ['1342.05', '16104.60']);
  });
  it('a DSCR of an open test suite: NOI 456,500 over 340,670', async () =>
    assert.equal(await value('quotient(456500.00, 340670.00)'), '1.34'));
  it('a textbook question (wikicram.com 1656009): NOI after reserves 133,650 over payments of 106,920', async () =>
    assert.equal(await value('quotient(133650.00, 106920.00)'), '1.25'));
  it('the 70 % rule (biggerpockets.com 153447): worth $100K when repaired at $20K, so $50K', async () =>
    assert.equal(await value('rounded(wide(100000) * 0.70 - 20000)'), '50000.00'));
});

describe('wrong published examples', () => {
  it('$180,000 at 5 % over 15 years is 1,423.43 a month, not 1,419.47 (skool.com)', async () =>
    assert.equal(await payment('180000', 500n, 15n), '1423.43'));
  it('$320,000 at 8 % over 30 years is 2,348.05 a month, not 2,516 (supercalc.dev)', async () => {
    assert.equal(await payment('320000', 800n, 30n), '2348.05');
    const growth = new Fraction(1208n ** 84n, 1200n ** 84n);
    const balance = fraction(320_000)
      .times(growth)
      .minus(
        fraction('2348.05')
          .times(growth.minus(fraction(1)))
          .over(new Fraction(8n, 1200n)),
      );
    // The example has a balance of 276 thousand after 7 years.
    assert.equal(balance.rounded(0), '295927');
  });
  it('a rent of 1,850 at an expense ratio of 45 % gives an NOI of 12,210, not 19,950 (zipmarketdata.com)', async () =>
    assert.equal(await value('rounded(wide(1850.00) * 12 * (1 - 0.45))'), '12210.00'));
});
