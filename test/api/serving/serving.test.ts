/** The server reads its serving files in place: by indexes, in slices, and without DuckDB. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, it } from 'node:test';
import { CANDIDATES } from '../../../api/routes/lookup/matches.ts';
import { openSnapshot, type Snapshot } from '../../../api/serving/open.ts';
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
