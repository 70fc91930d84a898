/**
 * A large register is brought up to date where it lies: only what changed is computed and written. What is published is,
 * byte for byte, what a run publishes that makes every table whole.
 */
import assert from 'node:assert/strict';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openDuck, rowsOf } from '../../lib/duck.ts';
import { literal } from '../../lib/sql.ts';
import { currentAssumptions } from '../../models/assumptions.ts';
import { loadModels, type Model } from '../../models/index.ts';
import type { Layout } from '../../pipelines/layout.ts';
import { publishedFile } from '../../pipelines/publish.ts';
import { isSame, rebuild } from '../../pipelines/rebuild.ts';
import type { RunResult } from '../../pipelines/run.ts';
import { verifySnapshot } from '../../pipelines/snapshots.ts';
import { makeWorld } from '../../sandbox/world/world.ts';
import { copyOf, newLayout, runDay } from './runs.ts';

const [WHERE_IT_LIES, WHOLE] = [1, Number.POSITIVE_INFINITY];

type Given = { readonly only?: readonly string[]; readonly models?: readonly Model[]; readonly assumptions?: ReturnType<typeof currentAssumptions> };
const dayOf = (layout: Layout, day: string, inPlaceFrom: number, { only, ...given }: Given = {}): Promise<RunResult> =>
  runDay({ layout, world, day, inPlaceFrom, only: ({ family, name }) => (only ? only.includes(name) : family === 'register'), ...given });

/** What the analysts' database holds of a table, sorted. */
async function inDatabase(layout: Layout, runId: string, table: string): Promise<unknown> {
  const duck = await openDuck();
  try {
    await duck.connection.run(`ATTACH ${literal(join(layout.snapshot(runId), 'dealfeed.duckdb'))} AS snapshot (READ_ONLY)`);
    const [comment] = await rowsOf(duck.connection, `SELECT count(*) AS n, count(comment) AS commented, count_if(NOT is_nullable) AS required FROM duckdb_columns() WHERE database_name = 'snapshot' AND table_name = ${literal(table)}`);
    return [comment, await rowsOf(duck.connection, `FROM snapshot.main.${table} ORDER BY id`)];
  } finally { duck.close(); }
}

const FIRST = '2026-11-18';
const world = makeWorld({ seed: 5, listings: 0, parcels: 0, auctions: 0, filings: 500 });
/** Both folders as the first day left them, from which each test goes on. */
let begun: readonly Layout[] = [];

test('days of new, corrected, absent and re-appearing filings, amendments and agents with more of them', async () => {
  const [lying, whole] = [await newLayout(), await newLayout()];
  // On a day on which one register is not read, its filings are absent, and appear again after it.
  const days: readonly (readonly [string, Given])[] = [[FIRST, {}], ['2026-11-20', {}], ['2026-11-22', { only: ['colorado_sos'] }], ['2026-12-01', {}]];
  const kinds = new Set<unknown>();
  for (const [day, given] of days) {
    const [a, b] = [await dayOf(lying, day, WHERE_IT_LIES, given), await dayOf(whole, day, WHOLE, given)];
    if (day === FIRST) begun = [await copyOf(lying), await copyOf(whole)];
    assert.ok(a.manifest, `${day} is published`);
    assert.deepEqual(a.manifest.tables, b.manifest?.tables, `the Parquet files of ${day}`);
    assert.deepEqual(a.manifest.audits, b.manifest?.audits);
    assert.deepEqual(await inDatabase(lying, a.runId, 'filings'), await inDatabase(whole, b.runId, 'filings'), `the database of ${day}`);
    assert.deepEqual(await verifySnapshot(lying, a.runId), []);
    for (const row of (await inDatabase(lying, a.runId, 'filings') as [unknown, Record<string, unknown>[]])[1]) {
      kinds.add(row['change_kind']);
      if (row['amendment_kind'] !== null) kinds.add('amended');
    }
  }
  for (const kind of ['added', 'changed', 'amended']) assert.ok(kinds.has(kind), `some filing was ${kind}`);
  const made = await rebuild(lying, '2026-12-01.01');
  assert.ok(isSame(made), 'and a rebuild, which makes every table whole from the archived pages, gives the same bytes');
});

test('another assumption set, another version of the code and a crash between two days change nothing of that', async () => {
  const [lying, whole] = begun;
  assert.ok(lying && whole, 'the first day was published');
  const models = await loadModels();
  const otherCode = models.map((m) => (m.name === 'filings' ? { ...m, sql: `-- Another version.\n${m.sql}` } : m));
  const otherSet = currentAssumptions(new Map([['vacancy', '0.10']]));
  const days: readonly (readonly [string, Given])[] = [['2026-11-20', { assumptions: otherSet }], ['2026-11-21', { models: otherCode }]];
  for (const [day, given] of days) {
    if (day === '2026-11-21') await leaveHalfBuilt(lying);
    const [a, b]: readonly [RunResult, RunResult] = [await dayOf(lying, day, WHERE_IT_LIES, given), await dayOf(whole, day, WHOLE, given)];
    assert.ok(a.manifest, `${day} is published`);
    assert.deepEqual(a.manifest.tables, b.manifest?.tables, day);
  }
});

/** What a run killed while it built leaves: a half-changed copy of the database in the folder of its run. */
async function leaveHalfBuilt(layout: Layout): Promise<void> {
  const half = publishedFile(join(layout.run('2026-11-20.01'), 'build.duckdb'));
  await cp(join(layout.snapshot('2026-11-20.01'), 'dealfeed.duckdb'), half);
  const duck = await openDuck(half);
  try { await duck.connection.run('DELETE FROM filings'); } finally { duck.close(); }
}
