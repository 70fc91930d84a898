/** Every layout of a listing file: its rows, its rejects, or the message that says what to do. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { DAY_MS } from '../../lib/time.ts';
import { type Page, Quarantine } from '../../sources/contract.ts';
import { COLUMNS_FILE } from '../../sources/csv/column_map.ts';
import { MIX_COLUMNS } from '../../sources/families/unit_mix.ts';
import spec from '../../sources/listings/operator_files/source.ts';
import { HARD_LISTS, listFrom1904 } from './hard_lists.ts';
import { LAYOUTS, type Layout } from './listing_layouts.ts';
import { PORTAL_LAYOUTS } from './portal_layouts.ts';
import { parsed } from './parsed.ts';
import { pageOf } from './recorded.ts';

const REAL = new URL('../../../shared/real/live/listings/', import.meta.url);
const skip = existsSync(REAL) ? false : 'the folder of recorded exports is not here';

/** A dropped file. A PDF matches no format, so its bytes are parsed as if it were named like a workbook. */
function pageOfFile({ file, body, columns }: Pick<Layout, 'file' | 'body' | 'columns'>): Page {
  const format = spec.drop?.find(({ pattern }) => pattern.test(file.replace('.pdf', '.xlsx')));
  assert.ok(format, `no format for ${file}`);
  return pageOf(typeof body === 'string' ? new TextEncoder().encode(body) : body, {
    kind: format.kind,
    url: `file:///drop/${spec.name}/acme/${file}`,
    context: { file, folder: 'acme', ...(columns ? { [COLUMNS_FILE]: JSON.stringify(columns) } : {}) },
  });
}

async function read(layout: Pick<Layout, 'file' | 'body' | 'columns'>): Promise<{ rows: string[]; rejects: string[] }> {
  const { rows, rejects } = await parsed(spec, [pageOfFile(layout)]);
  const fields = ['street', 'city', 'state', 'zip', 'list_price', 'units', 'availability'];
  return {
    rows: rows.map((row) => fields.map((field) => String(row[field] ?? '')).join(' | ')),
    rejects: rejects.map(({ reason }) => reason),
  };
}

for (const layout of [...LAYOUTS, ...PORTAL_LAYOUTS, ...HARD_LISTS]) {
  test(`a list: ${layout.name}`, async () => {
    const { refused } = layout;
    if (refused === undefined)
      assert.deepEqual(await read(layout), { rows: layout.rows ?? [], rejects: layout.rejects ?? [] });
    else await assert.rejects(read(layout), (error) => error instanceof Quarantine && refused.test(error.message));
  });
}

test('an optional cell that cannot be read is null and named; it does not cost the row', async () => {
  const body = [
    'Address,City,State,ZIP,Price,Units,Year Built,NOI,List Date',
    '12 Elm St,Akron,OH,44308,640000,8,c. 1924,48000,2026-10-02',
    '14 Elm St,Akron,OH,44308,640000,8,1924/1985,see OM,soon',
    '16 Elm St,Akron,OH,44308,640000,eight,24,,0001-01-01',
  ].join('\n');
  const { rows, rejects } = await parsed(spec, [pageOfFile({ file: 'list.csv', body })]);
  assert.deepEqual(rejects, []);
  const fields = ['year_built', 'noi', 'units', 'listed_on', 'unread_fields'];
  assert.deepEqual(
    rows.map((row) => fields.map((field) => row[field])),
    [
      [1924, '48000.00', 8, '2026-10-02', null],
      [1924, null, 8, null, 'noi listed_on'],
      [null, null, null, null, 'units year_built'],
    ],
  );
});

test('days of a workbook that counts from 1904 are read as such', async () => {
  const day = (Date.UTC(2026, 10, 2) - Date.UTC(1904, 0, 1)) / DAY_MS;
  const { rows } = await parsed(spec, [pageOfFile({ file: 'list.xlsx', body: listFrom1904(day) })]);
  assert.equal(rows[0]?.['listed_on'], '2026-11-02');
});

const recorded = (name: string): string => readFileSync(new URL(name, REAL), 'utf8');

test("recorded exports: Crexi's and Redfin's rows are read", { skip }, async () => {
  for (const name of ['crexi_23_columns_banner_row1.csv', 'crexi_23_columns_banner_row2.csv']) {
    const { rows, rejects } = await read({ file: name, body: recorded(name) });
    assert.deepEqual([rows.length, rejects], [1, ['not_multifamily']], name);
    assert.match(rows[0] ?? '', / \| Tampa \| FL \| 33611 \| 4500000\.00 \| 23 \| for_sale$/u);
  }
  const { rows, rejects } = await read({ file: 'redfin.csv', body: recorded('redfin_rows_2021.csv') });
  assert.deepEqual([rows.length, rejects], [1, ['not_multifamily']]);
});

