/**
 * A run whose hosts are read by workers stages what a run without them does, and asks the sites the same. Each run and
 * worker has a disk of its own. The proof beside this file suspends a worker, that of two hosts kills one.
 */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { FolderStore } from '../../lib/store/folder.ts';
import { openStore } from '../../lib/store/open.ts';
import { objectOf, readVerified, StoreUnavailable } from '../../lib/store/store.ts';
import { readRecord } from '../../pipelines/ingest/reads.ts';
import { queueState } from '../../pipelines/jobs/queue.ts';
import type { RunOptions, RunResult } from '../../pipelines/run/run.ts';
import { makeWorld } from '../../sandbox/world/world.ts';
import { memoryFolder } from '../ledger/memory_folder.ts';
import { startPostgres, type PostgresServer } from '../ledger/postgres_started.ts';
import { newLayout } from '../pipelines/runs.ts';
import { startPipeline, workerProcess } from '../support/program.ts';
import { countedWeb, type CountedWeb } from '../support/sandbox_web.ts';
import { startS3, withS3, type S3Server } from '../store/s3_server.ts';
import { ALL_READ, DAY, endAfterReading, queuedRun, runHere, until, workerHere, type HereOptions } from './here.ts';
import { wayTo } from './silent_way.ts';

/** Of each family but the benchmarks, some on a host of their own, two on one host, some with sessions or a token. */
const SOURCES = [
  'heartland_multifamily',
  'reso_sandbox_mls',
  'hud_fmr',
  'oh_hamilton_tax',
  'oh_cuyahoga_sheriff',
  'oh_cleveland_violations',
  'wi_milwaukee_tax',
  'in_marion_parcels',
  'ohio_sos',
  'ohio_sos_amendments',
];
const due: RunOptions['due'] = ({ name }) => SOURCES.includes(name);
const BROKER = { name: 'heartland_multifamily', host: 'www.heartland-multifamily.example' };

