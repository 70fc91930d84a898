/** ArcGIS layers: described, counted and read to their end, or not believed; dates, conditions, and rows of cases. */
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { type Page, type SourceSpec, SourceUnavailable } from '../../sources/contract.ts';
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

const CASES: DistressLayer = {
  name: 'oh_example_code',
  title: 'Example code cases',
  county: { fips: '39999', name: 'Example County', state: 'OH' },
  layer: 'https://gis.example/rest/services/Cases/FeatureServer/0',
  where: ({ lastGoodOn }) => `Status <> 'Status' AND Filed >= ${timestampLiteral(lastGoodOn ?? '2026-11-01')}`,
  covers: { kinds: ['code_violation'], city: 'Example' },
  terms: { basis: 'open_data', note: 'Made up for a test.' },
  everyDays: 1,
  minIntervalMs: 1,
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

const FIELDS = ['CaseNumber', 'Parcel', 'Status', 'Filed', 'Acres'].map((name) => ({
  name,
  type: 'esriFieldTypeString',
}));

interface Served {
  readonly rows: number;
  readonly oid?: string;
  readonly fields?: readonly { readonly name?: string }[];
  /** Features counted by the n-th count. */
  readonly counts?: readonly number[];
  /** Most features of a page, whatever is requested. */
  readonly most?: number;
  readonly saysMore?: boolean;
  /** Object id of the n-th feature, from 1. */
  readonly objectId?: (n: number) => number;
  /** Object ids of the layer after the read; default: it does not list them. */
  readonly ids?: readonly number[];
  /** Whether each page but the first has to be asked for twice. */
  readonly isEmptyFirst?: boolean;
}

/** A server of the layer above, and the conditions it was sent. */
function server(served: Served) {
  const { rows, oid = 'ObjectId', fields = FIELDS, counts = [rows], most = 3, saysMore = true, ids } = served;
  const { objectId = (n) => n, isEmptyFirst = false } = served;
  const asked: URLSearchParams[] = [];
  const all = Array.from({ length: rows }, (_, at) => objectId(at + 1));
  let counted = 0;
  const answer = ({ pathname, searchParams: q }: URL): Answer => {
    const described = [{ name: oid, type: 'esriFieldTypeOID' }, ...fields];
    if (!pathname.endsWith('/query')) return JSON.stringify({ type: 'Table', maxRecordCount: 1000, fields: described });
    asked.push(q);
    if (q.get('returnCountOnly') === 'true') return JSON.stringify({ count: counts[counted++] ?? counts.at(-1) });
    if (q.get('returnIdsOnly') === 'true') return JSON.stringify({ objectIds: ids ?? null });
    if (isEmptyFirst && !q.has('resultOffset') && q.get('where')?.includes(' > ') === true)
      return JSON.stringify({ fields, features: [], exceededTransferLimit: true });
    const last = new RegExp(`${oid} > (\\d+)`, 'u').exec(q.get('where') ?? '')?.[1];
    // The records that it skips have no features.
    const skipped = isEmptyFirst ? 0 : Number(q.get('resultOffset') ?? '0');
    const from = (last === undefined ? 0 : all.lastIndexOf(Number(last)) + 1) + skipped;
    const features = all.slice(from, from + most).map((id) => ({
      attributes: {
        [oid]: id,
        ...Object.fromEntries(fields.map(({ name = '' }) => [name, name.endsWith('CaseNumber') ? `CV-${id}` : null])),
      },
    }));
    const more = saysMore && from + features.length < rows;
    return JSON.stringify({ fields, features, ...(more ? { exceededTransferLimit: true } : {}) });
  };
  return { asked, answer };
}

const LAYER = arcgisDistress(CASES);

const numbers = async (spec: SourceSpec, pages: readonly Page[]): Promise<unknown[]> =>
  (await candidatesOf(spec, pages)).map((c) => 'values' in c && c.values['record_number']);

const SEVEN = [1, 2, 3, 4, 5, 6, 7].map((n) => `CV-${n}`);

test('pages are read by object id until the layer says there are no more, with the fields that are used', async () => {
  const { asked, answer } = server({ rows: 8 });
  const { pages } = await readFrom(LAYER, answer);
  assert.deepEqual(
    asked.slice(1).map((q) => [q.get('resultOffset'), / > (\d+)$/u.exec(q.get('where') ?? '')?.[1]]),
    [
      [null, undefined],
      [null, '3'],
      [null, '6'],
      [null, undefined],
    ],
  );
  assert.deepEqual([asked[1]?.get('orderByFields'), asked[1]?.get('resultRecordCount')], ['ObjectId', '1000']);
  assert.ok(!asked[1]?.get('outFields')?.includes('Acres'));
  assert.deepEqual(await numbers(LAYER, pages), [...SEVEN, 'CV-8']);
});

test('a feature without attributes, or without one of its fields, makes the page unreadable', async () => {
  type Feature = { attributes?: Record<string, unknown> };
  const readWith = async (change: (feature: Feature) => void) => {
    const { answer } = server({ rows: 3 });
    const { pages } = await readFrom(LAYER, (url) => {
      const text = String(answer(url));
      const json = JSON.parse(text) as { features?: Feature[] };
      if (json.features?.[1] === undefined) return text;
      change(json.features[1]);
      return JSON.stringify(json);
    });
    return candidatesOf(LAYER, pages);
  };
  await assert.rejects(
    readWith((feature) => delete feature.attributes),
    quarantined('template_changed', /a feature has no attributes/),
  );
  await assert.rejects(
    readWith((feature) => delete feature.attributes?.['Status']),
    quarantined('template_changed', /no attribute Status/),
  );
});

test('a feature that the layer has and no page shows refuses the read', async () => {
  const even = Array.from({ length: 8 }, (_, at) => 2 * (at + 1));
  await assert.rejects(
    readFrom(LAYER, server({ rows: 8, objectId: (n) => 2 * n, ids: [...even, 5] }).answer),
    quarantined('count_mismatch', /1 of the layer were not read, such as ObjectId 5/),
  );
  // A feature added behind the last page is for the next read.
  assert.equal((await readFrom(LAYER, server({ rows: 8, ids: [1, 2, 3, 4, 5, 6, 7, 8, 9] }).answer)).pages.length, 3);
  await assert.rejects(
    readFrom(LAYER, server({ rows: 8, objectId: (n) => n % 7 }).answer),
    quarantined('count_mismatch', /7 of them distinct/),
  );
});

test('a layer that lost a field, has one twice, or has one without a name is not read', async () => {
  const others = FIELDS.filter(({ name }) => name !== 'Status');
  const twins = ['TAX', 'OLD'].map((table) => ({ name: `GIS.${table}.Status` }));
  for (const [fields, error] of [
    [others, quarantined('missing_column', /no field Status/)],
    [[...others, ...twins], quarantined('template_changed', /two fields Status: GIS\.TAX\..* and GIS\.OLD\./)],
    [[...FIELDS, {}], quarantined('template_changed', /a field of the layer has no name/)],
  ] as const) {
    const { asked, answer } = server({ rows: 8, fields });
    await assert.rejects(readFrom(LAYER, answer), error);
    assert.equal(asked.length, 0);
  }
});

test('an error sent with HTTP 200 is classified by its code', async () => {
  const answering = (code: number) =>
    readFrom(LAYER, () => JSON.stringify({ error: { code, message: 'No.', details: ['why'] } }));
  const unavailable =
    (reason: string) =>
    (error: unknown): boolean =>
      error instanceof SourceUnavailable && error.reason === reason;
  await assert.rejects(answering(400), quarantined('template_changed', /400: No\. \(why\)/));
  await assert.rejects(answering(499), unavailable('refused'));
  await assert.rejects(answering(429), unavailable('rate_limited'));
  await assert.rejects(answering(500), unavailable('server_error'));
});

describe('a read of a layer', () => {
  test('the order is that of the object id, under any name', async () => {
    for (const oid of ['ObjectId', 'OBJECTID', 'FID']) {
      const { asked, answer } = server({ rows: 7, oid });
      const { pages } = await readFrom(LAYER, answer);
      assert.deepEqual(await numbers(LAYER, pages), SEVEN);
      assert.equal(asked[1]?.get('orderByFields'), oid);
    }
  });

  test('pages continue if a server sends fewer features than requested without saying so', async () => {
    const { asked, answer } = server({ rows: 7, saysMore: false });
    const { pages } = await readFrom(LAYER, answer);
    assert.deepEqual(await numbers(LAYER, pages), SEVEN);
    assert.equal(asked.filter((q) => q.has('resultRecordCount')).length, 3);
  });

  test('a page without features that says there are more is not the last', async () => {
    const { pages } = await readFrom(
      LAYER,
      server({ rows: 7, counts: [1007], ids: [1, 2, 3, 4, 5, 6, 7], isEmptyFirst: true }).answer,
    );
    assert.deepEqual(await numbers(LAYER, pages), SEVEN);
  });

  test('a feature deleted during the read is left out, and no other is lost', async () => {
    const { pages } = await readFrom(LAYER, server({ rows: 7, counts: [8], ids: [1, 3, 4, 5, 6, 7, 8] }).answer);
    assert.deepEqual(
      await numbers(LAYER, pages),
      SEVEN.filter((number) => number !== 'CV-2'),
    );
  });

  test('a layer that grew during the read is counted again', async () => {
    const { pages } = await readFrom(LAYER, server({ rows: 7, counts: [6, 7] }).answer);
    assert.deepEqual(await numbers(LAYER, pages), SEVEN);
    await assert.rejects(
      readFrom(LAYER, server({ rows: 7, counts: [6, 8] }).answer),
      quarantined('count_mismatch', /6 features; 7 were read/),
    );
  });

  test('a condition gets the full names of a joined layer, and its texts and dates stay', async () => {
    const { asked, answer } = server({
      rows: 1,
      fields: FIELDS.map((field) => ({ ...field, name: `GIS.CASES.${field.name}` })),
    });
    await readFrom(LAYER, answer);
    assert.equal(
      asked[0]?.get('where'),
      "GIS.CASES.Status <> 'Status' AND GIS.CASES.Filed >= timestamp '2026-11-01 00:00:00'",
    );
  });
});

const FEATURE = { CaseNumber: 'CV-1', Parcel: null, Status: 'Open', Filed: null };
/** A page with rows of cases, each with what it has besides. */
function page(...rows: Readonly<Record<string, unknown>>[]): Page {
  const features = rows.map((row) => ({ attributes: { ...FEATURE, ...row } }));
  const body = JSON.stringify({ fields: FIELDS.slice(0, 4), features });
  return pageOf(new TextEncoder().encode(body), { kind: 'features', url: `${CASES.layer}/query?where=1%3D1&f=json` });
}

describe('a row of a case', () => {
  test('a placeholder is not a parcel number, and a row without a case number is refused without a key', async () => {
    const found = await candidatesOf(
      LAYER,
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
    assert.deepEqual(LAYER.expect.uncountedRejects, ['out_of_scope']);
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
  test('with an attribute that its fields do not list is refused: it would be read as absent', async () => {
    const cases = arcgisDistress({ ...CASES, optional: ['Unit'] });
    assert.equal((await candidatesOf(cases, [page({ Parcel: '00000001' })])).length, 1);
    await assert.rejects(
      candidatesOf(cases, [page({ Unit: '2' })]),
      quarantined('template_changed', /has the attribute Unit/),
    );
  });

  test('keeps the last good version of a row whose value for its scope is refused', async () => {
    const cases = arcgisDistress({ ...CASES, outOfScope: () => refuse('bad_year', 'BillYear is 3026') });
    const { rejects, rejectedKeys } = await parsed(cases, [page({ Parcel: '00000001' })]);
    assert.deepEqual([rejects[0]?.reason, rejectedKeys.length], ['bad_year', 1]);
  });
});
