/**
 * Recorded rows and definitions of ArcGIS layers through their adapters, held against a parse of the same bytes that
 * shares nothing.
 */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import type { SourceSpec } from '../../sources/contract.ts';
import bexarForeclosures from '../../sources/auctions/tx_bexar_foreclosures/source.ts';
import bexarTaxSales from '../../sources/auctions/tx_bexar_tax_sales/source.ts';
import stLouisVacant from '../../sources/distress/mo_st_louis_vacant/source.ts';
import clevelandCondemned from '../../sources/distress/oh_cleveland_condemned/source.ts';
import clevelandViolations from '../../sources/distress/oh_cleveland_violations/source.ts';
import columbus from '../../sources/distress/oh_columbus_code/source.ts';
import stLouisParcels from '../../sources/parcels/mo_st_louis_parcels/source.ts';
import clevelandParcels from '../../sources/parcels/oh_cleveland_parcels/source.ts';
import stLouisTax from '../../sources/tax/mo_st_louis_tax/source.ts';
import { parsed, type Parsed } from './parsed.ts';
import { cellsOf, skip, type Cells } from './real_cells.ts';
import { pageOf } from './recorded.ts';
import { readFrom } from './site_double.ts';

const REAL = new URL('../../../shared/real/more/', import.meta.url);
const jsonOf = (path: string): Readonly<Record<string, unknown>> =>
  JSON.parse(readFileSync(new URL(path, REAL), 'utf8')) as Readonly<Record<string, unknown>>;

type Fields = Readonly<Record<string, unknown>>;

/** Fields that an adapter requests, from the address of its first page of features. */
async function requested(spec: SourceSpec, description: Fields): Promise<readonly string[]> {
  const { asked } = await readFrom(spec, ({ pathname, searchParams: q }) => {
    if (!pathname.endsWith('/query')) return JSON.stringify(description);
    if (q.get('returnCountOnly') === 'true') return JSON.stringify({ count: 0 });
    return JSON.stringify({ fields: description['fields'], features: [] });
  });
  const query = new URL(asked[2] ?? '').searchParams;
  return [query.get('resultRecordCount') ?? '', query.get('orderByFields') ?? '', query.get('outFields') ?? ''];
}

/** Rows as the layer would send them: null for each field that nobody recorded. */
function parsedRows(spec: SourceSpec, rows: readonly Fields[], fields: string): Promise<Parsed> {
  const names = fields.split(' ');
  const body = {
    fields: names.map((name) => ({ name })),
    features: rows.map((row) => ({ attributes: Object.fromEntries(names.map((name) => [name, row[name] ?? null])) })),
  };
  const page = { kind: 'features', url: `${spec.home}/query?where=1%3D1&f=json` };
  return parsed(spec, [pageOf(new TextEncoder().encode(JSON.stringify(body)), page)]);
}

/** Counts of a read. in = out + rejected + merged. */
function countsOf({ rowsIn, rows, rejects, merged }: Parsed): Readonly<Record<string, number>> {
  assert.equal(rowsIn, rows.length + rejects.length + merged);
  return { in: rowsIn, out: rows.length, rejected: rejects.length, merged };
}

test("Cleveland's recorded definitions have every field that the adapters request", { skip }, async () => {
  const folder = 'cleveland_arcgis/';
  const layers: readonly (readonly [SourceSpec, string, string, string])[] = [
    [clevelandParcels, 'Parcel_Analytics_PUBLIC_DRAFT_', '2000', 'OBJECTID'],
    [clevelandViolations, 'Complaint_Violation_Notices', '1000', 'ObjectId'],
    [clevelandCondemned, 'Current_Condemnations', '1000', 'ObjectId'],
  ];
  for (const [spec, name, size, oid] of layers) {
    const file = readdirSync(new URL(folder, REAL)).find((each) => each.startsWith(`${name}.`));
    assert.ok(file, name);
    const description = jsonOf(`${folder}${file}`);
    const [count, order, fields = ''] = await requested(spec, description);
    assert.deepEqual([count, order], [size, oid]);
    const published = (description['fields'] as readonly { name: string }[]).map((field) => field.name);
    assert.deepEqual(
      fields.split(',').filter((field) => !published.includes(field)),
      [],
    );
  }
});

test("Bexar's 126 recorded notices: addresses in both forms, sales on the first Tuesday", { skip }, async () => {
  const all = cellsOf('more/bexar/foreclosure_map_records_2026-04.csv');
  assert.equal(all.length, 126);
  const layers: readonly (readonly [SourceSpec, string, number, string])[] = [
    [bexarForeclosures, 'NOF', 110, 'foreclosure_sale'],
    [bexarTaxSales, 'TAX', 16, 'tax_sale'],
  ];
  for (const [spec, type, count, auctionType] of layers) {
    const published = all.filter((cells) => cells['type'] === type);
    const rows = published.map((cells) => ({
      ADDRESS: cells['address'],
      DOC_NUMBER: cells['doc_number'],
      YEAR: Number(cells['year']),
      MONTH: Number(cells['month']),
      CITY: cells['city'] || null,
      ZIP: cells['zip'],
    }));
    const result = await parsedRows(spec, rows, 'ADDRESS DOC_NUMBER YEAR MONTH CITY ZIP');
    assert.deepEqual(countsOf(result), { in: count, out: count, rejected: 0, merged: 0 });
    const wrong = result.rows.filter((row) => {
      const cells = published.find((each) => each['doc_number'] === row['case_number']);
      const expected = expectedSale(cells ?? {});
      return (['street', 'city', 'zip', 'sale_date'] as const).some((field) => row[field] !== expected[field]);
    });
    assert.deepEqual(wrong, []);
    assert.ok(result.rows.every((row) => row['auction_type'] === auctionType && row['parcel_raw'] === null));
  }
});

