/**
 * A worker that is killed, or suspended, while it reads: another takes over after thirty seconds without a heartbeat,
 * and no page or row is lost or doubled. two_workers.test.ts stops a worker by a signal.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { readRecord, type ReadRecord } from '../../pipelines/ingest/reads.ts';
import type { Layout } from '../../pipelines/layout.ts';
import { makeWorld } from '../../sandbox/world/world.ts';
import { openArchive } from '../../lib/archive.ts';
import { openStore } from '../../lib/store/open.ts';
import { hashesOn, wrongIn } from '../crash/pipeline_folder.ts';
import { startPipeline } from '../process/program.ts';
import { memoryFolder } from '../ledger/memory_folder.ts';
import { startPostgres, type PostgresServer } from '../ledger/postgres_started.ts';
import { newLayout } from '../pipelines/runs.ts';
import { workerProcess } from '../process/program.ts';
import { countedWeb, untilAsked, type CountedWeb } from '../process/web.ts';

const DAY = '2026-11-20';
/** A broker with a page a listing, without a session; a sheriff with a session for each sale day; a list in parts. */
const READ = ['heartland_multifamily', 'oh_cuyahoga_sheriff', 'oh_stark_tax'] as const;
const SOURCES = READ.join(',');
const HOST = 'www.heartland-multifamily.example';

const pagesOf = async (layout: Layout, runId: string): Promise<(ReadRecord['pages'] | undefined)[]> =>
  Promise.all(READ.map(async (name) => (await readRecord(layout, name, runId))?.pages));

/** How long the site takes to respond, and how often a worker sends what it has archived. */
const [RESPONSE_MS, SEGMENT_MS] = [250, 5_000];

// Most of each is waiting until a worker that is not heard of is taken for gone.
describe('in the middle of a read', { concurrency: 2 }, () => {
  let postgres: PostgresServer;
  const webs: CountedWeb[] = [];
  const webOf = async (): Promise<CountedWeb> => {
    const web = await countedWeb(
      makeWorld({ seed: 7, listings: 90, parcels: 120, auctions: 40, filings: 60 }),
      DAY,
      RESPONSE_MS,
    );
    webs.push(web);
    return web;
  };
  /** Paths that an undisturbed run asks the broker for. */
  let once: readonly string[] = [];
  const alone = newLayout();
  before(async () => {
    postgres = await startPostgres();
    const web = await webOf();
    const run = await startPipeline(web, (await alone).root, DAY, { SOURCES });
    assert.equal((await run.ended).status, 0, run.lines.join('\n'));
    once = web.asked.get(HOST) ?? [];
  });
  after(async () => {
    for (const web of webs) await web.close();
    await postgres.remove();
  });

  test('a killed worker: another takes over, no page is lost or doubled, the snapshot is the same', async (t) => {
    const layout = await newLayout();
    const shared = { QUEUE: await postgres.database(), STORE: memoryFolder('dealfeed-store-') };
    const web = await webOf();
    const run = await startPipeline(web, layout.root, DAY, { SOURCES, ...shared });
    const killed = workerProcess({ ...shared, DATA_DIR: (await newLayout()).root });
    t.after(() => killed.end('SIGKILL'));
    await untilAsked(web, HOST, Math.floor(once.length / 2), run);
    killed.child.kill('SIGKILL');
    assert.equal((await killed.ended).signal, 'SIGKILL');
    const asked = web.asked.get(HOST)?.length ?? 0;
    assert.ok(asked < once.length, 'it was killed in the middle');

    const other = workerProcess({ ...shared, DATA_DIR: (await newLayout()).root });
    t.after(() => other.end('SIGKILL'));
    assert.equal((await run.ended).status, 0, run.lines.join('\n'));
    assert.ok(
      run.lines.some((line) =>
        /^ {2}taken over {2}www\.heartland-multifamily\.example: its worker is gone or returned it/u.test(line),
      ),
      run.lines.join('\n'),
    );
    assert.ok(
      other.lines.some((line) =>
        /^www\.heartland-multifamily\.example: taken over with \d+ archived answers, for run/u.test(line),
      ),
      other.lines.join('\n'),
    );

    assert.deepEqual(await hashesOn(layout, DAY), await hashesOn(await alone, DAY));
    assert.deepEqual(
      await pagesOf(layout, `${DAY}.01`),
      await pagesOf(await alone, `${DAY}.01`),
      "every page once, in the adapter's order",
    );
    assert.deepEqual(await wrongIn(layout, await openStore(shared.STORE, 0)), []);
    const read = await readRecord(layout, 'heartland_multifamily', `${DAY}.01`);
    const again = (web.asked.get(HOST)?.length ?? 0) - once.length;
    const perSegment = SEGMENT_MS / RESPONSE_MS;
    assert.ok(
      again <= 2 + perSegment && again < asked - 2,
      `only robots.txt and the pages since the last segment are asked for again (${again} of ${asked})`,
    );
    assert.ok((web.most.get(HOST) ?? 0) <= 1, 'one at a time, whoever asks');
    const records = await (await openArchive(layout.root)).records('heartland_multifamily', `${DAY}.01`);
    assert.ok(
      records.some((r) => r.attempt === undefined) && records.some((r) => (r.attempt ?? 0) > 0),
      'the archive tells who asked',
    );
    assert.ok((read?.traffic.requests ?? 0) >= once.length, 'what the killed worker asked is counted, too');
  });

  test('a worker that sleeps until another takes over sends no request when it wakes', async (t) => {
    const layout = await newLayout();
    const shared = { QUEUE: await postgres.database(), STORE: memoryFolder('dealfeed-store-') };
    const web = await webOf();
    const run = await startPipeline(web, layout.root, DAY, { SOURCES: 'heartland_multifamily', ...shared });
    const sleeper = workerProcess({ ...shared, DATA_DIR: (await newLayout()).root });
    t.after(() => sleeper.end('SIGKILL'));
    await untilAsked(web, HOST, 30, run);
    sleeper.child.kill('SIGSTOP');
    const other = workerProcess({ ...shared, DATA_DIR: (await newLayout()).root });
    t.after(() => other.end('SIGKILL'));
    await other.mustSay(/^www\.heartland-multifamily\.example: taken over/u);
    // It wakes while the other reads.
    sleeper.child.kill('SIGCONT');
    await sleeper.mustSay(/^www\.heartland-multifamily\.example: left to another worker/u);
    assert.ok(await run.said(/^loading the staged rows/u), run.lines.join('\n'));
    // What it builds of that is not asked here.
    run.child.kill('SIGKILL');
    assert.deepEqual(
      (await readRecord(layout, 'heartland_multifamily', `${DAY}.01`))?.pages,
      (await readRecord(await alone, 'heartland_multifamily', `${DAY}.01`))?.pages,
    );
    const again = (web.asked.get(HOST)?.length ?? 0) - once.length;
    assert.ok(
      again <= 2 + SEGMENT_MS / RESPONSE_MS,
      `only what came after the last segment is asked for twice: ${again}`,
    );
    assert.ok((web.most.get(HOST) ?? 0) <= 1, 'never two at once');
  });
});
