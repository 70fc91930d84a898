/** ArcGIS layers: described, counted and read to their end, or not believed; dates, conditions, and rows of cases. */
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { type Page, type SourceSpec, SourceUnavailable } from '../../sources/contract.ts';
import stark from '../../sources/tax/oh_stark_tax.ts';
import { candidatesOf, parsed } from './parsed.ts';
import { type Answer, quarantined, readFrom } from './site_double.ts';
import { arcgisDistress } from '../../sources/readers/arcgis/adapter.ts';
import type { DistressLayer } from '../../sources/readers/arcgis/layer.ts';
import {
  EASTERN,
  inForceOrTouched,
  layerDay,
  timestampLiteral,
  transferPrice,
} from '../../sources/readers/arcgis/values.ts';
import { Refusal, refuse } from '../../sources/values.ts';
import { pageOf } from './recorded.ts';

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

const CASES: DistressLayer = {
  name: 'oh_example_code',
  title: 'Example code cases',
  county: { fips: '39999', name: 'Example County', state: 'OH' },
  layer: 'https://gis.example/rest/services/Cases/FeatureServer/0',
  where: ({ lastGoodOn }) => `Status <> 'Status' AND Filed >= ${timestampLiteral(lastGoodOn ?? '2026-11-01')}`,
  covers: { kinds: ['code_violation'], city: 'Example' },
  terms: { basis: 'open_data', note: 'Made up for a test.' },
  everyDays: 1,
  politeness: { minIntervalMs: 1, concurrency: 1 },
  expect: { minRows: 0, maxRejectShare: 1, maxDropShare: 1 },
  signalType: 'code_violation',
  record: 'CaseNumber',
  parcel: 'Parcel',
  parcelForm: /^\d{8}$/u,
  needed: ['Status', 'Filed'],
  outOfScope: (a) => (a.Status === 'Noise' ? 'Status is Noise, which is no code case' : null),
  values: (a, { readOn }) => ({
    record_state: 'open',
    filed_on: layerDay('Filed', a.Filed, { zone: EASTERN, latest: readOn, impossible: 'refuse' }),
  }),
};

interface Served {
  readonly rows: number;
  readonly oid?: string;
  readonly prefix?: string;
  /** Features counted by the n-th count. */
  readonly counts?: readonly number[];
  /** Most features of a page, whatever is requested. */
  readonly most?: number;
  readonly saysMore?: boolean;
  /** Object ids of the layer after the read; default: it does not list them. */
  readonly ids?: readonly number[];
  /** Whether each page but the first has to be asked for twice. */
  readonly isEmptyFirst?: boolean;
}

/** A server of the layer above, and the conditions it was sent. */
function server(served: Served) {
  const { rows, oid = 'ObjectId', prefix = '', counts = [rows], most = 3, saysMore = true, ids } = served;
  const { isEmptyFirst = false } = served;
  const asked: URLSearchParams[] = [];
  let counted = 0;
  const fields = ['CaseNumber', 'Parcel', 'Status', 'Filed'].map((name) => ({
    name: `${prefix}${name}`,
    type: 'esriFieldTypeString',
  }));
  const answer = ({ pathname, searchParams: q }: URL): Answer => {
    if (!pathname.endsWith('/query'))
      return JSON.stringify({
        type: 'Table',
        maxRecordCount: 1000,
        fields: [{ name: oid, type: 'esriFieldTypeOID' }, ...fields],
      });
    asked.push(q);
    if (q.get('returnCountOnly') === 'true') {
      counted += 1;
      return JSON.stringify({ count: counts[counted - 1] ?? counts.at(-1) });
    }
    if (q.get('returnIdsOnly') === 'true') return JSON.stringify({ objectIds: ids ?? null });
    if (isEmptyFirst && !q.has('resultOffset') && q.get('where')?.includes(' > ') === true)
      return JSON.stringify({ fields, features: [], exceededTransferLimit: true });
    const after = Number(new RegExp(`${oid} > (\\d+)`, 'u').exec(q.get('where') ?? '')?.[1] ?? 0);
    // The records that it skips have no features.
    const from = after + (isEmptyFirst ? 0 : Number(q.get('resultOffset') ?? '0'));
    const features = Array.from({ length: Math.max(0, Math.min(most, rows - from)) }, (_, n) => ({
      attributes: {
        [oid]: from + n + 1,
        ...Object.fromEntries(fields.map(({ name }) => [name, null])),
        [`${prefix}CaseNumber`]: `CV-${from + n + 1}`,
      },
    }));
    const more = saysMore && from + features.length < rows;
    return JSON.stringify({ fields, features, ...(more ? { exceededTransferLimit: true } : {}) });
  };
  return { asked, answer };
}

