/**
 * Recorded rows of Allegheny County and Chicago through their adapters, put into the form of the interface, against an
 * independent reading of the same rows. Skipped where the folder of real files is absent.
 */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import type { SourceSpec } from '../../sources/contract.ts';
import vacant from '../../sources/distress/il_chicago_vacant/source.ts';
import violations from '../../sources/distress/il_chicago_violations/source.ts';
import foreclosures from '../../sources/distress/pa_allegheny_foreclosures/source.ts';
import condemned from '../../sources/distress/pa_pittsburgh_condemned/source.ts';
import cases from '../../sources/distress/pa_pittsburgh_violations/source.ts';
import assessments from '../../sources/parcels/pa_allegheny_parcels/source.ts';
import { parsed, type Parsed } from './parsed.ts';
import { bytesOf, cellsOf, skip, type Cells } from './real_cells.ts';
import { pageOf } from './recorded.ts';

type Row = Readonly<Record<string, unknown>>;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? ''));

/** Rows as one page of a CKAN search, in the order of some columns. A blank cell of a number or a day is null. */
function searched(spec: SourceSpec, rows: readonly Row[], order: readonly string[]): Promise<Parsed> {
  const names = [...new Set(rows.flatMap(Object.keys))];
  const records = rows
    .toSorted((a, b) => {
      const name = order.find((column) => textOf(a[column]) !== textOf(b[column]));
      return name === undefined ? 0 : textOf(a[name]) < textOf(b[name]) ? -1 : 1;
    })
    .map((row, at) => ({ _id: at + 1, ...row }));
  const result = { fields: names.map((id) => ({ id })), records, total: records.length };
  const page = pageOf(new TextEncoder().encode(JSON.stringify({ success: true, result })), {
    kind: 'rows',
    url: 'https://data.wprdc.org/api/3/action/datastore_search',
    context: { offset: '0' },
  });
  return parsed(spec, [page]);
}

const counts = ({ rowsIn, rows, rejects, merged }: Parsed) => ({
  rowsIn,
  rows: rows.length,
  rejects: rejects.length,
  merged,
});

const withNulls = (row: Cells): Row =>
  Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, cell === '' ? null : cell]));

/** What a case should become: the key, then day, amount, plaintiff and state. */
function filingOf(rows: readonly Cells[]): string {
  const last = rows.toSorted((a, b) => ((a['last_activity'] ?? '') < (b['last_activity'] ?? '') ? -1 : 1)).at(-1) ?? {};
  const amounts = rows.map((row) => Number(row['amount'] ?? '')).filter((amount) => amount > 0);
  const ended = rows.some((row) => /Settled|Discontinued|Satisf|Deed/u.test(row['docket_type'] ?? ''));
  return [
    last['case_id'],
    last['pin'] || null,
    last['filing_date'],
    amounts.length === 0 ? null : (amounts[0] ?? 0).toFixed(2),
    last['plaintiff']?.replace(/\s+/gu, ' ').trim(),
    ended ? 'closed' : 'unknown',
    last['last_activity'] || null,
  ].join('|');
}

for (const [file, expected] of [
  ['more/allegheny/foreclosure_filings_2022_sample.csv', { rowsIn: 250, rows: 250, rejects: 0, merged: 0 }],
  ['more/allegheny/foreclosure_filings_2026_transcribed.csv', { rowsIn: 16, rows: 14, rejects: 0, merged: 2 }],
] as const) {
  test(`${file.split('/').at(-1)}: every case once, no value wrong`, { skip }, async () => {
    const cells = cellsOf(file);
    const read = await searched(foreclosures, cells.map(withNulls), ['case_id', 'pin']);
    assert.deepEqual(counts(read), expected);
    const groups = Map.groupBy(cells, (row) => `${row['case_id']} ${row['pin']}`);
    assert.deepEqual(
      read.rows
        .map((row) =>
          [
            row['record_number'],
            row['parcel_raw'],
            row['filed_on'],
            row['amount'],
            row['plaintiff'],
            row['record_state'],
            row['last_activity_on'],
          ].join('|'),
        )
        .sort(),
      [...groups.values()].map(filingOf).sort(),
    );
  });
}

test('condemned buildings: 187 rows are condemned, the dead-end properties are left out', { skip }, async () => {
  const cells = cellsOf('more/allegheny/condemned_dead_end_2025_entity_owners.csv');
  const read = await searched(condemned, cells.map(withNulls), ['parcel_id', 'property_type']);
  const wanted = cells.filter((row) => row['property_type'] === 'Condemned Property');
  const groups = [...Map.groupBy(wanted, (row) => row['parcel_id']).values()];
  assert.deepEqual(counts(read), {
    rowsIn: 250,
    rows: groups.length,
    rejects: cells.length - wanted.length,
    merged: wanted.length - groups.length,
  });
  assert.ok(read.rejects.every(({ reason }) => reason === 'not_condemned'));
  assert.deepEqual(
    read.rows
      .map((row) => [row['parcel_raw'], row['street'], row['zip'], row['filed_on'], row['record_state']].join('|'))
      .sort(),
    groups
      .map((rows) => {
        const address = rows.map((row) => row['address'] ?? '').find((text) => !text.startsWith('No primary')) ?? '';
        const days = rows.map((row) => (row['date'] ?? '').slice(0, 10)).sort();
        const isActive = rows.some((row) => row['inspection_status'] === 'Active');
        return [
          rows[0]?.['parcel_id'],
          address.split(',')[0] || null,
          /\d{5}$/u.exec(address)?.[0] ?? null,
          days[0],
          isActive ? 'open' : 'unknown',
        ].join('|');
      })
      .sort(),
  );
});

