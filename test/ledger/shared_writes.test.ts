/** Writes that wait at the same time share a transaction and a flush of the disk, and none notices the others. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { copyFileSync, existsSync, fdatasync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { ledgerInSql } from '../../ledger/in_sql.ts';
import { LedgerUnavailable } from '../../ledger/ledger.ts';
import { openSqliteLedger, openSqliteStore } from '../../ledger/sqlite.ts';
import type { Query, Store } from '../../ledger/store.ts';
import { all, answer, reserve, wanted } from './purchases.ts';

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
  const store = await openSqliteStore(fresh(), { flush: async (handle) => { flushes += 1; await flush(handle); } });
  await Promise.all(Array.from({ length: 200 }, (_, n) => store.write((query) => use(query, `t${n}`))));
  assert.ok(flushes < 20, `${flushes} flushes`);
  flushes = 0;
  for (let n = 200; n < 210; n += 1) await store.write((query) => use(query, `t${n}`));
  assert.equal(flushes, 10);
  assert.equal((await used(store)).length, 210);
  await store.close();
});

test('a sale waits for one flush, before the money moves; what it wrote else is flushed within milliseconds, and by closing', async () => {
  const file = fresh();
  let flushes = 0;
  const ledger = await openSqliteLedger(file, { flush: async (handle) => { flushes += 1; await flush(handle); } });
  const byItself = async (): Promise<void> => {
    const before = flushes;
    for (let i = 0; i < 500; i += 1) {
      if (flushes > before) return;
      await sleep(1);
    }
  };
  const { id } = await reserve(ledger, wanted(1));
  assert.equal(flushes, 0, 'reserved');
  await ledger.settling(id, answer('x'), 1);
  assert.equal(flushes, 1, 'settling');
  await ledger.sold(id, '0x1', 2);
  assert.equal(flushes, 1, 'sold');
  await byItself();
  assert.equal(flushes, 2, 'by itself');
  await sleep(20);
  assert.equal(flushes, 2, 'once');

  const note = (atMs: number): Promise<void> => ledger.delivered({ purchaseId: id, kind: 'first', atMs, complete: true });
  const first = note(1);
  await ledger.useOnce('token', 1);
  await first;
  assert.equal(flushes, 3, 'the note of a delivery goes with a write that somebody waits for');
  await Promise.all([note(2), note(3)]);
  await byItself();
  assert.equal(flushes, 4, 'or by itself');
  const last = note(4);
  await ledger.close();
  await last;
  assert.equal(flushes, 5);
  const again = await openSqliteLedger(file);
  assert.deepEqual((await all(again.deliveries())).map((d) => d.atMs), [1, 2, 3, 4]);
  await again.close();
});

test('the note of a delivery that comes while the last flush is waited for is written', async () => {
  const file = fresh();
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => { release = resolve; });
  const ledger = await openSqliteLedger(file, { flush: async (handle) => { await held; await flush(handle); } });
  const { id } = await reserve(ledger, wanted(1));
  const settled = ledger.settling(id, answer('x'), 1);
  for (let i = 0; i < 20; i += 1) await turn();
  const closing = ledger.close();
  for (let i = 0; i < 20; i += 1) await turn();
  const note = ledger.delivered({ purchaseId: id, kind: 'first', atMs: 1, complete: true });
  release();
  await Promise.all([settled, closing, note]);
  const again = await openSqliteLedger(file);
  assert.equal((await all(again.deliveries())).length, 1);
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

test('who was promised a flush is told nothing before it, neither a success nor what follows from one; others are not kept waiting by it', async () => {
  const held: (() => void)[] = [];
  const ledger = await openSqliteLedger(fresh(), { flush: (handle) => new Promise((resolve) => { held.push(() => { resolve(flush(handle)); }); }) });
  const told: string[] = [];
  const note = (name: string, work: Promise<unknown>): Promise<unknown> => work.then((value) => told.push(`${name} ${value}`));
  const turns = async (): Promise<void> => { for (let i = 0; i < 20; i += 1) await turn(); };
  const first = [note('first', ledger.useOnce('token', 1)), note('its copy', ledger.useOnce('token', 1))];
  await turns();
  assert.deepEqual(told, []);
  const second = [note('later', ledger.useOnce('other', 1))];
  await note('begun', ledger.begin(wanted(1)).then(({ kind }) => kind));
  await turns();
  assert.deepEqual(told.splice(0), ['begun reserved'], 'while the disk flushes for others');
  held.shift()?.();
  await Promise.all(first);
  assert.deepEqual(told, ['first true', 'its copy false'], 'the later one came after that flush had begun');
  await turns();
  held.shift()?.();
  await Promise.all(second);
  assert.deepEqual(told, ['first true', 'its copy false', 'later true']);
  await turns();
  held.shift()?.();
  await ledger.close();
});

test('a power cut takes nothing that was told of a sale under way: the files as it would leave them hold the answer and the lead, and what came before', async () => {
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
  const told = new Map<string, Set<string>>();
  const settling = new Set<string>();
  const looked = (): void => {
    const image = images.at(-1);
    if (image !== undefined) told.set(image, new Set(settling));
  };
  const lead = new Map<string, string>();
  await Promise.all(Array.from({ length: 24 }, async (_, n) => {
    await sleep(12 * (n % 6));
    const { id } = await reserve(ledger, wanted(n));
    lead.set(id, (await ledger.claim(id, [`lead ${n}`], 1)) ?? 'none');
    looked();
    if (!(await ledger.settling(id, answer(`answer ${n} `.repeat(n * 400)), 1))) return;
    settling.add(id);
    looked();
    await ledger.sold(id, `0x${n}`, 2);
    looked();
  }));
  await ledger.close();
  assert.ok(told.size >= 3 && settling.size === 24, 'it was told in several goes');
  for (const [image, ids] of [...told, [images.at(-1) ?? '', settling] as const]) {
    const left = await openSqliteLedger(image);
    for (const id of ids) {
      const found = await left.find({ id });
      assert.ok(found && ['settling', 'sold'].includes(found.state), `${id} was told to be settling, and the disk says ${found?.state ?? 'nothing'}`);
      assert.equal(found.leadId, lead.get(id));
      assert.ok(await left.answerOf(id));
      if (image === images.at(-1)) assert.equal(found.state, 'sold', 'closing leaves nothing to a power cut');
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
  const told = await Promise.allSettled([ledger.settling(id, answer('x'), 1), ledger.useOnce('token', 1)]);
  for (const end of told) assert.ok(end.status === 'rejected' && end.reason instanceof LedgerUnavailable && /flushed to the disk.*EIO/.test(end.reason.message));
  broken = false;
  await assert.rejects(ledger.ping(), LedgerUnavailable);
  await assert.rejects(ledger.begin(wanted(2)), LedgerUnavailable);
  await ledger.close();
  const again = await openSqliteLedger(file);
  await again.ping();
  assert.ok(await again.find({ id }));
  await again.close();
});
