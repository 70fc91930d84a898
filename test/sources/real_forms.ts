/** Recorded rows and files in the form in which their site sends them, or as an operator drops them. */
import { existsSync, readFileSync } from 'node:fs';
import assert from 'node:assert/strict';
import { parse } from 'csv-parse/sync';
import type { Page, SourceSpec } from '../../sources/contract.ts';
import { readStatuses } from '../../sources/readers/realauction/pages.ts';
import { resoWebApi } from '../../sources/readers/reso/adapter.ts';
import { mlsGrid, plainWord, queryUrl } from '../../sources/readers/reso/server.ts';
import { sourceNamed } from './parsed.ts';
import { pageOf, zipOf } from './recorded.ts';

const REAL = new URL('../../../shared/real/', import.meta.url);

/** Why tests of recorded files are skipped, or false. */
export const skip = existsSync(REAL) ? false : 'the folder of real files is not here';

export const bytesOf = (path: string): Uint8Array => new Uint8Array(readFileSync(new URL(path, REAL)));
export const textOf = (path: string): string => new TextDecoder().decode(bytesOf(path));
export const jsonOf = (path: string): unknown => JSON.parse(textOf(path)) as unknown;

/** Rows by heading. */
export type Cells = Readonly<Record<string, string>>;

/** Rows of a CSV file by heading. */
export const cellsOf = (path: string): Cells[] =>
  parse<Cells>(textOf(path), { columns: true, bom: true, record_delimiter: ['\r\n', '\n'], relax_column_count: true });

type Row = Readonly<Record<string, unknown>>;
export type Reading = readonly [spec: SourceSpec, pages: readonly Page[]];

export const page = (
  body: Uint8Array | string,
  kind: string,
  url: string,
  context: Readonly<Record<string, string>> = {},
): Page => pageOf(Buffer.from(body), { kind, url, context });

/** Files as if the operator had dropped them under these names. */
export function dropped(source: string, files: Readonly<Record<string, Uint8Array | string>>): Reading {
  const spec = sourceNamed(source);
  const pages = Object.entries(files).map(([file, bytes]) => {
    const format = spec.drop?.find(({ pattern }) => pattern.test(file.toLowerCase()));
    assert.ok(format, `${source} knows no file named ${file}`);
    return page(bytes, format.kind, `file:///drop/${source}/${encodeURIComponent(file)}`, { file });
  });
  return [spec, pages];
}

/** Rows as an ArcGIS layer would send them: null for each field that nobody recorded. */
export function layer(source: string, rows: readonly Row[], fields: string): Reading {
  const names = fields.split(' ');
  const attributes = rows.map((row) => Object.fromEntries(names.map((name) => [name, row[name] ?? null])));
  const body = { fields: names.map((name) => ({ name })), features: attributes.map((each) => ({ attributes: each })) };
  const spec = sourceNamed(source);
  return [spec, [page(JSON.stringify(body), 'features', `${spec.home}/query?where=1%3D1&f=json`)]];
}

/** Rows as one page of a CKAN search, in the order of some columns. A blank cell is null. */
export function searched(source: string, rows: readonly Row[], ...order: readonly string[]): Reading {
  const names = [...new Set(rows.flatMap(Object.keys))];
  const keyOf = (row: Row): string => JSON.stringify(order.map((name) => row[name] ?? ''));
  const records = rows
    .map((row) => Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, cell === '' ? null : cell])))
    .toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : keyOf(a) > keyOf(b) ? 1 : 0))
    .map((row, at) => ({ _id: at + 1, ...row }));
  const result = { fields: names.map((id) => ({ id })), records, total: records.length };
  const url = 'https://data.wprdc.org/api/3/action/datastore_search';
  return [sourceNamed(source), [page(JSON.stringify({ success: true, result }), 'rows', url, { offset: '0' })]];
}

const HAMILTON = 'live/hamilton/geomarker_apt_complex_parcel_ids.csv';
export const hamilton = (): Row[] =>
  cellsOf(HAMILTON)
    .map((row) => Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, cell === 'NA' ? null : cell])))
    .map((row) => ({
      AUDPTYID: row['parcel_id'],
      AUDPCLID: row['parcel_id']?.slice(0, 11),
      ADDRNO: row['parcel_addr_number'],
      ADDRST: row['parcel_addr_street'],
      ADDRSF: row['parcel_addr_suffix'],
      MKT_TOTAL_VAL: row['market_total_value'],
    }));
const HAMILTON_LIST =
  'parcel_number,owner_name_1,owner_name_2,owner_address_1,owner_address_2,property_class,unpaid_amount,tax_district';