const numbers = async (spec: SourceSpec, pages: readonly Page[]): Promise<unknown[]> =>
  (await candidatesOf(spec, pages)).map((c) => 'values' in c && c.values['record_number']);

const SEVEN = [1, 2, 3, 4, 5, 6, 7].map((n) => `CV-${n}`);

describe('a read of a layer', () => {
  const spec = arcgisDistress(CASES);

  test('the order is that of the object id, under any name', async () => {
    for (const oid of ['ObjectId', 'OBJECTID', 'FID']) {
      const { asked, answer } = server({ rows: 7, oid });
      const { pages } = await readFrom(spec, answer);
      assert.deepEqual(await numbers(spec, pages), SEVEN);
      assert.equal(asked[1]?.get('orderByFields'), oid);
    }
  });

  test('pages continue if a server sends fewer features than requested without saying so', async () => {
    const { asked, answer } = server({ rows: 7, saysMore: false });
    const { pages } = await readFrom(spec, answer);
    assert.deepEqual(await numbers(spec, pages), SEVEN);
    assert.equal(asked.filter((q) => q.has('resultRecordCount')).length, 3);
  });

  test('a page without features that says there are more is not the last', async () => {
    const { pages } = await readFrom(
      spec,
      server({ rows: 7, counts: [1007], ids: [1, 2, 3, 4, 5, 6, 7], isEmptyFirst: true }).answer,
    );
    assert.deepEqual(await numbers(spec, pages), SEVEN);
  });

  test('a feature deleted during the read is left out, and no other is lost', async () => {
    const { pages } = await readFrom(spec, server({ rows: 7, counts: [8], ids: [1, 3, 4, 5, 6, 7, 8] }).answer);
    assert.deepEqual(
      await numbers(spec, pages),
      SEVEN.filter((number) => number !== 'CV-2'),
    );
  });

  test('a layer that grew during the read is counted again', async () => {
    const { pages } = await readFrom(spec, server({ rows: 7, counts: [6, 7] }).answer);
    assert.deepEqual(await numbers(spec, pages), SEVEN);
    await assert.rejects(
      readFrom(spec, server({ rows: 7, counts: [6, 8] }).answer),
      quarantined('count_mismatch', /6 features; 7 were read/),
    );
  });

  test('a condition gets the full names of a joined layer, and its texts and dates stay', async () => {
    const { asked, answer } = server({ rows: 1, prefix: 'GIS.CASES.' });
    await readFrom(spec, answer);
    assert.equal(
      asked[0]?.get('where'),
      "GIS.CASES.Status <> 'Status' AND GIS.CASES.Filed >= timestamp '2026-11-01 00:00:00'",
    );
  });
});

describe('a row of a case', () => {
  const spec = arcgisDistress(CASES);
  const page = (...rows: Readonly<Record<string, unknown>>[]): Page =>
    pageOf(
      new TextEncoder().encode(
        JSON.stringify({
          fields: ['CaseNumber', 'Parcel', 'Status', 'Filed'].map((name) => ({ name })),
          features: rows.map((row) => ({
            attributes: { CaseNumber: 'CV-1', Parcel: null, Status: 'Open', Filed: null, ...row },
          })),
        }),
      ),
      { kind: 'features', url: `${CASES.layer}/query?where=1%3D1&f=json` },
    );

  test('a placeholder is not a parcel number, and a row without a case number is refused without a key', async () => {
    const found = await candidatesOf(
      spec,
      [
        page({ Parcel: '00112001' }, { Parcel: 'MULTIPLE' }, { Parcel: '00000000' }, { CaseNumber: ' ' }),
        page({ Status: 'Noise' }, { Parcel: '00112001', Filed: Date.parse('8535-09-25') }),
      ].flat(),
    );
    assert.deepEqual(
      found.map((c) => ('values' in c ? c.values['parcel_raw'] : [c.reject.reason, c.key])),
      [
        '00112001',
        null,
        null,
        ['blank_record_number', undefined],
        ['out_of_scope', undefined],
        [
          'impossible_date',
          { county_fips: '39999', signal_type: 'code_violation', record_number: 'CV-1', parcel_raw: '00112001' },
        ],
      ],
    );
    const [first] = found;
    assert.match(String(first && 'values' in first && first.sourceUrl), /query\?where=CaseNumber%3D%27CV-1%27/u);
    assert.deepEqual(spec.expect.uncountedRejects, ['out_of_scope']);
  });
});

