/** Writes that wait at the same time share a transaction and a flush of the disk, and none notices the others. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { copyFileSync, existsSync, fdatasync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { ledgerInSql } from '../../ledger/in_sql.ts';
import { LedgerUnavailable, type Purchase } from '../../ledger/ledger.ts';
import { openSqliteLedger, openSqliteStore } from '../../ledger/sqlite.ts';
import type { Query, Store } from '../../ledger/store.ts';
import { all, answer, purchaseIn, reserve, wanted } from './purchases.ts';

const folder = mkdtempSync(join(tmpdir(), 'dealfeed-shared-'));
after(() => rmSync(folder, { recursive: true, force: true }));
let count = 0;
const fresh = (): string => join(folder, `${count += 1}.sqlite`);
const flush = promisify(fdatasync);
const turn = (): Promise<void> => new Promise((resolve) => { setImmediate(resolve); });

const use = (query: Query, token: string): Promise<unknown> => query('INSERT INTO used_tokens (token, until_ms) VALUES ($1, 0)', token);
const used = async (store: Store): Promise<string[]> => (await store.read('SELECT token FROM used_tokens ORDER BY token')).map((row) => String(row['token']));
/** How each of these ended, in order. */
const ends = async (writes: readonly Promise<unknown>[]): Promise<string[]> =>
  (await Promise.allSettled(writes)).map((end) => (end.status === 'fulfilled' ? 'written' : (end.reason as Error).message));

test('two hundred at once take a few flushes, and one at a time takes one each', async () => {
  let flushes = 0;
  const ledger = await openSqliteLedger(fresh(), { flush: async (handle) => { flushes += 1; await flush(handle); } });
  await Promise.all(Array.from({ length: 200 }, (_, n) => reserve(ledger, wanted(n))));
  assert.ok(flushes < 20, `${flushes} flushes`);
  flushes = 0;
  for (let n = 200; n < 210; n += 1) await reserve(ledger, wanted(n));
  assert.equal(flushes, 10);
  assert.equal((await all(ledger.purchases())).length, 210);
  await ledger.close();
});

test('the note of a delivery waits for the next write, and not for long; closing writes it', async () => {
  const file = fresh();
  let flushes = 0;
  const ledger = await openSqliteLedger(file, { flush: async (handle) => { flushes += 1; await flush(handle); } });
  const { id } = await purchaseIn(ledger, 'sold', 1);
  flushes = 0;
  const note = (atMs: number): Promise<void> => ledger.delivered({ purchaseId: id, kind: 'first', atMs, complete: true });
  const first = note(1);
  await reserve(ledger, wanted(2));
  await first;
  assert.equal(flushes, 1, 'with a write that somebody waits for');
  await Promise.all([note(2), note(3)]);
  assert.equal(flushes, 2, 'by themselves, both at once');
  const last = note(4);
  await ledger.close();
  await last;
  const again = await openSqliteLedger(file);
  assert.deepEqual((await all(again.deliveries())).map((d) => d.atMs), [1, 2, 3, 4]);
  await again.close();
});

test('one that throws after it has written leaves nothing of itself, and everything of the others', async () => {
  const store = await openSqliteStore(fresh());
  const told = await ends(Array.from({ length: 30 }, (_, n) => store.write(async (query) => {
    await use(query, `t${String(n).padStart(2, '0')}`);
    if (n % 3 === 1) throw new Error(`no. ${n}`);
    if (n % 3 === 2) await use(query, 't00');
  })));
  for (const [n, end] of told.entries()) assert.match(end, n % 3 === 0 ? /^written$/ : n % 3 === 1 ? new RegExp(`^no. ${n}$`) : /UNIQUE constraint/);
  assert.deepEqual(await used(store), told.flatMap((end, n) => (end === 'written' ? [`t${String(n).padStart(2, '0')}`] : [])));
  await store.close();
});

test('where one ends the transaction of all, or keeps it from being committed, the others are written all the same, once', async () => {
  const ruinous: readonly (readonly [string, (query: Query) => Promise<unknown>, RegExp])[] = [
    ['ends it', (query) => query(`INSERT OR ROLLBACK INTO used_tokens (token, until_ms) VALUES ('first', 0)`), /UNIQUE constraint/],
    ['cannot be committed', async (query) => {
      await query('PRAGMA defer_foreign_keys = ON');
      await query(`INSERT INTO deliveries (purchase_id, kind, at_ms, complete) VALUES ('nobody', 'first', 0, 1)`);
    }, /FOREIGN KEY constraint/],
  ];
  for (const [what, work, why] of ruinous) {
    const store = await openSqliteStore(fresh());
    await store.write((query) => use(query, 'first'));
    let runs = 0;
    const told = await ends([1, 2, 3, 4, 5].map((n) => store.write(async (query) => {
      if (n === 3) { await work(query); return; }
      runs += 1;
      await use(query, `t${n}`);
    })));
    for (const [i, end] of told.entries()) assert.match(end, i === 2 ? why : /^written$/, what);
    assert.ok(runs > 4, `${what}: they were in it together`);
    assert.deepEqual(await used(store), ['first', 't1', 't2', 't4', 't5'], what);
    await store.write((query) => use(query, 'after'));
    await store.close();
  }
});

