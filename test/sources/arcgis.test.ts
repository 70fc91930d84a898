/** ArcGIS layers: described, counted and read to their end, or not believed. */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { SourceUnavailable } from '../../sources/contract.ts';
import stark from '../../sources/tax/oh_stark_tax.ts';
import { candidatesOf } from './parsed.ts';
import { quarantined, readFrom, type Answer } from './site_double.ts';

const FIELDS = [
  'OBJECTID',
  'PIN',
  'OWNER',
  'SITE_ADDRESS1',
  'SITE_ADDRESS3',
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
  readonly fields?: readonly { readonly name?: string }[];
  /** Object id of the n-th parcel. */
  readonly objectId?: (n: number) => number;
  /** Object ids that the layer has and no page shows. */
  readonly lost?: readonly number[];
}

const layer =
  ({ parcels, count = parcels, maxRecordCount = 3, fields = FIELDS, objectId = (n) => n, lost = [] }: Layer) =>
  ({ pathname, searchParams: q }: URL): Answer => {
    if (!pathname.endsWith('/query')) return JSON.stringify({ name: 'Parcels', fields, maxRecordCount });
    const [, last] = /^\(FINAL_BALANCE > 0\) AND OBJECTID > (\d+)$/u.exec(q.get('where') ?? '') ?? [];
    if (last === undefined && q.get('where') !== 'FINAL_BALANCE > 0') return JSON.stringify(ERROR);
    if (q.get('returnCountOnly') === 'true') return JSON.stringify({ count });
    const all = Array.from({ length: parcels }, (_, n) => objectId(n));
    if (q.get('returnIdsOnly') === 'true') return JSON.stringify({ objectIds: [...all, ...lost] });
    const from = last === undefined ? 0 : all.lastIndexOf(Number(last)) + 1;
    const to = Math.min(parcels, from + Number(q.get('resultRecordCount')));
    const features = Array.from({ length: to - from }, (_, i) => ({
      attributes: {
        ...Object.fromEntries(fields.map(({ name }) => [String(name), null])),
        OBJECTID: objectId(from + i),
        PIN: `02${from + i}`,
        FINAL_BALANCE: 10,
      },
    }));
    return JSON.stringify({ fields, features, ...(to < parcels ? { exceededTransferLimit: true } : {}) });
  };

test('pages are read by object id until the layer says there are no more', async () => {
  const { pages, asked } = await readFrom(stark, layer({ parcels: 8 }));
  const queries = asked.map((url) => new URL(url).searchParams);
  assert.deepEqual(
    queries.slice(2).map((q) => [q.get('resultOffset'), />.*> (\d+)$/u.exec(q.get('where') ?? '')?.[1]]),
    [
      [null, undefined],
      [null, '2'],
      [null, '5'],
      [null, undefined],
    ],
  );
  assert.equal(queries[2]?.get('orderByFields'), 'OBJECTID');
  assert.equal(queries[2]?.get('resultRecordCount'), '3');
  assert.ok(!queries[2]?.get('outFields')?.includes('ACRES'), 'only fields that are used are asked for');
  assert.deepEqual(
    (await candidatesOf(stark, pages)).map((c) => 'values' in c && c.values['parcel_raw']),
    ['020', '021', '022', '023', '024', '025', '026', '027'],
  );
});

test('a feature without attributes, or without one of its fields, makes the page unreadable', async () => {
  const answering = (change: (feature: { attributes?: Record<string, unknown> }) => void) =>
    readFrom(stark, (url) => {
      const answer = layer({ parcels: 3 })(url);
      const json = JSON.parse(String(answer)) as { features?: { attributes?: Record<string, unknown> }[] };
      if (json.features?.[1] === undefined) return answer;
      change(json.features[1]);
      return JSON.stringify(json);
    });
  const readWith = async (change: Parameters<typeof answering>[0]) =>
    candidatesOf(stark, (await answering(change)).pages);
  await assert.rejects(
    readWith((feature) => delete feature.attributes),
    quarantined('template_changed', /a feature has no attributes/),
  );
  await assert.rejects(
    readWith((feature) => delete feature.attributes?.['FINAL_BALANCE']),
    quarantined('template_changed', /no attribute FINAL_BALANCE/),
  );
});

test('a parcel that the layer has and no page shows refuses the read', async () => {
  await assert.rejects(
    readFrom(stark, layer({ parcels: 8, objectId: (n) => 2 * n, lost: [5] })),
    quarantined('count_mismatch', /1 of the layer were not read, such as OBJECTID 5/),
  );
  // A feature added behind the last page is for the next read.
  assert.equal((await readFrom(stark, layer({ parcels: 8, lost: [9] }))).pages.length, 3);
  await assert.rejects(
    readFrom(stark, layer({ parcels: 8, objectId: (n) => n % 7 })),
    quarantined('count_mismatch', /7 of them distinct/),
  );
});

test('a layer that lost a field, has one twice, or has one without a name is not read', async () => {
  const others = FIELDS.filter((f) => f.name !== 'FINAL_BALANCE');
  const [balance] = FIELDS.filter((f) => f.name === 'FINAL_BALANCE');
  const twins = ['TAX', 'OLD'].map((table) => ({ ...balance, name: `GIS.${table}.FINAL_BALANCE` }));
  for (const [fields, error] of [
    [others, quarantined('missing_column', /no field FINAL_BALANCE/)],
    [[...others, ...twins], quarantined('template_changed', /two fields FINAL_BALANCE: GIS\.TAX\..* and GIS\.OLD\./)],
    [[...FIELDS, {}], quarantined('template_changed', /a field of the layer has no name/)],
  ] as const) {
    let queries = 0;
    const changed = layer({ parcels: 8, fields });
    const answer: typeof changed = (url) => {
      queries += 1;
      return changed(url);
    };
    await assert.rejects(readFrom(stark, answer), error);
    assert.equal(queries, 1);
  }
});

test('an error sent with HTTP 200 is classified by its code', async () => {
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
