/** A ledger of an older program: it is brought up to date, and what was sold then can still be collected. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { Client } from 'pg';
import { restore } from '../../ledger/backup/restore.ts';
import { backUp } from '../../ledger/backup/write.ts';
import { openLedger, openStore } from '../../ledger/open.ts';
import { openPostgresStore } from '../../ledger/postgres/store.ts';
import { all, bodyOf, payment, purchaseIn, purchaseOf, sha256, wanted } from './purchases.ts';
import { startPostgres } from './postgres_started.ts';

const folder = mkdtempSync(join(tmpdir(), 'dealfeed-older-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const migration = (kind: 'sqlite' | 'postgres', name: string): string =>
  readFileSync(new URL(`../../ledger/${kind}/${name}.sql`, import.meta.url), 'utf8');
const BODY = Buffer.from(
  `{"records":[${Array.from({ length: 500 }, (_, i) => `{"id":${i},"city":"Columbus"}`).join(',')}]}`,
);
const HASH = sha256(BODY);
const [p, q] = [payment(1), payment(4)];

/** Rows as the first versions wrote them. */
const ROWS = [
  `INSERT INTO answers (sha256, bytes, whole, stored_at_ms) VALUES ('${HASH}', ${BODY.length}, 1, 0)`,
  `INSERT INTO purchases (id, state, network, asset, payer, nonce, pay_to, amount, valid_before, route, request, snapshot_id, reserved_at_ms, lease_until_ms, settling_at_ms, ended_at_ms, tx_hash, answer_sha256, answer_headers, kept_answer)
   VALUES ('old', 'sold', '${p.network}', '${p.asset}', '${p.payer}', '${p.nonce}', '${p.payTo}', '1000000', '2000000000', 'GET /api/deals', '/api/deals', 'run-1', 0, 1, 2, 3, '0xfeed', '${HASH}', '{}', '${HASH}')`,
  `INSERT INTO purchases (id, state, network, asset, payer, nonce, pay_to, amount, valid_before, route, request, snapshot_id, reserved_at_ms, lease_until_ms, settling_at_ms, ended_at_ms, why, returned_lead, answer_sha256, answer_headers)
   VALUES ('gone', 'released', '${q.network}', '${q.asset}', '${q.payer}', '${q.nonce}', '${q.payTo}', '1000000', '2000000000', 'GET /api/leads/exclusive', '/', 'run-1', 0, 1, 2, 3, 'refused', 'lead', '${HASH}', '{}')`,
  `INSERT INTO deliveries (purchase_id, kind, at_ms, complete) VALUES ('old', 'first', 4, 1)`,
  `INSERT INTO claims (lead_id, purchase_id, claimed_at_ms) VALUES ('its lead', 'old', 1)`,
];

async function inSqlite(): Promise<string> {
  const file = join(folder, 'old.sqlite');
  const db = new DatabaseSync(file);
  db.exec('PRAGMA journal_mode = WAL; PRAGMA application_id = 0x4465616c; PRAGMA user_version = 2');
  for (const sql of [migration('sqlite', '001_ledger'), migration('sqlite', '002_money'), ...ROWS]) db.exec(sql);
  db.prepare('INSERT INTO answer_chunks (sha256, chunk, body) VALUES (?, 0, ?)').run(HASH, BODY);
  db.close();
  return file;
}

async function inPostgres(url: string): Promise<string> {
  const client = new Client({ connectionString: url });
  await client.connect();
  for (const sql of [
    migration('postgres', '001_ledger'),
    migration('postgres', '002_money'),
    'CREATE TABLE ledger_migrations (version integer NOT NULL PRIMARY KEY)',
    'INSERT INTO ledger_migrations VALUES (1), (2)',
    ...ROWS,
  ])
    await client.query(sql);
  await client.query('INSERT INTO answer_chunks (sha256, chunk, body) VALUES ($1, 0, $2)', [HASH, BODY]);
  await client.end();
  return url;
}

