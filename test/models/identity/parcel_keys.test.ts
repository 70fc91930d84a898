/** Parcel numbers of each county in a form that is comparable (models/macros/parcels.sql). */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { parse } from 'csv-parse/sync';
import { openDuck, rowsOf, type Duck } from '../../../lib/duck.ts';
import { macrosSql } from '../../../models/index.ts';

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

describe('parcel numbers', () => {
  it('are compared by letters and digits alone, leading zeros kept', async () => {
    assert.deepEqual(
      await values("parcel_key_of('39035', x)", ['003-01-004', '003 01 004', 'r72 08110 0087', '000-00-000', '', null]),
      ['00301004', '00301004', 'R72081100087', null, null, null],
    );
  });
  it('of Franklin lose the card number that other lists omit', async () => {
    assert.deepEqual(await values("parcel_key_of('39049', x)", ['010-000005-00', '010-000005', '010-000005-01']), [
      '010000005',
      '010000005',
      '01000000501',
    ]);
  });
  it('have the key of their form, which is its own key', async () => {
    const forms = parse<Record<string, string>>(
      await readFile(new URL('../../../models/reference/parcel_formats.csv', import.meta.url), 'utf8'),
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
  it('of Pinellas have no key if section and range may be exchanged and no subdivision decides', async () => {
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
