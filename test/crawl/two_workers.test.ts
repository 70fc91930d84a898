/** A run whose sources are read by workers stages what a run without them does, and asks the sites the same. */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { FolderStore } from '../../lib/store/folder.ts';
import { objectOf, readVerified } from '../../lib/store/store.ts';
import { openQueueCrawler } from '../../pipelines/crawl/queue_crawler.ts';
import { sandboxClock } from '../../pipelines/clock.ts';
import { inThisProcess, type Crawler } from '../../pipelines/crawl/crawler.ts';
import type { Layout } from '../../pipelines/layout.ts';
import { startWorker } from '../../pipelines/crawl/worker.ts';
import { run, type RunResult } from '../../pipelines/run/run.ts';
import { SANDBOX_SECRETS } from '../../sandbox/pages/reso_mls.ts';
import { readRecord } from '../../pipelines/ingest/reads.ts';
import { makeWorld } from '../../sandbox/world/world.ts';
import { openArchive } from '../../sources/fetch/archive.ts';
import { createFetcher } from '../../sources/fetch/fetcher.ts';
import { loadSources } from '../../sources/index.ts';
import { startPipeline, type Pipeline } from '../crash/pipeline_process.ts';
import { memoryFolder } from '../ledger/memory_folder.ts';
import { startPostgres, type PostgresServer } from '../ledger/postgres_started.ts';
import { newLayout } from '../pipelines/runs.ts';
import { JOIN_RATES, modelsOf } from '../pipelines/some_tables.ts';
import { startS3 } from '../store/s3_server.ts';
import { countedWeb, workerProcess, type CountedWeb, type WorkerProcess } from './worker_process.ts';

const DAY = '2026-11-20';
/** Of each family but the benchmarks, some on a host of their own, two on one host, some with sessions or a token. */
const SOURCES = [
  'heartland_multifamily',
  'reso_sandbox_mls',
  'hud_fmr',
  'hud_safmr',
  'oh_hamilton_tax',
  'oh_stark_tax',
  'oh_cuyahoga_sheriff',
  'oh_franklin_sheriff',
  'oh_cleveland_violations',
  'wi_milwaukee_tax',
  'wi_milwaukee_vacant',
  'fl_duval_foreclosure',
  'in_marion_parcels',
  'ohio_sos',
  'ohio_sos_amendments',
];

/** A run that reads these sources with a crawler, and builds the table of the sources only. */
const runHere = async (layout: Layout, crawler: Crawler): Promise<RunResult> =>
  run({
    layout,
    clock: sandboxClock(DAY),
    dataClock: 'sandbox',
    archive: await openArchive(layout.root),
    crawler,
    sources: await loadSources(),
    due: ({ name }) => SOURCES.includes(name),
    models: await modelsOf(['sources'], [JOIN_RATES]),
  });

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await sleep(10);
}

