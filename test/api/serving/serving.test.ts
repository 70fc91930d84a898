/** The server reads its serving files in place: by indexes, in slices, and without DuckDB. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, it } from 'node:test';
import { CANDIDATES } from '../../../api/routes/lookup/matches.ts';
import { Filters } from '../../../api/serving/filters.ts';
import { openSnapshot, type Snapshot } from '../../../api/serving/open.ts';
import { startServer } from '../../process/program.ts';
import { dataFolder, rowOf, rowsOfTable, uuid, type DataFolder } from '../support/snapshot_fixtures.ts';

const PRICES = [null, '100.00', '250000.10', '250000.09', '999999999999.99', null, '7.00'];

let folder: DataFolder;
let snapshot: Snapshot;
before(async () => {
  folder = await dataFolder();
  const path = await folder.publish('2026-11-20.01', {
    deals: rowsOfTable('deals', PRICES.length, (i) => ({
      list_price: PRICES[i - 1] ?? null,
      cap_rate: i % 2 === 0 ? null : `${i}.50`,
      deal_score: i % 3,
      city: i % 2 === 0 ? 'St. Louis' : 'AKRON',
    })),
    filings: [
      rowOf('filings', 1, { business_name: 'Ab & Co', registered_agent_name: null }),
      rowOf('filings', 2, { business_name: 'ABRACADABRA 100% LLC', registered_agent_name: 'Ab "Quick" Agents' }),
    ],
  });
  snapshot = await openSnapshot(path);
});
after(async () => {
  snapshot.close();
  await folder.remove();
});

/** Numbers of the deals that match. */
const found = async (filters: Filters): Promise<number[]> =>
  snapshot
    .ids(filters.table, await snapshot.select(filters))
    .map((id) => Number(id.slice(-2)))
    .sort();

it('compares decimals exactly, texts in any case, and nulls with nothing', async () => {
  const deals = new Filters('deals');
  assert.deepEqual(await found(deals.and('list_price', '>=', '250000.1')), [3, 5]);
  assert.deepEqual(await found(deals.and('list_price', '>', '250000.1')), [5]);
  assert.deepEqual(await found(deals.and('list_price', '<', '250000.095')), [2, 4, 7]);
  assert.deepEqual(await found(deals.and('list_price', '<>', '7')), [2, 3, 4, 5]);
  assert.deepEqual(
    await found(deals.and('list_price', '<', '8').either({ column: 'city', is: 'like', value: 'akron' })),
    [7],
  );
  assert.deepEqual(await found(deals.either({ column: 'city', is: 'containing', value: 'T. l' })), [2, 4, 6]);
  const either = deals.either({ column: 'list_price', is: 'absent' }, { column: 'list_price', is: '=', value: '100' });
  assert.deepEqual(await found(either), [1, 2, 6]);
  assert.deepEqual(
    await found(deals.either({ column: 'id', is: 'none of', values: [uuid(1), uuid(9)] })),
    [2, 3, 4, 5, 6, 7],
  );
});

it('finds a part of a name of any length and with any characters', async () => {
  const named = (text: string) =>
    found(new Filters('filings').either({ column: 'business_name', is: 'containing', value: text }));
  assert.deepEqual(await named('ab'), [1, 2]);
  assert.deepEqual(await named('cadab'), [2]);
  assert.deepEqual(await named('%'), [2]);
  assert.deepEqual(await named('llc ab'), []);
  assert.deepEqual(
    await found(new Filters('filings').either({ column: 'registered_agent_name', is: 'containing', value: '"quick' })),
    [2],
  );
});

it('continues after any row of either order', async () => {
  for (const column of ['deal_score', 'cap_rate']) {
    const ranked = { filters: new Filters('deals'), rank: { column, direction: 'DESC' } } as const;
    const { rows, total } = await snapshot.find(ranked, undefined, 100);
    assert.deepEqual([total, new Set(rows).size], [PRICES.length, PRICES.length]);
    for (const [i, record] of snapshot.records('deals', rows, ['id', column]).entries()) {
      const value = record[column] === null ? null : String(record[column]);
      const after_ = await snapshot.find(ranked, { value, id: String(record['id']), isBehind: false }, 2);
      assert.deepEqual(after_.rows, rows.slice(i + 1, i + 3), `${column} after row ${i}`);
    }
  }
});

it('finds the records of an address and of a parcel by an index', () => {
  for (const sql of Object.values(CANDIDATES)) {
    const plan = snapshot.rows(`EXPLAIN QUERY PLAN ${sql.replaceAll(/\?\d/gu, "'x'")}`);
    assert.match(String(plan[0]?.['detail']), /^SEARCH address_keys USING INDEX address_keys_\d/u, sql);
  }
});

it('writes nothing, also if a statement would', () => {
  assert.throws(() => snapshot.rows('DELETE FROM deals'), /readonly|read-only|attempt to write/u);
});

it('runs without DuckDB', async () => {
  const server = await startServer({ DATA_DIR: folder.path });
  try {
    assert.equal((await fetch(`${server.url}/api/deals/ids`)).status, 200);
    const maps = await readFile(`/proc/${String(server.child.pid)}/maps`, 'utf8');
    assert.ok(/node/u.test(maps) && !/duckdb/iu.test(maps));
  } finally {
    await server.end('SIGTERM');
  }
});
