/** A ledger of an older program is migrated, and its answers can still be collected. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { Client } from 'pg';
import { restore } from '../../ledger/backup/restore.ts';
import { backUp } from '../../ledger/backup/write.ts';
import { openLedger, openStore } from '../../ledger/open.ts';
import { openPostgresStore } from '../../ledger/postgres/store.ts';
import type { Store } from '../../ledger/sql/store.ts';
import { ledgerFolders } from './ledger_folders.ts';
import { all, bodyOf, payment, purchaseIn, purchaseOf, sha256, wanted } from './purchases.ts';

const migration = (kind: 'sqlite' | 'postgres', name: string): string =>
  readFileSync(new URL(`../../ledger/${kind}/${name}.sql`, import.meta.url), 'utf8');
const BODY = Buffer.from(
  `{"records":[${Array.from({ length: 500 }, (_, i) => `{"id":${i},"city":"Columbus"}`).join(',')}]}`,
);
const HASH = sha256(BODY);
const [p, q] = [payment(1), payment(4)];
const COLUMNS = `id, state, network, asset, payer, nonce, pay_to, amount, valid_before, route, request, snapshot_id,
  reserved_at_ms, lease_until_ms`;

/** Rows as the first versions wrote them. */
const ROWS = [
  `INSERT INTO answers (sha256, bytes, whole, stored_at_ms) VALUES ('${HASH}', ${BODY.length}, 1, 0)`,
  `INSERT INTO purchases (${COLUMNS}, settling_at_ms, ended_at_ms, tx_hash, answer_sha256, answer_headers, kept_answer)
   VALUES ('old', 'sold', '${p.network}', '${p.asset}', '${p.payer}', '${p.nonce}', '${p.payTo}', '1000000',
     '2000000000', 'GET /api/deals', '/api/deals', 'run-1', 0, 1, 2, 3, '0xfeed', '${HASH}', '{}', '${HASH}')`,
  `INSERT INTO purchases (${COLUMNS}, settling_at_ms, ended_at_ms, why, returned_lead, answer_sha256, answer_headers)
   VALUES ('gone', 'released', '${q.network}', '${q.asset}', '${q.payer}', '${q.nonce}', '${q.payTo}', '1000000',
     '2000000000', 'GET /api/leads/exclusive', '/', 'run-1', 0, 1, 2, 3, 'refused', 'lead', '${HASH}', '{}')`,
  `INSERT INTO deliveries (purchase_id, kind, at_ms, complete) VALUES ('old', 'first', 4, 1)`,
  `INSERT INTO claims (lead_id, purchase_id, claimed_at_ms) VALUES ('its lead', 'old', 1)`,
];

function createSqlite(file: string): void {
  const db = new DatabaseSync(file);
  db.exec('PRAGMA journal_mode = WAL; PRAGMA application_id = 0x4465616c; PRAGMA user_version = 2');
  for (const sql of [migration('sqlite', '001_ledger'), migration('sqlite', '002_money'), ...ROWS]) db.exec(sql);
  db.prepare('INSERT INTO answer_chunks (sha256, chunk, body) VALUES (?, 0, ?)').run(HASH, BODY);
  db.close();
}

async function createPostgres(url: string): Promise<void> {
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
}

/** Coding and length of each chunk. */
const chunksIn = async (store: Store): Promise<unknown[]> =>
  (await store.read('SELECT coding, length(body) AS length FROM answer_chunks ORDER BY coding')).map((row) => [
    row['coding'],
    Number(row['length']),
  ]);

/** Migrate the ledger at `place`, use it, and restore its backup at `target`. */
async function checkMigrated(place: string, target: string, file: string): Promise<void> {
  const settings = { DATA_DIR: '', LEDGER: place };
  const ledger = await openLedger(settings);
  const old = await ledger.answerOf('old');
  assert.deepEqual([old?.bytes, old?.sha256], [BODY.length, HASH]);
  assert.deepEqual(await bodyOf(old), BODY);
  assert.deepEqual(
    [(await ledger.find({ id: 'old' }))?.leadId, (await ledger.find({ id: 'gone' }))?.leadId, await ledger.soldLeads()],
    ['its lead', 'lead', ['its lead']],
  );
  const [used, free] = [await ledger.begin(wanted(1)), await ledger.begin(wanted(4))];
  assert.deepEqual([used.kind, purchaseOf(used).id], ['taken', 'old'], 'a used payment stays used');
  assert.equal(free.kind, 'reserved', 'a released payment is free');
  await ledger.release(purchaseOf(free).id, 'not_settled', 1);
  assert.equal((await all(ledger.deliveries())).length, 1);
  const again = await purchaseIn(ledger, 'sold', 2, { body: BODY.toString() });
  assert.deepEqual(await bodyOf(await ledger.answerOf(again.id)), BODY, 'equal bytes are not stored again');
  const newBody = BODY.toString().replaceAll('Columbus', 'Cleveland');
  const recent = await purchaseIn(ledger, 'sold', 3, { body: newBody });
  assert.equal(String(await bodyOf(await ledger.answerOf(recent.id))), newBody);
  await ledger.close();

  const store = await openStore(settings);
  const [unchanged, compressed] = await chunksIn(store);
  assert.deepEqual(unchanged, ['identity', BODY.length]);
  const isCompressed = Array.isArray(compressed) && compressed[0] === 'zstd' && compressed[1] < newBody.length / 4;
  assert.ok(isCompressed, 'new answers are compressed');
  await backUp(store, file);
  await store.close();
  const targetStore = await openStore({ DATA_DIR: '', LEDGER: target });
  await restore(targetStore, file, { overwrite: false });
  await targetStore.close();
  const restored = await openLedger({ DATA_DIR: '', LEDGER: target });
  assert.deepEqual(await bodyOf(await restored.answerOf('old')), BODY);
  assert.equal(String(await bodyOf(await restored.answerOf(recent.id))), newBody);
  assert.equal((await restored.begin(wanted(1))).kind, 'taken');
  assert.equal((await restored.begin(wanted(4))).kind, 'reserved');
  await restored.close();
}

describe('an older ledger', () => {
  const { dataDir, kinds } = ledgerFolders();
  const postgres = async (): Promise<string> => kinds[1]?.fresh('') ?? assert.fail('no PostgreSQL');

  test('is migrated in either database, and its answers are read, backed up and restored with new ones', async () => {
    const folder = dataDir();
    const file = join(folder, 'old.sqlite');
    createSqlite(file);
    await checkMigrated(file, await postgres(), join(folder, 'sqlite.gz'));
    const url = await postgres();
    await createPostgres(url);
    await checkMigrated(url, join(folder, 'restored.sqlite'), join(folder, 'postgres.gz'));
  });

  test('in PostgreSQL is migrated although a step takes longer than the timeout of a statement', async () => {
    const url = await postgres();
    await createPostgres(url);
    const client = new Client({ connectionString: url });
    await client.connect();
    await client.query(`INSERT INTO purchases (${COLUMNS})
      SELECT 'p' || n, 'reserved', '${p.network}', '${p.asset}', '${p.payer}', 'n' || n, '${p.payTo}', '1', '1',
        'GET /api/deals', '/api/deals', 'run-1', 0, 1 FROM generate_series(1, 10000) AS n`);
    await client.end();
    const store = await openPostgresStore(url, { retryMs: 100 });
    const [row] = await store.read('SELECT count(*) AS n FROM purchases WHERE standing = 1');
    assert.equal(Number(row?.['n']), 10_001);
    await store.close();
  });
});