describe('a run with two workers', () => {
  let postgres: PostgresServer;
  /** One web per run: a sandbox site may refuse a visitor the first time. */
  let webs: readonly [CountedWeb, CountedWeb];
  before(async () => {
    postgres = await startPostgres();
    const world = makeWorld({ seed: 7, listings: 30, parcels: 400, auctions: 40, filings: 40 });
    webs = [await countedWeb(world, DAY, 8), await countedWeb(world, DAY, 8)];
  });
  after(async () => {
    for (const web of webs) await web.close();
    await postgres.remove();
  });

  test('stages the same bytes, and asks each site the same in the same order, one request at a time', async (t) => {
    const [alone, shared] = [await newLayout(), await newLayout()];
    const [quiet, web] = webs;
    const fetcher = createFetcher({
      archive: await openArchive(alone.root),
      clock: sandboxClock(DAY),
      sandboxUrl: await quiet.on(DAY),
      secrets: SANDBOX_SECRETS,
    });
    t.after(() => fetcher.close());
    const one = await runHere(alone, inThisProcess(fetcher));

    const QUEUE = await postgres.database();
    const lines: string[] = [];
    const crawler = await openQueueCrawler({
      url: QUEUE,
      dataDir: shared.root,
      archive: await openArchive(shared.root),
      sources: await loadSources(),
      sandboxUrl: await web.on(DAY),
      secrets: SANDBOX_SECRETS,
      print: (line) => lines.push(line),
      noWorkerMs: 600_000,
    });
    const workers = await Promise.all([1, 2].map(() => workerProcess({ QUEUE, DATA_DIR: shared.root })));
    t.after(() => Promise.all(workers.map((w) => w.end('SIGKILL'))));
    const two = await runHere(shared, crawler).finally(() => crawler.close());
    // Two sources of one host read its robots.txt once here and twice there; of a DuckDB file no two are alike. The
    // staged rows of every source are there by their hashes.
    const told = ({ manifest }: typeof one): object => ({
      ...manifest,
      database: null,
      sources: manifest?.sources.map((source) => ({ ...source, traffic: null })),
    });
    assert.equal(one.manifest?.sources.filter((source) => source.staged_sha256 !== null).length, SOURCES.length);
    assert.deepEqual(told(two), told(one));

    const sharing = new Set(
      (await loadSources())
        .filter(({ name }) => SOURCES.includes(name))
        .filter((s, _, all) => all.some((o) => o !== s && o.hosts.some((h) => s.hosts.includes(h))))
        .flatMap((s) => s.hosts),
    );
    assert.deepEqual([...sharing].sort(), ['data.milwaukee.gov', 'publicfiles.ohiosos.gov', 'www.huduser.gov']);
    for (const [host, paths] of quiet.asked) {
      // Of two sources side by side it is left to chance which of them a site that fails once fails.
      const pagesOf = (list: readonly string[] = []): string[] => [...new Set(list)].sort();
      if (sharing.has(host)) assert.deepEqual(pagesOf(web.asked.get(host)), pagesOf(paths), host);
      else assert.deepEqual(web.asked.get(host), paths, host);
      assert.ok(
        (web.most.get(host) ?? 0) <= (quiet.most.get(host) ?? 0),
        `${host} was asked ${String(web.most.get(host))} times at once`,
      );
    }
    // Both were really at it, and the run says who read what.
    const account = crawler
      .summary()
      .filter((line) => /^ {2}worker \S+\/\d+ read \d+ sources? with \d+ requests$/u.test(line));
    assert.equal(account.length, 2, crawler.summary().join('\n'));
    for (const { lines: said } of workers) {
      assert.ok(
        said.some((line) => /^\w+: \d+ pages, \d+ requests, \d+ ms$/u.test(line)),
        said.join('\n'),
      );
      assert.ok(
        said.some((line) => /^\w+: shard 0 staged, \d+ rows$/u.test(line)),
        said.join('\n'),
      );
    }
    const staged = workers.flatMap(({ lines: said }) => said.filter((line) => / shard \d+ staged, /u.test(line)));
    assert.equal(new Set(staged.map((line) => line.split(':', 1)[0])).size, SOURCES.length, 'workers staged all rows');
    assert.deepEqual(
      (await readdir(shared.root)).sort(),
      (await readdir(alone.root)).sort(),
      'nothing else is left in the folder',
    );
  });

  test('a stopped worker returns its source; another, and a run on another host, go on from the store', async (t) => {
    const layout = await newLayout();
    const QUEUE = await postgres.database();
    const s3 = await startS3();
    t.after(() => s3.close());
    const STORE = s3.address;
    const host = 'www.heartland-multifamily.example';
    const askedBefore = webs[0].asked.get(host)?.length ?? 0;
    const startRun = ({ root }: Layout): Promise<Pipeline> =>
      startPipeline(webs[0], root, DAY, {
        SOURCES: 'heartland_multifamily,oh_cuyahoga_sheriff',
        QUEUE,
        STORE,
        ...s3.env,
      });
    const pipeline = await startRun(layout);
    t.after(() => pipeline.child.kill('SIGKILL'));
    assert.ok(
      await pipeline.said(/^ {2}no worker for \d+ sources: start one with make worker/u),
      'it says what it waits for',
    );
    // Each has a disk of its own, which is empty.
    const worker = async (): Promise<WorkerProcess> =>
      workerProcess({ QUEUE, STORE, DATA_DIR: (await newLayout()).root, ...s3.env });
    const first = await worker();
    await first.said(/^heartland_multifamily: reading/u);
    await until(() => s3.requests.filter((r) => r.startsWith('PUT requests/')).length > 3);
    first.child.kill('SIGTERM');
    const second = await worker();
    t.after(() => second.end('SIGKILL'));
    assert.equal(await first.ended, 0, first.lines.join('\n'));
    await second.said(/^heartland_multifamily: taken over with [1-9]\d* archived answers/u);
    // The host of the run is lost. Another, whose disk is empty, continues from what the workers stored: also from what
    // the second worker reads until it notices.
    pipeline.child.kill('SIGKILL');
    await pipeline.ended;
    const other = await newLayout();
    const next = await startRun(other);
    t.after(() => next.child.kill('SIGKILL'));
    assert.ok(await next.said(/^ {2}listings +1 of 1 source/u), next.lines.join('\n'));
    const asked = (webs[0].asked.get(host) ?? []).slice(askedBefore).filter((p) => !p.startsWith('/robots.txt'));
    assert.ok(asked.length <= new Set(asked).size + 2, 'only a page that was on its way is asked for again');
    const stranger = await workerProcess({ QUEUE, DATA_DIR: layout.root });
    assert.equal(await stranger.ended, 1);
    assert.match(stranger.lines.join('\n'), /^DATA_DIR is "[^"]+", which is not the data folder .* or their STORE$/mu);
    // What it builds of that is not asked here.
    next.child.kill('SIGKILL');
    assert.equal((await readRecord(other, 'heartland_multifamily', `${DAY}.02`))?.status, 'good');
  });

  test('a store in a folder, such as NFS, takes the pages of a worker to the run as a bucket does', async (t) => {
    const [host, empty] = [await newLayout(), await newLayout()];
    const settings = { QUEUE: await postgres.database(), STORE: memoryFolder('dealfeed-store-') };
    const pipeline = await startPipeline(webs[0], host.root, DAY, { SOURCES: 'hud_fmr', ...settings });
    t.after(() => pipeline.child.kill('SIGKILL'));
    const worker = await workerProcess({ ...settings, DATA_DIR: empty.root });
    t.after(() => worker.end('SIGKILL'));
    assert.ok(await pipeline.said(/^ {2}\w+ +1 of 1 source/u), [...pipeline.lines, ...worker.lines].join('\n'));
    const record = await readRecord(host, 'hud_fmr', `${DAY}.01`);
    assert.equal(record?.status, 'good');
    const page = record.pages[0]?.sha256 ?? '';
    await readVerified(new FolderStore(settings.STORE), objectOf(page));
    assert.match(worker.lines.join('\n'), /^hud_fmr: \d+ pages?, \d+ requests?, \d+ ms$/mu);
  });

  test('a worker with another data folder or password, or without a secret, is refused in one line', async (t) => {
    const [layout, other] = [await newLayout(), await newLayout()];
    const QUEUE = await postgres.database();
    const pipeline = await startPipeline(webs[0], layout.root, DAY, {
      SOURCES: 'hud_fmr',
      QUEUE,
      QUEUE_WAIT_MINUTES: '0.01',
    });
    const { status } = await pipeline.ended;
    assert.equal(status, 2);
    assert.match(
      pipeline.lines.at(-1) ?? '',
      /^QUEUE is a PostgreSQL database, which has had no worker for 0 minutes: start one with make worker\. /u,
    );
    const { archive, sources } = { archive: await openArchive(layout.root), sources: await loadSources() };
    const workerIn = (dataDir: string): ReturnType<typeof startWorker> =>
      startWorker({ url: QUEUE, dataDir, sources, atOnce: 1, secrets: {}, print: () => {} });
    await assert.rejects(
      workerIn(other.root),
      /^SettingError: DATA_DIR is "[^"]+", which is not the data folder of the runs that use QUEUE; expected the same/u,
    );
    const options = {
      url: QUEUE,
      dataDir: layout.root,
      archive,
      sources,
      secrets: { HUD_TOKEN: 'of the run' },
      contact: 'ops@example.org',
      print: () => {},
      noWorkerMs: 60_000,
    };
    await assert.rejects(
      openQueueCrawler({ ...options, dataDir: other.root }),
      /^SettingError: QUEUE is .* which is the queue of another data folder than DATA_DIR/u,
    );
    const live = await openQueueCrawler(options);
    let isOpen = true;
    const close = async (): Promise<void> => {
      if (isOpen) await live.close();
      isOpen = false;
    };
    t.after(close);
    await assert.rejects(
      openQueueCrawler(options),
      (error: Error) => error.name === 'SettingError' && error.message.endsWith('which is in use by another run.'),
    );
    const spec = sources.find(({ name }) => name === 'hud_fmr') ?? assert.fail();
    const request = { asOf: DAY, runId: `${DAY}.09`, lastGoodOn: null, distrusts: [], resumes: [] };
    const pages = live.read(spec, request, assert.ifError).pages();
    const asking = pages[Symbol.asyncIterator]().next();
    const ended = assert.rejects(asking, /the run has ended/u);
    const poor = await workerIn(layout.root);
    t.after(() => poor.close());
    assert.match(
      String(await poor.unfit),
      new RegExp(
        `^SettingError: HUD_TOKEN is null, expected a value: run ${DAY}\\.09 has one, and reads hud_fmr$`,
        'u',
      ),
      'a secret never travels',
    );
    await close();
    await ended;
    const wrong = await workerProcess({ QUEUE: QUEUE.replace(/:[0-9a-f]+@/u, ':hunter2@'), DATA_DIR: layout.root });
    assert.equal(await wrong.ended, 1);
    assert.match(
      wrong.lines.join('\n'),
      /^QUEUE is a PostgreSQL database, which refuses the connection: password authentication failed/u,
    );
  });
});