test('records that closed since a week before the last good read are asked for', () => {
  const where = inForceOrTouched("Status <> 'Closed'", 'Inspected');
  assert.equal(where({ lastGoodOn: null }), "Status <> 'Closed'");
  assert.equal(
    where({ lastGoodOn: '2026-11-01' }),
    "(Status <> 'Closed' OR Inspected >= timestamp '2026-10-25 00:00:00')",
  );
});

describe('values of a layer', () => {
  const day = (value: unknown, impossible: 'refuse' | 'null' = 'refuse'): string | null =>
    layerDay('D', value, { zone: EASTERN, latest: '2026-11-20', impossible });

  test('an instant is a day of the place, and midnight UTC a day without a time', () => {
    assert.equal(day(Date.parse('2026-03-05T04:59:59Z')), '2026-03-04');
    assert.equal(day(Date.parse('2026-03-05T05:00:00Z')), '2026-03-05');
    assert.equal(day(Date.parse('2026-07-05T04:00:00Z')), '2026-07-05');
    assert.equal(day(Date.parse('2026-03-05T00:00:00Z')), '2026-03-05');
    assert.equal(day(Date.parse('1954-06-01T04:00:00Z')), '1954-06-01');
    assert.deepEqual([day('2026-03-05'), day(null), day(0)], ['2026-03-05', null, null]);
  });

  test('an impossible day is refused, or null by declaration', () => {
    for (const value of ['8535-09-25', Date.parse('3035-04-30'), Date.parse('2026-11-22'), 1e20, '1200-01-01']) {
      assert.throws(() => day(value), Refusal);
      assert.equal(day(value, 'null'), null);
    }
  });

  test('a token amount is not a price', () => {
    assert.deepEqual(
      [0, 1, 10, 100, 100.01, 86_500, null].map((value) => transferPrice('P', value)),
      [null, null, null, null, '100.01', '86500.00', null],
    );
  });
});

describe('a page of features', () => {
  const page = (attributes: Readonly<Record<string, unknown>>): Page => {
    const fields = ['CaseNumber', 'Parcel', 'Status', 'Filed'].map((name) => ({ name }));
    const body = JSON.stringify({ fields, features: [{ attributes }] });
    return pageOf(new TextEncoder().encode(body), { kind: 'features', url: `${CASES.layer}/query` });
  };
  const FEATURE = { CaseNumber: 'C1', Parcel: '00000001', Status: 'Open', Filed: null };

  test('with an attribute that its fields do not list is refused: it would be read as absent', async () => {
    const cases = arcgisDistress({ ...CASES, optional: ['Unit'] });
    assert.equal((await candidatesOf(cases, [page(FEATURE)])).length, 1);
    await assert.rejects(
      candidatesOf(cases, [page({ ...FEATURE, Unit: '2' })]),
      quarantined('template_changed', /has the attribute Unit/),
    );
  });

  test('keeps the last good version of a row whose value for its scope is refused', async () => {
    const cases = arcgisDistress({ ...CASES, outOfScope: () => refuse('bad_year', 'BillYear is 3026') });
    const { rejects, rejectedKeys } = await parsed(cases, [page(FEATURE)]);
    assert.deepEqual([rejects[0]?.reason, rejectedKeys.length], ['bad_year', 1]);
  });
});
