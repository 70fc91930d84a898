/** Sales of other states: bids, what a later page leaves out, and cases that a site shows twice. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { buildTables } from '../build_models.ts';

type Row = Readonly<Record<string, unknown>>;

/** The auctions of a day. */
async function auctionsOf(sales: readonly Row[], previous_auctions: readonly Row[] = []): Promise<Row[]> {
  using built = await buildTables({ staged_auction: sales, previous_auctions }, ['auctions']);
  assert.deepEqual(built.failed, []);
  return await built.rows('auctions');
}
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
  sale_kind: 'unknown',
  judgment_amount: '210500.25',
  plaintiff_max_bid_raw: 'Hidden',
  observed_at: '2026-11-20T12:00:00Z',
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

const byItem = async (...days: Parameters<typeof auctionsOf>): Promise<ReadonlyMap<unknown, Row>> =>
  new Map((await auctionsOf(...days)).map((row) => [row['item_id'], row]));

/** A foreclosure sale of another case. */
const another = (item_id: string, row: Row): Row => ({
  ...FORECLOSURE,
  item_id,
  case_number: `case ${item_id}`,
  ...row,
});
const APPRAISED = { appraised_value: '90000.00', sale_kind: 'mortgage_foreclosure' };
/** Published on the second day, and in part on the third. */
const PLACE = { street: '101 SAMPLE ST', city: 'JACKSONVILLE', zip: '32208', parcel_raw: '000101-0000' };
const WITH_PLACE = { ...PLACE, assessed_value: '120000.00' };
const OF_PARCEL = { case_number: 'case of a parcel', parcel_raw: '000202-0000' };

/** Three days of sales; each build has all cases of its day. */
let [first, second, third]: ReadonlyMap<unknown, Row>[] = [];
before(async () => {
  first = await byItem([
    another('1', APPRAISED),
    another('2', { ...APPRAISED, sale_round: 2 }),
    another('3', { ...APPRAISED, opening_bid: '60000.00' }),
    TAX_DEED,
    FORECLOSURE,
    another('5', { plaintiff_max_bid: '150000.00', plaintiff_max_bid_raw: '$150,000.00' }),
    another('6', { plaintiff_max_bid_raw: '$0.00' }),
    another('7', {}),
    another('8', OF_PARCEL),
  ]);
  const only = (rows: ReadonlyMap<unknown, Row>, items: readonly string[]): Row[] =>
    [...rows.values()].filter((row) => items.includes(String(row['item_id'])));
  second = await byItem(
    [
      { ...FORECLOSURE, ...WITH_PLACE },
      another('7', { ...WITH_PLACE, street: '201 SAMPLE ST' }),
      another('9', OF_PARCEL),
      another('10', { ...OF_PARCEL, sale_date: '2026-12-22' }),
    ],
    only(first, ['1500001', '7', '8']),
  );
  third = await byItem(
    [{ ...FORECLOSURE, judgment_amount: null }, another('7', { ...WITH_PLACE, street: '203 SAMPLE ST', zip: null })],
    only(second, ['1500001', '7']),
  );
});

/** Columns of these items of a day. */
const shown = (day: typeof first, items: readonly string[], ...columns: readonly string[]): unknown[] =>
  items.map((item) => [item, ...columns.map((column) => day?.get(item)?.[column])]);

test('a bid outside Ohio is the published one or unknown, even of an appraised mortgage sale', () => {
  assert.deepEqual(shown(first, ['1', '2', '3', '70001'], 'opening_bid', 'opening_bid_basis', 'statute_ref'), [
    ['1', null, 'unknown', null],
    ['2', null, 'unknown', null],
    ['3', '60000.00', 'published_minimum', 'Fla. Stat. 45.031'],
    ['70001', '4100.10', 'published_minimum', 'Fla. Stat. 197.502(6)'],
  ]);
  const rows = [...(first?.values() ?? [])];
  assert.equal(rows.length, 9);
  assert.ok(rows.every((r) => r['opening_bid_derived'] === false && r['opening_bid_mismatch'] === false));
});

test("the plaintiff's bid is published, hidden until the sale, unknown, or there is no plaintiff", () => {
  assert.deepEqual(shown(first, ['1500001', '5', '6', '70001'], 'plaintiff_max_bid', 'plaintiff_max_bid_status'), [
    ['1500001', null, 'hidden_until_sale'],
    ['5', '150000.00', 'published'],
    ['6', null, 'not_published'],
    ['70001', null, 'no_plaintiff'],
  ]);
  assert.ok([...(first?.values() ?? [])].every((r) => r['party_status'] === 'not_published'));
});

test('a sale stays the same when its parcel appears, and keeps what a later page leaves out', () => {
  const [empty, found, lost] = [first, second, third].map((day) => day?.get('1500001'));
  assert.deepEqual([found?.['id'], lost?.['id']], [empty?.['id'], empty?.['id']]);
  for (const name of ['property_address', 'city', 'zip', 'address_key', 'house_low', 'parcel_id', 'assessed_value'])
    assert.ok(empty?.[name] === null && found?.[name] !== null && lost?.[name] === found?.[name], name);
  assert.equal(lost?.['judgment_amount'], '210500.25');
  assert.deepEqual(shown(third, ['7'], 'property_address', 'zip'), [['7', '203 SAMPLE ST', null]]);
});

test('a case that a site shows as two items on a day is linked to other days only', () =>
  assert.deepEqual(shown(second, ['8', '9', '10'], 'previous_sale_date', 'next_sale_date'), [
    ['8', null, '2026-12-22'],
    ['9', null, '2026-12-22'],
    ['10', '2026-12-08', null],
  ]));