export function hamiltonList(): Reading {
  const lines = hamilton().map(({ AUDPTYID: id }) => `${String(id)},,,,,,1.00,\n`);
  return dropped('oh_hamilton_tax', { 'list.csv': `${HAMILTON_LIST}\n${lines.join('')}` });
}

export function taxRoll(): Reading {
  const roll = zipOf({ 'TAXROLL_20260731.csv': bytesOf('live/montgomery/HEADER_taxroll_82.txt') });
  return dropped('oh_montgomery_parcels', { 'taxroll_20260731.zip': roll });
}

interface OhioLayers {
  readonly 'recorded_2026-10-03': { readonly cuyahoga: Row[]; readonly franklin: Row[] };
  readonly cuyahoga_tax_layer: { readonly rows: Row[] };
  readonly cuyahoga_other_addresses_seen: string[];
}
const ohioLayers = (): OhioLayers => jsonOf('live/county_rows/ohio_layers_rows.json') as OhioLayers;

export function cuyahoga(): Row[] {
  const {
    'recorded_2026-10-03': recorded,
    cuyahoga_tax_layer: tax,
    cuyahoga_other_addresses_seen: seen,
  } = ohioLayers();
  const [first = {}] = recorded.cuyahoga;
  const others = seen.map((text, at) => ({ parcel_id: `9990000${at}`, par_addr_all: text }));
  // The first row came back four times.
  const owing = [...recorded.cuyahoga, first, first, first, ...others];
  return [...owing.map((row) => ({ ...row, total_net_delq_balance: 1 })), ...tax.rows];
}

export function franklin(): Reading {
  const rows = ohioLayers()['recorded_2026-10-03'].franklin;
  const lines = rows.map((row) => `${String(row['PARCELID'])},1.00,${String(row['SITEADDRESS'])}\n`);
  return dropped('oh_franklin_tax', { 'list.csv': `Parcel Id,TotTotal,SiteAddress\n${lines.join('')}` });
}

/** Dayton's parcels on its map, in the form of the city's list. */
export function reaps(file: string): Reading {
  const ids = [...textOf(`live/daytonreap/${file}.js`).matchAll(/"parcelid": "([^"]*)"/gu)].map(([, id = '']) => id);
  const lines = ['KeyParcelId,Additional Parcel Indexes,Parcel Address', ...ids.map((id) => `${id},,1 EXAMPLE ST`), ''];
  return dropped('oh_montgomery_tax', { 'reap.csv': lines.join('\n') });
}

/** Florida's accounts in the columns of LienHub: the file has one value of each; how they are printed is ours. */
export function certificates(): Reading {
  const lines = cellsOf('more/florida_lienhub/tax_certificate_list_sample.csv').map((item, at) => {
    const amount = Number(item['tax_amount_owed']).toFixed(2);
    const grouped = at % 2 === 0 ? amount : `"${amount.replace(/\B(?=(\d{3})+\.)/gu, ',')}"`;
    return [item['parcel_norm'], grouped, item['tax_homestead'] === 'True' ? '1' : ''].join(',');
  });
  return dropped('fl_duval_certificates', { 'list.csv': ['Account No.,Face Amount,Homestead', ...lines].join('\r\n') });
}

/** Bexar's notices of a type, as its layers send them. */
export const bexar = (type: string): Row[] =>
  cellsOf('more/bexar/foreclosure_map_records_2026-04.csv')
    .filter((cells) => cells['type'] === type)
    .map((cells) => ({
      ADDRESS: cells['address'],
      DOC_NUMBER: cells['doc_number'],
      YEAR: Number(cells['year']),
      MONTH: Number(cells['month']),
      CITY: cells['city'] || null,
      ZIP: cells['zip'],
    }));

export const ST_LOUIS_FIELDS =
  'ParcelId SITEADDR ZIP OwnerName AsrClassCode PropertyClassCode OwnerAddr OwnerCity OwnerState OwnerZIP';
export const stLouis = (): Row[] =>
  cellsOf('more/stlouis/stl_vacancy_sample.csv').map((cells) => ({
    ...cells,
    SITEADDR: `${cells['StAddrNum']}  ${cells['StNameFull']}`,
    ZIP: Number(cells['Zip']),
    OwnerZIP: cells['OwnerZip'],
    VacBldgYear: 2020,
    VacantLot: cells['Type'] === 'Empty Lot' ? 1 : 0,
    TaxBalDue: 10,
  }));

