/** ArcGIS parcel layers: the layer is described, counted and read to its end, or not believed. */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { SourceUnavailable } from '../../sources/contract.ts';
import { situs } from '../../sources/families/addresses.ts';
import stark from '../../sources/tax/oh_stark_tax/source.ts';
import { candidatesOf } from './parsed.ts';
import { quarantined, readFrom, type Answer } from './site_double.ts';

const FIELDS = [
  'OBJECTID',
  'PIN',
  'OWNER',
  'SITE_ADDRESS',
  'MAILING_ADDRESS1',
  'MAILING_ADDRESS2',
  'MAILING_ADDRESS3',
  'FINAL_BALANCE',
  'CERTIFIED_DELINQUENT_YEAR',
  'APPRAISED_TOTAL_VALUE',
  'LAND_USE_DESCRIPTION',
  'ACRES',
].map((name) => ({ name, type: name === 'OBJECTID' ? 'esriFieldTypeOID' : 'esriFieldTypeString', alias: name }));

const ERROR = { error: { code: 400, message: 'Invalid query', details: [] } };

interface Layer {
  readonly parcels: number;
  readonly count?: number;
  readonly maxRecordCount?: number;
  readonly fields?: typeof FIELDS;
  /** Object id of the n-th parcel. */
  readonly objectId?: (n: number) => number;
}

const layer =
  ({ parcels, count = parcels, maxRecordCount = 3, fields = FIELDS, objectId = (n) => n }: Layer) =>
  ({ pathname, searchParams: q }: URL): Answer => {
    if (!pathname.endsWith('/query')) return JSON.stringify({ name: 'Parcels', fields, maxRecordCount });
    if (q.get('where') !== 'FINAL_BALANCE > 0') return JSON.stringify(ERROR);
    if (q.get('returnCountOnly') === 'true') return JSON.stringify({ count });
    const from = Number(q.get('resultOffset'));
    const to = Math.min(parcels, from + Number(q.get('resultRecordCount')));
    const features = Array.from({ length: to - from }, (_, i) => ({
      attributes: {
        ...Object.fromEntries(fields.map(({ name }) => [name, null])),
        OBJECTID: objectId(from + i),
        PIN: `02${from + i}`,
        FINAL_BALANCE: 10,
      },
    }));
    return JSON.stringify({ fields, features, ...(to < parcels ? { exceededTransferLimit: true } : {}) });
  };

test('pages are read by offset until the layer says there are no more', async () => {
  const { pages, asked } = await readFrom(stark, layer({ parcels: 8 }));
  const queries = asked.map((url) => new URL(url).searchParams);
  assert.deepEqual(
    queries.slice(2).map((q) => q.get('resultOffset')),
    ['0', '3', '6'],
  );
  assert.equal(queries[2]?.get('orderByFields'), 'OBJECTID');
  assert.equal(queries[2]?.get('resultRecordCount'), '3');
  assert.ok(!queries[2]?.get('outFields')?.includes('ACRES'), 'only fields that are used are asked for');
  assert.deepEqual(
    (await candidatesOf(stark, pages)).map((c) => 'values' in c && c.values['parcel_raw']),
    ['020', '021', '022', '023', '024', '025', '026', '027'],
  );
});

test('the number of parcels must be the one the layer counts', async () => {
  await assert.rejects(
    readFrom(stark, layer({ parcels: 8, count: 9 })),
    quarantined('count_mismatch', /9 parcels; 8 were read/),
  );
  await assert.rejects(readFrom(stark, layer({ parcels: 8, count: 5 })), quarantined('count_mismatch'));
  await assert.rejects(
    readFrom(stark, layer({ parcels: 8, objectId: (n) => n % 7 })),
    quarantined('count_mismatch', /7 of them distinct/),
  );
});

test('a layer that lost a field is not read', async () => {
  let queries = 0;
  const changed = layer({ parcels: 8, fields: FIELDS.filter((f) => f.name !== 'FINAL_BALANCE') });
  await assert.rejects(
    readFrom(stark, (url) => {
      queries += 1;
      return changed(url);
    }),
    quarantined('missing_column', /no field FINAL_BALANCE/),
  );
  assert.equal(queries, 1);
});

test('an error told with HTTP 200 is what its code says', async () => {
  const answering = (code: number) =>
    readFrom(stark, () => JSON.stringify({ error: { code, message: 'No.', details: ['why'] } }));
  const unavailable =
    (reason: string) =>
    (error: unknown): boolean =>
      error instanceof SourceUnavailable && error.reason === reason;
  await assert.rejects(answering(400), quarantined('template_changed', /400: No\. \(why\)/));
  await assert.rejects(answering(499), unavailable('refused'));
  await assert.rejects(answering(429), unavailable('rate_limited'));
  await assert.rejects(answering(500), unavailable('server_error'));
});

test('a site address in one string is taken apart only where there is no doubt', () => {
  const places = ['CANTON', 'NORTH CANTON', 'EAST CANTON', 'MASSILLON'];
  const read: [string, string, string | null, string | null][] = [
    ['12 OAK ST, CANTON, OH 44702', '12 OAK ST', 'CANTON', '44702'],
    ['12 OAK ST, CANTON OH 44702-1100', '12 OAK ST', 'CANTON', '44702'],
    ['12 OAK ST, APT 2, CANTON, OH 44702', '12 OAK ST APT 2', 'CANTON', '44702'],
    ['12 OAK ST, CANTON', '12 OAK ST', 'CANTON', null],
    ['12 OAK ST SW CANTON OH 44702', '12 OAK ST SW', 'CANTON', '44702'],
    ['12 OAK ST NORTH CANTON 44720', '12 OAK ST', 'NORTH CANTON', '44720'],
    ['22 LINCOLN WAY E MASSILLON OH 44646', '22 LINCOLN WAY E', 'MASSILLON', '44646'],
    ['12 MARKET AVE N CANTON OH 44702', '12 MARKET AVE N CANTON OH 44702', null, null],
    ['12 OAK ST, APT 2', '12 OAK ST, APT 2', null, null],
    ['12 ELM CT', '12 ELM CT', null, null],
    ['12 OAK ST DALTON OH 44618', '12 OAK ST DALTON OH 44618', null, null],
  ];
  for (const [text, street, city, zip] of read) assert.deepEqual(situs(text, places), { street, city, zip }, text);
});
