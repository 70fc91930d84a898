/**
 * A worker that is suspended while it reads: another takes over after thirty seconds without a heartbeat,
 * and no page or row is lost or doubled. store/two_hosts.proof.ts kills one.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { readRecord } from '../../pipelines/ingest/reads.ts';
import { makeWorld } from '../../sandbox/world/world.ts';
import { startPipeline } from '../support/program.ts';
import { memoryFolder } from '../ledger/memory_folder.ts';
import { startPostgres, type PostgresServer } from '../ledger/postgres_started.ts';
import { newLayout } from '../pipelines/runs.ts';
import { workerProcess } from '../support/program.ts';
import { countedWeb, untilAsked, type CountedWeb } from '../support/sandbox_web.ts';

const DAY = '2026-11-20';
/** A broker with a page a listing. */
const SOURCES = 'heartland_multifamily';
const HOST = 'www.heartland-multifamily.example';

/** How long the site takes to respond, and how often a worker sends what it has archived. */
const [RESPONSE_MS, SEGMENT_MS] = [250, 5_000];

describe('in the middle of a read', () => {
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

  test('a worker that sleeps until another takes over sends no request when it wakes', async (t) => {
    const layout = await newLayout();
    const shared = { QUEUE: await postgres.database(), STORE: memoryFolder('dealfeed-store-') };
    const web = await webOf();
    const run = await startPipeline(web, layout.root, DAY, { SOURCES, ...shared });
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
      (await readRecord(layout, SOURCES, `${DAY}.01`))?.pages,
      (await readRecord(await alone, SOURCES, `${DAY}.01`))?.pages,
    );
    const again = (web.asked.get(HOST)?.length ?? 0) - once.length;
    assert.ok(
      again <= 2 + SEGMENT_MS / RESPONSE_MS,
      `only what came after the last segment is asked for twice: ${again}`,
    );
    assert.ok((web.most.get(HOST) ?? 0) <= 1, 'never two at once');
  });
});
