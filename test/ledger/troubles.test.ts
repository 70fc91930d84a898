/** Several connections on one ledger, locks, a database that is gone or full, and wrong databases. */
import assert from 'node:assert/strict';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { closing } from '../../lib/closing.ts';
import { LedgerUnavailable, type Ledger } from '../../ledger/ledger.ts';
import { openLedger } from '../../ledger/open.ts';
import { openPostgresLedger } from '../../ledger/postgres/store.ts';
import { openSqliteLedger, openSqliteStore } from '../../ledger/sqlite/store.ts';
import type { Query } from '../../ledger/sql/store.ts';
import { SettingError } from '../../lib/settings.ts';
import { thorough } from '../thorough.ts';
import { ledgerFolders } from './ledger_folders.ts';
import { startPostgres } from './postgres_started.ts';
import { lockFile } from './processes.ts';
import {
  all,
  answer,
  bodyOf,
  hold,
  RESERVE_MS,
  paid,
  purchaseIn,
  purchaseOf,
  reserve,
  sha256,
  wanted,
} from './purchases.ts';

/** Repetitions of a race between two connections. */
const ROUNDS = thorough(2, 4);
const open = (LEDGER: string): Promise<Ledger> => openLedger({ DATA_DIR: '', LEDGER });

async function sql(url: string, ...statements: readonly string[]): Promise<Client> {
  const client = new Client({ connectionString: url });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  return client;
}

/** Pairs of actions that exclude each other, each on its own connection. */
async function raceOnce(one: Ledger, two: Ledger, round: number): Promise<void> {
  const n = round * 100;
  const onBoth = <T>(work: (ledger: Ledger, i: number) => Promise<T>): Promise<T[]> =>
    Promise.all([one, two, one, two].map(work));

  const identifierHash = sha256(`order-${round}`);
  const begun = await onBoth((ledger, i) => ledger.begin(wanted(n + i, { identifierHash })));
  assert.equal(begun.filter((b) => b.kind === 'reserved').length, 1, 'one identifier, one purchase');

  const slow = await purchaseIn(one, 'reserved', n + 20, { lead: `slow-${round}` });
  const next = await two.begin(wanted(n + 21, { nowMs: RESERVE_MS }));
  const [isSettling, takenLead] = await Promise.all([
    one.startSettling(slow.id, answer(`s${round}`), RESERVE_MS),
    hold(one, purchaseOf(next).id, [`slow-${round}`], RESERVE_MS),
  ]);
  assert.notEqual(isSettling, takenLead !== null, 'either the slow purchase may settle, or another one has its lead');

  const pending = await purchaseIn(one, 'settling', n + 30);
  const [sold, isReleased] = await Promise.all([
    one.markSold(pending.id, paid(1), 1),
    two.release(pending.id, 'expired_unused', 1),
  ]);
  assert.notEqual(sold.state === 'sold', isReleased);
  assert.equal((await one.find({ id: pending.id }))?.state, sold.state);

  const last = await reserve(one, wanted(n + 40));
  const settling = await onBoth((ledger) => ledger.startSettling(last.id, answer(`a${round}`.repeat(200_000)), 1));
  assert.equal(settling.filter(Boolean).length, 1, 'one call moves it to settling');

  const body = `equal bytes ${round}`.repeat(round % 2 === 0 ? 1 : 100_000);
  await purchaseIn(one, 'sold', n + 50, { nowMs: 100, body });
  const second = await reserve(one, wanted(n + 51, { nowMs: 5000 }));
  await Promise.all([one.startSettling(second.id, answer(body), 5000), two.forgetAnswers(4000)]);
  assert.equal(String(bodyOf(await one.answerOf(second.id))), body, 'bytes that are referred to are not deleted');
}