test('two cases of code enforcement: status, days and sections as transcribed', { skip }, async () => {
  const cells = cellsOf('more/allegheny/violations_long_transcribed.csv');
  const COLUMNS = ['status', 'case_file_type', 'violation_code_section', 'investigation_outcome', 'court_date'];
  // The file has a line for each value of an event: each becomes an event with one value.
  const events = cells
    .filter((row) => COLUMNS.includes(row['field'] ?? ''))
    .map((row) => ({
      casefile_number: row['record_id'],
      parcel_id: row['pin'],
      investigation_date: row['record_date'],
      ...Object.fromEntries(COLUMNS.map((column) => [column, row['field'] === column ? row['text'] : null])),
    }));
  // The status is the case's, so it is in all of its events.
  const statusOf = (number: unknown): unknown =>
    cells.find((row) => row['record_id'] === number && row['field'] === 'status')?.['text'] ?? null;
  const read = await searched(
    cases,
    events.map((event) => ({ ...event, status: statusOf(event.casefile_number) })),
    ['casefile_number'],
  );
  assert.deepEqual(counts(read), { rowsIn: 13, rows: 2, rejects: 0, merged: 11 });
  assert.deepEqual(
    read.rows.map((row) => [row['record_number'], row['record_state'], row['filed_on'], row['description']]).sort(),
    [
      ['CF-PLI-2022-041578', 'unknown', '2022-10-11', 'Vacant Building: 2015 IPMC 108.1.1; 108.2; 108.1.3'],
      ['CF-PLI-2022-044349', 'closed', '2022-11-01', 'Weeds/Debris: 2015 IPMC 302.4; 2015 IPMC 301.3'],
    ],
  );
});

interface Transcribed {
  readonly [table: string]: readonly Row[];
}
const transcribed = (path: string): Transcribed =>
  JSON.parse(new TextDecoder().decode(bytesOf(path))) as unknown as Transcribed;

test("part of an assessment's row: its columns are read, and the missing ones are named", { skip }, async () => {
  const [row] = transcribed('more/allegheny/deed_and_assessment_rows_2026_transcribed.json')[
    'assessments_65855e14_subset_of_82_columns'
  ] ?? [{}];
  const absent = ['PROPERTYCITY', 'PROPERTYZIP', 'SALEDATE', 'SALEPRICE', 'SALECODE', 'FAIRMARKETTOTAL'].concat(
    [1, 2, 3, 4].map((line) => `CHANGENOTICEADDRESS${line}`),
  );
  const whole = { ...row, ...Object.fromEntries(absent.map((name) => [name, null])) };
  const { rows, rejects } = await searched(assessments, [whole], ['PARID']);
  assert.deepEqual(rejects, []);
  assert.deepEqual(
    rows.map((parcel) => [parcel['parcel_raw'], parcel['street'], parcel['year_built'], parcel['property_class']]),
    [['0462S00049000000', '412 OLIVER DR', 1950, 'SINGLE FAMILY']],
  );
  await assert.rejects(searched(assessments, [row ?? {}], ['PARID']), /has no column PROPERTYCITY/u);
});

for (const [spec, table] of [
  [violations, '22u3-xenr_building_violations_partial'],
  [vacant, 'u7si-yh3t_vacant_building_violations'],
] as const) {
  test(`${spec.name}: the recorded row of ${table.slice(0, 9)} as published`, { skip }, async () => {
    const rows = transcribed('more/chicago_cook/rows_transcribed.json')[table] ?? [];
    // Columns that are not asked for.
    const selected = rows.map(({ latitude: _lat, longitude: _lon, ...row }) => row);
    const page = pageOf(new TextEncoder().encode(JSON.stringify(selected)), {
      kind: 'rows',
      url: 'https://data.cityofchicago.org/resource/x.json',
    });
    const read = await parsed(spec, [page]);
    assert.deepEqual(counts(read), { rowsIn: 1, rows: 1, rejects: 0, merged: 0 });
    const [row] = rows;
    assert.deepEqual(
      read.rows.map((each) => [each['record_number'], each['street'], each['filed_on'], each['record_state']]),
      [[row?.['id'], row?.['address'], textOf(row?.['violation_date']).slice(0, 10), 'open']],
    );
  });
}
