/**
 * A run whose sources are read by workers stages what a run without them does, and asks the sites the same. Runs and
 * workers are in this process where no assertion needs another; the last test has both from the command line. The
 * proofs beside this file kill worker processes (worker_killed) and stop their queue (queue_gone).
 */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { FolderStore } from '../../lib/store/folder.ts';
import { openStore } from '../../lib/store/open.ts';
import { objectOf, readVerified, type Store } from '../../lib/store/store.ts';
import { type QueueCrawler } from '../../pipelines/crawl/queue_crawler.ts';
import { sandboxClock } from '../../pipelines/clock.ts';
import { inThisProcess } from '../../pipelines/crawl/crawler.ts';
import { failureText, isUnpublished } from '../../pipelines/failure.ts';
import { type RunOptions } from '../../pipelines/run/run.ts';
import { createRunStore } from '../../pipelines/store/run_store.ts';
import { openStoredArchive } from '../../pipelines/store/stored_archive.ts';
import { SANDBOX_SECRETS } from '../../sandbox/pages/reso_mls.ts';
import { readRecord } from '../../pipelines/ingest/reads.ts';
import { makeWorld } from '../../sandbox/world/world.ts';
import { openArchive } from '../../lib/archive.ts';
import { createFetcher } from '../../sources/fetch/fetcher.ts';
import { loadSources } from '../../sources/index.ts';
import { startPipeline } from '../process/program.ts';
import { memoryFolder } from '../ledger/memory_folder.ts';
import { startPostgres, type PostgresServer } from '../ledger/postgres_started.ts';
import { newLayout } from '../pipelines/runs.ts';
import { startS3, withS3, type S3Server } from '../store/s3_server.ts';
import { wayTo } from './silent_way.ts';
import { workerProcess } from '../process/program.ts';
import { countedWeb, type CountedWeb } from '../process/web.ts';
import { ALL_READ, DAY, endAfterReading, queueFor, runHere, until, workerHere } from './here.ts';

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