describe('a ledger', () => {
  const { dataDir, kinds, postgres } = ledgerFolders();
  const newFile = (): string => join(dataDir(), 'ledger.sqlite');

  for (const { name, kind, fresh } of kinds) {
    test(`in ${name} is shared by connections that open it at once`, async () => {
      const LEDGER = await fresh(dataDir());
      const ledgers = await Promise.all(Array.from({ length: 12 }, () => open(LEDGER)));
      await Promise.all(ledgers.map((ledger, n) => ledger.begin(wanted(n))));
      for (const ledger of ledgers) assert.equal((await all(ledger.purchases())).length, 12);
      await Promise.all(ledgers.map((ledger) => ledger.close()));
    });

    test(`in ${name} that stays locked is unavailable, and nothing is written`, async () => {
      const LEDGER = await fresh(dataDir());
      const isFile = kind === 'sqlite';
      const ledger = await (isFile
        ? openSqliteLedger(LEDGER, { retryMs: 300 })
        : openPostgresLedger(LEDGER, { retryMs: 1_000 }));
      const { id } = await reserve(ledger, wanted(1));
      const locker = isFile
        ? lockFile(LEDGER)
        : await sql(LEDGER, 'BEGIN', 'LOCK TABLE purchases, heartbeat IN EXCLUSIVE MODE');
      const writes = [ledger.begin(wanted(2)), ledger.startSettling(id, answer('x'), 1), ledger.ping()];
      await Promise.all(writes.map((write) => assert.rejects(write, LedgerUnavailable)));
      assert.equal((await ledger.find({ id }))?.state, 'reserved', 'reads still work');
      await (typeof locker === 'function' ? locker() : locker.end());
      await ledger.ping();
      assert.equal((await all(ledger.purchases())).length, 1);
      assert.equal(await ledger.startSettling(id, answer('x'), 1), true);
      await ledger.close();
    });

    test(`in ${name} lets only one of several mutually exclusive actions succeed`, async () => {
      const LEDGER = await fresh(dataDir());
      const [one, two] = [await open(LEDGER), await open(LEDGER)];
      for (let round = 0; round < ROUNDS; round += 1) await raceOnce(one, two, round);
      await Promise.all([one.close(), two.close()]);
    });
  }

  test('in a locked file lets callers wait without blocking this process; close finishes their writes', async () => {
    const file = newFile();
    const ledger = await openSqliteLedger(file);
    const { id } = await reserve(ledger, wanted(1));
    const release = lockFile(file);
    let isDone = false;
    const writes = Promise.all([ledger.begin(wanted(2)), ledger.startSettling(id, answer('x'), 1)]).finally(() => {
      isDone = true;
    });
    const closed = ledger.close();
    for (let turn = 0; turn < 30; turn += 1) await sleep(5);
    assert.equal(isDone, false);
    release();
    await Promise.all([writes, closed]);
    await using again = closing(await openSqliteLedger(file));
    assert.equal((await again.find({ id }))?.state, 'settling');
  });

  test('is created in DATA_DIR, readable only by its owner', async () => {
    const folder = join(dataDir(), 'new', 'data');
    const ledger = await openLedger({ DATA_DIR: folder });
    await purchaseIn(ledger, 'sold', 1);
    for (const name of ['ledger.sqlite', 'ledger.sqlite-wal'])
      assert.equal(statSync(join(folder, name)).mode & 0o777, 0o600, name);
    await ledger.close();
    assert.ok(!existsSync(join(folder, 'ledger.sqlite-wal')), 'a closed ledger is one file');
  });

  test('waits for the disk if any write of a commit requires it (WAL, synchronous = FULL)', async () => {
    await using store = closing(await openSqliteStore(newFile()));
    assert.equal((await store.read('PRAGMA journal_mode'))[0]?.['journal_mode'], 'wal');
    const mode = async (query: Query): Promise<unknown> => (await query('PRAGMA synchronous'))[0]?.['synchronous'];
    assert.deepEqual(await Promise.all([store.write(mode, 'soon'), store.write(mode, 'flushed')]), [2, 2]);
  });

  test('rolls back a write that throws, and keeps the other writes of its commit', async () => {
    await using store = closing(await openSqliteStore(newFile()));
    const ends = await Promise.allSettled(
      Array.from({ length: 9 }, (_, n) =>
        store.write(async (query) => {
          await query('INSERT INTO used_tokens (token, until_ms) VALUES ($1, 0)', `t${n}`);
          if (n % 3 > 0) throw new Error(`number ${n}`);
        }),
      ),
    );
    assert.deepEqual(
      ends.flatMap(({ status }, n) => (status === 'fulfilled' ? [n] : [])),
      [0, 3, 6],
    );
    assert.deepEqual(
      (await store.read('SELECT token FROM used_tokens ORDER BY token')).map((row) => row['token']),
      ['t0', 't3', 't6'],
    );
  });

  test('is unavailable while its server is stopped, and keeps every acknowledged write', async () => {
    await using ledger = closing(await openPostgresLedger(await postgres().schema(), { retryMs: 1_000 }));
    const sold = await purchaseIn(ledger, 'sold', 1, { body: 'bytes' });
    await postgres().stop('immediate');
    const calls = [ledger.begin(wanted(2)), ledger.ping(), ledger.find({ id: sold.id }), ledger.soldLeads()];
    await Promise.all(calls.map((call) => assert.rejects(call, LedgerUnavailable)));
    await postgres().start();
    assert.deepEqual(await ledger.find({ id: sold.id }), sold);
    assert.equal(String(bodyOf(await ledger.answerOf(sold.id))), 'bytes');
    assert.equal((await ledger.begin(wanted(2))).kind, 'reserved');
  });

  test('of another version, or that may lose commits, is refused in one line without the password', async () => {
    const [newer, older, foreign] = [newFile(), newFile(), newFile()];
    for (const [file, version] of [
      [newer, 99],
      [older, 0],
    ] as const) {
      await (await openSqliteLedger(file)).close();
      const db = new DatabaseSync(file);
      db.exec(`PRAGMA user_version = ${version}`);
      db.close();
    }
    new DatabaseSync(foreign).exec('CREATE TABLE recipes (name TEXT)');
    const text = newFile();
    writeFileSync(text, 'a letter to a friend, long enough to be more than an empty file\n'.repeat(100));
    const database = async (statement: string): Promise<string> => {
      const url = await postgres().database();
      await (await sql(url, statement.replace('$', url.slice(url.lastIndexOf('/') + 1)))).end();
      return url;
    };
    const current = await database('SELECT 1');
    await (await openPostgresLedger(current)).close();
    const next = await postgres().database();
    await (await openPostgresLedger(next)).close();
    await (await sql(next, "COMMENT ON TABLE purchases IS 'version 99'")).end();
    for (const [LEDGER, why] of [
      [newer, /version 99.*update the program$/],
      [older, /version 0.*begin a new ledger$/],
      [foreign, /is not a ledger but another SQLite database/],
      [text, /not an SQLite file/],
      [next, /version 99.*update the program$/],
      [await database('CREATE TABLE purchases (id text)'), /version 0.*begin a new ledger$/],
      [await database('CREATE TABLE holds (of text)'), /"holds" already exists/],
      [await database('ALTER DATABASE $ SET synchronous_commit = off'), /synchronous_commit off/],
      [current.replace(/:[0-9a-f]+@/, ':hunter2@'), /password authentication failed/],
    ] as const)
      await assert.rejects(open(LEDGER), (error) => {
        assert.ok(error instanceof SettingError && why.test(error.message), String(error));
        assert.ok(!/[0-9a-f]{24}|hunter2|\n/.test(error.message), error.message);
        return true;
      });
  });

  test('in PostgreSQL on a full disk makes no partial write, and other sales continue', async () => {
    const small = await startPostgres({ largestFileKib: 3_000 });
    try {
      const ledger = await openPostgresLedger(await small.database(), { retryMs: 3_000 });
      const sold = await purchaseIn(ledger, 'sold', 1, { body: 'small', lead: 'lead' });
      const noise = Buffer.alloc(6_000_000);
      for (let i = 0; i < noise.length; i += 4) noise.writeUInt32LE(Math.imul(i, 2_654_435_761) >>> 0, i);
      const large = await reserve(ledger, wanted(2));
      await assert.rejects(ledger.startSettling(large.id, answer(noise), 1), LedgerUnavailable);
      assert.equal((await ledger.find({ id: large.id }))?.state, 'reserved');
      assert.deepEqual(await ledger.find({ id: sold.id }), sold);
      assert.equal((await purchaseIn(ledger, 'sold', 3)).state, 'sold');
      assert.equal(await ledger.forgetAnswers(10 ** 13), 2);
      await ledger.close();
    } finally {
      await small.remove();
    }
  });
});
