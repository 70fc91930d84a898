/**
 * Dealfeed past one machine: hosts that share no disk, only a store (S3) and a PostgreSQL with the queue and the
 * ledger. A worker is killed and its disk is lost. The store is away for a minute twice: it refuses connections while a
 * run crawls, and does not answer while another run publishes and a server sells. All is as on one machine alone.
 */
import assert from 'node:assert/strict';
import { readdir, rm } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { Health } from '../../api/http/health.ts';
import { startChain, type Chain } from '../../api/payments/local_chain/chain.ts';
import { openPostgresLedger } from '../../ledger/postgres/store.ts';
import { closing } from '../../lib/closing.ts';
import { readCatalog } from '../../lib/store/catalog.ts';
import { openStore } from '../../lib/store/open.ts';
import { objectOf, readPacked, readVerified } from '../../lib/store/store.ts';
import type { Layout } from '../../pipelines/layout.ts';
import { atOnce } from '../../lib/at_once.ts';
import { readManifest, verifySnapshot } from '../../pipelines/snapshots.ts';
import { Reads } from '../../pipelines/store/folder.ts';
import { makeWorld } from '../../sandbox/world/world.ts';
import { loadSources } from '../../sources/index.ts';
import { joinOn } from '../api/support/base.ts';
import { bodyOf, buyerWith, type Buyer } from '../api/support/buyers.ts';
import { startServer } from '../support/program.ts';
import { startPipeline, type Program } from '../support/program.ts';
import { workerProcess, type WorkerProcess } from '../support/program.ts';
import { countedWeb, untilAsked, type CountedWeb } from '../support/sandbox_web.ts';
import { startPostgres, type PostgresServer } from '../ledger/postgres_started.ts';
import { IN_A_BROWSER, newLayout, TINY } from '../pipelines/runs.ts';
import { startS3, withS3, type S3Server } from './s3_server.ts';

const DAYS = ['2026-11-20', '2026-11-21'] as const;
const [FIRST, SECOND] = [`${DAYS[0]}.01`, `${DAYS[1]}.01`];
const AWAY_MS = 60_000;
/** A site with a page per listing, and the pages after which its worker is killed. */
const [HOST, KILL_AFTER] = ['www.heartland-multifamily.example', 8];
/** A worker sends what it has archived every five seconds, so some of it is sent when it is killed. */
const PAGE_MS = 1_000;
const LEAD_PRICE = 1_000_000n;
/** What a server notes beside the files that it fetched. */
const OF_THE_DISK = ['fetched', 'verified.json'];

const WAITING = /^STORE is s3:\/\/deals\/feed, which is unavailable: [\w ]+\. Waiting up to 120 s$/u;
const BACK = /^STORE s3:\/\/deals\/feed is available again after (\d+) s$/u;

/** Each wait has one line when it begins and one when it ends, and no stack is shown. @returns seconds of the waits */
function waitsIn(lines: readonly string[]): number[] {
  assert.deepEqual(
    lines.filter((line) => /^\s+at /u.test(line)),
    [],
  );
  const said = lines.filter((line) => line.startsWith('STORE'));
  for (const [i, line] of said.entries()) assert.match(line, i % 2 === 0 ? WAITING : BACK, said.join('\n'));
  assert.equal(said.length % 2, 0, said.join('\n'));
  return said.flatMap((line) => BACK.exec(line)?.[1] ?? []).map(Number);
}

