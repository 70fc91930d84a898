/** Which snapshot serves: switching under traffic, damage, and a database that nothing can change. */
import assert from 'node:assert/strict';
import { readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { loadSnapshot } from '../../../api/snapshot/load.ts';
import { openSnapshots } from '../../../api/snapshot/follow.ts';
import { openDuck } from '../../../lib/duck.ts';
import { sha256OfFile } from '../../../lib/files.ts';
import { startApp, type Started } from '../support/test_app.ts';
import { bodyOf, buyerWith } from '../support/buyers.ts';
import { dataFolder, rowOf, rowsOfTable, uuid, type DataFolder } from '../support/snapshot_fixtures.ts';

/** A folder of its own, and applications over it that end with the test, however it ends. */
const withFolder = async (
  test: (folder: DataFolder, start: () => Promise<Started>) => Promise<void>,
): Promise<void> => {
  const folder = await dataFolder();
  const running: Started[] = [];
  const start = async (): Promise<Started> => {
    const started = await startApp(folder.path);
    running.push(started);
    return started;
  };
  try {
    await test(folder, start);
  } finally {
    for (const started of running) await started.close();
    await folder.remove();
  }
};
const scored = (score: number) => rowsOfTable('deals', 20, () => ({ deal_score: score }));

describe('a snapshot', () => {
  it('is replaced under traffic without a failed request or an answer from two snapshots', () =>
    withFolder(async (folder, start) => {
      await folder.publish('2026-11-20.01', { deals: scored(1) });
      await folder.publish('2026-11-20.02', { deals: scored(2) }, { current: false });
      const started = await start();
      const buyer = buyerWith();
      const traffic = { goes: true, answers: 0, latest: '' };
      const customer = async (): Promise<void> => {
        while (traffic.goes) {
          const response = await buyer.fetch(`${started.url}/api/deals`);
          assert.equal(response.status, 200);
          const body = await bodyOf(response);
          const id = String(body['snapshot_id']);
          const scores = new Set((body['records'] as { deal_score: number }[]).map((r) => r.deal_score));
          assert.deepEqual([...scores], [Number(id.at(-1))]);
          assert.equal(body['count'], 20);
          traffic.latest = id;
          traffic.answers += 1;
        }
      };
      const customers = Promise.all([customer(), customer(), customer()]);
      try {
        for (const id of ['2026-11-20.02', '2026-11-20.01', '2026-11-20.02']) {
          await folder.switchTo(id);
          for (
            const deadline = Date.now() + 20_000;
            traffic.latest !== id;
            await Promise.race([pause(20), customers])
          ) {
            assert.ok(Date.now() < deadline, `${id} never served`);
          }
        }
      } finally {
        traffic.goes = false;
      }
      await customers;
      assert.ok(traffic.answers > 10);
    }));

  it('that is left is closed only when its last request has ended', () =>
    withFolder(async (folder) => {
      await folder.publish('2026-11-20.01', { deals: scored(1) });
      const snapshots = await openSnapshots({ dataDir: folder.path, pollMs: 60_000 });
      const lease = snapshots.acquire();
      await folder.publish('2026-11-20.02', { deals: scored(2) });
      await snapshots.refresh();
      assert.equal(snapshots.acquire()?.snapshot.id, '2026-11-20.02');
      assert.equal((await lease?.snapshot.rows('SELECT max(deal_score) AS s FROM deals'))?.[0]?.['s'], 1);
      lease?.release();
      await assert.rejects(async () => lease?.snapshot.rows('SELECT 1'));
      snapshots.close();
    }));

  interface Written {
    readonly tables: Record<string, unknown>;
    readonly database: Record<string, unknown>;
  }
  const changeManifest = async (path: string, change: (manifest: Written) => void): Promise<void> => {
    const manifest = JSON.parse(await readFile(join(path, 'manifest.json'), 'utf8')) as Written;
    change(manifest);
    await writeFile(join(path, 'manifest.json'), JSON.stringify(manifest));
  };

  const damages: [string, (folder: string) => Promise<void>, RegExp][] = [
    [
      'the database is cut short',
      (f) => truncate(join(f, 'dealfeed.duckdb'), 100),
      /dealfeed\.duckdb does not have the hash/,
    ],
    [
      'a byte is changed',
      async (f) => {
        const bytes = await readFile(join(f, 'dealfeed.duckdb'));
        const last = bytes.length - 1;
        bytes[last] = (bytes[last] ?? 0) ^ 1;
        await writeFile(join(f, 'dealfeed.duckdb'), bytes);
      },
      /dealfeed\.duckdb does not have the hash/,
    ],
    ['the database is missing', (f) => rm(join(f, 'dealfeed.duckdb')), /dealfeed\.duckdb/],
    [
      'the manifest states other rows than the database has',
      (f) =>
        changeManifest(f, (manifest) => {
          Object.assign(manifest.tables['leads'] ?? {}, { rows: 7 });
        }),
      /leads has 0 rows in dealfeed\.duckdb, the manifest states 7/,
    ],
    ['the manifest is missing', (f) => rm(join(f, 'manifest.json')), /manifest\.json/],
    ['the manifest is not JSON', (f) => writeFile(join(f, 'manifest.json'), '{"run_id"'), /JSON/],
    ['the folder is missing', (f) => rm(f, { recursive: true }), /^manifest\.json cannot be opened$/],
  ];
  for (const [name, damage, reason] of damages) {
    it(`keeps the one before serving when ${name}, and says so in /health`, () =>
      withFolder(async (folder, start) => {
        await folder.publish('2026-11-20.01', { deals: scored(1) });
        const started = await start();
        await damage(await folder.publish('2026-11-20.02', { deals: scored(2) }, { current: false }));
        await folder.switchTo('2026-11-20.02');
        await started.snapshots.refresh();
        const index = await fetch(`${started.url}/api/deals/ids`);
        assert.equal(index.headers.get('X-Snapshot-Id'), '2026-11-20.01');
        const health = await fetch(`${started.url}/health`);
        assert.equal(health.status, 200);
        const body = await bodyOf(health);
        assert.equal(body['status'], 'degraded');
        assert.match((body['snapshot_failure'] as { reason: string }).reason, reason);
        await folder.switchTo('2026-11-20.01');
        await started.snapshots.refresh();
        assert.equal((await bodyOf(await fetch(`${started.url}/health`)))['status'], 'ok');
      }));
  }

  /** Write a snapshot as a server of an earlier time would have found it: what came since is taken out of its files. */
  const older = async (
    folder: DataFolder,
    columns: readonly [table: string, column: string][],
    tables: readonly string[],
  ): Promise<void> => {
    const path = await folder.publish('2026-11-20.01', {
      deals: scored(1),
      reports: rowsOfTable('reports', 20),
      listing_history: rowsOfTable('listing_history', 20),
    });
    const database = join(path, 'dealfeed.duckdb');
    const duck = await openDuck(database);
    for (const [table, column] of columns) await duck.connection.run(`ALTER TABLE ${table} DROP COLUMN ${column}`);
    for (const table of tables) await duck.connection.run(`DROP TABLE ${table}`);
    duck.close();
    const sha256 = await sha256OfFile(database);
    await changeManifest(path, (manifest) => {
      for (const table of tables) delete manifest.tables[table];
      Object.assign(manifest.database, { sha256 });
    });
  };

  it('that is older than the server serves null where a column that may be null came later, and /health says which', () =>
    withFolder(async (folder, start) => {
      await older(
        folder,
        [
          ['deals', 'offer_low'],
          ['deals', 'gross_rent_multiplier'],
          ['listing_history', 'gone_on'],
        ],
        [],
      );
      const started = await start();
      const buyer = buyerWith();
      const { records } = (await bodyOf(await buyer.fetch(`${started.url}/api/deals?limit=1`))) as {
        records: Record<string, unknown>[];
      };
      assert.deepEqual(
        [records[0]?.['offer_low'], records[0]?.['gross_rent_multiplier'], records[0]?.['deal_score']],
        [null, null, 1],
      );
      assert.equal((await buyer.fetch(`${started.url}/api/deals/${uuid(1)}/report`)).status, 200);
      const health = await bodyOf(await fetch(`${started.url}/health`));
      assert.equal(health['status'], 'degraded');
      assert.deepEqual(
        health['snapshot_gaps'],
        ['deals.gross_rent_multiplier', 'deals.offer_low', 'listing_history.gone_on'].map(
          (column) => `There is no ${column} in this snapshot; it is null in every row.`,
        ),
      );
    }));

  it('that has no reports yet answers for them 503 before they are priced, and serves everything else', () =>
    withFolder(async (folder, start) => {
      await older(folder, [], ['reports', 'listing_history']);
      const started = await start();
      for (const path of [`/api/deals/${uuid(1)}/report`, '/api/example_report']) {
        const response = await fetch(started.url + path);
        const body = await bodyOf(response);
        assert.deepEqual([response.status, body['reason'], body['billed']], [503, 'snapshot_unavailable', false], path);
        assert.match(String(body['detail']), /built before there were reports/);
      }
      for (const path of ['/api/meta', '/api/deals/ids', '/api/deals/{id}/report'])
        assert.equal((await fetch(started.url + path)).status, 200, path);
      assert.equal((await buyerWith().fetch(`${started.url}/api/deals`)).status, 200);
      assert.deepEqual((await bodyOf(await fetch(`${started.url}/health`)))['snapshot_gaps'], [
        'There is no table reports in this snapshot.',
        'There is no table listing_history in this snapshot.',
      ]);
    }));

  it('that has reports and no history yet sells the report with the history absent', () =>
    withFolder(async (folder, start) => {
      await older(folder, [], ['listing_history']);
      const started = await start();
      const response = await buyerWith().fetch(`${started.url}/api/deals/${uuid(1)}/report`);
      assert.equal(response.status, 200);
      assert.equal((await bodyOf(response))['history'], null);
    }));

  for (const [name, columns, tables, reason] of [
    [
      'a column that may not be null',
      [
        ['leads', 'lead_score'],
        ['leads', 'freshness'],
      ],
      [],
      /dealfeed\.duckdb was built before leads\.lead_score, leads\.freshness, which may not be null/,
    ],
    ['a table that was always there', [], ['deals'], /manifest\.json names no table deals/],
  ] as const) {
    it(`that lacks ${name} is refused, and /health says why`, () =>
      withFolder(async (folder, start) => {
        await older(
          folder,
          columns.map(([table, column]) => [table, column]),
          tables,
        );
        const health = await fetch(`${(await start()).url}/health`);
        assert.equal(health.status, 503);
        assert.match(((await bodyOf(health))['snapshot_failure'] as { reason: string }).reason, reason);
      }));
  }

  it('that is not there yet is a 503 that cannot be paid, and serves as soon as it is published', () =>
    withFolder(async (folder, start) => {
      const started = await start();
      for (const path of ['/api/meta', '/api/deals']) {
        const response = await fetch(started.url + path);
        assert.equal(response.status, 503);
        assert.equal((await bodyOf(response))['reason'], 'snapshot_unavailable');
      }
      assert.equal((await fetch(`${started.url}/health`)).status, 503);
      await folder.publish('2026-11-20.01', { deals: scored(1) });
      await started.snapshots.refresh();
      assert.equal((await fetch(`${started.url}/api/meta`)).status, 200);
      assert.equal((await fetch(`${started.url}/api/deals`)).status, 402);
    }));

  it('can read no file and change no setting once it is loaded', () =>
    withFolder(async (folder) => {
      const path = await folder.publish('2026-11-20.01', { deals: [rowOf('deals', 1)] });
      const snapshot = await loadSnapshot(path);
      await assert.rejects(snapshot.rows(`SELECT * FROM read_parquet('${join(path, 'deals.parquet')}')`), /disabled/);
      await assert.rejects(snapshot.rows(`COPY deals TO '${join(path, 'out.csv')}'`), /disabled/);
      await assert.rejects(snapshot.rows('SET enable_external_access = true'), /locked|cannot/i);
      snapshot.close();
    }));

  it('gives every kind of value in its JSON form', () =>
    withFolder(async (folder) => {
      const row = rowOf('deals', 1, {
        list_price: '999999999999.99',
        cap_gap_pct: '-0.05',
        confidence_score: '0.10',
        units: 12,
        relisted: true,
        listed_on: '2026-02-28',
        last_verified: '2026-11-20T23:59:59Z',
        confidence_parts: { units: '0.15', price: '0.10' },
        address: 'Ünïcode "St" \\ 1',
      });
      const snapshot = await loadSnapshot(await folder.publish('2026-11-20.01', { deals: [row] }));
      assert.deepEqual(await snapshot.records('deals', ''), [row]);
      snapshot.close();
    }));
});
