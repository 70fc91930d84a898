/** Which share of a county's rows joins others, and when a source is degraded. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { build, type InputRow } from './build_models.ts';

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

const MODELS = [
  'stg_addresses',
  'stg_parcel_rows',
  'stg_tax_parcels',
  'stg_distress_records',
  'stg_parcels',
  'stg_sheriff_sales',
  'int_property_classes',
  'int_earlier_signals',
  'int_layer_addresses',
  'int_tax_signals',
  'int_distress_signals',
  'signals',
  'int_join_rates',
  'sources',
];

interface Judged {
  readonly status: string;
  readonly detail: string | null;
  readonly shares: readonly unknown[];
}

async function judged(inputs: Readonly<Record<string, readonly InputRow[]>>): Promise<Record<string, Judged>> {
  const built = await build(inputs, ({ name }) => MODELS.includes(name));
  const rows = await built.rows('sources');
  assert.deepEqual(built.failed, []);
  built.close();
  return Object.fromEntries(
    rows.map((r) => [
      r['source'],
      {
        status: String(r['status']),
        detail: r['detail'] as string | null,
        shares: [r['address_pct'], r['zip_pct'], r['parcel_pct']],
      },
    ]),
  );
}

const reads = (more: InputRow = {}): InputRow[] => [read('list', 'tax', more), read('layer', 'parcels')];

test('a list and a layer that join are as they were read', async () => {
  const found = await judged({
    source_reads: reads({ least_address_pct: '80.00', least_parcel_pct: '80.00', least_zip_pct: '0.00' }),
    staged_tax_parcel: many(25, (i) => debt(i)),
    staged_parcel: many(24, (i) => layer(i)),
  });
  assert.deepEqual(found['list'], { status: 'good', detail: null, shares: ['96.00', '0.00', '96.00'] });
  assert.deepEqual(found['layer']?.shares, ['100.00', '0.00', '100.00']);
});

test('numbers of another form degrade both sources, whether a share is expected or not', async () => {
  const found = await judged({
    source_reads: reads(),
    staged_tax_parcel: many(25, (i) => debt(i)),
    staged_parcel: many(25, (i) => layer(i, { parcel_raw: `9${parcel(i).slice(1)}` })),
  });
  assert.deepEqual(found['list'], {
    status: 'degraded',
    detail: 'none of 25 rows has a parcel in the other source of the county',
    shares: ['0.00', '0.00', '0.00'],
  });
  assert.equal(found['layer']?.status, 'degraded');
});

test('a whole address in the field of the street is no street address', async () => {
  const found = await judged({
    source_reads: [read('list', 'tax', { least_address_pct: '70.00' })],
    staged_tax_parcel: many(25, (i) => debt(i, { street: `${i + 1} IRA AVE, BROOKLYN, OH, 44144`, zip: '44144' })),
  });
  assert.deepEqual(found['list'], {
    status: 'degraded',
    detail: '0.00 % of 25 rows have a street address, expected at least 70.00 %',
    shares: ['0.00', '100.00', null],
  });
});

test('a share that falls below six tenths of the one before degrades, a smaller fall does not', async () => {
  const withZips = (count: number): InputRow[] => many(25, (i) => debt(i, { zip: i < count ? '45202' : null }));
  const before = { previous_sources: [{ source: 'list', zip_pct: '100.00' }] };
  const source_reads = [read('list', 'tax')];
  const fallen = await judged({ source_reads, ...before, staged_tax_parcel: withZips(14) });
  assert.equal(fallen['list']?.detail, '56.00 % of 25 rows have a ZIP, 100.00 % before');
  const held = await judged({ source_reads, ...before, staged_tax_parcel: withZips(15) });
  assert.equal(held['list']?.status, 'good');
});

test('fewer than twenty-five rows are not judged, and a failed read says why itself', async () => {
  const expected = { least_address_pct: '70.00' };
  const few = await judged({
    source_reads: [read('list', 'tax', expected)],
    staged_tax_parcel: many(24, (i) => debt(i)),
  });
  assert.deepEqual([few['list']?.status, few['list']?.shares[0]], ['good', '0.00']);
  const failed = await judged({
    source_reads: [
      read('list', 'tax', { ...expected, status: 'quarantined', reason: 'malformed_page', detail: 'why' }),
    ],
    staged_tax_parcel: many(25, (i) => debt(i)),
  });
  assert.deepEqual([failed['list']?.status, failed['list']?.detail], ['quarantined', 'why']);
});