/** Events of Pittsburgh's cases: the file has a line for each value of one, and the status is the case's. */
export function pittsburghEvents(): Row[] {
  const cells = cellsOf('more/allegheny/violations_long_transcribed.csv');
  const columns = ['status', 'case_file_type', 'violation_code_section', 'investigation_outcome', 'court_date'];
  const statusOf = (id: unknown): string | undefined =>
    cells.find((row) => row['record_id'] === id && row['field'] === 'status')?.['text'];
  return cells
    .filter((row) => columns.includes(row['field'] ?? ''))
    .map((row) => ({
      casefile_number: row['record_id'],
      parcel_id: row['pin'],
      investigation_date: row['record_date'],
      ...Object.fromEntries(columns.map((column) => [column, row['field'] === column ? row['text'] : null])),
      status: statusOf(row['record_id']) ?? null,
    }));
}

export const transcribed = (path: string, table: string): Row[] => (jsonOf(path) as Record<string, Row[]>)[table] ?? [];

/** Part of an assessment's row; the columns that were not transcribed are blank. */
export function assessment(): Row {
  const absent =
    'PROPERTYCITY PROPERTYZIP SALEDATE SALEPRICE SALECODE FAIRMARKETTOTAL CHANGENOTICEADDRESS1 ' +
    'CHANGENOTICEADDRESS2 CHANGENOTICEADDRESS3 CHANGENOTICEADDRESS4';
  const path = 'more/allegheny/deed_and_assessment_rows_2026_transcribed.json';
  const blank = Object.fromEntries(absent.split(' ').map((name) => [name, null]));
  return { ...transcribed(path, 'assessments_65855e14_subset_of_82_columns')[0], ...blank };
}

/** A Socrata table of Chicago, without the columns that are not asked for. */
export function chicago(source: string, table: string): Reading {
  const all = transcribed('more/chicago_cook/rows_transcribed.json', table);
  const rows = all.map(({ latitude: _lat, longitude: _lon, ...row }) => row);
  return [sourceNamed(source), [page(JSON.stringify(rows), 'rows', 'https://data.cityofchicago.org/resource/x.json')]];
}

/** The census's counties, of which two figures were recorded, in the form of its response. */
export function censusCounties(): string {
  const rents = ['B25064_001E', 'B25058_001E', ...[2, 3, 4, 5, 6].map((n) => `B25031_00${n}E`)];
  const rows = cellsOf('underwriting/acs/acs5_2024_counties_sample.csv').map((cells) => [
    cells['county'],
    cells['B25064_median_gross_rent'],
    ...Array.from({ length: 6 }, () => '-666666666'),
    cells['B25103_median_real_estate_taxes'],
    cells['B25077_median_home_value'],
    cells['fips']?.slice(0, 2),
    cells['fips']?.slice(2),
  ]);
  return JSON.stringify([['NAME', ...rents, 'B25103_001E', 'B25077_001E', 'state', 'county'], ...rows]);
}

// Items of RealAuction in Florida and Pennsylvania: the folder has them decoded, so the marks and boxes are ours.

const LABELS =
  'Auction Type,Case #,Certificate #,Final Judgment Amount,Opening Bid,Parcel ID,Alternate Key,Property Address,' +
  'Assessed Value,Property App. Market Value,Plaintiff Max Bid,Plaintiff Max\nBid';
