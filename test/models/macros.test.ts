/** The SQL functions that models share: parcel numbers, identifiers and exact arithmetic. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { parse } from 'csv-parse/sync';
import { openDuck, rowsOf, type Duck } from '../../lib/duck.ts';
import { macrosSql } from '../../models/index.ts';
import { uuid5 } from './build_models.ts';

let duck: Duck;
before(async () => {
  duck = await openDuck(':memory:', { threads: 1, memoryLimit: '500MB' });
  await duck.connection.run(macrosSql());
});
after(() => duck.close());

/** Values of an SQL expression over a column x, one for each input. */
async function values(expression: string, inputs: readonly (string | null)[]): Promise<unknown[]> {
  const rows = await rowsOf(
    duck.connection,
    `SELECT ${expression} AS value FROM (SELECT unnest(from_json(CAST($1 AS JSON), '["VARCHAR"]')) AS x)`,
    [JSON.stringify(inputs)],
  );
  return rows.map((r) => r['value']);
}
const value = async (sql: string): Promise<unknown> =>
  (await rowsOf(duck.connection, `SELECT ${sql} AS value`))[0]?.['value'];

describe('identifiers', () => {
  it('are version 5 UUIDs that anyone can recompute', async () => {
    const names = ['deal|123 MAIN ST|44102', 'x', 'é'];
    assert.deepEqual(await values('uuid_of(x)', names), names.map(uuid5));
  });
});

describe('exact arithmetic', () => {
  it('rounds half away from zero', async () => {
    assert.equal(await value('quotient(1, 8)'), '0.13');
    assert.equal(await value('quotient(-1, 8)'), '-0.13');
    assert.equal(await value('quotient(1, 200)'), '0.01');
    assert.equal(await value('rounded(2.345)'), '2.35');
    assert.equal(await value('rounded(-2.345)'), '-2.35');
    assert.equal(await value('whole_quotient(5, 2)'), 3);
    assert.equal(await value('whole_quotient(-5, 2)'), -3);
  });
  it('keeps cents that a binary float would lose', async () => {
    assert.equal(await value('quotient(999999999999.99, 1)'), '999999999999.99');
    assert.equal(await value('percentage(0.07, 100)'), '0.07');
    assert.equal(await value('quotient(1.005, 1)'), '1.01');
  });
  it('is null for a division by zero', async () => {
    assert.equal(await value('quotient(1, 0)'), null);
    assert.equal(await value('percentage(NULL, 3)'), null);
  });
  it('rounds up to the cent, and keeps a whole cent', async () => {
    assert.equal(await value('quotient_up_to_cent(2 * wide(100001.00), 3)'), '66667.34');
    assert.equal(await value('quotient_up_to_cent(2 * wide(150000.00), 3)'), '100000.00');
  });
  it('rounds down to a step', async () => {
    assert.equal(await value('quotient_down_to(675180.00, 1, 500)'), '675000.00');
    assert.equal(await value('quotient_down_to(40.00, 0.08, 500)'), '500.00');
    assert.equal(await value('quotient_down_to(39.99, 0.08, 500)'), '0.00');
  });
  it('gives points from zero to the full weight, and null for an unknown value', async () => {
    assert.deepEqual(
      await values('points(CAST(x AS DECIMAL(14, 2)), 4, 6, 35)', ['3.99', '4.00', '7.30', '10.00', '99.00', null]),
      [0, 0, 19, 35, 35, null],
    );
  });
});

describe('parcel numbers', () => {
  it('are compared by letters and digits alone, leading zeros kept', async () => {
    assert.deepEqual(
      await values("parcel_key_of('39035', x)", ['003-01-004', '003 01 004', 'r72 08110 0087', '000-00-000', '', null]),
      ['00301004', '00301004', 'R72081100087', null, null, null],
    );
  });
  it('have the key of their form, and a key is unchanged by a second pass', async () => {
    const forms = parse<Record<string, string>>(
      await readFile(new URL('../../models/reference/parcel_formats.csv', import.meta.url), 'utf8'),
      { columns: true },
    );
    const numbers = forms.flatMap(({ county_fips = '', printed = '', parcel_key = '' }) => [
      `${county_fips}|${printed}`,
      `${county_fips}|${printed.toLowerCase()} `,
      `${county_fips}|${parcel_key}`,
    ]);
    assert.deepEqual(
      await values("parcel_key_of(split_part(x, '|', 1), split_part(x, '|', 2))", numbers),
      forms.flatMap(({ parcel_key }) => [parcel_key, parcel_key, parcel_key]),
    );
  });
  it('have no key in Pinellas if section and range may be exchanged and no subdivision decides', async () => {
    const numbers = [
      '152916000000051346',
      '15-29-16-00000-005-1346',
      '152915000000051346',
      '162915100000051346',
      '143001100000300210',
    ];
    assert.deepEqual(await values("parcel_key_of('12103', x)", numbers), [
      null,
      '15-29-16-00000-005-1346',
      '15-29-15-00000-005-1346',
      '15-29-16-10000-005-1346',
      '01-30-14-10000-030-0210',
    ]);
  });
  it('are null if a page prints words or zeros', async () => {
    const words = [
      'Property Appraiser',
      'MULTIPLE PARCELS',
      'PERSONAL PROPERTY',
      'TIMESHARE',
      '2 PARCELS',
      '0000000000',
    ];
    for (const county of ['12031', '12057', '12101', '12103', '17031', '26163', '29510', '37119', '42003', '47157'])
      assert.deepEqual(
        await values(`parcel_key_of('${county}', x)`, words),
        words.map(() => null),
      );
  });
});
