/** A misprinted figure costs its row: one reject names it, the rest of the page is published, and the run goes on. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fields, RecordDefinition } from '../../../lib/record.ts';
import { loadRowRecords } from '../../../sources/index.ts';
import { AreaCensus } from '../../../sources/rows/area_census.ts';
import { DistressRecord } from '../../../sources/rows/distress_record.ts';
import { FmrArea } from '../../../sources/rows/fmr_area.ts';
import { FmrZip } from '../../../sources/rows/fmr_zip.ts';
import { Listing } from '../../../sources/rows/listing.ts';
import { LoanStatement } from '../../../sources/rows/loan_statement.ts';
import { Parcel } from '../../../sources/rows/parcel.ts';
import { SheriffSale } from '../../../sources/rows/sheriff_sale.ts';
import { TaxParcel } from '../../../sources/rows/tax_parcel.ts';
import { makeWorld } from '../../../sandbox/world/world.ts';
import { newLayout, published, runDay, TINY } from '../runs.ts';

const messages = (record: RecordDefinition, field: string, value: unknown): readonly string[] =>
  (record.schema.shape as Fields)[field]?.safeParse(value).error?.issues.map(({ message }) => message) ??
  (field in record.schema.shape ? [] : [`no field ${field}`]);

const RANGES: readonly [RecordDefinition, string, accepted: readonly unknown[], refused: readonly unknown[]][] = [
  [Listing, 'list_price', ['2000.00', '999999999.99', null], ['1999.99', '0.00', '-5.00', '1000000000.00']],
  [Listing, 'noi', ['-999999999.99', '0.00', '999999999.99'], ['-1000000000.00', '1000000000.00']],
  [Listing, 'annual_taxes', ['999999999.99'], ['1000000000.00']],
  [Listing, 'cap_rate', ['-100.00', '100.00'], ['-100.01', '100.01']],
  [Listing, 'units', [1, 9_998], [0, -2, 9_999]],
  [Listing, 'units_2br', [0, 99_999], [-1, 100_000]],
  [Listing, 'year_built', [1_600, 2_199], [0, 1_599, 2_200]],
  [TaxParcel, 'amount', ['-999999999.99', '999999999.99'], ['1000000000.00']],
  [TaxParcel, 'county_value', ['0.01', '9999999999.99'], ['10000000000.00']],
  [TaxParcel, 'years_delinquent', [0, 199], [-1, 200]],
  [DistressRecord, 'amount', ['-0.01', '999999999.99'], ['1000000000.00']],
  [SheriffSale, 'appraised_value', ['1.00', '9999999999.99'], ['0.99', '10000000000.00']],
  [SheriffSale, 'opening_bid', ['0.00', '9999999999.99'], ['-0.01', '10000000000.00']],
  [SheriffSale, 'judgment_amount', ['0.01'], ['0.00', '10000000000.00']],
  [SheriffSale, 'sale_round', [1, 2, null], [0, 3]],
  [Parcel, 'annual_taxes', ['999999999.99'], ['1000000000.00']],
  [Parcel, 'latitude', ['17.00000', '72.00000'], ['16.99999', '999.00000']],
  [Parcel, 'longitude', ['-180.00000', '-60.00000'], ['-59.99999', '-180.00001']],
  [Parcel, 'units', [2_147_483_647], [2_147_483_648, -2_147_483_649]],
  [FmrArea, 'fmr_2', ['50.00', '19999.99'], ['49.99', '20000.00']],
  [FmrZip, 'rent_2', ['50.00', '19999.99'], ['49.99', '20000.00']],
  [LoanStatement, 'valuation', ['9999999999.99'], ['10000000000.00']],
];

test('a figure outside of its range is refused, and the message states the range', () => {
  for (const [record, field, accepted, refused] of RANGES) {
    for (const value of accepted) assert.deepEqual(messages(record, field, value), [], `${field} ${String(value)}`);
    for (const value of refused) {
      const found = messages(record, field, value);
      assert.equal(found.length, 1, `${record.name}.${field} ${String(value)}: ${found.join(', ')}`);
      assert.match(found[0] ?? '', /^expected -?[\d.]+ to -?[\d.]+$/u);
    }
  }
  assert.deepEqual(messages(Listing, 'list_price', 'call'), ['expected a decimal string with two decimals']);
});

test('every amount of a staged row has a range', async () => {
  for (const record of await loadRowRecords()) {
    // The adapter refuses medians outside of the bounds of their table
    if (record.name === AreaCensus.name) continue;
    for (const { name, kind } of record.columns)
      if (kind === 'money') assert.match(messages(record, name, '99999999999.99').join(), /^expected/u, name);
  }
});

test('one misprinted amount on a page is one reject with its row, and every other row is published', async () => {
  const layout = await newLayout();
  let isAltered = false;
  const run = await runDay({
    layout,
    world: makeWorld(TINY),
    day: '2026-11-20',
    only: ({ name }) => name === 'oh_stark_tax',
    tables: ['signals', 'rejects'],
    alter: (q, r) => {
      if (q.host !== 'utility.arcgis.com' || isAltered) return undefined;
      const body = new TextDecoder().decode(r.body);
      if (!/"FINAL_BALANCE":"?[\d.]+/u.test(body)) return undefined;
      isAltered = true;
      return { ...r, body: Buffer.from(body.replace(/("FINAL_BALANCE":"?)[\d.]+/u, '$188888888888')) };
    },
  });
  const read = run.sources.find(({ spec }) => spec.name === 'oh_stark_tax')?.row;
  assert.ok(run.manifest, 'the run publishes');
  assert.deepEqual([read?.status, read?.rows_rejected], ['good', 1], read?.detail ?? '');
  const rejects = await published(layout, run.runId, 'rejects');
  assert.deepEqual(
    rejects.map(({ source, reason, detail, page_row }) => [source, reason, detail, page_row]),
    [['oh_stark_tax', 'invalid_field', 'amount is "88888888888.00": expected -999999999.99 to 999999999.99', 0]],
  );
  assert.equal((await published(layout, run.runId, 'signals')).length, read?.rows_out);
});
