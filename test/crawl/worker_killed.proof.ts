/**
 * A worker that is killed, or suspended, while it reads or stages: another takes over after ten or thirty seconds
 * without a heartbeat, and no page or row is lost or doubled. The suite has a worker that is told to stop
 * (two_workers.test.ts).
 */
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { readRecord, type ReadRecord } from '../../pipelines/ingest/reads.ts';
import type { Layout } from '../../pipelines/layout.ts';
import { makeWorld } from '../../sandbox/world/world.ts';
import { openArchive } from '../../lib/archive.ts';
import { hashesOn, wrongIn } from '../crash/pipeline_folder.ts';
import { startPipeline } from '../process/program.ts';
import { startPostgres, type PostgresServer } from '../ledger/postgres_started.ts';
import { exportRecords } from '../pipelines/ingest/large_export.ts';
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

/** How long the site takes to respond: the archive is written every second. */
const RESPONSE_MS = 120;

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
    const QUEUE = await postgres.database();
    const web = await webOf();
    const run = await startPipeline(web, layout.root, DAY, { SOURCES, QUEUE });
    const killed = workerProcess({ QUEUE, DATA_DIR: layout.root });
    t.after(() => killed.end('SIGKILL'));
    await untilAsked(web, HOST, Math.floor(once.length / 2), run);
    killed.child.kill('SIGKILL');
    assert.equal((await killed.ended).signal, 'SIGKILL');
    const asked = web.asked.get(HOST)?.length ?? 0;
    assert.ok(asked < once.length, 'it was killed in the middle');

    const other = workerProcess({ QUEUE, DATA_DIR: layout.root });
    t.after(() => other.end('SIGKILL'));
    assert.equal((await run.ended).status, 0, run.lines.join('\n'));
    assert.ok(
      run.lines.some((line) =>
        /^ {2}taken over {2}heartland_multifamily: its worker is gone or returned it/u.test(line),
      ),
      run.lines.join('\n'),
    );
    assert.ok(
      other.lines.some((line) => /^heartland_multifamily: taken over with \d+ archived answers, for run/u.test(line)),
      other.lines.join('\n'),
    );

    assert.deepEqual(await hashesOn(layout, DAY), await hashesOn(await alone, DAY));
    assert.deepEqual(
      await pagesOf(layout, `${DAY}.01`),
      await pagesOf(await alone, `${DAY}.01`),
      "every page once, in the adapter's order",
    );
    assert.deepEqual(await wrongIn(layout), []);
    const read = await readRecord(layout, 'heartland_multifamily', `${DAY}.01`);
    const again = (web.asked.get(HOST)?.length ?? 0) - once.length;
    assert.ok(
      again <= 2 + 1000 / RESPONSE_MS,
      `only robots.txt, the page that was under way, and those of the second before are asked for again (${again})`,
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
    const QUEUE = await postgres.database();
    const web = await webOf();
    const run = await startPipeline(web, layout.root, DAY, { SOURCES: 'heartland_multifamily', QUEUE });
    const sleeper = workerProcess({ QUEUE, DATA_DIR: layout.root });
    t.after(() => sleeper.end('SIGKILL'));
    await untilAsked(web, HOST, 10, run);
    sleeper.child.kill('SIGSTOP');
    const other = workerProcess({ QUEUE, DATA_DIR: layout.root });
    t.after(() => other.end('SIGKILL'));
    await other.mustSay(/^heartland_multifamily: taken over/u);
    // It wakes while the other reads.
    sleeper.child.kill('SIGCONT');
    await sleeper.mustSay(/^heartland_multifamily: left to another worker/u);
    assert.ok(await run.said(/^loading the staged rows/u), run.lines.join('\n'));
    // What it builds of that is not asked here.
    run.child.kill('SIGKILL');
    assert.deepEqual(
      (await readRecord(layout, 'heartland_multifamily', `${DAY}.01`))?.pages,
      (await readRecord(await alone, 'heartland_multifamily', `${DAY}.01`))?.pages,
    );
    assert.ok(
      (web.asked.get(HOST)?.length ?? 0) <= once.length + 2,
      'robots.txt, and the page that was under way, are asked for twice; nothing else',
    );
    assert.ok((web.most.get(HOST) ?? 0) <= 1, 'never two at once');
  });

  test('a worker killed while it stages a large file: another stages its shards, to the same bytes', async (t) => {
    const web = await webOf();
    const layouts = [await newLayout(), await newLayout()];
    const [layout, here] = layouts;
    assert.ok(layout && here);
    const csv = exportRecords(40_000).join('\n');
    for (const { drop } of layouts) {
      await mkdir(join(drop, 'colorado_sos'), { recursive: true });
      await writeFile(join(drop, 'colorado_sos', 'business_entities_in_colorado.csv'), csv);
    }
    const QUEUE = await postgres.database();
    const run = await startPipeline(web, layout.root, DAY, { SOURCES: 'colorado_sos', QUEUE });
    const killed = workerProcess({ QUEUE, DATA_DIR: layout.root });
    t.after(() => killed.end('SIGKILL'));
    await killed.mustSay(/^colorado_sos: shard \d+ staged, /u);
    killed.child.kill('SIGKILL');
    assert.equal((await killed.ended).signal, 'SIGKILL');
    const staged = killed.lines.filter((line) => /: shard \d+ staged, /u.test(line)).length;
    assert.ok(staged < 7, 'it was killed in the middle');
    const other = workerProcess({ QUEUE, DATA_DIR: layout.root });
    t.after(() => other.end('SIGKILL'));
    assert.equal((await run.ended).status, 0, run.lines.join('\n'));
    assert.ok(
      run.lines.some((line) => /^ {2}taken over {2}colorado_sos: .*, another stages its rows$/u.test(line)),
      run.lines.join('\n'),
    );
    const undisturbed = await startPipeline(web, here.root, DAY, { SOURCES: 'colorado_sos' });
    assert.equal((await undisturbed.ended).status, 0, undisturbed.lines.join('\n'));
    assert.deepEqual(await hashesOn(layout, DAY), await hashesOn(here, DAY));
    const read = await readRecord(layout, 'colorado_sos', `${DAY}.01`);
    assert.deepEqual(read?.counts, {
      rows_in: 40_000,
      rows_out: 40_000 - 400 - 200,
      rows_rejected: 400,
      rows_merged: 200,
      rows_carried: 0,
    });
    assert.deepEqual(await wrongIn(layout), []);
  });
});