describe('a run with two workers', () => {
  let postgres: PostgresServer;
  /** One web per run: a sandbox site may refuse a visitor the first time. */
  let webs: readonly [CountedWeb, CountedWeb];
  let s3: S3Server;
  let restore: () => void;
  before(async () => {
    [postgres, s3] = await Promise.all([startPostgres(), startS3()]);
    restore = withS3(s3);
    const world = makeWorld({ seed: 7, listings: 24, parcels: 400, auctions: 16, filings: 40 });
    webs = [await countedWeb(world, DAY, 8), await countedWeb(world, DAY, 8)];
  });
  after(async () => {
    restore();
    for (const { close } of [...webs, s3]) await close();
    await postgres.remove();
  });

  test('stages the same bytes, and sends each site the same requests in the same order', async (t) => {
    const alone = await newLayout();
    const [quiet, web] = webs;
    const here: HereOptions = { due, sandboxUrl: await quiet.on(DAY), soldLeads: endAfterReading };
    await assert.rejects(runHere(alone, here), ALL_READ);

    const [url, STORE] = [await postgres.database(), `${s3.address}/same`];
    // One shares no memory with the run and the other.
    const there = workerProcess({ QUEUE: url, STORE, DATA_DIR: (await newLayout()).root, ...s3.env });
    t.after(() => there.end('SIGKILL'));
    await there.mustSay(/ reads up to \d+ hosts at a time/u);
    const workers = [there, await workerHere(t, { url, STORE })];
    const { layout, ended } = await queuedRun({ url, STORE, due, sandboxUrl: await web.on(DAY) });
    const result: RunResult | string = await ended;
    if (typeof result === 'string') assert.fail(result);
    for (const name of SOURCES) {
      const [read, expected] = [
        await readRecord(layout, name, `${DAY}.01`),
        await readRecord(alone, name, `${DAY}.01`),
      ];
      assert.equal(read?.status, 'good', read?.detail ?? name);
      assert.deepEqual(read, expected);
      const staged: string | null | undefined = result.manifest?.sources.find((s) => s.source === name)?.staged_sha256;
      assert.equal(staged, expected?.parquet?.sha256);
    }
    assert.deepEqual([...web.asked].sort(), [...quiet.asked].sort());
    assert.deepEqual([...web.most].sort(), [...quiet.most].sort(), 'no more requests at once');
    // Both were really at it.
    for (const { lines } of workers)
      assert.ok(
        lines.some((line) => /^\w+: \d+ pages, \d+ requests, \d+ rows, \d+ ms$/u.test(line)),
        lines.join('\n'),
      );
    const store = await openStore(STORE);
    assert.equal((await store.list('segments/')).size, 0, 'the catalog has them now');
    store.close();
    assert.ok(!(await readdir(layout.root)).includes('jobs'));
  });

  test('a stopped worker returns its host; another, or a run on another host, continues it', async (t) => {
    const [url, STORE] = [await postgres.database(), `${s3.address}/continued`];
    const [web] = webs;
    const askedBefore = web.asked.get(BROKER.host)?.length ?? 0;
    const only: HereOptions = {
      due: ({ name }) => name === BROKER.name,
      sandboxUrl: await web.on(DAY),
      soldLeads: endAfterReading,
    };
    const way = await wayTo(url);
    const lost = await queuedRun({ ...only, url: way.url, STORE, timeoutMs: 500 });
    await until(() => lost.lines.some((line) => /^ {2}no worker for 1 host: start one with make worker/u.test(line)));
    const first = await workerHere(t, { url, STORE });
    await until(() => (web.asked.get(BROKER.host)?.length ?? 0) > askedBefore + 4);
    await first.close();
    const second = await workerHere(t, { url, STORE });
    await second.said(/^www\.heartland-multifamily\.example: taken over with [1-9]\d* archived answers/u);
    // The host of the run is lost. Another continues from what the workers stored, also from what the second worker
    // reads until it notices.
    await way.close();
    assert.match(String(await lost.ended), /^QueueUnavailable: /u);
    const next = await queuedRun({ ...only, url, STORE });
    assert.equal(await next.ended, String(ALL_READ), [...next.lines, ...second.lines].join('\n'));
    const asked = (web.asked.get(BROKER.host) ?? []).slice(askedBefore).filter((p) => !p.startsWith('/robots.txt'));
    assert.ok(asked.length <= new Set(asked).size + 2, 'only a page that was on its way is asked for again');
    assert.equal((await readRecord(next.layout, BROKER.name, `${DAY}.02`))?.status, 'good');
  });

  test('a host that no worker can read in eleven attempts is lost, and the run goes on without it', async (t) => {
    const [url, STORE] = [await postgres.database(), memoryFolder('dealfeed-store-')];
    const [web] = webs;
    const askedBefore = web.asked.get(BROKER.host)?.length ?? 0;
    const only: HereOptions = {
      due: ({ name }) => name === BROKER.name,
      sandboxUrl: await web.on(DAY),
      soldLeads: endAfterReading,
    };
    const run = await queuedRun({ ...only, url, STORE });
    const store = new FolderStore(STORE);
    let attempts = 0;
    store.list = () => {
      attempts += 1;
      return Promise.reject(new StoreUnavailable('STORE is away'));
    };
    const worker = await workerHere(t, { url, STORE, store });
    assert.equal(await run.ended, String(ALL_READ), [...run.lines, ...worker.lines].join('\n'));
    const { status, reason, detail } = (await readRecord(run.layout, BROKER.name, `${DAY}.01`)) ?? assert.fail();
    assert.deepEqual([status, reason], ['unavailable', 'worker_lost']);
    assert.match(detail ?? '', /^no worker could read its host; the last reported: STORE is away$/u);
    assert.equal(attempts, 11);
    assert.equal(web.asked.get(BROKER.host)?.length ?? 0, askedBefore, 'no page was asked for');
    const { state } = await queueState(url);
    assert.deepEqual([state?.hosts_being_read, state?.hosts_failed], [0, 1]);
  });

  test('from the command line, a store in a folder, such as NFS, passes pages from a worker to the run', async (t) => {
    const [host, empty] = [await newLayout(), await newLayout()];
    const settings = { QUEUE: await postgres.database(), STORE: memoryFolder('dealfeed-store-') };
    const pipeline = await startPipeline(webs[0], host.root, DAY, { SOURCES: 'hud_fmr', ...settings });
    t.after(() => pipeline.child.kill('SIGKILL'));
    const worker = workerProcess({ ...settings, DATA_DIR: empty.root });
    t.after(() => worker.end('SIGKILL'));
    assert.ok(await pipeline.said(/^ {2}\w+ +1 of 1 source/u), [...pipeline.lines, ...worker.lines].join('\n'));
    // What it builds of that is not asked here.
    pipeline.child.kill('SIGKILL');
    const record = await readRecord(host, 'hud_fmr', `${DAY}.01`);
    assert.equal(record?.status, 'good');
    await readVerified(new FolderStore(settings.STORE), objectOf(record.pages[0]?.sha256 ?? ''));
    await worker.end('SIGTERM');
    assert.equal((await worker.ended).status, 0);
    assert.match(worker.lines.at(-1) ?? '', /^worker \S+ has stopped$/u);
    assert.deepEqual(await readdir(empty.root, { recursive: true }), ['jobs'], 'its disk is empty again');
  });
});
