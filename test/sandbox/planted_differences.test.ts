/** A difference that is planted into a published table shows in its line of the comparison. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { differingLines, type Row } from '../../sandbox/comparison/compare.ts';
import { comparePairs, pairCounts } from '../../sandbox/comparison/identity.ts';
import { compareRecords } from '../../sandbox/comparison/reconcile.ts';
import { withSnapshot, type ReadTable } from '../../sandbox/comparison/snapshot.ts';
import { deriveTruth, type Truth } from '../../sandbox/comparison/truth/truth.ts';
import { afterFirstDay, FIRST_RUN } from '../pipelines/starting_points.ts';

interface Plant {
  readonly what: string;
  readonly table: string;
  /** The first row for which it holds is changed. */
  readonly isOf: (row: Row) => boolean;
  /** The rows that are read instead. */
  readonly change: (row: Row) => readonly Row[];
  /** Line of the report that must differ. */
  readonly line: string;
}

const isOf =
  (values: Row) =>
  (row: Row): boolean =>
    Object.entries(values).every(([name, value]) => row[name] === value);
const isKind = (kind: string): Plant['isOf'] => isOf({ signal_state: 'listed', signal_type: kind });
const set =
  (values: Row): Plant['change'] =>
  (row) => [{ ...row, ...values }];
const isDeal = isOf({ listing_status: 'active' });

const PLANTS: readonly Plant[] = [
  {
    what: 'a record of another amount',
    table: 'signals',
    isOf: isKind('blight_judgment'),
    change: set({ amount: '1.00' }),
    line: 'signals of blight_judgment: amount',
  },
  {
    what: 'a lost record',
    table: 'signals',
    isOf: isKind('code_violation'),
    change: () => [],
    line: 'signals of code_violation: rows',
  },
  {
    what: 'a record at another address',
    table: 'signals',
    isOf: (row) => isKind('vacant_building')(row) && row['address'] !== null,
    change: set({ address: '1 WRONG ST' }),
    line: 'signals of vacant_building: address',
  },
  {
    what: 'a record of another day',
    table: 'signals',
    isOf: (row) => isKind('condemned')(row) && row['filed_on'] !== null,
    change: set({ filed_on: '1901-01-01' }),
    line: 'signals of condemned: filed_on',
  },
  {
    what: 'a record that is published twice',
    table: 'signals',
    isOf: isKind('foreclosure_filing'),
    change: (row) => [row, row],
    line: 'signals of foreclosure_filing: rows',
  },
  {
    what: 'a lien under another number',
    table: 'signals',
    isOf: isKind('tax_lien'),
    change: set({ record_number: 'WRONG' }),
    line: 'signals of tax_lien: rows',
  },
  {
    what: 'a debt in another county',
    table: 'signals',
    isOf: (row) => isKind('tax_delinquent')(row) && row['county_fips'] === '39035',
    change: set({ county_fips: '39151' }),
    line: 'signals: rows',
  },
  {
    what: 'a debt with another year',
    table: 'signals',
    isOf: (row) => isKind('tax_delinquent')(row) && row['county_fips'] === '55079',
    change: set({ years_delinquent: 99 }),
    line: 'signals of tax by year: years_delinquent',
  },
  {
    what: 'a parcel of a tax sale with a ZIP',
    table: 'signals',
    isOf: isOf({ signal_state: 'listed', county_fips: '47157' }),
    change: set({ zip: '38103' }),
    line: 'parcels of tax sales: zip',
  },
  {
    what: 'a sale on another day',
    table: 'auctions',
    isOf: isOf({ state: 'OH', sale_status: 'scheduled' }),
    change: set({ sale_date: '2099-01-01' }),
    line: 'auctions: rows',
  },
  {
    what: 'a sale of another judgment',
    table: 'auctions',
    isOf: (row) => row['state'] === 'FL' && row['judgment_amount'] !== null,
    change: set({ judgment_amount: '1.00' }),
    line: "auctions of Florida's clerks: judgment_amount",
  },
  {
    what: 'a notice with a bid that nobody published',
    table: 'auctions',
    isOf: isOf({ state: 'TX' }),
    change: set({ opening_bid: '1.00' }),
    line: 'auctions of Bexar County: opening_bid',
  },
  {
    what: 'a listing at another price',
    table: 'listing_history',
    isOf: (row) => row['list_price'] !== null,
    change: set({ list_price: '1.00' }),
    line: 'listing history: list_price',
  },
  {
    what: 'a deal with the rent of another place',
    table: 'deals',
    isOf: (row) => isDeal(row) && row['market_rent_2br'] !== null,
    change: set({ market_rent_2br: '1.00' }),
    line: 'deals: market_rent_2br',
  },
  {
    what: 'a deal with the last sale of another parcel',
    table: 'deals',
    isOf: (row) => row['roll_status'] === 'matched' && row['last_sale_date'] !== null,
    change: set({ last_sale_date: '1901-01-01' }),
    line: 'rolls of deals: last_sale_date',
  },
  {
    what: 'a deal without its debts',
    table: 'deals',
    isOf: (row) => isDeal(row) && String(row['distress_matches']).includes('tax_delinquent'),
    change: set({ distress_matches: '[]' }),
    line: 'joins of debts and sales of a property for sale: rows',
  },
  {
    what: 'a lost lead',
    table: 'leads',
    isOf: isOf({ lead_type: 'sheriff_sale_auction', state: 'FL' }),
    change: () => [],
    line: 'leads: rows',
  },
  {
    what: 'a lead of another owner',
    table: 'leads',
    isOf: (row) => row['owner_name'] !== null,
    change: set({ owner_name: 'MADE UP HOLDINGS LLC' }),
    line: 'leads: owner_name',
  },
  {
    what: 'a filing that nobody made',
    table: 'filings',
    isOf: isOf({ source: 'colorado_sos' }),
    change: (row) => [row, { ...row, id: 'made up', document_number: 'made up' }],
    line: 'filings of colorado_sos: rows',
  },
];

/** The snapshot with one plant. The row is chosen at the first read of its table. */
function planted(read: ReadTable, { table, isOf: isPlanted, change }: Plant): ReadTable {
  let id: unknown;
  const idOf = (row: Row): unknown => row['id'] ?? `${String(row['listing_id'])} ${String(row['version'])}`;
  return async (name, where) => {
    const rows = await read(name, where);
    if (name !== table) return rows;
    id ??= idOf((await read(name)).find(isPlanted) ?? assert.fail('no such row'));
    return rows.flatMap((row) => (idOf(row) === id ? change(row) : [row]));
  };
}

describe('the comparison finds', () => {
  let folder: string;
  let truth: Truth;
  before(async () => {
    const { layout, world } = await afterFirstDay();
    folder = layout.snapshot(FIRST_RUN);
    truth = await deriveTruth(folder, world);
  });

  for (const plant of PLANTS)
    test(plant.what, async () => {
      const comparisons = await withSnapshot(folder, async (read) => {
        const altered = planted(read, plant);
        return plant.line.startsWith('joins')
          ? comparePairs(await pairCounts(altered, truth))
          : compareRecords(altered, truth, ({ record }) => plant.line.startsWith(`${record}: `));
      });
      assert.ok(differingLines(comparisons).includes(plant.line), differingLines(comparisons).join('; '));
    });
});
