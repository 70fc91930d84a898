/** The order of the input rows does not change the tables, and no model compares all pairs of rows of large tables. */
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { rowsOf } from '../../../lib/duck.ts';
import { loadMarts, loadModels } from '../../../models/index.ts';
import {
  build,
  debtRow,
  listingRow,
  saleRow,
  type Built,
  type Inputs,
  type InputRow,
  hudRow,
} from '../build_models.ts';

const repeat = (n: number, make: (i: number) => InputRow): InputRow[] =>
  Array.from({ length: n }, (_, page_row) => ({ page_row, ...make(page_row) }));

/** Rows with many equal values: listings of one property, records at one address, equal amounts and dates. */
const ROWS: Inputs = {
  source_reads: ['site_a', 'site_b', 'county', 'sheriff', 'colorado_sos'].map((source) => ({
    source,
    family: source === 'county' ? 'tax' : 'auctions',
    county_fips: '39035',
    last_good_at: '2026-11-21T09:00:00Z',
  })),
  staged_fmr_area: repeat(2, (i) => hudRow({ fips: `390${35 + i}99999`, fmr_2: '1279.00' })),
  staged_listing: repeat(60, (i) =>
    listingRow(`L${i}`, {
      source: i % 3 === 0 ? 'site_b' : 'site_a',
      street: `${100 + (i % 20)} Linden Ave`,
      list_price: `${300_000 + (i % 7) * 1000}.00`,
      units: 4 + (i % 2),
      availability: i % 11 === 0 ? 'sold' : 'for_sale',
      cap_rate: i % 2 ? '7.00' : null,
    }),
  ),
  staged_tax_parcel: repeat(60, (i) =>
    debtRow(`${100 + i}-${i % 2 ? '1' : '01'}`, {
      source: 'county',
      street: `${100 + (i % 25)} LINDEN AVE`,
      zip: '44102',
    }),
  ),
  staged_auction: repeat(40, (i) =>
    saleRow(`CV${i}`, {
      parcel_raw: `${100 + (i % 20)}-1`,
      street: `${100 + (i % 20)} LINDEN AVE`,
      sale_date: `2026-12-0${1 + (i % 3)}`,
    }),
  ),
  staged_registration: repeat(50, (i) => ({
    source: 'colorado_sos',
    register: 'colorado_sos',
    document_number: `${i % 45}`,
    business_name_raw: `Business ${i % 45}`,
    filing_date: '2026-11-01',
    agent_name: `Agent ${i % 3}`,
  })),
};

/** Every row of every published table. */
async function published(built: Built): Promise<string> {
  assert.deepEqual(built.failed, []);
  const tables = (await loadMarts()).map((m) => m.name);
  return JSON.stringify(await Promise.all(tables.map(async (t) => [t, await built.rows(t)])));
}

const shuffled = (inputs: Inputs, step: number): Inputs =>
  Object.fromEntries(
    Object.entries(inputs).map(([table, rows]) => [
      table,
      rows
        .map((row, i) => ({ row, at: (i * step) % 61 }))
        .sort((a, b) => a.at - b.at)
        .map(({ row }) => row),
    ]),
  );

/** Models in which each row of a table is compared with all rows of another, which is small at any size of the data. */
const COMPARE_ALL_PAIRS = {
  int_buildings: 'knots of sizes and of years of construction',

  int_change_feeds: 'one row per list',
  int_distress: 'ZIP prefixes of counties',
  int_distress_matches: 'ZIP prefixes of counties',
  int_loan_rates: 'one row',
  int_owner_incomes: 'knots of cap rates',
  int_property_classes: 'patterns of property classes',
  int_property_rolls: 'ZIP prefixes of counties',
  int_steps: 'one row of terms and of the loan rate',
  reports: 'one row of terms and of the loan rate',
};

let plain: Built;
before(async () => {
  plain = await build(ROWS);
});
after(() => plain.close());

it('rows in another order give the same tables', async () => {
  const tables = await published(plain);
  assert.ok(tables.length > 50_000);
  using other = await build(shuffled(ROWS, 17));
  assert.equal(await published(other), tables);
});

it('no model compares all pairs of rows of two large tables', async () => {
  const found: string[] = [];
  for (const { name, sql } of await loadModels()) {
    const plan = await rowsOf(plain.connection, `EXPLAIN (FORMAT json) ${sql}`);
    if (JSON.stringify(plan).includes('BLOCKWISE_NL_JOIN')) found.push(name);
  }
  assert.deepEqual(found.toSorted(), Object.keys(COMPARE_ALL_PAIRS));
});