async function opened(place: string, other: string): Promise<void> {
  const settings = { DATA_DIR: folder, LEDGER: place };
  const ledger = await openLedger(settings);
  const before = await ledger.answerOf('old');
  assert.deepEqual([before?.bytes, before?.sha256], [BODY.length, HASH]);
  assert.deepEqual(await bodyOf(before), BODY);
  assert.deepEqual(
    [(await ledger.find({ id: 'old' }))?.leadId, (await ledger.find({ id: 'gone' }))?.leadId, await ledger.soldLeads()],
    ['its lead', 'lead', ['its lead']],
  );
  const [used, free] = [await ledger.begin(wanted(1)), await ledger.begin(wanted(4))];
  const begun = [used, free];
  assert.deepEqual(
    begun.map((b) => [b.kind, purchaseOf(b).id === 'old']),
    [
      ['taken', true],
      ['reserved', false],
    ],
    'a payment that was used stays used, and one that was given back is free',
  );
  await ledger.release(purchaseOf(free).id, 'not_settled', 1);
  assert.equal((await all(ledger.deliveries())).length, 1);
  const again = await purchaseIn(ledger, 'sold', 2, { body: BODY.toString() });
  assert.deepEqual(await bodyOf(await ledger.answerOf(again.id)), BODY, 'the same bytes are not written anew');
  const like = BODY.toString().replaceAll('Columbus', 'Cleveland');
  const young = await purchaseIn(ledger, 'sold', 3, { body: like });
  assert.equal(String(await bodyOf(await ledger.answerOf(young.id))), like);
  await ledger.close();

  const store = await openStore(settings);
  const lengths = async (from: typeof store): Promise<unknown[]> =>
    (await from.read('SELECT coding, length(body) AS length FROM answer_chunks ORDER BY coding')).map((row) => [
      row['coding'],
      Number(row['length']),
    ]);
  const [asItWas, compressed] = await lengths(store);
  assert.deepEqual(asItWas, ['identity', BODY.length]);
  assert.ok(
    Array.isArray(compressed) && compressed[0] === 'zstd' && compressed[1] < like.length / 4,
    'what is written now is compressed',
  );
  const file = join(folder, `${sha256(place)}.gz`);
  await backUp(store, file);
  await store.close();
  const target = await openStore({ DATA_DIR: folder, LEDGER: other });
  await restore(target, file, { overwrite: false });
  await target.close();
  const restored = await openLedger({ DATA_DIR: folder, LEDGER: other });
  assert.deepEqual(await bodyOf(await restored.answerOf('old')), BODY);
  assert.equal(String(await bodyOf(await restored.answerOf(young.id))), like);
  assert.equal((await restored.begin(wanted(1))).kind, 'taken');
  assert.equal((await restored.begin(wanted(4))).kind, 'reserved');
  await restored.close();
}

test('an older ledger is brought up to date, and its answers are read, backed up and restored, beside new ones', async () => {
  const server = await startPostgres();
  try {
    await opened(await inSqlite(), await server.database());
    await opened(await inPostgres(await server.database()), join(folder, 'restored.sqlite'));
  } finally {
    await server.remove();
  }
});

test('a large ledger in PostgreSQL is brought up to date, though each step takes longer than anybody waits for a statement', async () => {
  const server = await startPostgres();
  try {
    const url = await inPostgres(await server.database());
    const client = new Client({ connectionString: url });
    await client.connect();
    await client.query(`INSERT INTO purchases (id, state, network, asset, payer, nonce, pay_to, amount, valid_before, route, request, snapshot_id, reserved_at_ms, lease_until_ms)
      SELECT 'p' || n, 'reserved', '${p.network}', '${p.asset}', '${p.payer}', 'n' || n, '${p.payTo}', '1', '1', 'GET /api/deals', '/api/deals', 'run-1', 0, 1 FROM generate_series(1, 10000) AS n`);
    await client.end();
    const store = await openPostgresStore(url, { patienceMs: 100 });
    assert.equal(
      Number((await store.read('SELECT count(*) AS n FROM purchases WHERE standing = 1'))[0]?.['n']),
      10_001,
    );
    await store.close();
  } finally {
    await server.remove();
  }
});