test('an answer for which the disk has no room does not keep others from being sold', async () => {
  const ledger = await openSqliteLedger(fresh(), { maxPages: 200 });
  const purchases = await Promise.all([1, 2, 3].map((n) => reserve(ledger, wanted(n))));
  const told = await ends([
    ledger.settling(purchases[0]?.id ?? '', answer('small'), 1),
    ledger.settling(purchases[1]?.id ?? '', answer(randomBytes(1_000_000)), 1),
    ledger.settling(purchases[2]?.id ?? '', answer(randomBytes(60_000)), 1),
    ...[4, 5, 6].map((n) => reserve(ledger, wanted(n))),
  ]);
  assert.deepEqual(told.map((end) => (end === 'written' ? end : 'full')), ['written', 'full', 'written', 'written', 'written', 'written']);
  assert.deepEqual((await Promise.all(purchases.map(({ id }) => ledger.find({ id })))).map((p) => p?.state), ['settling', 'reserved', 'settling']);
  await ledger.close();
});

test('nobody is told anything before the flush that holds it: neither a success nor what follows from one', async () => {
  const held: (() => void)[] = [];
  const ledger = await openSqliteLedger(fresh(), { flush: (handle) => new Promise((resolve) => { held.push(() => { resolve(flush(handle)); }); }) });
  const told: string[] = [];
  const note = (name: string, work: Promise<{ kind: string }>): Promise<unknown> => work.then(({ kind }) => told.push(`${name} ${kind}`));
  const first = [note('first', ledger.begin(wanted(1))), note('its copy', ledger.begin(wanted(1)))];
  for (let i = 0; i < 20; i += 1) await turn();
  assert.deepEqual(told, []);
  const second = [note('later', ledger.begin(wanted(2)))];
  for (let i = 0; i < 20; i += 1) await turn();
  held.shift()?.();
  await Promise.all(first);
  assert.deepEqual(told, ['first reserved', 'its copy taken'], 'the later one came after that flush had begun');
  for (let i = 0; i < 20; i += 1) await turn();
  held.shift()?.();
  await Promise.all(second);
  assert.deepEqual(told, ['first reserved', 'its copy taken', 'later reserved']);
  await ledger.close();
});

test('what was told is on the disk: the files as a power cut would leave them hold it', async () => {
  const file = fresh();
  /** Copies of the files as they were when a flush that has ended began: the least that is on the disk then. */
  const images: string[] = [];
  const store = await openSqliteStore(file, {
    flush: async (handle) => {
      const image = fresh();
      for (const end of ['', '-wal']) if (existsSync(file + end)) copyFileSync(file + end, image + end);
      await flush(handle);
      images.push(image);
    },
  });
  const ledger = ledgerInSql(store);
  const told = new Map<string, Map<string, Purchase['state']>>();
  const note = (id: string, state: Purchase['state']): void => {
    const image = images.at(-1) ?? '';
    told.set(image, (told.get(image) ?? new Map()).set(id, state));
  };
  await Promise.all(Array.from({ length: 24 }, async (_, n) => {
    const { id } = await reserve(ledger, wanted(n));
    note(id, 'reserved');
    if (!(await ledger.settling(id, answer(`answer ${n} `.repeat(n * 400)), 1))) return;
    note(id, 'settling');
    await ledger.sold(id, `0x${n}`, 2);
    note(id, 'sold');
  }));
  await ledger.close();
  assert.ok(told.size >= 3 && [...told.values()].reduce((sum, states) => sum + states.size, 0) > 50, 'it was told in several goes');
  const order: readonly Purchase['state'][] = ['reserved', 'settling', 'sold'];
  for (const [image, states] of told) {
    const left = await openSqliteLedger(image);
    for (const [id, state] of states) {
      const found = await left.find({ id });
      assert.ok(found && order.indexOf(found.state) >= order.indexOf(state), `${id} was told to be ${state}, and the disk says ${found?.state ?? 'nothing'}`);
      if (found.state !== 'reserved') assert.ok(await left.answerOf(id));
    }
    await left.close();
  }
});

test('after a flush that failed nothing is believed any more: no write succeeds before the ledger is opened anew', async () => {
  const file = fresh();
  let broken = false;
  const ledger = await openSqliteLedger(file, { flush: async (handle) => { if (broken) throw new Error('EIO: i/o error, fdatasync'); await flush(handle); } });
  const { id } = await reserve(ledger, wanted(1));
  broken = true;
  const told = await Promise.allSettled([ledger.settling(id, answer('x'), 1), ledger.begin(wanted(2))]);
  for (const end of told) assert.ok(end.status === 'rejected' && end.reason instanceof LedgerUnavailable && /flushed to the disk.*EIO/.test(end.reason.message));
  broken = false;
  await assert.rejects(ledger.ping(), LedgerUnavailable);
  await ledger.close();
  const again = await openSqliteLedger(file);
  await again.ping();
  assert.ok(await again.find({ id }));
  await again.close();
});
