/**
 * PostgreSQL stops or restarts while worker processes read: whole runs, with the real timeouts of ten
 * seconds. The suite has a queue that falls silent, with a short timeout (queue_gone.test.ts).
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { layoutOf, type Layout } from '../../pipelines/layout.ts';
import { formatHealth } from '../../pipelines/commands/status.ts';
import { checkHealth } from '../../pipelines/operate/health.ts';
import { readRecord } from '../../pipelines/ingest/reads.ts';
import { currentSnapshot } from '../../pipelines/snapshots.ts';
import { makeWorld } from '../../sandbox/world/world.ts';
import { hashesOn } from '../crash/pipeline_folder.ts';
import { startPipeline } from '../support/program.ts';
import { memoryFolder } from '../ledger/memory_folder.ts';
import { startPostgres, type PostgresServer } from '../ledger/postgres_started.ts';
import { newLayout } from '../pipelines/runs.ts';
import { workerProcess } from '../support/program.ts';
import { countedWeb, untilAsked, type CountedWeb } from '../support/sandbox_web.ts';

const DAY = '2026-11-20';
const SOURCES = 'heartland_multifamily';
const HOST = 'www.heartland-multifamily.example';
/** The second half of the pages takes longer than a worker reads without word from the queue. */
const PAGE_MS = 120;

describe('PostgreSQL', () => {
  let postgres: PostgresServer;
  let web: CountedWeb;
  let layout: Layout;
  let QUEUE: string;
  before(async () => {
    postgres = await startPostgres();
    web = await countedWeb(makeWorld({ seed: 7, listings: 90, parcels: 120, auctions: 40, filings: 60 }), DAY, PAGE_MS);
    layout = layoutOf((await newLayout()).root);
    QUEUE = await postgres.database();
  });
  after(async () => {
    await web.close();
    await postgres.remove();
  });

  test('stops during a read: the run exits with 2 and publishes nothing; the next run continues', async (t) => {
    const alone = await newLayout();
    const undisturbed = await startPipeline(web, alone.root, DAY, { SOURCES });
    assert.equal((await undisturbed.ended).status, 0);
    const all = web.asked.get(HOST)?.length ?? 0;
    web.asked.clear();

    const shared = { QUEUE, STORE: memoryFolder('dealfeed-store-') };
    const run = await startPipeline(web, layout.root, DAY, { SOURCES, ...shared });
    const worker = workerProcess({ ...shared, DATA_DIR: (await newLayout()).root });
    t.after(() => worker.end('SIGKILL'));
    await untilAsked(web, HOST, all / 2, run);
    await postgres.stop('immediate');
    const { status } = await run.ended;
    assert.equal(status, 2, run.lines.join('\n'));
    assert.match(
      run.lines.at(-1) ?? '',
      /^QUEUE is a PostgreSQL database, which is unavailable: .*\. Nothing was published\. .* run again\.$/u,
    );
    assert.equal(run.lines.filter((line) => /^\s+at /u.test(line)).length, 0, 'no stack is shown');
    assert.equal(await currentSnapshot(layout), null);
    const { troubles, level } = await checkHealth(layout, [], { queue: QUEUE });
    assert.deepEqual([level, troubles.filter(({ kind }) => kind === 'queue_unavailable').length], ['critical', 1]);
    const asked = web.asked.get(HOST)?.length ?? 0;
    assert.ok(asked < all, 'without word from the queue the worker stops reading');

    await postgres.start();
    const next = await startPipeline(web, layout.root, DAY, { SOURCES, ...shared });
    assert.equal((await next.ended).status, 0, [...next.lines, ...worker.lines].join('\n'));
    assert.deepEqual(await hashesOn(layout, DAY), await hashesOn(alone, DAY));
    const pages = (web.asked.get(HOST) ?? []).filter((path) => !path.startsWith('/robots.txt'));
    assert.ok(
      pages.length <= new Set(pages).size + 1,
      'what was archived is not asked for again: only the page that was on its way may be',
    );
    const health = await checkHealth(layout, [], { queue: QUEUE });
    assert.match(formatHealth(health).join('\n'), /^Queue {5}1 worker \(\S+\/\d+\), reading 0 hosts$/mu);
  });

  test('restarts while a worker reads: the run and the worker wait for it and continue', async (t) => {
    const fresh = await newLayout();
    web.asked.clear();
    const shared = { QUEUE: await postgres.database(), STORE: memoryFolder('dealfeed-store-') };
    const run = await startPipeline(web, fresh.root, DAY, { SOURCES, ...shared });
    const worker = workerProcess({ ...shared, DATA_DIR: (await newLayout()).root });
    t.after(() => worker.end('SIGKILL'));
    await untilAsked(web, HOST, 20, run);
    await postgres.stop('fast');
    await postgres.start();
    assert.ok(await run.said(/^loading the staged rows/u), [...run.lines, ...worker.lines].join('\n'));
    // What it builds of that is not asked here.
    run.child.kill('SIGKILL');
    const [restarted, undisturbed] = [
      await readRecord(fresh, SOURCES, `${DAY}.01`),
      await readRecord(layout, SOURCES, `${DAY}.02`),
    ];
    assert.deepEqual(restarted?.pages, undisturbed?.pages);
  });
});
