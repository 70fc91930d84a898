/** The ledger in PostgreSQL with several processes, kills, restarts, locks, a full disk, and wrong databases. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { LedgerUnavailable, type Ledger } from '../../ledger/ledger.ts';
import { openLedger } from '../../ledger/open.ts';
import { openPostgresLedger } from '../../ledger/postgres/store.ts';
import { SettingError } from '../../lib/settings.ts';
import { thorough } from '../thorough.ts';
import { startPostgres, type PostgresServer } from './postgres_started.ts';
import { processTests } from './processes.ts';
import { all, answer, bodyOf, paid, purchaseIn, reserve, wanted } from './purchases.ts';

let started: PostgresServer | undefined;
before(async () => {
  started = await startPostgres();
});
after(() => started?.remove());
const server = (): PostgresServer => {
  if (!started) throw new Error('the server is not started');
  return started;
};

/** Killed processes; KILLS=20 is a longer proof. */
const KILLS = Number(process.env['KILLS'] ?? thorough(2, 4));

processTests(
  { fresh: () => server().schema(), open: (name) => openPostgresLedger(name) },
  {
    kills: KILLS,
    openImpatient: (name) => openPostgresLedger(name, { retryMs: 1_000 }),
    async lock(name) {
      const locker = await sql(name, 'BEGIN', 'LOCK TABLE purchases, heartbeat IN EXCLUSIVE MODE');
      return () => locker.end();
    },
  },
);

async function sql(url: string, ...statements: readonly string[]): Promise<Client> {
  const client = new Client({ connectionString: url });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  return client;
}

test('restarts of the server under load, also like a power cut, lose nothing that was acknowledged', async () => {
  const url = await server().database();
  // Longer than a restart takes on any machine.
  const ledger = await openPostgresLedger(url, { retryMs: 60_000 });
  const acknowledged = new Map<string, 'settling' | 'sold'>();
  const selling = new AbortController();
  let [n, unavailable] = [0, 0];
  const seller = async (mine: Ledger): Promise<void> => {
    while (!selling.signal.aborted) {
      n += 1;
      try {
        const { id } = await reserve(mine, wanted(n));
        // The restart may have taken back the reservation.
        if (!(await mine.startSettling(id, answer(`answer ${n}`), 1))) continue;
        acknowledged.set(id, 'settling');
        await mine.markSold(id, paid(n), 2);
        acknowledged.set(id, 'sold');
      } catch (error) {
        if (!(error instanceof LedgerUnavailable)) throw error;
        unavailable += 1;
      }
    }
  };
  const sellers = Promise.all([1, 2, 3].map(() => seller(ledger)));
  const untilNextSale = async (): Promise<void> => {
    const previous = acknowledged.size;
    // A seller that fails ends the test.
    while (acknowledged.size === previous) await Promise.race([sellers, sleep(10)]);
  };
  try {
    for (const how of ['fast', 'immediate'] as const) {
      await untilNextSale();
      await server().stop(how);
      await server().start();
    }
    await untilNextSale();
  } finally {
    selling.abort();
  }
  await sellers;
  assert.ok(
    unavailable <= 6,
    `a restart fails at most one call per seller, whose commit is of unknown outcome (${unavailable})`,
  );
  const written = new Map((await all(ledger.purchases())).map((p) => [p.id, p.state]));
  for (const [id, state] of acknowledged)
    assert.ok(written.get(id) === state || written.get(id) === 'sold', `${id} was acknowledged as ${state}`);
  await ledger.close();
});

test('the ledger is unavailable while the server is stopped, and recovers by itself', async () => {
  const ledger = await openPostgresLedger(await server().schema(), { retryMs: 1_000 });
  const sold = await purchaseIn(ledger, 'sold', 1, { body: 'bytes' });
  await server().stop('immediate');
  await Promise.all(
    [ledger.begin(wanted(2)), ledger.ping(), ledger.find({ id: sold.id }), ledger.soldLeads()].map((call) =>
      assert.rejects(call, LedgerUnavailable),
    ),
  );
  await server().start();
  assert.deepEqual(await ledger.find({ id: sold.id }), sold);
  assert.equal(String(await bodyOf(await ledger.answerOf(sold.id))), 'bytes');
  assert.equal((await ledger.begin(wanted(2))).kind, 'reserved');
  await ledger.close();
});

test('a server that may lose committed transactions is refused', async () => {
  const url = await server().database();
  await (await sql(url, `ALTER DATABASE ${url.slice(url.lastIndexOf('/') + 1)} SET synchronous_commit = off`)).end();
  await assert.rejects(
    openLedger({ DATA_DIR: '', LEDGER: url }),
    (error) => error instanceof SettingError && /synchronous_commit off/.test(error.message),
  );
});

test('another version, foreign tables and a wrong password are refused in one line without the password', async () => {
  const [newer, older, other] = [await server().database(), await server().database(), await server().database()];
  await (await openPostgresLedger(newer)).close();
  await (await sql(newer, "COMMENT ON TABLE purchases IS 'version 99'")).end();
  await (await sql(older, 'CREATE TABLE purchases (id text)')).end();
  await (await sql(other, 'CREATE TABLE claims (of text)')).end();
  const wrong = newer.replace(/:[0-9a-f]+@/, ':hunter2@');
  for (const [url, why] of [
    [newer, /version 99.*update the program$/],
    [older, /version 0.*begin a new ledger$/],
    [other, /"claims" already exists/],
    [wrong, /password authentication failed/],
  ] as const) {
    await assert.rejects(openLedger({ DATA_DIR: '', LEDGER: url }), (error) => {
      assert.ok(error instanceof SettingError && why.test(error.message), String(error));
      assert.ok(!/[0-9a-f]{24}|hunter2|\n/.test(error.message), error.message);
      return true;
    });
  }
  const untouched = await sql(other);
  assert.deepEqual(
    (await untouched.query(`SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'`)).rows,
    [{ table_name: 'claims' }],
  );
  await untouched.end();
});

test('on a full disk no write is partial, sold purchases stay, and other sales continue', async () => {
  const small = await startPostgres({ largestFileKib: 3_000 });
  try {
    const ledger = await openPostgresLedger(await small.database(), { retryMs: 3_000 });
    const sold = await purchaseIn(ledger, 'sold', 1, { body: 'small', lead: 'lead' });
    const noise = Buffer.alloc(6_000_000);
    for (let i = 0; i < noise.length; i += 4) noise.writeUInt32LE(Math.imul(i, 2_654_435_761) >>> 0, i);
    const large = await reserve(ledger, wanted(2));
    await assert.rejects(
      ledger.startSettling(large.id, answer(noise), 1),
      (error) => error instanceof LedgerUnavailable && /too large/i.test(String(error.cause)),
    );
    assert.equal((await ledger.find({ id: large.id }))?.state, 'reserved');
    assert.deepEqual(await ledger.find({ id: sold.id }), sold);
    assert.equal((await purchaseIn(ledger, 'sold', 3)).state, 'sold');
    assert.equal(await ledger.forgetAnswers(10 ** 13), 2, 'the chunks of the answer that did not fit can be deleted');
    await ledger.close();
  } finally {
    await small.remove();
  }
});
