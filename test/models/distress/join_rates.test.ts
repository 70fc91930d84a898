/** Which share of a county's rows joins others, and when a source is degraded. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { buildTables, type InputRow, type Inputs } from '../build_models.ts';

const read = (source: string, family: string, more: InputRow = {}): InputRow => ({
  source,
  family,
  county_fips: '39061',
  status: 'good',
  last_good_at: '2026-11-21T12:00:00Z',
  age_days: 0,
  every_days: 1,
  ...more,
});
const many = (count: number, row: (i: number) => InputRow): InputRow[] =>
  Array.from({ length: count }, (_, i) => row(i));

const parcel = (i: number): string => `05400040${String(10_000 + i)}`;
const debt = (i: number, more: InputRow = {}): InputRow => ({
  source: 'list',
  county_fips: '39061',
  county: 'Hamilton County, OH',
  parcel_raw: parcel(i),
  amount: '100.00',
  ...more,
});
const layer = (i: number, more: InputRow = {}): InputRow => ({
  source: 'layer',
  county_fips: '39061',
  county: 'Hamilton County, OH',
  parcel_raw: parcel(i),
  street: `${i + 1} ELM ST`,
  ...more,
});

interface Judged {
  readonly status: string;
  readonly detail: string | null;
  readonly shares: readonly unknown[];
}

const reads = (more: InputRow = {}): InputRow[] => [read('list', 'tax', more), read('layer', 'parcels')];
const withZips = (count: number): InputRow[] => many(25, (i) => debt(i, { zip: i < count ? '45202' : null }));
const WITH_ADDRESSES = { least_address_pct: '70.00' };
const record = (i: number, parcel_raw: string | null): InputRow => ({
  source: 'records',
  county_fips: '39061',
  county: 'Hamilton County, OH',
  signal_type: 'code_violation',
  record_number: `R${i}`,
  parcel_raw,
});

/** The rows of each case. One build has them all: each is then a county with sources of its own. */
const CASES = {
  joined: {
    source_reads: reads({ least_address_pct: '80.00', least_parcel_pct: '80.00', least_zip_pct: '0.00' }),
    staged_tax_parcel: many(25, (i) => debt(i)),
    staged_parcel: many(24, (i) => layer(i)),
  },
  otherForm: {
    source_reads: reads(),
    staged_tax_parcel: many(25, (i) => debt(i)),
    staged_parcel: many(25, (i) => layer(i, { parcel_raw: `9${parcel(i).slice(1)}` })),
  },
  wholeAddress: {
    source_reads: [read('list', 'tax', WITH_ADDRESSES)],
    staged_tax_parcel: many(25, (i) => debt(i, { street: `${i + 1} IRA AVE, BROOKLYN, OH, 44144`, zip: '44144' })),
  },
  fallen: {
    source_reads: [read('list', 'tax')],
    previous_sources: [{ source: 'list', zip_pct: '100.00' }],
    staged_tax_parcel: withZips(14),
  },
  held: {
    source_reads: [read('list', 'tax')],
    previous_sources: [{ source: 'list', zip_pct: '100.00' }],
    staged_tax_parcel: withZips(15),
  },
  few: { source_reads: [read('list', 'tax', WITH_ADDRESSES)], staged_tax_parcel: many(24, (i) => debt(i)) },
  failed: {
    source_reads: [
      read('list', 'tax', { ...WITH_ADDRESSES, status: 'quarantined', reason: 'malformed_page', detail: 'why' }),
    ],
    staged_tax_parcel: many(25, (i) => debt(i)),
  },
  records: {
    source_reads: [read('records', 'distress'), read('layer', 'parcels')],
    staged_distress_record: [
      ...many(20, (i) => record(i, parcel(i))),
      ...many(20, (i) => record(20 + i, null)),
      ...many(5, (i) => record(40 + i, parcel(90 + i))),
    ],
    staged_parcel: many(25, (i) => layer(i)),
  },
  /** A county without signals; those of the other cases are in other counties. */
  rollOnly: { source_reads: [read('roll', 'parcels')], staged_parcel: many(25, (i) => layer(i, { source: 'roll' })) },
} as const satisfies Readonly<Record<string, Inputs>>;
type Case = keyof typeof CASES;

/** Counties have Ohio's numbers of parcels. */
const fipsOf = (index: number): string => String(39_061 + 2 * index);

/** The rows of all cases by table, each case in its county. */
function rowsOfAll(): Inputs {
  const rows = Object.entries<Inputs>(CASES).flatMap(([name, inputs], index) =>
    Object.entries(inputs).flatMap(([table, members]) =>
      members.map((row) => {
        const place = 'county_fips' in row ? { county_fips: fipsOf(index) } : {};
        return { table, row: { ...row, ...place, source: `${name} ${String(row['source'])}` } };
      }),
    ),
  );
  return Object.fromEntries(
    [...Map.groupBy(rows, ({ table }) => table)].map(([table, members]) => [table, members.map(({ row }) => row)]),
  );
}

let sources: ReadonlyMap<unknown, Judged> = new Map();
before(async () => {
  using built = await buildTables(rowsOfAll(), ['sources']);
  const rows = await built.rows('sources');
  assert.deepEqual(built.failed, []);
  sources = new Map(
    rows.map((r) => [
      r['source'],
      {
        status: String(r['status']),
        detail: r['detail'] as string | null,
        shares: [r['address_pct'], r['zip_pct'], r['parcel_pct']],
      },
    ]),
  );
});
const judged = (name: Case, source: string): Judged => sources.get(`${name} ${source}`) ?? assert.fail(name);

test('a list and a layer that join keep their status', () => {
  assert.deepEqual(judged('joined', 'list'), { status: 'good', detail: null, shares: ['96.00', '0.00', '96.00'] });
  assert.deepEqual(judged('joined', 'layer').shares, ['100.00', '0.00', '100.00']);
});

test('parcel numbers of another form degrade both sources, with or without an expected share', () => {
  assert.deepEqual(judged('otherForm', 'list'), {
    status: 'degraded',
    detail: 'none of 25 rows has a parcel in the other source of the county',
    shares: ['0.00', '0.00', '0.00'],
  });
  assert.equal(judged('otherForm', 'layer').status, 'degraded');
});

test('a whole address in the street field does not count as a street', () =>
  assert.deepEqual(judged('wholeAddress', 'list'), {
    status: 'degraded',
    detail: '0.00 % of 25 rows have a street address, expected at least 70.00 %',
    shares: ['0.00', '100.00', null],
  }));

test('a source degrades if its join rate falls below six tenths of the previous one', () => {
  assert.equal(judged('fallen', 'list').detail, '56.00 % of 25 rows have a ZIP, 100.00 % before');
  assert.equal(judged('held', 'list').status, 'good');
});

test('fewer than twenty-five rows are not judged, and a failed read states its own reason', () => {
  const few = judged('few', 'list');
  assert.deepEqual([few.status, few.shares[0]], ['good', '0.00']);
  const failed = judged('failed', 'list');
  assert.deepEqual([failed.status, failed.detail], ['quarantined', 'why']);
});

test('records join the layer by their parcel numbers, and a record without one does not count', () => {
  assert.deepEqual(judged('records', 'records'), { status: 'good', detail: null, shares: ['44.44', '0.00', '80.00'] });
  assert.deepEqual(judged('records', 'layer').shares, ['100.00', '0.00', '80.00']);
});

test('a roll is not compared with the signals of other counties', () =>
  assert.deepEqual(judged('rollOnly', 'roll'), { status: 'good', detail: null, shares: ['100.00', '0.00', null] }));
