/** The table of loan factors: every row recomputed, and every loan repaid by its payments. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { parse } from 'csv-parse/sync';
import { loanFactorsCsv } from '../../../docs/generate/generated.ts';

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