/** Labels by the keys of the JSON items, whose author made them of the labels. */
const KEYS = new Map(
  LABELS.split(',').map((label) => [label.toLowerCase().replaceAll(/[ #]/gu, '_').replace('__', '_'), label]),
);

/**
 * City lines are printed in two forms. A third has no comma, as its author's ZIP shows, who cut three characters off
 * the line. An item with `street_address` has its ZIP in the address instead.
 */
function cityLine({ city, zip = '' }: Cells, at: number): string | undefined {
  if (city === undefined) return undefined;
  const digits = zip.slice(-5);
  if (zip !== digits) return `${city}${zip.includes(' FL ') ? ' FL' : ''} ${digits}`;
  return `${city}, ${at % 2 === 0 ? 'FL- ' : ''}${zip}`;
}

/** Every third item has plain table cells, the others marked ones. */
function card(item: Cells, at: number): string {
  const [label, value] = at % 3 === 0 ? ['<th>', '<td>'] : ['<td class="AD_LBL">', '<td class="AD_DTA">'];
  const row = (name: string, text: string): string =>
    `<tr>${label}${name}</${label.slice(1, 3)}>${value}${text}</td></tr>`;
  const rows = [...KEYS].flatMap(([key, name]) => {
    const text = item[key];
    const line = key === 'property_address' ? cityLine(item, at) : undefined;
    return text === undefined ? [] : [row(`${name}:`, text), ...(line === undefined ? [] : [row('', line)])];
  });
  return (
    `<div class="AUCTION_ITEM PREVIEW" aid="${at + 1}"><div class="AUCTION_DETAILS"><table class="ad_tab"><tbody>` +
    `${rows.join('')}</tbody></table></div></div>`
  );
}

/** The response to LOAD with these items on a day. */
export function items(html: string, saleDate: string): Page {
  const aids = [...html.matchAll(/aid="(\d+)"/gu)].map(([, aid = '']) => aid);
  const [year, month, day] = saleDate.split('-');
  const slot = { label: 'Auction Starts', text: `${month}/${day}/${year} 11:00 AM ET`, amount: null };
  const slots = JSON.stringify(Object.fromEntries(aids.map((aid) => [aid, slot])));
  const body = JSON.stringify({ retHTML: html, rlist: aids.join(',') });
  return page(body, 'items', 'https://duval.realforeclose.com/index.cfm', { saleDate, area: 'W', slots });
}

export function florida(file: string): Reading {
  const all = jsonOf(`more/realauction/${file}`) as Cells[];
  const byDay = Map.groupBy(
    all.filter((item) => item['case_'] !== undefined).map((item, at) => ({ item, at })),
    ({ item }) => (item['auction_date'] ?? '').replace(/^(\d\d)\/(\d\d)\/(\d{4}).*$/u, '$3-$1-$2'),
  );
  const pages = [...byDay].map(([day, ofDay]) => items(ofDay.map(({ item, at }) => card(item, at)).join(''), day));
  return [sourceNamed('fl_duval_foreclosure'), pages];
}

export function butler(): Reading {
  const rows = textOf('more/realauction/butler_pa_items_trimmed.html');
  const html = rows.includes('AUCTION_ITEM')
    ? rows
    : `<div class="AUCTION_ITEM" aid="1"><div class="AUCTION_DETAILS"><table>${rows}</table></div></div>`;
  return [sourceNamed('pa_butler_sheriff'), [items(html, '2026-09-18')]];
}

export const live = (path: string, kind = 'items', context = {}): Page =>
  page(bytesOf(`live/${path}`), kind, 'https://cuyahoga.sheriffsaleauction.ohio.gov/index.cfm', context);

export function ohioItems(): Reading {
  const { slots } = readStatuses(live('realauction_oh/update_page_1.json'));
  const context = { saleDate: '2026-07-29', area: 'W', slots: JSON.stringify(slots) };
  return [sourceNamed('oh_cuyahoga_sheriff'), [live('realauction_oh/listing_waiting_page_1.json', 'items', context)]];
}

// Rows of RESO feeds

const GRID = mlsGrid('test');
const FEED = resoWebApi({
  name: 'an_mls',
  title: 'An MLS',
  home: 'https://www.mls.example/',
  terms: { basis: 'permission', note: 'Recorded rows.' },
  everyDays: 1,
  expect: { minRows: 1, maxRejectShare: 0.1, maxDropShare: 0.4 },
  server: GRID,
});

/** A recorded row. One of them was stored in lower case: its fields get the dictionary's names back. */
export function mlsRow(file: string, changed: Row = {}): Reading {
  const fields = cellsOf('live/reso/fields_2.1_property_subset.csv').map(({ StandardName = '' }) => StandardName);
  const names = new Map([...fields, 'MlgCanView'].map((name) => [plainWord(name), name]));
  const row = Object.entries(jsonOf(`live/reso/${file}`) as Row);
  const value = [
    { ...Object.fromEntries(row.map(([name, cell]) => [names.get(plainWord(name)) ?? name, cell])), ...changed },
  ];
  return [FEED, [page(JSON.stringify({ value }), 'property', queryUrl(GRID, null))]];
}

/** One row with these values below recorded headings of a portal's export. */
export function below(name: string, values: Cells): Reading {
  const line = textOf(`live/listings/${name}`).split(/\r?\n/u)[0] ?? '';
  const headings = line.startsWith('"') ? line.slice(1, -1).split('","') : line.split(',');
  for (const heading of Object.keys(values)) assert.ok(headings.includes(heading), `${name}: ${heading}`);
  return dropped('operator_files', {
    [name]: `${line}\n${headings.map((each) => `"${values[each] ?? ''}"`).join(',')}\n`,
  });
}
export const PLACE = { City: 'Toledo', State: 'OH', Zip: '43604' };
