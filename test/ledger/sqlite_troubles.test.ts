/** The ledger in SQLite among processes, killed, locked, on a full disk, and given the wrong file. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { DatabaseSync } from 'node:sqlite';
import { LedgerUnavailable } from '../../ledger/ledger.ts';
import { openLedger } from '../../ledger/open.ts';
import { openSqliteLedger } from '../../ledger/sqlite.ts';
import { SettingError } from '../../lib/settings.ts';
import { child, processes } from './processes.ts';
import { all, answer, bodyOf, purchaseIn, reserve, wanted } from './purchases.ts';

const folder = mkdtempSync(join(tmpdir(), 'dealfeed-ledger-'));
after(() => rmSync(folder, { recursive: true, force: true }));
let count = 0;
const fresh = (): string => join(folder, `${count += 1}.sqlite`);

processes({ fresh: async () => fresh(), open: (name) => openSqliteLedger(name) }, {
  kills: 12,
  inspect: (file) => {
    const db = new DatabaseSync(file);
    assert.deepEqual(db.prepare('PRAGMA integrity_check').all().map((row) => ({ ...row })), [{ integrity_check: 'ok' }]);
    assert.deepEqual(db.prepare('PRAGMA foreign_key_check').all(), []);
    db.close();
  },
});

test('while another process holds the file locked, callers wait without stopping this process, then go on', async () => {
  const file = fresh();
  const ledger = await openSqliteLedger(file);
  const locker = child('lock', file);
  await locker.started;
  let turns = 0;
  const ticking = setInterval(() => { turns += 1; }, 10);
  const begun = Promise.all([1, 2, 3].map((n) => ledger.begin(wanted(n))));
  assert.equal(await Promise.race([begun.then(() => 'went on'), new Promise((r) => { setTimeout(() => r('waits'), 600); })]), 'waits');
  locker.process.stdin.write('release\n');
  assert.deepEqual((await begun).map((b) => b.kind), ['reserved', 'reserved', 'reserved']);
  clearInterval(ticking);
  assert.ok(turns > 30, `only ${turns} turns of the event loop in 600 ms`);
  await locker.ended;
  await ledger.close();
});

test('a file that stays locked is a ledger that is unavailable, and nothing has happened', async () => {
  const file = fresh();
  const ledger = await openSqliteLedger(file, { patienceMs: 300 });
  const { id } = await reserve(ledger, wanted(1));
  const locker = child('lock', file);
  await locker.started;
  const startMs = performance.now();
  await assert.rejects(ledger.begin(wanted(2)), LedgerUnavailable);
  await assert.rejects(ledger.settling(id, answer('x'), 1), LedgerUnavailable);
  await assert.rejects(ledger.ping(), LedgerUnavailable);
  assert.ok(performance.now() - startMs < 3000);
  await assert.rejects(openSqliteLedger(file, { patienceMs: 100 }), LedgerUnavailable);
  assert.equal((await ledger.find({ id }))?.state, 'reserved', 'reading goes on meanwhile');
  locker.process.stdin.write('release\n');
  await locker.ended;
  await ledger.ping();
  assert.equal((await all(ledger.purchases())).length, 1);
  assert.equal(await ledger.settling(id, answer('x'), 1), true);
  await ledger.close();
});

test('on a full disk nothing is half written, what was sold stays, and all goes on when there is room', async () => {
  const file = fresh();
  const maxPages = 200;
  const ledger = await openSqliteLedger(file, { maxPages });
  const sold = await purchaseIn(ledger, 'sold', 1, { lead: 'lead', body: 'small' });
  const waiting = await purchaseIn(ledger, 'settling', 2, { body: 'small' });
  const large = await reserve(ledger, wanted(3));
  const long = randomBytes(3_000_000);
  await assert.rejects(ledger.settling(large.id, answer(long), 1), (error) => error instanceof LedgerUnavailable && /full/.test(error.message));
  assert.equal((await ledger.find({ id: large.id }))?.state, 'reserved');
  assert.equal(String(await bodyOf(await ledger.answerOf(sold.id))), 'small');
  let n = 100;
  await assert.rejects(async () => { for (;; n += 1) await ledger.begin(wanted(n)); }, LedgerUnavailable);
  assert.equal((await ledger.sold(waiting.id, '0xabc', 9)).state, 'sold', 'what needs no new page of the file can still be written down');
  await ledger.close();
  const roomy = await openSqliteLedger(file);
  await roomy.ping();
  assert.equal((await all(roomy.purchases())).length, 3 + n - 100);
  assert.equal(await roomy.settling(large.id, answer(long), 2), true);
  assert.equal((await bodyOf(await roomy.answerOf(large.id)))?.length, 3_000_000);
  await roomy.close();
});

test('a ledger of a newer version is refused in one line that says so, and left as it is', async () => {
  const file = fresh();
  await (await openSqliteLedger(file)).close();
  const db = new DatabaseSync(file);
  db.exec('PRAGMA user_version = 99');
  db.close();
  await assert.rejects(openLedger({ DATA_DIR: '', LEDGER: file }), (error) => error instanceof SettingError && /version 99.*written by a newer one$/.test(error.message) && error.message.startsWith('LEDGER is'));
  const after_ = new DatabaseSync(file);
  assert.equal(after_.prepare('PRAGMA user_version').get()?.['user_version'], 99);
  after_.close();
});

test('a file of something else is refused and left as it is', async () => {
  const [other, text] = [fresh(), fresh()];
  const db = new DatabaseSync(other);
  db.exec('CREATE TABLE recipes (name TEXT)');
  db.close();
  writeFileSync(text, 'a letter to a friend, long enough to be more than an empty file\n'.repeat(100));
  await assert.rejects(openLedger({ DATA_DIR: '', LEDGER: other }), /a database of something else/);
  await assert.rejects(openLedger({ DATA_DIR: '', LEDGER: text }), /no SQLite file/);
  await assert.rejects(openLedger({ DATA_DIR: join(text, 'below') }), SettingError);
});

test('the file is made where DATA_DIR says, for its owner only', async () => {
  const dataDir = join(folder, 'new', 'data');
  const ledger = await openLedger({ DATA_DIR: dataDir });
  await purchaseIn(ledger, 'sold', 1);
  for (const name of ['ledger.sqlite', 'ledger.sqlite-wal']) assert.equal(statSync(join(dataDir, name)).mode & 0o777, 0o600, name);
  await ledger.close();
  assert.ok(!existsSync(join(dataDir, 'ledger.sqlite-wal')), 'closed, it is one file');
});

test('twelve connections that open a new file at once find one ledger', async () => {
  const file = fresh();
  const ledgers = await Promise.all(Array.from({ length: 12 }, () => openSqliteLedger(file)));
  await Promise.all(ledgers.map((ledger, n) => ledger.begin(wanted(n))));
  assert.equal((await all(ledgers[0]?.purchases() ?? (async function* none() { /* nothing */ })())).length, 12);
  await Promise.all(ledgers.map((ledger) => ledger.close()));
});
