/** Recorded rows of the counties through their adapters, held against a parse of the same bytes that shares nothing. */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import type { SourceSpec } from '../../sources/contract.ts';
import hamiltonParcels from '../../sources/parcels/oh_hamilton_parcels/source.ts';
import montgomeryRoll from '../../sources/parcels/oh_montgomery_parcels/source.ts';
import cuyahoga from '../../sources/tax/oh_cuyahoga_tax/source.ts';
import franklin from '../../sources/tax/oh_franklin_tax/source.ts';
import hamilton from '../../sources/tax/oh_hamilton_tax/source.ts';
import montgomery from '../../sources/tax/oh_montgomery_tax/source.ts';
import { parsed, type Parsed } from './parsed.ts';
import { pageOf, zipOf } from './recorded.ts';

const REAL = new URL('../../../shared/real/', import.meta.url);
const skip = existsSync(REAL) ? false : 'the folder of real files is not here';

type Fields = Readonly<Record<string, unknown>>;
const read = (path: string): string => readFileSync(new URL(path, REAL), 'utf8');

const parsedText = (spec: SourceSpec, kind: string, text: string): Promise<Parsed> =>
  parsed(spec, [
    pageOf(new TextEncoder().encode(text), { kind, url: `https://county.example/${kind}`, context: { file: kind } }),
  ]);

/** Attributes as the layer would send them: the recorded fields, and null for those that nobody recorded. */
function featuresPage(rows: readonly Fields[], fields: readonly string[]): string {
  const attributes = rows.map((row) => Object.fromEntries(fields.map((name) => [name, row[name] ?? null])));
  return JSON.stringify({
    fields: fields.map((name) => ({ name, type: 'esriFieldTypeString' })),
    features: attributes.map((a) => ({ attributes: a })),
  });
}

/** Counts of a read. in = out + rejected + merged. */
function countsOf({ rowsIn, rows, rejects, merged }: Parsed): readonly number[] {
  assert.equal(rowsIn, rows.length + rejects.length + merged);
  return [rowsIn, rows.length, rejects.length, merged];
}

test(
  "Cuyahoga's recorded rows: addresses split, four identical rows merged, the empty shape refused",
  { skip },
  async () => {
    const file = JSON.parse(read('live/county_rows/ohio_layers_rows.json')) as {
      'recorded_2026-10-03': { cuyahoga: Fields[] };
      cuyahoga_tax_layer: { rows: Fields[] };
      cuyahoga_other_addresses_seen: string[];
    };
    const layer = file['recorded_2026-10-03'].cuyahoga;
    const owing = { total_net_delq_balance: 1 };
    const others = file.cuyahoga_other_addresses_seen.map((text, at) => ({
      parcel_id: `9990000${at}`,
      par_addr_all: text,
      ...owing,
    }));
    // The first row came back four times.
    const rows: Fields[] = [...layer, ...Array.from({ length: 3 }, () => layer[0] ?? {}), ...others].map((row) => ({
      ...row,
      ...owing,
    }));
    const fields =
      'parcel_id parcel_unit parcel_owner par_addr_all parcel_city parcel_zip mail_addr_street mail_unit_no ' +
      'mail_city mail_state mail_zip total_net_delq_balance tax_market_total';
    const all = [...rows, ...file.cuyahoga_tax_layer.rows];
    const result = await parsedText(cuyahoga, 'features', featuresPage(all, fields.split(' ')));
    assert.deepEqual(countsOf(result), [10, 6, 1, 3]);
    assert.equal(result.rejects[0]?.reason, 'blank_parcel_raw');
    const wrong = result.rows.filter((row) => {
      const published = all.find((a) => a['parcel_id'] === row['parcel_raw'])?.['par_addr_all'];
      const [street = '', city, , zip] = String(published).split(', ');
      return !(row['street'] === street.replace(' NO SUFFIX', '') && row['city'] === city && row['zip'] === zip);
    });
    assert.deepEqual(wrong, []);
    assert.ok(
      result.rows.some((row) => row['parcel_raw'] === '48704813C' && row['mail_street'] === '14967 ROYAL RIDGE LN 22'),
    );
  },
);

