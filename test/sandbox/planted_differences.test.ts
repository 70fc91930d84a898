/** A difference planted into a table about distress shows in its line of the comparison. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { isEqual, type Row } from '../../sandbox/comparison/compare.ts';
import { compareTables } from '../../sandbox/comparison/reconcile.ts';
import { withSnapshot, type ReadTable } from '../../sandbox/comparison/snapshot.ts';
import { deriveTruth, type Truth } from '../../sandbox/comparison/truth/truth.ts';
import { afterFirstDay, FIRST_RUN } from '../pipelines/starting_points.ts';

interface Plant {
  readonly what: string;
  readonly table: string;
  /** The first row for which it holds is changed. */
  readonly isOf: (row: Row) => boolean;
  /** Null removes the row. */
  readonly change: (row: Row) => Row | null;
  /** Lines that must differ. */
  readonly lines: readonly string[];
}

const isListed = (row: Row): boolean => row['signal_state'] === 'listed';
const isKind =
  (kind: string) =>
  (row: Row): boolean =>
    isListed(row) && row['signal_type'] === kind;
const isLevy = (row: Row): boolean => isKind('tax_delinquent')(row) && row['county_fips'] === '55079';

const PLANTS: readonly Plant[] = [
  {
    what: 'a record of another amount',
    table: 'signals',
    isOf: isKind('blight_judgment'),
    change: (row) => ({ ...row, amount: '1.00' }),
    lines: ['signals of blight_judgment: record'],
  },
  {
    what: 'a lost record',
    table: 'signals',
    isOf: isKind('code_violation'),
    change: () => null,
    lines: ['signals of code_violation: rows'],
  },
  {
    what: 'a record at another address',
    table: 'signals',
    isOf: (row) => isKind('vacant_building')(row) && row['address'] !== null,
    change: (row) => ({ ...row, address: '1 WRONG ST' }),
    lines: ['signals of vacant_building: place'],
  },
  {
    what: 'a debt with one more year',
    table: 'signals',
    isOf: isLevy,
    change: (row) => ({ ...row, years_delinquent: Number(row['years_delinquent']) + 1 }),
    lines: ['signals of tax by year: debt'],
  },
  {
    what: 'a sale of another judgment',
    table: 'auctions',
    isOf: (row) => row['state'] === 'FL' && row['judgment_amount'] !== null,
    change: (row) => ({ ...row, judgment_amount: '1.00' }),
    lines: ["auctions of Florida's clerks: amounts"],
  },
  {
    what: 'a notice with a bid that nobody published',
    table: 'auctions',
    isOf: (row) => row['state'] === 'TX',
    change: (row) => ({ ...row, opening_bid: '1.00' }),
    lines: ['auctions of Bexar County: sale'],
  },
  {
    what: 'a lead that counts a kind it does not have',
    table: 'leads',
    isOf: (row) => row['signal_kinds'] === '["tax_delinquent"]',
    change: (row) => ({ ...row, signal_kinds: '["condemned","tax_delinquent"]' }),
    lines: ['joins: records of one property (leads)'],
  },
  {
    what: 'a deal with the last sale of another parcel',
    table: 'deals',
    isOf: (row) => row['roll_status'] === 'matched' && row['last_sale_date'] !== null,
    change: (row) => ({ ...row, last_sale_date: '1901-01-01' }),
    lines: ['rolls of deals: roll'],
  },
  {
    what: 'an owner under the name of another',
    table: 'owners',
    isOf: () => true,
    change: (row) => ({ ...row, owner_name: 'MADE UP HOLDINGS LLC' }),
    lines: ['owners: owner'],
  },
  {
    what: 'a metro with one record too many',
    table: 'coverage',
    isOf: (row) => row['metro'] === 'Detroit' && row['kind'] === 'blight_judgment',
    change: (row) => ({ ...row, listed_rows: 999 }),
    lines: ['coverage: rows'],
  },
  {
    what: 'a metro whose source is not told',
    table: 'coverage',
    isOf: (row) => row['metro'] === 'Milwaukee' && row['kind'] === 'vacant_building',
    change: (row) => ({ ...row, status: 'not_covered' }),
    lines: ['coverage: source'],
  },
];

/** The snapshot with all plants, and how many of them found their row. */
function planted(read: ReadTable): { readonly read: ReadTable; readonly found: Set<string> } {
  const found = new Set<string>();
  const ids = new Map<string, unknown>();
  const idOf = (row: Row): unknown => row['id'] ?? `${String(row['metro'])} ${String(row['kind'])}`;
  const alter = (table: string, rows: readonly Row[]): Row[] =>
    PLANTS.filter((plant) => plant.table === table).reduce<Row[]>(
      (kept, { what, isOf, change }) =>
        kept.flatMap((row) => {
          const isThis = ids.has(what) ? ids.get(what) === idOf(row) : isOf(row);
          if (!isThis) return [row];
          ids.set(what, idOf(row));
          found.add(what);
          const changed = change(row);
          return changed === null ? [] : [changed];
        }),
      [...rows],
    );
  return { read: async (table, where) => alter(table, await read(table, where)), found };
}

describe('the comparison of distress', () => {
  let folder: string;
  let truth: Truth;
  before(async () => {
    const { layout, world } = await afterFirstDay();
    folder = layout.snapshot(FIRST_RUN);
    truth = await deriveTruth(folder, world);
  });

  test('finds every planted difference', async () => {
    await withSnapshot(folder, async (read) => {
      const { read: altered, found } = planted(read);
      const lines = (await compareTables(altered, truth))
        .filter((c) => !isEqual(c))
        .map((c) => `${c.what}: ${c.group}`);
      for (const plant of PLANTS) {
        assert.ok(found.has(plant.what), `no row for ${plant.what}`);
        for (const line of plant.lines) assert.ok(lines.includes(line), `${plant.what}: ${lines.join('; ')}`);
      }
    });
  });
});