const due: RunOptions['due'] = ({ name }) => SOURCES.includes(name);

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

  test('stages the same bytes, and sends each site the same requests in the same order, one at a time', async (t) => {
    const [alone, shared] = [await newLayout(), await newLayout()];
    const [quiet, web] = webs;
    const fetcher = createFetcher({
      archive: await openArchive(alone.root),
      clock: sandboxClock(DAY),
      sandboxUrl: await quiet.on(DAY),
      secrets: SANDBOX_SECRETS,
    });
    t.after(() => fetcher.close());
    await assert.rejects(runHere(alone, inThisProcess(fetcher), { due, soldLeads: endAfterReading }), ALL_READ);

    const QUEUE = await postgres.database();
    const crawler = await queueFor(shared, { url: QUEUE, sandboxUrl: await web.on(DAY) });
    // One shares no memory with the run and the other.
    const there = workerProcess({ QUEUE, DATA_DIR: shared.root });
    t.after(() => there.end('SIGKILL'));
    await there.mustSay(/ reads up to \d+ sources at a time/u);
    const workers = [there, await workerHere(t, QUEUE, shared)];
    const { manifest } = await runHere(shared, crawler, { due }).finally(() => crawler.close());
    for (const name of SOURCES) {
      const [read, expected] = [
        await readRecord(shared, name, `${DAY}.01`),
        await readRecord(alone, name, `${DAY}.01`),
      ];
      assert.equal(read?.status, 'good', read?.detail ?? name);
      // Two sources of one host read its robots.txt once here and twice there.
      assert.deepEqual({ ...read, traffic: null }, { ...expected, traffic: null });
      const published = manifest?.sources.find(({ source }) => source === name);
      assert.equal(published?.staged_sha256, expected?.parquet?.sha256);
    }

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
      ['archive', 'current', 'iceberg', 'kind.json', 'runs', 'snapshots', 'staged'],
      'nothing else is left in the folder',
    );
  });

  test('a stopped worker returns its source; another, or a run on another host, continues it', async (t) => {
    const QUEUE = await postgres.database();
    const host = 'www.heartland-multifamily.example';
    const read = 'heartland_multifamily';
    const askedBefore = webs[0].asked.get(host)?.length ?? 0;
    const newStore = (): Promise<Store> => openStore(s3.address, 0);
    /** A run on a host of its own, whose disk is empty. */
    const startRun = async (url: string) => {
      const layout = await newLayout();
      const lines: string[] = [];
      const print = (line: string): number => lines.push(line);
      const store = createRunStore({ store: await newStore(), layout, cacheMb: 100, print });
      const archive = await openStoredArchive(layout.root, store.store, print);
      const sandboxUrl = await webs[0].on(DAY);
      const crawler = await queueFor(layout, { url, store: store.store, archive, sandboxUrl, print, timeoutMs: 500 });
      const only = { due: ({ name }: { readonly name: string }) => name === read, soldLeads: endAfterReading };
      const ended = runHere(layout, crawler, { store, archive, ...only })
        .then(() => '', String)
        .finally(async () => {
          await crawler.close();
          store.close();
        });
      return { layout, lines, ended };
    };
    const way = await wayTo(QUEUE);
    const lost = await startRun(way.url);
    await until(() =>
      lost.lines.some((line) => /^ {2}no worker for \d+ sources: start one with make worker/u.test(line)),
    );
    // Each has a disk of its own, which is empty.
    const first = await workerHere(t, QUEUE, await newLayout(), {}, await newStore());
    await first.said(/^heartland_multifamily: reading/u);
    await until(() => s3.requests.filter((r) => r.startsWith('PUT requests/')).length > 3);
    await first.close();
    const second = await workerHere(t, QUEUE, await newLayout(), {}, await newStore());
    await second.said(/^heartland_multifamily: taken over with [1-9]\d* archived answers/u);
    // The host of the run is lost. Another, whose disk is empty, continues from what the workers stored: also from what
    // the second worker reads until it notices.
    await way.close();
    assert.match(await lost.ended, /^QueueUnavailable: /u);
    const next = await startRun(QUEUE);
    assert.equal(await next.ended, String(ALL_READ), [...next.lines, ...second.lines].join('\n'));
    const asked = (webs[0].asked.get(host) ?? []).slice(askedBefore).filter((p) => !p.startsWith('/robots.txt'));
    assert.ok(asked.length <= new Set(asked).size + 2, 'only a page that was on its way is asked for again');
    assert.equal((await readRecord(next.layout, read, `${DAY}.02`))?.status, 'good');
    await assert.rejects(
      workerHere(t, QUEUE, lost.layout),
      /^SettingError: DATA_DIR is "[^"]+", which is not the data folder .* or their STORE$/u,
    );
  });

  test('a worker with another data folder or password, or without a secret, is refused in one line', async (t) => {
    const [layout, other] = [await newLayout(), await newLayout()];
    const QUEUE = await postgres.database();
    const sources = await loadSources();
    const spec = sources.find(({ name }) => name === 'hud_fmr') ?? assert.fail();
    const request = { asOf: DAY, runId: `${DAY}.09`, lastGoodOn: null, distrusts: [], resumes: [] };
    /** What a run waits for: the first page of a source. */
    const firstPage = (crawler: QueueCrawler): Promise<unknown> =>
      crawler.read(spec, request, assert.ifError).pages()[Symbol.asyncIterator]().next();
    const impatient = await queueFor(layout, { url: QUEUE, noWorkerMs: 1 });
    const error: unknown = await firstPage(impatient).then(
      () => assert.fail(),
      (reason: unknown) => reason,
    );
    await impatient.close();
    assert.ok(isUnpublished(error), 'exit status 2');
    assert.match(
      failureText(error, layout.root),
      /^QUEUE is a PostgreSQL database, which has had no worker for 0 minutes: start one with make worker\. /u,
    );
    await assert.rejects(
      workerHere(t, QUEUE, other),
      /^SettingError: DATA_DIR is "[^"]+", which is not the data folder of the runs that use QUEUE; expected the same/u,
    );
    const options = { url: QUEUE, secrets: { HUD_TOKEN: 'of the run' }, contact: 'ops@example.org' };
    await assert.rejects(
      queueFor(other, options),
      /^SettingError: QUEUE is .* which is the queue of another data folder than DATA_DIR/u,
    );
    const live = await queueFor(layout, options);
    let isOpen = true;
    const close = async (): Promise<void> => {
      if (isOpen) await live.close();
      isOpen = false;
    };
    t.after(close);
    await assert.rejects(
      queueFor(layout, options),
      (refusal: Error) =>
        refusal.name === 'SettingError' && refusal.message.endsWith('which is in use by another run.'),
    );
    const ended = assert.rejects(firstPage(live), /the run has ended/u);
    const poor = await workerHere(t, QUEUE, layout);
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
    const wrong = workerProcess({ QUEUE: QUEUE.replace(/:[0-9a-f]+@/u, ':hunter2@'), DATA_DIR: layout.root });
    assert.equal((await wrong.ended).status, 1);
    assert.match(
      wrong.lines.join('\n'),
      /^QUEUE is a PostgreSQL database, which refuses the connection: password authentication failed/u,
    );
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
    const page = record.pages[0]?.sha256 ?? '';
    await readVerified(new FolderStore(settings.STORE), objectOf(page));
    assert.match(worker.lines.join('\n'), /^hud_fmr: \d+ pages?, \d+ requests?, \d+ ms$/mu);
    await worker.end('SIGTERM');
    assert.equal((await worker.ended).status, 0);
    assert.match(worker.lines.at(-1) ?? '', /^worker \S+ has stopped$/u);
  });
});
