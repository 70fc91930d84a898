/** The ledger in SQLite with several processes, kills, locks, and wrong files. */
import assert from 'node:assert/strict';
import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { LedgerUnavailable } from '../../ledger/ledger.ts';
import { openLedger } from '../../ledger/open.ts';
import { openSqliteLedger, openSqliteStore } from '../../ledger/sqlite/store.ts';
import type { Query } from '../../ledger/sql/store.ts';
import { SettingError } from '../../lib/settings.ts';
import { thorough } from '../thorough.ts';
import { memoryFolder } from './memory_folder.ts';
import { child, processTests } from './processes.ts';
import { all, answer, purchaseIn, reserve, wanted } from './purchases.ts';

/** Killed processes; KILLS=20 is a longer proof. */
const KILLS = Number(process.env['KILLS'] ?? thorough(2, 4));

const folder = memoryFolder('dealfeed-ledger-');
after(() => rmSync(folder, { recursive: true, force: true }));
let count = 0;
const fresh = (): string => join(folder, `${(count += 1)}.sqlite`);

processTests(
  { fresh: async () => fresh(), open: (name) => openSqliteLedger(name) },
  {
    kills: KILLS,
    openImpatient: (file) => openSqliteLedger(file, { retryMs: 300 }),
    async lock(file) {
      const locker = child('lock', file);
      await locker.started;
      await assert.rejects(openSqliteLedger(file, { retryMs: 100 }), LedgerUnavailable);
      return () => {
        locker.process.stdin.write('release\n');
        return locker.ended;
      };
    },
    inspect: (file) => {
      const db = new DatabaseSync(file);
      assert.deepEqual(
        db
          .prepare('PRAGMA integrity_check')
          .all()
          .map((row) => ({ ...row })),
        [{ integrity_check: 'ok' }],
      );
      assert.deepEqual(db.prepare('PRAGMA foreign_key_check').all(), []);
      db.close();
    },
  },
);

test('while another process locks the file, callers wait without blocking this process, then continue', async () => {
  const file = fresh();
  const ledger = await openSqliteLedger(file);
  const locker = child('lock', file);
  await locker.started;
  let hasBegun = false;
  const begun = Promise.all([1, 2, 3].map((n) => ledger.begin(wanted(n)))).finally(() => {
    hasBegun = true;
  });
  // Timers fire while the callers wait: the event loop is not blocked.
  for (let turn = 0; turn < 30; turn += 1) await sleep(5);
  assert.equal(hasBegun, false);
  locker.process.stdin.write('release\n');
  assert.deepEqual(
    (await begun).map((b) => b.kind),
    ['reserved', 'reserved', 'reserved'],
  );
  await locker.ended;
  await ledger.close();
});

test('a ledger of another version is refused in one line, and not changed', async () => {
  const file = fresh();
  await (await openSqliteLedger(file)).close();
  for (const [version, why] of [
    [99, /^LEDGER is .*version 99.*update the program$/],
    [0, /^LEDGER is .*version 0.*begin a new ledger$/],
  ] as const) {
    const db = new DatabaseSync(file);
    db.exec(`PRAGMA user_version = ${version}`);
    await assert.rejects(
      openLedger({ DATA_DIR: '', LEDGER: file }),
      (error) => error instanceof SettingError && why.test(error.message),
    );
    assert.equal(db.prepare('PRAGMA user_version').get()?.['user_version'], version);
    db.close();
  }
});

test('a file that is not a ledger is refused, and not changed', async () => {
  const [other, text] = [fresh(), fresh()];
  const db = new DatabaseSync(other);
  db.exec('CREATE TABLE recipes (name TEXT)');
  db.close();
  writeFileSync(text, 'a letter to a friend, long enough to be more than an empty file\n'.repeat(100));
  await assert.rejects(openLedger({ DATA_DIR: '', LEDGER: other }), /is not a ledger but another SQLite database/);
  await assert.rejects(openLedger({ DATA_DIR: '', LEDGER: text }), /not an SQLite file/);
  await assert.rejects(openLedger({ DATA_DIR: join(text, 'below') }), SettingError);
});

test('the file is created in DATA_DIR, readable only by its owner', async () => {
  const dataDir = join(folder, 'new', 'data');
  const ledger = await openLedger({ DATA_DIR: dataDir });
  await purchaseIn(ledger, 'sold', 1);
  for (const name of ['ledger.sqlite', 'ledger.sqlite-wal'])
    assert.equal(statSync(join(dataDir, name)).mode & 0o777, 0o600, name);
  await ledger.close();
  assert.ok(!existsSync(join(dataDir, 'ledger.sqlite-wal')), 'a closed ledger is one file');
});

test('the writes of one commit wait for the disk if one of them must: WAL, synchronous = FULL', async () => {
  const store = await openSqliteStore(fresh());
  assert.equal((await store.read('PRAGMA journal_mode'))[0]?.['journal_mode'], 'wal');
  const synchronous = async (query: Query): Promise<unknown> => (await query('PRAGMA synchronous'))[0]?.['synchronous'];
  assert.deepEqual(await Promise.all([store.write(synchronous, 'soon'), store.write(synchronous, 'flushed')]), [2, 2]);
  await store.close();
});

test('a write that throws leaves nothing, and the writes after it run', async () => {
  const store = await openSqliteStore(fresh());
  const use = (query: Query, token: string): Promise<unknown> =>
    query('INSERT INTO used_tokens (token, until_ms) VALUES ($1, 0)', token);
  const ends = await Promise.allSettled(
    Array.from({ length: 9 }, (_, n) =>
      store.write(async (query) => {
        await use(query, `t${n}`);
        if (n % 3 === 1) throw new Error(`number ${n}`);
        if (n % 3 === 2) await use(query, 't0');
      }),
    ),
  );
  assert.deepEqual(
    ends.map((end) => end.status),
    Array.from({ length: 9 }, (_, n) => (n % 3 === 0 ? 'fulfilled' : 'rejected')),
  );
  assert.deepEqual(
    (await store.read('SELECT token FROM used_tokens ORDER BY token')).map((row) => row['token']),
    ['t0', 't3', 't6'],
  );
  await store.close();
});

test('the event loop runs between the commits of concurrent writes', async () => {
  const store = await openSqliteStore(fresh());
  let turns = 0;
  let isDone = false;
  const turn = (): void => {
    turns += 1;
    if (!isDone) setImmediate(turn);
  };
  setImmediate(turn);
  await Promise.all(
    Array.from({ length: 320 }, (_, n) =>
      store.write((query) => query('INSERT INTO used_tokens (token, until_ms) VALUES ($1, 0)', `t${n}`)),
    ),
  );
  isDone = true;
  assert.ok(turns >= 19, `${turns} turns during 320 writes`);
  await store.close();
});

test('close finishes earlier writes, also those that wait for a lock', async () => {
  const file = fresh();
  const ledger = await openSqliteLedger(file);
  const { id } = await reserve(ledger, wanted(1));
  const locker = child('lock', file);
  await locker.started;
  const writes = [
    ledger.begin(wanted(2)),
    ledger.startSettling(id, answer('x'), 1),
    ledger.recordDelivery({ purchaseId: id, kind: 'first', atMs: 1, isComplete: true }),
  ];
  const closed = ledger.close();
  locker.process.stdin.write('release\n');
  await Promise.all([...writes, closed]);
  const again = await openSqliteLedger(file);
  assert.equal((await all(again.deliveries())).length, 1);
  await again.close();
});
