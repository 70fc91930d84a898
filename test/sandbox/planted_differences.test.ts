/** A difference that is planted into a published table shows in its line of the comparison. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { differingLines, type ReadTable, type Row } from '../../sandbox/comparison/compare.ts';
import { JOINS, reconcile } from '../../sandbox/comparison/records.ts';
import { afterFirstDay, FIRST_RUN } from '../pipelines/starting_points.ts';

type Change = (row: Row) => readonly Row[];
type Plant = readonly [line: string, isOf: (row: Row) => boolean, change: Change];

const isOf =
  (values: Row) =>
  (row: Row): boolean =>
    Object.entries(values).every(([name, value]) => row[name] === value);
const isKind = (kind: string): Plant[1] => isOf({ signal_state: 'listed', signal_type: kind });
const set =
  (values: Row): Change =>
  (row) => [{ ...row, ...values }];
const isDeal = isOf({ listing_status: 'active' });

/** Of each table: the line of the report that must differ, the row that is changed, and what is read instead of it. */
const PLANTS: Readonly<Record<string, readonly Plant[]>> = {
  signals: [
    ['signals of blight_judgment: amount', isKind('blight_judgment'), set({ amount: '1.00' })],
    ['signals of code_violation: rows', isKind('code_violation'), () => []],
    [
      'signals of vacant_building: address',
      (row) => isKind('vacant_building')(row) && row['address'] !== null,
      set({ address: '1 WRONG ST' }),
    ],
    [
      'signals of condemned: filed_on',
      (row) => isKind('condemned')(row) && row['filed_on'] !== null,
      set({ filed_on: '1901-01-01' }),
    ],
    ['signals of foreclosure_filing: rows', isKind('foreclosure_filing'), (row) => [row, row]],
    ['signals of tax_lien: rows', isKind('tax_lien'), set({ record_number: 'WRONG' })],
    [
      'tax debts of 39035: rows',
      (row) => isKind('tax_delinquent')(row) && row['county_fips'] === '39035',
      set({ county_fips: '39151' }),
    ],
    [
      'tax debts of 55079: years_delinquent',
      (row) => isKind('tax_delinquent')(row) && row['county_fips'] === '55079',
      set({ years_delinquent: 99 }),
    ],
    ['parcels of tax sales: zip', isOf({ signal_state: 'listed', county_fips: '47157' }), set({ zip: '38103' })],
  ],
  auctions: [
    ['sales of sheriffs: rows', isOf({ state: 'OH', sale_status: 'scheduled' }), set({ sale_date: '2099-01-01' })],
    [
      "sales of Florida's clerks: judgment_amount",
      (row) => row['state'] === 'FL' && row['judgment_amount'] !== null,
      set({ judgment_amount: '1.00' }),
    ],
    ['sales of Bexar County: opening_bid', isOf({ state: 'TX' }), set({ opening_bid: '1.00' })],
  ],
  listing_history: [['listings: list_price', (row) => row['list_price'] !== null, set({ list_price: '1.00' })]],
  deals: [
    [
      'deals: market_rent_2br',
      (row) => isDeal(row) && row['market_rent_2br'] !== null,
      set({ market_rent_2br: '1.00' }),
    ],
    [
      'rolls of deals: last_sale_date',
      (row) => row['roll_status'] === 'matched' && row['last_sale_date'] !== null,
      set({ last_sale_date: '1901-01-01' }),
    ],
    [
      'joins of debts and sales of a property for sale: rows',
      (row) => isDeal(row) && String(row['distress_matches']).includes('tax_delinquent'),
      set({ distress_matches: '[]' }),
    ],
  ],
  leads: [
    ['leads: rows', isOf({ lead_type: 'sheriff_sale_auction', state: 'FL' }), () => []],
    ['leads: owner_name', (row) => row['owner_name'] !== null, set({ owner_name: 'MADE UP HOLDINGS LLC' })],
  ],
  filings: [
    [
      'filings of colorado_sos: rows',
      isOf({ source: 'colorado_sos' }),
      (row) => [row, { ...row, id: 'made up', document_number: 'made up' }],
    ],
  ],
};

/** The snapshot with one plant. The row is chosen at the first read of its table. */
function planted(read: ReadTable, table: string, [, isPlanted, change]: Plant): ReadTable {
  let id: unknown;
  const idOf = (row: Row): unknown => row['id'] ?? `${String(row['listing_id'])} ${String(row['version'])}`;
  return async (name, where) => {
    const rows = await read(name, where);
    if (name !== table) return rows;
    id ??= idOf((await read(name)).find(isPlanted) ?? assert.fail('no such row'));
    return rows.flatMap((row) => (idOf(row) === id ? change(row) : [row]));
  };
}

describe('the comparison', () => {
  let start: Awaited<ReturnType<typeof afterFirstDay>>;
  before(async () => {
    start = await afterFirstDay();
  });

  for (const [table, plants] of Object.entries(PLANTS))
    for (const plant of plants) {
      const [line] = plant;
      test(`finds a difference in ${line}`, async () => {
        const { comparisons } = await reconcile(start.layout.snapshot(FIRST_RUN), start.world, {
          isCompared: (record) => line.startsWith(record === JOINS ? JOINS : `${record}: `),
          alter: (read) => planted(read, table, plant),
        });
        assert.ok(differingLines(comparisons).includes(line), differingLines(comparisons).join('; '));
      });
    }
});
