/** The server reads its serving files in place: by indexes, and without DuckDB. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, it } from 'node:test';
import { CANDIDATES } from '../../../api/routes/lookup/lookup.ts';
import { openSnapshot, type Snapshot } from '../../../api/serving/open.ts';
import { pause } from '../../../api/serving/slices.ts';
import { WordIndex, Words } from '../../../models/serving/words.ts';
import { startServer } from '../../support/program.ts';
import { dataFolder, rowsOfTable, type DataFolder } from '../support/snapshot_fixtures.ts';

let folder: DataFolder;
let snapshot: Snapshot;
before(async () => {
  folder = await dataFolder();
  const path = await folder.publish('2026-11-20.01', { deals: rowsOfTable('deals', 3) });
  snapshot = await openSnapshot(path);
});
after(async () => {
  snapshot.close();
  await folder.remove();
});

it('the serving file returns every record of a small table in order', () => {
  const positions = snapshot.rows('SELECT pos FROM deals ORDER BY pos').map(({ pos }) => Number(pos));
  assert.equal(positions.length, 3);
  assert.deepEqual(snapshot.all('deals'), snapshot.records('deals', positions));
});

it('the records of an address or a parcel are found by an index', () => {
  for (const sql of Object.values(CANDIDATES)) {
    const plan = snapshot.rows(`EXPLAIN QUERY PLAN ${sql.replaceAll(/\?\d/gu, "'x'")}`);
    const reads = plan.map((step) => String(step['detail'])).filter((detail) => detail.includes('address_keys'));
    assert.ok(reads.length > 0, sql);
    for (const read of reads) assert.match(read, /^SEARCH address_keys USING INDEX address_keys_\d/u, sql);
    // A street may have thousands of records, and few of them are ranges.
    if (sql === CANDIDATES.street) assert.match(reads[1] ?? '', /INDEX address_keys_1 .*house_high>/u);
  }
});

it('names that contain a text are found by the word index', async () => {
  const parts = ['a', 'an', 'acme', 'acme,', 'acm', '&', 'ünal', 'co.', 'llc', '', '"', 'a1', '100', 'and'];
  const names = Array.from({ length: 400 }, (_, i) =>
    i % 50 === 7
      ? null
      : Array.from({ length: 1 + (i % 5) }, (_each, k) => parts[(i * 7 + k * (i % 13)) % 14]).join(' '),
  );
  const index = new WordIndex();
  for (const name of names) index.add(name);
  const places = new Map(index.places());
  const words = new Words(index.vocabulary(), (word) => Uint8Array.from(places.get(word) ?? assert.fail(String(word))));
  const texts = names.flatMap((name) => [name ?? 'none', name?.slice(1, 6) ?? 'x', name?.slice(-3) ?? 'y']);
  let found = 0;
  for (const text of new Set([...texts, 'e', 'acme, a', ' ', '  ', 'n']).values()) {
    if (text === '') continue;
    const marks = new Uint8Array(names.length);
    await words.mark(text, marks, async () => {});
    const expected = names.map((name) => Number(name?.includes(text) === true));
    assert.deepEqual([...marks], expected, JSON.stringify(text));
    found += expected.reduce((sum, one) => sum + one, 0);
  }
  assert.ok(found > 5_000, String(found));
});

it('long searches take turns, one step per turn of the event loop', async () => {
  let [turn, isOpen] = [0, true];
  const next = (): void => {
    turn += 1;
    if (isOpen) setImmediate(next);
  };
  setImmediate(next);
  const steps: { readonly search: number; readonly turn: number }[] = [];
  const search = async (number: number): Promise<void> => {
    for (let step = 0; step < 8; step += 1) {
      await pause();
      steps.push({ search: number, turn });
      // Holds the event loop for longer than a slice.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3);
    }
  };
  await Promise.all([1, 2, 3].map(search));
  isOpen = false;
  const continued = steps.filter(({ turn: one }) => one > 0);
  assert.ok(continued.length >= 8 * 3 - 1);
  assert.equal(new Set(continued.map(({ turn: one }) => one)).size, continued.length);
  assert.deepEqual(new Set(continued.slice(0, 3).map((one) => one.search)), new Set([1, 2, 3]));
});

it('the serving file is never written, even by a statement that would write', () => {
  assert.throws(() => snapshot.rows('DELETE FROM deals'), /readonly|read-only|attempt to write/u);
});

it('the server runs without DuckDB', async () => {
  const server = await startServer({ DATA_DIR: folder.path });
  try {
    assert.equal((await fetch(`${server.url}/api/deals/ids`)).status, 200);
    const maps = await readFile(`/proc/${String(server.child.pid)}/maps`, 'utf8');
    assert.ok(/node/u.test(maps) && !/duckdb/iu.test(maps));
  } finally {
    await server.end('SIGTERM');
  }
});
