/** A server with its own disk serves the snapshots of a store, and nothing half published or damaged. */
import assert from 'node:assert/strict';
import { readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { openFollowed, type LoadFailure, type Snapshots } from '../../api/serving/follow.ts';
import { readJson } from '../../lib/files.ts';
import { snapshotFileName } from '../../lib/store/catalog.ts';
import { openStore } from '../../lib/store/open.ts';
import { filesOf } from '../../lib/store/snapshot_cache.ts';
import { layoutOf } from '../../pipelines/layout.ts';
import { listSnapshots } from '../../pipelines/snapshots.ts';
import { RunStore } from '../../pipelines/store/run_store.ts';
import { storeState } from '../../pipelines/store/run_store.ts';
import { dataFolder, rowOf, type DataFolder } from '../api/support/snapshot_fixtures.ts';
import { startApp } from '../api/support/test_app.ts';
import { archivePage } from '../lib/archive_files.ts';
import { memoryFolder } from '../ledger/memory_folder.ts';
import { startS3, withS3, type S3Server } from './s3_server.ts';

const DAY = '2026-11-20';
const nameOf = (url = ''): string => (url.split('?')[0] ?? '').replace('/deals/feed/', '');

describe('a server with a store', () => {
  let s3: S3Server;
  let restore: () => void;
  let host: DataFolder;
  let run: RunStore;
  const disk = memoryFolder('dealfeed-server-');
  const reports: string[] = [];
  let nowMs = Date.parse(`${DAY}T12:00:00Z`);
  let server: Snapshots;

  const serve = (dataDir: string, cacheBytes = 1e9, isForSale = false): Promise<Snapshots> =>
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
      { STORE: s3.address, cacheBytes },
    );
  /** Run id that a server serves after it has looked at the store. */
  const served = async (snapshots: Snapshots): Promise<string | null> => {
    await snapshots.refresh();
    using lease = snapshots.acquire();
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
    run = new RunStore({ store: await openStore(s3.address, 0), layout, print: () => {} });
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

  test('fetches the manifest and the serving files that it lists, and nothing else of a snapshot', async () => {
    const folder = layoutOf(disk).snapshot(`${DAY}.01`);
    const notes = ['fetched', 'verified.json'];
    const serving = await filesOf(folder, await readJson(join(folder, 'manifest.json')));
    assert.ok(serving.length > 1 && serving.every(({ file }) => file.endsWith('.sqlite')));
    const expected = [...serving.map(({ file }) => file), 'manifest.json'].sort();
    assert.deepEqual((await readdir(folder)).filter((name) => !notes.includes(name)).sort(), expected);
    assert.deepEqual(
      [...new Set(s3.requests.filter((request) => /^GET (?:snapshots|parts|objects)\//u.test(request)))].sort(),
      expected.map((file) => `GET ${snapshotFileName(`${DAY}.01`, file)}`).sort(),
    );
  });

  test('never serves a publication that was interrupted at any step', async () => {
    await run.pull(DAY);
    await build('02');
    const pointer = await readFile(s3.fileOf('current'), 'utf8');
    const [current, id] = [await served(server), `${DAY}.02`];
    for (const stop of [/^PUT objects/u, /^PUT snapshots.*deals\.parquet/u, /^PUT snapshots/u, /^PUT current/u]) {
      s3.fault = ({ method, url, socket }) => {
        if (!stop.test(`${method ?? ''} ${nameOf(url)}`)) return false;
        socket.destroy();
        return true;
      };
      const said = /^STORE is s3:\/\/deals\/feed, which is unavailable: (?:ECONNRESET|EPIPE|socket hang up)$/u;
      await assert.rejects(run.publish(id), { name: 'StoreUnavailable', message: said });
      assert.equal(await readFile(s3.fileOf('current'), 'utf8'), pointer);
      s3.fault = null;
      assert.equal(await served(server), current);
      await rm(s3.fileOf(`snapshots/${id}/manifest.json`), { force: true });
    }
    // A service that stores part of an upload, and reports success.
    const stored = s3.fileOf(`snapshots/${id}/deals.parquet`);
    await truncate(stored, 3);
    s3.fault = ({ method, url }, response) => {
      if (method !== 'PUT' || !nameOf(url).endsWith('deals.parquet')) return false;
      response.writeHead(200).end();
      return true;
    };
    await assert.rejects(run.publish(id), {
      name: 'StoreDamage',
      message: /^STORE \S+ snapshots\/2026-11-20\.02\/deals\.parquet does not have its \d+ bytes after its upload\./u,
    });
    s3.fault = null;
    assert.equal(await served(server), current);
    const asked = s3.requests.length;
    await run.publish(id);
    const uploads = s3.requests.slice(asked).filter((request) => /^PUT (?:snapshots|parts)/u.test(request));
    assert.deepEqual(uploads, [`PUT snapshots/${id}/deals.parquet`], 'what the store has is not sent again');
    assert.ok(!s3.requests.some((request) => request.startsWith('HEAD')), 'nor asked for one by one');
    assert.equal(await served(server), id);
  });

  /** Damage the published snapshot: the server must say so once, serve the one before, and recover by itself. */
  const damages: [about: string, file: string, damage: (path: string) => Promise<void>, said: RegExp][] = [
    ['is missing', 'serving.sqlite', (path) => rm(path), /^STORE \S+ has no snapshots\/\S+\/serving\.sqlite, which/u],
    ['is cut', 'serving.sqlite', (path) => truncate(path, 9), /^STORE \S+ \S+\/serving\.sqlite has the SHA-256/u],
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
      const intact = await readFile(stored);
      await damage(stored);
      await rm(`${stored}.md5`, { force: true });
      reports.length = 0;
      for (const _ of [1, 2]) assert.equal(await served(server), earlier);
      assert.equal(reports.length, 1, 'reported once');
      assert.match(reports[0] ?? '', said);
      assert.equal(server.failure()?.reason, 'a file is missing, damaged or stale', '/health does not name the bucket');
      assert.ok(!(await listSnapshots(layoutOf(disk))).includes(id));
      const { problems } = await storeState(s3.address);
      assert.deepEqual(
        problems.map((p) => [p.kind, p.subject]),
        [['store_damaged', 's3://deals/feed']],
      );
      await writeFile(stored, intact);
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
    const [source, runId] = ['a_broker', `${DAY}.22`];
    await run.pull(DAY);
    const hash = await archivePage(host.path, page, { source, runId });
    await host.publish(
      runId,
      {
        deals: [rowOf('deals', 1, { source, page_sha256: hash })],
        reports: [rowOf('reports', 1)],
        sources: [rowOf('sources', 1, { source, terms_show_pages: 'Made up for this test.' })],
      },
      { current: false },
    );
    await run.publish(runId);
    assert.equal(await served(server), runId);
    const shop = await startApp(disk, { snapshots: server });
    const get = async (path: string): Promise<[status: number, text: string]> => {
      const response = await fetch(`${shop.url}/report/pages/${hash}${path}`, { headers: { Accept: 'text/html' } });
      return [response.status, await response.text()];
    };
    const stored = s3.fileOf(`objects/${hash.slice(0, 2)}/${hash}`);
    const refused = async (status: number, said: RegExp): Promise<void> => {
      const fresh = await startApp(disk, { snapshots: server });
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
});