/** One row with these values below recorded headings. */
function below(name: string, values: Readonly<Record<string, string>>): Pick<Layout, 'file' | 'body'> {
  const line = recorded(name).split(/\r?\n/u)[0] ?? '';
  const headings = line.startsWith('"') ? line.slice(1, -1).split('","') : line.split(',');
  for (const heading of Object.keys(values)) assert.ok(headings.includes(heading), `${name}: ${heading}`);
  const cells = headings.map((heading) => `"${values[heading] ?? ''}"`);
  return { file: name, body: `${line}\n${cells.join(',')}\n` };
}

test("recorded headings: CoStar's unit mix and Flexmls's taxes are read", { skip }, async () => {
  const costar = below('costar_multifamily_header.csv', {
    'Property Address': '12 Ashford St',
    City: 'Toledo',
    State: 'OH',
    Zip: '43604',
    'For Sale Price': '640000',
    'Number Of Units': '12',
    'Number Of Studios Units': '2',
    'Number Of 1 Bedrooms Units': '4',
    'Number Of 2 Bedrooms Units': '4',
    'Number Of 3 Bedrooms Units': '1',
    'Number Of 4 Bedrooms Units': '1',
    'One Bedroom Vacancy %': '5',
  });
  const [row] = (await parsed(spec, [pageOfFile(costar)])).rows;
  assert.deepEqual(
    MIX_COLUMNS.map((column) => row?.[column]),
    [2, 4, 4, 1, 1],
  );
  const flexmls = below('armls_flexmls_header.csv', {
    'List Number': '6100001',
    'List Price': '640000.00',
    'House Number': '12',
    'Street Name': 'Ashford',
    'City/Town Code': 'Toledo',
    'State/Province': 'OH',
    'Zip Code': '43604',
    '# Bedrooms': '4',
    Taxes: '3941',
    'Tax Year': '2025',
  });
  const [other] = (await parsed(spec, [pageOfFile(flexmls)])).rows;
  assert.deepEqual([other?.['annual_taxes'], other?.['units_4br']], ['3941.00', null]);
});

test('recorded headings: a row below them is read, or the message says what is missing', { skip }, async () => {
  const place = { City: 'Toledo', State: 'OH', Zip: '43604' };
  const crexi = { ...place, Address: '12 Ashford St', 'Asking Price': '640000', Type: 'Multifamily', Units: '12' };
  const costar = { ...place, 'Property Address': '12 Ashford St', 'For Sale Price': '640000', 'Number Of Units': '12' };
  const flexmls = {
    'List Number': '6100001',
    'Dwelling Type': 'Multiple Dwellings',
    Status: 'A',
    'List Price': '640000.00',
    'House Number': '12',
    Compass: 'N',
    'Street Name': 'Ashford',
    'St Suffix': 'ST',
    'City/Town Code': 'Toledo',
    'State/Province': 'OH',
    'Zip Code': '43604',
  };
  for (const [name, values, row] of [
    ['crexi_24_columns_header.csv', crexi, '12 Ashford St | Toledo | OH | 43604 | 640000.00 | 12 | unknown'],
    ['costar_multifamily_header.csv', costar, '12 Ashford St | Toledo | OH | 43604 | 640000.00 | 12 | for_sale'],
    ['armls_flexmls_header.csv', flexmls, '12 N Ashford ST | Toledo | OH | 43604 | 640000.00 |  | for_sale'],
  ] as const)
    assert.deepEqual(await read(below(name, values)), { rows: [row], rejects: [] }, name);

  const matrix = below('stellar_matrix_header.csv', { Address: '12 ASHFORD ST', 'Current Price': '640000' });
  await assert.rejects(read(matrix), /no heading for ZIP, state, city/u);
  const metrics = below('sfar_brokermetrics_headings.csv', {
    'Street Number Name Direction': '12 Ashford St',
    City: 'Toledo',
    'ZIP Code': '43604',
    'Listing Price': '640000',
  });
  await assert.rejects(read(metrics), /no heading for state/u);
  assert.deepEqual((await read({ ...metrics, columns: { '=OH': 'state' } })).rows, [
    '12 Ashford St | Toledo | OH | 43604 | 640000.00 |  | unknown',
  ]);
});
