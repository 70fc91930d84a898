/**
 * A published Parquet file's bytes depend on its rows alone: not on their order before, nor on the threads that wrote
 * them.
 */
import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { test } from 'node:test';
import { date, defineRecord, integer, text } from '../../../lib/record.ts';
import { buildModels } from '../../../models/build.ts';
import { defineMart } from '../../../models/contract.ts';
import type { Mart } from '../../../models/index.ts';
import { openBuildDatabase, PUBLISHED } from '../../../pipelines/run/build_database.ts';
import { writeSnapshot, type SnapshotFacts } from '../../../pipelines/run/publish.ts';
import { verifySnapshot } from '../../../pipelines/snapshots.ts';
import { thorough } from '../../thorough.ts';
import { newLayout } from '../runs.ts';

/** Two row groups of the database, which is what threads take turns at: one has 122,880 rows. */
const ROWS = 130_000;

const acts: Mart = {
  name: 'acts',
  layer: 'marts',
  path: 'models/marts/acts.sql',
  sql: 'SELECT * FROM given',
  audits: [],
  contract: defineMart({
    record: defineRecord('act', 'One row per act.', ['id'], {
      id: text('Id.'),
      day: date('Its day.'),
      name: text('Name.'),
      standing: text('Standing.', { absent: 'it is not known' }),
      same: integer('Acts of the same name.'),
    }),
    publish: { orderBy: ['day DESC', 'id'] },
  }),
};

const FACTS: SnapshotFacts = {
  run_id: '2026-11-20.01',
  as_of: '2026-11-20',
  generated_at: '2026-11-20T12:00:00Z',
  data_clock: 'sandbox',
  notice: 'Made up.',
  assumption_set_id: 'none',
  previous: null,
  follows: null,
  sold_leads: [],
  sold_properties: [],
  versions: { dealfeed: '0', node: '0', duckdb: '0', schema: '0'.repeat(64), models: '0'.repeat(64) },
  sources: [],
  models: [],
  audits: [],
};

/** Publish the same rows, read in an order of their own. @returns SHA-256 of the Parquet file */
async function publish(order: string, threads: number): Promise<string> {
  const layout = await newLayout();
  await mkdir(layout.run(FACTS.run_id), { recursive: true });
  const build = await openBuildDatabase(layout.run(FACTS.run_id));
  try {
    await build.connection.run(`SET threads = ${threads}`);
    await build.connection.run(`CREATE TABLE given AS
      SELECT 'a' || i AS id, DATE '2026-11-20' - CAST(i % 9000 AS INTEGER) AS day,
        'name ' || (hash(i) % 70000) AS name, if(i % 5 = 0, NULL, 'good') AS standing, CAST(i % 17 AS INTEGER) AS same
      FROM range(${ROWS}) AS t(i) ORDER BY ${order}`);
    await buildModels(build.connection, [acts], { published: PUBLISHED });
    const { tables } = await writeSnapshot(build, layout, { models: [acts], facts: FACTS, before: null });
    assert.equal(tables['acts']?.rows, ROWS);
    assert.deepEqual(await verifySnapshot(layout, FACTS.run_id), []);
    return tables['acts']?.files[0]?.sha256 ?? '';
  } finally {
    await build.close();
  }
}

test('rows in other orders, on more threads, give the same bytes', async () => {
  const first = await publish('i', 1);
  const others: readonly (readonly [order: string, threads: number])[] = [
    ['hash(i)', 4],
    ['i DESC', 2],
  ];
  for (const [order, threads] of thorough(others.slice(0, 1), others)) {
    assert.equal(await publish(order, threads), first, `order by ${order}, ${threads} threads`);
  }
});
