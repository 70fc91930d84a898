/** Which snapshot serves: switches under traffic, damaged snapshots, and a server without a snapshot. */
import assert from 'node:assert/strict';
import { readFile, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { closing } from '../../../lib/closing.ts';
import { readJson, sha256OfFile } from '../../../lib/files.ts';
import { sealSubject, writeSuppressed } from '../../../lib/suppressions.ts';
import { isVerified, markVerified } from '../../../lib/verified.ts';
import { Filters } from '../../../api/serving/filters.ts';
import { openSnapshots } from '../../../api/serving/follow.ts';
import { openSnapshot } from '../../../api/serving/open.ts';
import { ServedManifest } from '../../../models/manifest.ts';
import { bodyOf, buyerWith } from '../support/buyers.ts';
import { sharedApp, startSharedApp } from '../support/test_app.ts';
import { changeManifest, rowsOfTable } from '../support/snapshot_fixtures.ts';

const readServed = async (folder: string): Promise<ServedManifest> =>
  ServedManifest.parse(await readJson(join(folder, 'manifest.json')));

const scored = (score: number) => rowsOfTable('deals', 20, () => ({ deal_score: score }));

describe('a snapshot', () => {
  const shared = sharedApp({ deals: scored(1) });

  it('is replaced under traffic without a failed request or a response from two snapshots', async () => {
    const { folder, app } = shared;
    await folder.publish('2026-11-20.02', { deals: scored(2) }, { current: false });
    const buyer = buyerWith();
    const traffic = { isRunning: true, responses: 0, latest: '' };
    const customer = async (): Promise<void> => {
      while (traffic.isRunning) {
        const response = await buyer.fetch(`${app.url}/api/deals`);
        assert.equal(response.status, 200);
        const body = await bodyOf(response);
        const id = String(body['snapshot_id']);
        const scores = new Set((body['records'] as { deal_score: number }[]).map((r) => r.deal_score));
        assert.deepEqual([...scores], [Number(id.at(-1))]);
        assert.equal(body['count'], 20);
        traffic.latest = id;
        traffic.responses += 1;
      }
    };
    const customers = Promise.all([customer(), customer(), customer()]);
    try {
      for (const id of ['2026-11-20.02', '2026-11-20.01']) {
        await folder.switchTo(id);
        while (traffic.latest !== id) await Promise.race([pause(20), customers]);
      }
    } finally {
      traffic.isRunning = false;
    }
    await customers;
    assert.ok(traffic.responses > 10);
  });

  it('is closed after its last lease is released', async () => {
    const { folder } = shared;
    await folder.switchTo('2026-11-20.01');
    const snapshots = await openSnapshots({ dataDir: folder.path, pollMs: 60_000 });
    const lease = snapshots.acquire();
    await folder.publish('2026-11-20.03', { deals: scored(3) });
    await snapshots.refresh();
    assert.equal(snapshots.acquire()?.snapshot.id, '2026-11-20.03');
    assert.equal(lease?.snapshot.records('deals', [0])[0]?.['deal_score'], 1);
    lease?.[Symbol.dispose]();
    assert.throws(() => lease?.snapshot.rows('SELECT 1'));
    snapshots.close();
    await shared.switchTo('2026-11-20.01');
  });

  it('leaves out a suppressed name at once, whatever its case and punctuation', async () => {
    const { folder } = shared;
    await folder.publish('2026-11-20.05', {
      signals: rowsOfTable('signals', 3, (i) => ({
        owner_name: ['Müller José', 'DOE JANE', 'ROE RICHARD'][i - 1] ?? null,
      })),
    });
    const snapshots = await openSnapshots({ dataDir: folder.path, pollMs: 60_000 });
    const names = async (): Promise<unknown[]> => {
      using lease = snapshots.acquire() ?? assert.fail();
      const rows = await lease.snapshot.select(new Filters('signals'));
      const found = lease.snapshot.records('signals', rows, ['owner_name']).map((row) => row['owner_name']);
      return found.sort();
    };
    assert.deepEqual(await names(), ['DOE JANE', 'Müller José', 'ROE RICHARD']);
    await writeSuppressed(
      folder.path,
      ['Müller José', 'doe, jane'].flatMap((name) => sealSubject(name) ?? []),
    );
    await snapshots.refresh();
    assert.deepEqual(await names(), ['ROE RICHARD']);
    await writeSuppressed(folder.path, []);
    snapshots.close();
    await shared.switchTo('2026-11-20.01');
  });

  it('is served for real money only if all its rows may be sold', async () => {
    const { folder } = shared;
    const published = await folder.publish('2026-11-20.04', { deals: scored(4) }, { data: 'live' });
    const open = async (resale: string) => {
      const tax = { family: 'tax', history: '.'.repeat(90) };
      const sources = [
        { ...tax, source: 'oh_summit_tax', resale, last_good_at: '2026-11-20T12:00:00Z' },
        { ...tax, source: 'oh_lucas_tax', resale: 'unknown', last_good_at: null },
      ];
      await changeManifest(published, (manifest) => Object.assign(manifest, { sources }));
      const snapshots = await openSnapshots({ dataDir: folder.path, pollMs: 60_000, isForSale: true });
      snapshots.close();
    };
    for (const resale of ['unknown', 'forbidden'])
      await assert.rejects(open(resale), { name: 'SettingError', message: /may be sold: oh_summit_tax$/u });
    for (const resale of ['allowed', 'confirmed']) await open(resale);
    await shared.switchTo('2026-11-20.01');
  });

  const damages: [name: string, damage: (folder: string) => Promise<void>, reason: RegExp][] = [
    [
      'a serving file is truncated',
      (f) => truncate(join(f, 'serving.sqlite'), 100),
      /serving\.sqlite does not have the hash/,
    ],
    [
      'make prune removed a serving file',
      async (f) => {
        await rm(join(f, 'serving.sqlite'));
        const files = ['serving.sqlite'];
        await writeFile(join(f, 'pruned.json'), JSON.stringify({ files }));
      },
      /^serving\.sqlite was removed by make prune: publish again with make run, or/,
    ],
    [
      'its manifest has another row count',
      (f) =>
        changeManifest(f, (manifest) => {
          Object.assign(manifest.tables['leads'] ?? {}, { rows: 7 });
        }),
      /leads has 0 rows in the serving files, the manifest states 7/,
    ],
    ['its manifest is missing', (f) => rm(join(f, 'manifest.json')), /manifest\.json/],
    [
      'another version built it',
      async (f) => {
        const file = new DatabaseSync(join(f, 'serving.sqlite'));
        file.exec('PRAGMA user_version = 7');
        file.close();
        const sha256 = await sha256OfFile(join(f, 'serving.sqlite'));
        await changeManifest(f, ({ serving }) => {
          for (const entry of serving) if (entry['file'] === 'serving.sqlite') entry['sha256'] = sha256;
        });
      },
      /^serving\.sqlite has other tables: another version built it\. Publish once .*: make run$/,
    ],
  ];
  for (const [i, [name, damage, reason]] of damages.entries()) {
    it(`is not served if ${name}: the previous one keeps serving, and /health has the reason`, async () => {
      const id = `2026-11-20.1${i}`;
      await damage(await shared.folder.publish(id, { deals: scored(2) }, { current: false }));
      await shared.switchTo(id);
      const index = await shared.get('/api/deals/ids');
      assert.equal(index.response.headers.get('X-Snapshot-Id'), '2026-11-20.01');
      const { response, body } = await shared.get('/health');
      assert.deepEqual([response.status, body['status']], [200, 'degraded']);
      assert.match((body['snapshot_failure'] as { reason: string }).reason, reason);
      await shared.switchTo('2026-11-20.01');
      assert.equal((await shared.get('/health')).body['status'], 'ok');
    });
  }
});

it('a file is read again only if it changed since its hash was checked on this disk', async () => {
  await using shared = closing(await startSharedApp());
  const folder = await shared.folder.publish('2026-11-20.01', { deals: scored(1) });
  const path = join(folder, 'serving.sqlite');
  const [stated = assert.fail()] = (await readServed(folder)).serving.filter(({ file }) => file === 'serving.sqlite');
  (await openSnapshot(folder)).close();
  assert.equal(await isVerified(folder, stated), true);

  const bytes = await readFile(path);
  const { atime, mtime } = await stat(path);
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
  await writeFile(path, bytes);
  await utimes(path, atime, mtime);
  await assert.rejects(openSnapshot(folder), /serving\.sqlite does not have the hash/u);

  // A disk that lost a bit changes no time: only `make status` finds it.
  await markVerified(folder, [stated]);
  (await openSnapshot(folder)).close();
});

describe('a server without a snapshot', () => {
  it('responds with 503, which cannot be paid, and serves the first snapshot that can be loaded', async () => {
    await using shared = closing(await startSharedApp());
    const assertUnavailable = async (detail: RegExp): Promise<void> => {
      for (const path of ['/api/meta', '/api/deals']) {
        const { response, body } = await shared.get(path);
        assert.deepEqual([response.status, body['reason']], [503, 'snapshot_unavailable']);
        assert.match(String(body['detail']), detail);
      }
      assert.equal((await shared.get('/health')).response.status, 503);
    };
    await assertUnavailable(/^There is no snapshot to serve yet\./);
    const damaged = await shared.folder.publish('2026-11-20.01', {}, { current: false });
    await rm(join(damaged, 'manifest.json'));
    await shared.switchTo('2026-11-20.01');
    await assertUnavailable(/^The snapshot cannot be loaded; \/health has the reason\./);
    await shared.folder.publish('2026-11-20.02', { deals: scored(1) });
    await shared.switchTo('2026-11-20.02');
    assert.equal((await shared.get('/api/meta')).response.status, 200);
    assert.equal((await shared.get('/api/deals')).response.status, 402);
  });
});