describe('hosts without a shared disk', () => {
  let s3: S3Server;
  let postgres: PostgresServer;
  let chain: Chain;
  /** What all hosts share. */
  let shared: Record<string, string>;
  let SOURCES: string;
  let server: Awaited<ReturnType<typeof startServer>>;
  const workers: WorkerProcess[] = [];
  /** Ends what was started. */
  const ends: (() => unknown)[] = [];
  const world = makeWorld(TINY);
  const payTo = privateKeyToAccount(generatePrivateKey()).address;
  const [a, b, alone, disk] = [newLayout(), newLayout(), newLayout(), newLayout()];

  const webOf = async (day: string, pageMs: number): Promise<CountedWeb> => {
    const web = await countedWeb(world, day, pageMs);
    ends.push(() => web.close());
    return web;
  };
  const worker = async (): Promise<{ readonly process: WorkerProcess; readonly layout: Layout }> => {
    const layout = await newLayout();
    const process = workerProcess({ ...shared, DATA_DIR: layout.root });
    workers.push(process);
    return { process, layout };
  };
  const runOn = async (
    web: CountedWeb,
    layout: Promise<Layout>,
    day: string,
    env: Record<string, string>,
  ): Promise<Program> => {
    const run = await startPipeline(web, (await layout).root, day, { SOURCES, ...env });
    ends.push(() => run.child.kill('SIGKILL'));
    return run;
  };
  /** The same day on one machine: same ledger, no store, no queue. Its web is its own: a site may refuse at first. */
  const runAlone = async (day: string): Promise<Program> =>
    runOn(await webOf(day, 2), alone, day, { LEDGER: shared['LEDGER'] ?? '' });
  const succeeds = async (run: Program): Promise<void> => {
    assert.equal((await run.ended).status, 0, [...run.lines, ...workers.flatMap((w) => w.lines)].join('\n'));
  };
  const health = async (): Promise<Health> => (await (await fetch(`${server.url}/health`)).json()) as Health;
  const healthBecomes = async (isSo: (now: Health) => boolean): Promise<void> => {
    while (!isSo(await health())) await sleep(200);
  };

  const leads: string[] = [];
  const buyer = async (): Promise<Buyer> => {
    const made = buyerWith();
    await chain.mint(made.address, 10n * LEAD_PRICE);
    // A payer of exclusive leads has bought before.
    const list = await made.fetch(`${server.url}/api/deals`);
    assert.equal(list.status, 200, await list.clone().text());
    return made;
  };
  /** Buy an exclusive lead. @returns the snapshot that answered */
  const buyLead = async (who: Buyer): Promise<string> => {
    const response = await who.fetch(`${server.url}/api/leads/exclusive`);
    assert.equal(response.status, 200, await response.clone().text());
    const body = await bodyOf(response);
    leads.push((body['lead'] as { id: string }).id);
    return String(body['snapshot_id']);
  };

  before(async () => {
    [s3, postgres, chain] = await Promise.all([startS3(), startPostgres(), startChain()]);
    ends.push(
      () => s3.close(),
      () => postgres.remove(),
      () => chain.close(),
      withS3(s3),
    );
    const database = await postgres.database();
    shared = { STORE: s3.address, QUEUE: database, LEDGER: database, ...s3.env };
    SOURCES = (await loadSources())
      .map(({ name }) => name)
      .filter((name) => name !== IN_A_BROWSER)
      .join(',');
  });
  after(async () => {
    await Promise.all(workers.map((w) => w.end('SIGKILL')));
    for (const end of ends.toReversed()) await end();
  });

  test('a day survives a worker that is killed with its disk, and a store that refuses for a minute', async () => {
    const web = await webOf(DAYS[0], PAGE_MS);
    const run = await runOn(web, a, DAYS[0], shared);
    const killed = await worker();
    await untilAsked(web, HOST, KILL_AFTER, run);
    await killed.process.end('SIGKILL');
    await rm(killed.layout.root, { recursive: true });
    const others = await Promise.all([worker(), worker()]);
    const takenOver = /^www\.heartland-multifamily\.example: taken over with [1-9]\d* archived answers/u;
    await Promise.race(others.map(({ process }) => process.mustSay(takenOver)));

    await s3.stop();
    const local = await runAlone(DAYS[0]);
    await sleep(AWAY_MS);
    assert.equal(run.child.exitCode, null, 'the run waits');
    await s3.start();
    await Promise.all([succeeds(run), succeeds(local)]);
    assert.equal(waitsIn(run.lines).length, 1);
    const waits = others.flatMap(({ process }) => waitsIn(process.lines));
    assert.ok(waits.length > 0, 'a worker was reading, and waited');
    for (const { process } of others)
      assert.doesNotMatch(process.lines.join('\n'), /left to another worker/u, 'no source was given back');
  });

  test('a server with an empty disk sells the day', async () => {
    const { root: dataDir } = await disk;
    await joinOn(dataDir, chain);
    server = await startServer({
      ...shared,
      DATA_DIR: dataDir,
      PORT: '0',
      PAY_TO: payTo,
      PUBLIC_BASE_URL: 'http://dealfeed.test',
      UNBILLED_PER_MINUTE: '0',
      LOG_LEVEL: 'warn',
    });
    ends.push(() => server.end('SIGTERM'));
    for (const who of [await buyer(), await buyer()]) assert.equal(await buyLead(who), FIRST);
  });

  test('the next day, from an empty disk, survives a silent store for a minute; a shop continues to sell', async () => {
    let isSilent = false;
    const began = Promise.withResolvers<void>();
    s3.fault = ({ method, url = '' }) => {
      if (method === 'PUT' && url.includes(`/snapshots/${SECOND}/`)) {
        isSilent = true;
        began.resolve();
      }
      return isSilent;
    };
    const local = await runAlone(DAYS[1]);
    const run = await runOn(await webOf(DAYS[1], 2), b, DAYS[1], shared);
    await Promise.race([began.promise, run.ended]);
    assert.equal(isSilent, true, run.lines.join('\n'));
    const over = sleep(AWAY_MS);
    // Both runs have read the ledger: what is sold now is not left out by either.
    await succeeds(local);
    const who = await buyer();
    assert.equal(await buyLead(who), FIRST);
    await healthBecomes((now) => now.snapshot_failure?.reason === 'it is unavailable');
    assert.equal(await buyLead(who), FIRST);
    await over;
    assert.equal(run.child.exitCode, null, 'the run waits');
    s3.fault = null;
    await succeeds(run);
    assert.equal(waitsIn(run.lines).length, 1);
    for (const each of workers) waitsIn(each.lines);
    await healthBecomes((now) => now.snapshot_id === SECOND && now.snapshot_failure === null);
    assert.equal(await buyLead(who), SECOND);
    const printed = server.lines.join('\n');
    assert.equal(printed.match(/which is unavailable/gu)?.length, 1, printed);
    assert.doesNotMatch(printed, /^\s+at /mu);
  });

  test('the tables have the same bytes as on a single machine', async () => {
    for (const [layout, runId] of [
      [await a, FIRST],
      [await b, SECOND],
    ] as const) {
      // No two DuckDB files are alike. The repeated requests of the sources that were taken over are counted.
      const manifestIn = async (at: Layout): Promise<object> => {
        const manifest = await readManifest(at, runId);
        return { ...manifest, database: null, sources: manifest.sources.map((s) => ({ ...s, traffic: null })) };
      };
      assert.deepEqual(await manifestIn(layout), await manifestIn(await alone));
      for (const at of [layout, await disk]) assert.deepEqual(await verifySnapshot(at, runId), []);
      const { serving } = await readManifest(layout, runId);
      assert.deepEqual(
        (await readdir((await disk).snapshot(runId))).filter((name) => !OF_THE_DISK.includes(name)).sort(),
        ['manifest.json', ...serving.map(({ file }) => file)].sort(),
        'a server has the manifest and the serving files on its disk',
      );
    }
  });

  test('the store has every page that was read, also by the killed worker, and no segment is left', async () => {
    const store = await openStore(s3.address);
    const { catalog } = (await readCatalog(store)) ?? assert.fail();
    assert.deepEqual([catalog.runs.map((r) => r.run_id), catalog.current], [[FIRST, SECOND], SECOND]);
    let attempts = 0;
    for (const { reads: hash } of catalog.runs) {
      const { requests, reads } = await readPacked(store, objectOf(hash), Reads);
      const named = new Set([
        ...requests.flatMap((r) => r.sha256 ?? []),
        ...reads.flatMap((read) => read.parquet?.sha256 ?? []),
      ]);
      assert.ok(requests.length > 0 && reads.length > 0);
      await atOnce(named, async (each) => void (await readVerified(store, objectOf(each))));
      attempts += requests.filter((r) => r.attempt !== undefined).length;
    }
    assert.ok(attempts > 0, 'some were asked by the workers that took over');
    assert.deepEqual([...(await store.list('segments/'))], []);
    store.close();
  });

  test('the ledger equals the chain, and each lead is sold once', async () => {
    await using ledger = closing(await openPostgresLedger(shared['LEDGER'] ?? ''));
    let sold = 0n;
    const sold_leads: string[] = [];
    for await (const { state, payment, leadId } of ledger.purchases()) {
      assert.equal(state, 'sold');
      sold += payment.amount;
      if (leadId !== null) sold_leads.push(leadId);
    }
    assert.equal(sold, await chain.balanceOf(payTo));
    assert.deepEqual(sold_leads.sort(), leads.toSorted());
    assert.equal(new Set(leads).size, 5);
  });
});
