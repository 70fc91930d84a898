/** Sales outside Ohio: no bid is derived, and what a clerk's page showed on an earlier day stays. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { build, type Built } from './build_models.ts';

type Row = Readonly<Record<string, unknown>>;

const FORECLOSURE = {
  source: 'fl_duval_foreclosure',
  county_fips: '12031',
  county: 'Duval County, FL',
  state: 'FL',
  auction_type: 'foreclosure_sale',
  item_id: '1500001',
  case_number: '16-2025-CA-000101-AXXX-MA',
  parcel_raw: null,
  sale_date: '2026-12-08',
  status: 'scheduled',
  sale_kind: 'unknown',
  judgment_amount: '210500.25',
  plaintiff_max_bid_raw: 'Hidden',
  source_url: 'https://duval.realforeclose.com/',
  observed_at: '2026-11-20T12:00:00Z',
  page_sha256: 'a'.repeat(64),
  page_row: 0,
};
const TAX_DEED = {
  ...FORECLOSURE,
  source: 'fl_duval_tax_deed',
  auction_type: 'tax_deed_sale',
  item_id: '70001',
  case_number: '2026-0101TD',
  sale_kind: 'tax_foreclosure',
  judgment_amount: null,
  plaintiff_max_bid_raw: null,
  opening_bid: '4100.10',
  certificate_number: '2023-101',
};

const auctions = async (sales: readonly Row[], previous: readonly Row[] = []): Promise<Built> =>
  build({ staged_sheriff_sale: sales, previous_auctions: previous }, ({ name }) =>
    ['stg_parcel_rows', 'stg_tax_parcels', 'stg_parcels', 'stg_addresses', 'stg_sheriff_sales', 'auctions'].includes(
      name,
    ),
  );

async function rowsOf(sales: readonly Row[], previous: readonly Row[] = []): Promise<readonly Row[]> {
  const built = await auctions(sales, previous);
  try {
    assert.deepEqual(built.failed, []);
    return await built.rows('auctions');
  } finally {
    built.close();
  }
}

test('a bid outside Ohio is the published one or unknown, even of an appraised mortgage sale', async () => {
  const appraised = { appraised_value: '90000.00', sale_kind: 'mortgage_foreclosure' };
  const rows = await rowsOf([
    { ...FORECLOSURE, ...appraised },
    { ...FORECLOSURE, ...appraised, item_id: '1500002', case_number: '102', sale_round: 2 },
    { ...FORECLOSURE, ...appraised, item_id: '1500003', case_number: '103', opening_bid: '60000.00' },
    TAX_DEED,
  ]);
  const shown = rows.map((r) => [r['item_id'], r['opening_bid'], r['opening_bid_basis'], r['statute_ref']]);
  assert.deepEqual(shown.sort(), [
    ['1500001', null, 'unknown', null],
    ['1500002', null, 'unknown', null],
    ['1500003', '60000.00', 'published_minimum', 'Fla. Stat. 45.031'],
    ['70001', '4100.10', 'published_minimum', 'Fla. Stat. 197.502(6)'],
  ]);
  assert.ok(rows.every((r) => r['opening_bid_derived'] === false && r['opening_bid_mismatch'] === false));
});

test("the plaintiff's bid is published, hidden until the sale, unknown, or there is no plaintiff", async () => {
  const rows = await rowsOf([
    FORECLOSURE,
    {
      ...FORECLOSURE,
      item_id: '1500002',
      case_number: '102',
      plaintiff_max_bid: '150000.00',
      plaintiff_max_bid_raw: '$150,000.00',
    },
    { ...FORECLOSURE, item_id: '1500003', case_number: '103', plaintiff_max_bid_raw: '$0.00' },
    TAX_DEED,
  ]);
  const shown = rows.map((r) => [r['item_id'], r['plaintiff_max_bid'], r['plaintiff_max_bid_status']]);
  assert.deepEqual(shown.sort(), [
    ['1500001', null, 'hidden_until_sale'],
    ['1500002', '150000.00', 'published'],
    ['1500003', null, 'not_published'],
    ['70001', null, 'no_plaintiff'],
  ]);
  assert.ok(rows.every((r) => r['party_status'] === 'not_published'));
});

test('a sale stays the same when its parcel appears, and keeps what a later page leaves out', async () => {
  const place = { street: '101 SAMPLE ST', city: 'JACKSONVILLE', zip: '32208', parcel_raw: '000101-0000' };
  const full = { ...FORECLOSURE, ...place, assessed_value: '120000.00' };
  const [empty] = await rowsOf([FORECLOSURE]);
  const [found] = await rowsOf([full], empty ? [empty] : []);
  const [lost] = await rowsOf([{ ...FORECLOSURE, judgment_amount: null }], found ? [found] : []);
  assert.deepEqual([found?.['id'], lost?.['id']], [empty?.['id'], empty?.['id']]);
  for (const name of ['property_address', 'city', 'zip', 'address_key', 'house_low', 'parcel_id', 'assessed_value'])
    assert.ok(empty?.[name] === null && found?.[name] !== null && lost?.[name] === found?.[name], name);
  assert.equal(lost?.['judgment_amount'], '210500.25');
  const [moved] = await rowsOf([{ ...full, street: '103 SAMPLE ST', zip: null }], found ? [found] : []);
  assert.deepEqual([moved?.['property_address'], moved?.['zip']], ['103 SAMPLE ST', null]);
});

test('a case that a site shows as two items on a day is linked to other days only', async () => {
  const sale = { ...FORECLOSURE, parcel_raw: '000101-0000' };
  const [first] = await rowsOf([sale]);
  const again = [
    { ...sale, item_id: '1500009' },
    { ...sale, item_id: '1500010', sale_date: '2026-12-22' },
  ];
  const rows = await rowsOf(again, first ? [first] : []);
  assert.deepEqual(rows.map((r) => [r['item_id'], r['previous_sale_date'], r['next_sale_date']]).sort(), [
    ['1500001', null, '2026-12-22'],
    ['1500009', null, '2026-12-22'],
    ['1500010', '2026-12-08', null],
  ]);
});