/** A sale by words of the line: the street is all before the city, which is all before TEXAS. */
function expectedSale(cells: Cells): Readonly<Record<string, string | undefined>> {
  const parts = (cells['address'] ?? '').split('  ');
  const isJoined = parts.length > 1;
  // The sales of the file's months, from a calendar.
  const days: Readonly<Record<string, string>> = { '2026 4': '2026-04-07', '2026 5': '2026-05-05' };
  return {
    street: parts[0],
    city: isJoined ? parts[1] : cells['city'],
    zip: isJoined ? parts[3] : cells['zip'],
    sale_date: days[`${cells['year']} ${cells['month']}`],
  };
}

const ST_LOUIS_FIELDS =
  'ParcelId SITEADDR ZIP OwnerName AsrClassCode PropertyClassCode OwnerAddr OwnerCity OwnerState OwnerZIP';

test(
  "St. Louis' recorded parcels: numbers, addresses and owners as published; the land bank known",
  { skip },
  async () => {
    const published = cellsOf('more/stlouis/stl_vacancy_sample.csv');
    assert.equal(published.length, 11);
    const rows = published.map((cells) => ({
      ParcelId: cells['ParcelId'],
      SITEADDR: `${cells['StAddrNum']}  ${cells['StNameFull']}`,
      ZIP: Number(cells['Zip']),
      OwnerName: cells['OwnerName'],
      OwnerState: cells['OwnerState'],
      OwnerZIP: cells['OwnerZip'],
      VacBldgYear: 2020,
      VacantLot: cells['Type'] === 'Empty Lot' ? 1 : 0,
      TaxBalDue: 10,
    }));
    const vacant = await parsedRows(stLouisVacant, rows, `${ST_LOUIS_FIELDS} VacBldgYear VacantLot`);
    assert.deepEqual(countsOf(vacant), { in: 11, out: 11, rejected: 0, merged: 0 });
    const roll = await parsedRows(
      stLouisParcels,
      rows,
      `${ST_LOUIS_FIELDS} AsdTotal ResSaleDate ResSalePrice FirstYearBuilt NbrOfUnits`,
    );
    assert.deepEqual(countsOf(roll), { in: 11, out: 11, rejected: 0, merged: 0 });
    for (const { rows: read } of [vacant, roll]) {
      const wrong = read.filter((row) => {
        const cells = published.find((each) => each['ParcelId'] === row['parcel_raw']);
        const street = `${cells?.['StAddrNum']} ${cells?.['StNameFull']}`;
        return !(
          row['street'] === street &&
          row['zip'] === cells?.['Zip'] &&
          row['owner_name'] === cells?.['OwnerName'] &&
          row['mail_state'] === cells?.['OwnerState'] &&
          row['mail_zip'] === cells?.['OwnerZip']
        );
      });
      assert.deepEqual(wrong, []);
    }
    assert.equal(vacant.rows.filter((row) => row['record_state'] === 'closed').length, 6);
    const owed = await parsedRows(stLouisTax, rows, `${ST_LOUIS_FIELDS} TaxBalDue AsdTotal`);
    assert.deepEqual(countsOf(owed), { in: 11, out: 10, rejected: 1, merged: 0 });
    assert.equal(owed.rejects[0]?.reason, 'out_of_scope');
  },
);

test("Columbus' recorded permit: the parcel number and the address of the case layer's fields", { skip }, async () => {
  const [permit] = jsonOf('columbus/rows_transcribed.json')['building_permit_partial'] as readonly Fields[];
  assert.ok(permit);
  const fields =
    'B1_ALT_ID B1_PARCEL_NBR SITE_ADDRESS B1_SITUS_ZIP B1_PER_TYPE B1_FILE_DD B1_APPL_STATUS INSP_LAST_DATE';
  const result = await parsedRows(columbus, [permit], fields);
  assert.deepEqual(countsOf(result), { in: 1, out: 1, rejected: 0, merged: 0 });
  const [row] = result.rows;
  assert.deepEqual(
    [row?.['record_number'], row?.['parcel_raw'], row?.['street'], row?.['zip']],
    [permit['B1_ALT_ID'], permit['B1_PARCEL_NBR'], permit['SITE_ADDRESS'], permit['B1_SITUS_ZIP']],
  );
});
