/** A server with its own disk serves the snapshots of a store, and nothing half published or damaged. */
import assert from 'node:assert/strict';
import { copyFile, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { openFollowed, type FollowedSnapshots } from '../../api/serving/mirror.ts';
import type { LoadFailure, Snapshots } from '../../api/serving/follow.ts';
import { sha256 } from '../../lib/files.ts';
import { openStore } from '../../lib/store/open.ts';
import { layoutOf } from '../../pipelines/layout.ts';
import { listSnapshots } from '../../pipelines/snapshots.ts';
import { createRunStore, type RunStore } from '../../pipelines/store/run_store.ts';
import { storeState } from '../../pipelines/store/state.ts';
import { openArchive } from '../../lib/archive.ts';
import { dataFolder, rowOf, type DataFolder } from '../api/support/snapshot_fixtures.ts';
import { startApp } from '../api/support/test_app.ts';
import { memoryFolder } from '../ledger/memory_folder.ts';
import { startS3, withS3, type S3Server } from './s3_server.ts';

const DAY = '2026-11-20';
/** A request whose response is archived. */
const REQUEST = {
  source: 'a_broker',
  method: 'GET',
  url: 'https://www.broker.example/',
  status: 200,
  kind: 'list',
  context: {},
  requestHeaders: {},
  responseHeaders: { 'content-type': 'text/html' },
  observedAt: `${DAY}T12:00:00Z`,
  fromCache: false,
  error: null,
} as const;
const nameOf = (url = ''): string => (url.split('?')[0] ?? '').replace('/deals/feed/', '');

describe('a server with a store', () => {
  let s3: S3Server;
  let restore: () => void;
  let host: DataFolder;
  let run: RunStore;
  const disk = memoryFolder('dealfeed-server-');
  const reports: string[] = [];
  let nowMs = Date.parse(`${DAY}T12:00:00Z`);
  let server: FollowedSnapshots;

  const serve = (dataDir: string, cacheMb = 1000, isForSale = false): Promise<FollowedSnapshots> =>
    openFollowed(
      {
        dataDir,
        isForSale,
        pollMs: 600_000,
        nowMs: () => nowMs,
        report: (event: { serving: string } | LoadFailure) => {
          if ('reason' in event) reports.push(event.reason);
        },
      },
      { STORE: s3.address, cacheMb },
    );
  /** Run id that a server serves after it has looked at the store. */
  const served = async (snapshots: Snapshots): Promise<string | null> => {
    await snapshots.refresh();
    const lease = snapshots.acquire();
    lease?.release();
    return lease?.snapshot.id ?? null;
  };
  const build = (number: string): Promise<string> => host.publish(`${DAY}.${number}`, {}, { current: false });
  const publish = async (number: string): Promise<void> => {
    await run.pull(DAY);
    await build(number);
    await run.publish(`${DAY}.${number}`);
  };

  before(async () => {
    s3 = await startS3();
    restore = withS3(s3);
    host = await dataFolder();
    const layout = layoutOf(host.path);
    await writeFile(layout.kind, '{"data_clock":"sandbox"}\n');
    run = createRunStore({ store: await openStore(s3.address, 0), layout, cacheMb: 1000, print: () => {} });
  });
  after(async () => {
    server.close();
    run.close();
    restore();
    await s3.close();
    await host.remove();
  });

  test('starts with an empty disk and an empty store, and serves each snapshot that is published', async () => {
    server = await serve(disk);
    assert.equal(await served(server), null);
    await publish('01');
    assert.equal(await served(server), `${DAY}.01`);
    assert.equal(server.failure(), null);
    await assert.rejects(serve(memoryFolder('dealfeed-live-'), 1000, true), {
      name: 'SettingError',
      message: /^STORE is s3:\/\/deals\/feed, expected data that may be sold, .*\.01: it has made-up data /u,
    });
  });

  test('never serves a publication that was interrupted at any step', async () => {
    await run.pull(DAY);
    const folder = await build('02');
    const stops = [
      /^PUT objects/u,
      /^PUT snapshots.*deals\.parquet/u,
      /^PUT .*duckdb/u,
      /^PUT .*manifest/u,
      /^PUT current/u,
    ];
    const pointer = await readFile(s3.fileOf('current'), 'utf8');
    for (const stop of stops) {
      s3.fault = ({ method, url, socket }) => {
        if (!stop.test(`${method ?? ''} ${nameOf(url)}`)) return false;
        socket.destroy();
        return true;
      };
      const said = /^STORE is s3:\/\/deals\/feed, which is unavailable: (?:ECONNRESET|EPIPE|socket hang up)$/u;
      await assert.rejects(run.publish(`${DAY}.02`), { name: 'StoreUnavailable', message: said });
      s3.fault = null;
      assert.equal(await readFile(s3.fileOf('current'), 'utf8'), pointer);
      assert.equal(await served(server), `${DAY}.01`);
    }
    // A service that stores part of an upload, and reports success.
    s3.fault = async ({ method, url }, response) => {
      if (method !== 'HEAD' || !nameOf(url).endsWith('deals.parquet')) return false;
      response.writeHead(200, { 'content-length': '3' }).end();
      return Promise.resolve(true);
    };
    await assert.rejects(run.publish(`${DAY}.02`), {
      name: 'StoreDamage',
      message:
        /^STORE \S+ snapshots\/2026-11-20\.02\/deals\.parquet has 3 bytes after its upload, expected \d+\. Nothing/u,
    });
    s3.fault = null;
    assert.equal(await served(server), `${DAY}.01`);
    await run.publish(`${DAY}.02`);
    assert.equal(await served(server), `${DAY}.02`);
    assert.match(folder, /02$/u);
  });

  /** Damage the published snapshot: the server must say so once, serve the one before, and recover by itself. */
  const damages: [about: string, file: string, damage: (path: string) => Promise<void>, said: RegExp][] = [
    ['is missing', 'dealfeed.duckdb', (path) => rm(path), /^STORE \S+ has no snapshots\/\S+\/dealfeed\.duckdb, which/u],
    [
      'is cut',
      'deals.parquet',
      (path) => truncate(path, 9),
      /^STORE \S+ snapshots\/\S+\/deals\.parquet has the SHA-256/u,
    ],
    [
      'has other content',
      'manifest.json',
      (path) => writeFile(path, '{}'),
      /manifest\.json has the SHA-256 44136fa355b3/u,
    ],
  ];
  for (const [index, [about, file, damage, said]] of damages.entries()) {
    test(`continues with the previous snapshot if ${file} ${about} in the store`, async () => {
      const [earlier, id] = [await served(server), `${DAY}.1${index}`];
      await publish(`1${index}`);
      const stored = s3.fileOf(`snapshots/${id}/${file}`);
      const [intact, md5] = [`${stored}.intact`, `${stored}.md5`];
      await copyFile(stored, intact);
      await damage(stored);
      await rm(md5, { force: true });
      reports.length = 0;
      assert.equal(await served(server), earlier);
      assert.equal(await served(server), earlier);
      assert.equal(reports.length, 1, 'reported once');
      assert.match(reports[0] ?? '', said);
      assert.equal(server.failure()?.reason, 'a file is missing, damaged or stale', '/health does not name the bucket');
      assert.ok(!(await listSnapshots(layoutOf(disk))).includes(id));
      const { problems } = await storeState(s3.address);
      assert.deepEqual(
        problems.map((p) => [p.kind, p.subject]),
        [['store_damaged', 's3://deals/feed']],
      );
      await copyFile(intact, stored);
      assert.equal(await served(server), id);
      assert.equal(server.failure(), null);
    });
  }

  test('does not go back to a stale pointer, but follows a restored one', async () => {
    const stale = await readFile(s3.fileOf('current'));
    await publish('21');
    assert.equal(await served(server), `${DAY}.21`);
    const fresh = await readFile(s3.fileOf('current'));
    await writeFile(s3.fileOf('current'), stale);
    assert.equal(await served(server), `${DAY}.21`);
    assert.match(
      reports.at(-1) ?? '',
      /^STORE \S+ returned catalog \d+, which is older than \d+: its answer is stale .* If it stays until 2026/u,
    );
    nowMs += 599_000;
    assert.equal(await served(server), `${DAY}.21`);
    nowMs += 1_000;
    assert.equal(await served(server), `${DAY}.12`, 'a stale answer ends within ten minutes');
    assert.equal(server.failure(), null);
    await writeFile(s3.fileOf('current'), fresh);
    assert.equal(await served(server), `${DAY}.21`);
    assert.equal(server.failure(), null);
    const { state, problems } = await storeState(s3.address);
    assert.deepEqual(problems, []);
    assert.equal(state?.current, `${DAY}.21`);
  });

  test('shows an archived page that only the store has, verified, and never bytes with another hash', async () => {
    const page = '<title>List</title><p>11 Main St';
    const [hash, runId] = [sha256(page), `${DAY}.22`];
    await run.pull(DAY);
    const archive = await openArchive(host.path);
    await archive.put(new TextEncoder().encode(page));
    await archive.append({ ...REQUEST, runId, sha256: hash, bytes: page.length });
    await archive.close();
    await host.publish(
      runId,
      {
        deals: [rowOf('deals', 1, { source: REQUEST.source, page_sha256: hash })],
        reports: [rowOf('reports', 1)],
        sources: [rowOf('sources', 1, { source: REQUEST.source, terms_show_pages: 'Made up for this test.' })],
      },
      { current: false },
    );
    await run.publish(runId);
    assert.equal(await served(server), runId);
    const shop = await startApp(disk, { snapshots: server, store: server.store });
    const get = async (path: string): Promise<[status: number, text: string]> => {
      const response = await fetch(`${shop.url}/report/pages/${hash}${path}`, { headers: { Accept: 'text/html' } });
      return [response.status, await response.text()];
    };
    const stored = s3.fileOf(`objects/${hash.slice(0, 2)}/${hash}`);
    const refused = async (status: number, said: RegExp): Promise<void> => {
      const fresh = await startApp(disk, { snapshots: server, store: server.store });
      for (const path of ['', '/bytes']) {
        const response = await fetch(`${fresh.url}/report/pages/${hash}${path}`);
        assert.deepEqual([response.status, response.headers.get('Content-Disposition')], [status, null]);
        assert.match(((await response.json()) as { detail: string }).detail, said);
      }
      await fresh.close();
    };
    try {
      const [status, text] = await get('');
      assert.equal(status, 200, text);
      assert.ok(text.includes('11 Main St') && text.includes(hash));
      const asked = s3.requests.length;
      assert.deepEqual(await get('/bytes'), [200, page]);
      assert.deepEqual(await get(''), [200, text]);
      assert.deepEqual(s3.requests.slice(asked), [], 'bytes and text are cached');
      s3.fault = (_, response) => {
        response.writeHead(403).end();
        return true;
      };
      await refused(503, /^The store of this server, which has the archived pages, is unavailable\. Try again/u);
      s3.fault = null;
      await writeFile(stored, page.replace('11', '12'));
      await refused(500, /^The archived bytes no longer have this SHA-256, so they are not shown\.$/u);
      await truncate(stored, 5 * 2 ** 20);
      await refused(404, /^These bytes are not served, because they exceed 4 MiB\.$/u);
      await rm(stored);
      await refused(404, /^Neither the archive nor the store of this server has these bytes\.$/u);
      await writeFile(stored, page);
    } finally {
      s3.fault = null;
      await shop.close();
    }
  });

  test('continues while the store is unavailable, and starts without it from its own disk', async () => {
    s3.fault = ({ socket }) => {
      socket.destroy();
      return true;
    };
    assert.equal(await served(server), `${DAY}.22`);
    assert.equal(server.failure()?.reason, 'it is unavailable');
    const restarted = await serve(disk);
    assert.equal(await served(restarted), `${DAY}.22`);
    restarted.close();
    s3.fault = null;
  });

  test('keeps the current and the previous snapshot in a small cache', async () => {
    const small = memoryFolder('dealfeed-small-');
    const snapshots = await serve(small, 0);
    await publish('31');
    assert.equal(await served(snapshots), `${DAY}.31`);
    await publish('32');
    assert.equal(await served(snapshots), `${DAY}.32`);
    assert.deepEqual(await listSnapshots(layoutOf(small)), [`${DAY}.31`, `${DAY}.32`]);
    snapshots.close();
    await rm(join(small), { recursive: true });
  });
});