test("Hamilton's 88 recorded parcels: numbers as in the Auditor's list, streets as published", { skip }, async () => {
  const [header = '', ...lines] = read('live/hamilton/geomarker_apt_complex_parcel_ids.csv').trim().split(/\r?\n/u);
  const names = header.split(',');
  const published = lines.map((text) => new Map(text.split(',').map((cell, at) => [names[at], cell])));
  const cell = (row: ReadonlyMap<string | undefined, string>, name: string): string | null =>
    ['NA', undefined].includes(row.get(name)) ? null : (row.get(name) ?? null);
  const rows = published.map((row) => ({
    AUDPTYID: cell(row, 'parcel_id'),
    AUDPCLID: cell(row, 'parcel_id')?.slice(0, 11),
    ADDRNO: cell(row, 'parcel_addr_number'),
    ADDRST: cell(row, 'parcel_addr_street'),
    ADDRSF: cell(row, 'parcel_addr_suffix'),
    MKT_TOTAL_VAL: cell(row, 'market_total_value'),
  }));
  const fields = 'AUDPTYID AUDPCLID DELQ_TAXES ADDRNO ADDRST ADDRSF MKT_TOTAL_VAL CLASS PAR_DELETED';
  const result = await parsedText(hamiltonParcels, 'features', featuresPage(rows, fields.split(' ')));
  assert.deepEqual(countsOf(result), [88, 88, 0, 0]);
  const streets = new Map(published.map((row) => [row.get('parcel_id'), row.get('parcel_address')]));
  const wrong = result.rows.filter(
    (row) =>
      row['street'] !== streets.get(String(row['parcel_raw']))?.replace(/ TE$/u, ' TER') || row['is_lot'] !== false,
  );
  assert.deepEqual(wrong, []);
  const columns =
    'parcel_number,owner_name_1,owner_name_2,owner_address_1,owner_address_2,property_class,unpaid_amount,tax_district';
  const listed = await parsedText(
    hamilton,
    'csv',
    `${columns}\n${rows.map(({ AUDPTYID }) => `${AUDPTYID},,,,,,1.00,`).join('\n')}\n`,
  );
  assert.deepEqual(
    listed.rows.map((row) => row['parcel_raw']).sort(),
    result.rows.map((row) => row['parcel_raw']).sort(),
    'every number of the layer is one of the list',
  );
});

test("Montgomery's numbers of Dayton's map: all forms accepted, none changed", { skip }, async () => {
  for (const [file, count, form] of [
    ['reaps_excerpt', 60, /^R72 \d{5}[ A-Z]\d{4}$|^R72\d{6} \d{4}$/u],
    ['reaps_letter_85', 85, /^R72 \d{5}[A-Z]\d{4}$/u],
    ['reaps_six_digit_book_61', 61, /^R72\d{6} \d{4}$/u],
  ] as const) {
    const text = read(`live/daytonreap/${file}.js`);
    const ids = [...text.matchAll(/"parcelid": "([^"]*)"/gu)].map((match) => match[1] ?? '');
    assert.equal(ids.length, count, file);
    assert.ok(ids.every((id) => id.length === 14 && form.test(id)));
    const list = [
      'KeyParcelId,Additional Parcel Indexes,Parcel Address',
      ...ids.map((id) => `${id},,1 EXAMPLE ST`),
      '',
    ];
    const result = await parsedText(montgomery, 'reap', list.join('\n'));
    assert.deepEqual(countsOf(result), [count, new Set(ids).size, 0, count - new Set(ids).size], file);
    assert.deepEqual(new Set(result.rows.map((row) => row['parcel_raw'])), new Set(ids), file);
  }
});

test(
  "Franklin's recorded parcels: numbers without a card, and the unit without a word before it",
  { skip },
  async () => {
    const file = JSON.parse(read('live/county_rows/ohio_layers_rows.json')) as {
      'recorded_2026-10-03': { franklin: { PARCELID: string; SITEADDRESS: string }[] };
    };
    const rows = file['recorded_2026-10-03'].franklin;
    const list = ['Parcel Id,TotTotal,SiteAddress', ...rows.map((r) => `${r.PARCELID},1.00,${r.SITEADDRESS}`), ''];
    const result = await parsedText(franklin, 'csv', list.join('\n'));
    assert.deepEqual(countsOf(result), [5, 5, 0, 0]);
    assert.deepEqual(
      result.rows.map((row) => [row['parcel_raw'], row['street']]),
      rows.map((row) => [row.PARCELID, row.SITEADDRESS]),
    );
  },
);

test("Dayton's REAP list gives every one of its 609 parcels: numbers and streets, nothing else", { skip }, async () => {
  const result = await parsedText(montgomery, 'reap', read('tax/montgomery_dayton_reap_parcels.csv'));
  const { rows } = result;
  assert.deepEqual(countsOf(result), [609, 609, 0, 0]);
  assert.ok(rows.every((row) => row['street'] !== null && row['amount'] === null && row['owner_name'] === null));
  // Most read R72 12345 6789; six have a longer middle part, a letter in place of the space, or no space.
  assert.equal(rows.filter((row) => !/^R72 \d{5} \d{4}$/u.test(String(row['parcel_raw']))).length, 6);
});

test("the Treasurer's columns are those the adapter knows", { skip }, async () => {
  const header = read('tax/HEADER_montgomery_delq.txt').trim();
  assert.deepEqual(countsOf(await parsedText(montgomery, 'csv', `${header}\r\n`)), [0, 0, 0, 0]);
});

test("the tax roll's columns are those the adapter knows", { skip }, async () => {
  const header = readFileSync(new URL('live/montgomery/HEADER_taxroll_82.txt', REAL));
  const page = pageOf(zipOf({ 'TAXROLL_20260731.csv': new Uint8Array(header) }), {
    kind: 'zip',
    url: 'file:///drop/oh_montgomery_parcels/taxroll_20260731.zip',
  });
  assert.deepEqual(countsOf(await parsed(montgomeryRoll, [page])), [0, 0, 0, 0]);
});
