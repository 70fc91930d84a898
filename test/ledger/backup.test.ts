/** Backups between both kinds of ledger, and the screen of `make ledger`. */
import assert from 'node:assert/strict';
import { existsSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Ledger } from '../../ledger/ledger.ts';
import { TABLES } from '../../ledger/copy.ts';
import { openLedger, openStore } from '../../ledger/open.ts';
import { LedgerRefused } from '../../ledger/sql/schema.ts';
import { HOUR_MS } from '../../lib/time.ts';
import { runHere } from '../process/here.ts';
import { backUpTo, ledgerFolders, restoreFrom } from './ledger_folders.ts';
import { child } from './processes.ts';
import { all, bodyOf, claim, leadOf, paid, payment, purchaseIn, reserve, sha256, wanted } from './purchases.ts';
import { bookAll, transferFor } from './transfer_booking.ts';

const CLI = fileURLToPath(new URL('../../ledger/cli.ts', import.meta.url));
const LONG_BODY = 'a long answer '.repeat(200_000);
/** More than a page of a copy. */
const PLAIN_TRANSFERS = 230;

/** Add rows to every table. */
async function fill(ledger: Ledger): Promise<void> {
  await purchaseIn(ledger, 'sold', 1, {
    lead: 'sold-lead',
    properties: ['parcel:1', 'zip:1'],
    body: 'what was bought',
    identifierHash: sha256('order 1'),
    nowMs: Date.UTC(2026, 10, 20, 9),
  });
  await purchaseIn(ledger, 'sold', 2, { body: LONG_BODY, route: 'GET /api/deals', nowMs: Date.UTC(2026, 10, 21, 9) });
  await purchaseIn(ledger, 'sold', 3, {
    body: 'what was bought',
    route: 'GET /api/deals',
    nowMs: Date.UTC(2026, 10, 21, 10),
    payment: { ...payment(3), amount: 50_000n },
  });
  const open = await purchaseIn(ledger, 'settling', 4, {
    lead: 'open-lead',
    properties: ['case:2'],
    nowMs: Date.now() - 3.5 * HOUR_MS,
  });
  await ledger.markUnknown(open.id, 'not_seen', '0xabc');
  await purchaseIn(ledger, 'released', 5, { lead: 'released-lead', properties: ['parcel:3'], body: '' });
  await purchaseIn(ledger, 'reserved', 6, { lead: 'reserved-lead' });
  for (const [i, p] of (await all(ledger.purchases())).filter((q) => q.state === 'sold').entries()) {
    await ledger.recordDelivery({ purchaseId: p.id, kind: 'first', atMs: 5, isComplete: i > 0 });
  }
  await ledger.useOnce('token', Date.now() + 1e9);
  await ledger.recordMoney('real');
  await ledger.reserveGas('0xa', '2026-11-20', 7n, 100n);
  const plain = Array.from({ length: PLAIN_TRANSFERS }, (_, i) =>
    transferFor(100 + i, { nonce: null, block: BigInt(100 + Math.floor(i / 7)), logIndex: i % 7 }),
  );
  await bookAll(ledger, [transferFor(1), transferFor(7), transferFor(8), ...plain]);
  await ledger.settleDebt({ chain: wanted(8).chain, ...paid(8), logIndex: 1 }, "it's refunded");
}

/** Tables that a restore changes: it has an epoch of its own. */
const OWN: readonly string[] = ['ledger_identity', 'heartbeat'];
const plainValue = (value: unknown): unknown =>
  value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value === null ? null : String(value);

/** Every row of every table. The lease of an auditor is not copied, and each restore adds a line to the journal. */
async function contentOf(place: string): Promise<ReadonlyMap<string, readonly unknown[]>> {
  const store = await openStore({ DATA_DIR: '', LEDGER: place });
  const content = new Map<string, readonly unknown[]>();
  for (const [table, key] of Object.entries(TABLES).filter(([name]) => !OWN.includes(name))) {
    const where = table === 'journal' ? `WHERE line NOT LIKE '%"restored"%'` : '';
    const rows = await store.read(`SELECT * FROM ${table} ${where} ORDER BY ${key}`);
    assert.ok(rows.length > 0, table);
    const hasLease = (column: string): boolean => table === 'audits' && column.startsWith('lease_');
    const columns = Object.keys(rows[0] ?? {}).filter((column) => !hasLease(column));
    content.set(
      table,
      rows.map((row) => columns.map((column) => [column, plainValue(row[column])])),
    );
  }
  await store.close();
  return content;
}

const lengths = (content: ReadonlyMap<string, readonly unknown[]>): ReadonlyMap<string, number> =>
  new Map([...content].map(([table, rows]) => [table, rows.length]));

const open = (place: string): Promise<Ledger> => openLedger({ DATA_DIR: '', LEDGER: place });

/** A restored ledger equals its backup, and continues where it stopped. */
async function checkRestored(place: string, content: unknown): Promise<void> {
  assert.deepEqual(await contentOf(place), content);
  const ledger = await open(place);
  assert.equal((await ledger.begin(wanted(1))).kind, 'taken', 'a used payment stays used');
  const next = await reserve(ledger, wanted(50));
  const leads = ['sold-lead', leadOf('another of it', 'zip:1'), 'open-lead', leadOf('released-lead', 'parcel:3')];
  assert.equal(await claim(ledger, next.id, leads, 0), 'released-lead', 'sold properties stay sold');
  assert.equal(await ledger.useOnce('token', Date.now() + 1e9), false);
  assert.equal(await ledger.recordMoney('test'), 'real');
  await ledger.recordDelivery({ purchaseId: next.id, kind: 'first', atMs: 9, isComplete: true });
  await ledger.close();
}

describe('a backup', () => {
  const { dataDir, kinds } = ledgerFolders();

  test('has every table of the schema, with its key', async () => {
    const file = join(dataDir(), 'ledger.sqlite');
    await (await open(file)).close();
    const db = new DatabaseSync(file);
    const keys = db
      .prepare(
        `SELECT t.name, group_concat(c.name, ', ' ORDER BY c.pk) AS key
        FROM sqlite_master AS t JOIN pragma_table_info(t.name) AS c ON c.pk > 0
        WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' GROUP BY t.name`,
      )
      .all();
    db.close();
    assert.deepEqual(new Map(keys.map((row) => [row['name'], row['key']])), new Map(Object.entries(TABLES)));
  });

  for (const { name, fresh } of kinds) {
    test(`of ${name} restores an equal ledger in either database`, async () => {
      const place = await fresh(dataDir());
      const FILE = join(dataDir(), 'backup');
      const ledger = await open(place);
      await fill(ledger);
      const content = await contentOf(place);
      const counts = Object.entries(await backUpTo(FILE, { DATA_DIR: dataDir(), LEDGER: place }));
      assert.deepEqual(new Map(counts.filter(([table]) => !OWN.includes(table))), lengths(content));
      assert.equal(statSync(FILE).mode & 0o777, 0o600);
      for (let n = 100; n < 105; n += 1) await purchaseIn(ledger, 'sold', n, { lead: `later-${n}` });
      await ledger.close();
      for (const target of kinds) {
        const env = { DATA_DIR: dataDir(), LEDGER: await target.fresh(dataDir()) };
        await restoreFrom(FILE, env);
        await checkRestored(env.LEDGER, content);
        await assert.rejects(
          restoreFrom(FILE, env),
          /: the ledger is not empty\. Set OVERWRITE=1 to delete its content$/,
        );
        await restoreFrom(FILE, env, { overwrite: true });
        assert.deepEqual(await contentOf(env.LEDGER), content, 'overwritten, it equals the backup');
      }
    });

    test(`of ${name} while another process sells is a consistent snapshot`, async () => {
      const [place, target, FILE] = [await fresh(dataDir()), await fresh(dataDir()), join(dataDir(), 'busy')];
      const seller = child('sell', place, '0', '100000');
      await seller.started;
      await backUpTo(FILE, { DATA_DIR: dataDir(), LEDGER: place });
      // Three lines per purchase: the next one begins.
      await seller.printed(seller.lines.length + 4);
      seller.process.kill('SIGKILL');
      await seller.ended;
      await restoreFrom(FILE, { DATA_DIR: dataDir(), LEDGER: target });
      const [source, copy] = [await open(place), await open(target)];
      const [now, then] = [await all(source.purchases()), await all(copy.purchases())];
      assert.ok(then.length > 0 && now.length > then.length, 'the other process sold during the backup');
      assert.deepEqual(
        then.map((p) => p.id),
        now.slice(0, then.length).map((p) => p.id),
        'purchases up to one moment, and none after it',
      );
      for (const { id, state, answerSha256 } of then)
        if (state !== 'reserved') assert.equal(sha256((await bodyOf(await copy.answerOf(id))) ?? ''), answerSha256);
      await Promise.all([source.close(), copy.close()]);
    });
  }

  test('that is no ledger of this version is refused in one line, and no ledger is created', async () => {
    const folder = dataDir();
    const [place, target, FILE] = [join(folder, 'full.sqlite'), join(folder, 'none.sqlite'), join(folder, 'backup')];
    const ledger = await open(place);
    await fill(ledger);
    await ledger.close();
    await backUpTo(FILE, { DATA_DIR: folder, LEDGER: place });
    const database = (sql: string): void => {
      const db = new DatabaseSync(FILE);
      db.exec(sql);
      db.close();
    };
    const wrong: readonly (readonly [() => void, RegExp])[] = [
      [() => database('PRAGMA user_version = 2'), /^the ledger has version 2, and this program uses version 1: /],
      [() => database('PRAGMA application_id = 1'), / is not a ledger but another SQLite database$/],
      [() => writeFileSync(FILE, '{"format": "a backup"}\n'.repeat(100)), / is not an SQLite file$/],
      [() => truncateSync(FILE), / is not a backup of a ledger: it is missing or empty$/],
      [() => rmSync(FILE), / is not a backup of a ledger: it is missing or empty$/],
    ];
    for (const [change, why] of wrong) {
      change();
      await assert.rejects(restoreFrom(FILE, { DATA_DIR: folder, LEDGER: target }), (error) => {
        assert.ok(error instanceof LedgerRefused);
        assert.match(error.message, why);
        assert.ok(!error.message.includes('\n'));
        return true;
      });
    }
    assert.ok(!existsSync(target));
  });

  for (const { name, fresh } of kinds) {
    test(`and the screen of ${name}: revenue, unknown outcomes, leads, deliveries`, async () => {
      const LEDGER = await fresh(dataDir());
      const ledger = await open(LEDGER);
      await fill(ledger);
      await ledger.close();
      const { code, out, err } = await runHere(CLI, { env: { DATA_DIR: dataDir(), LEDGER, DAYS: '3660' } });
      assert.deepEqual([code, err], [0, '']);
      for (const line of [
        /3 sold for \$2\.05, 1 settling, 1 reserved, 1 released/,
        /2026-11-21 {2}GET \/api\/deals +2 {2}\$1\.05/,
        /2026-11-20 {2}GET \/api\/leads\/exclusive +1 {2}\$1\.00/,
        /all {2}every endpoint +3 {2}\$2\.05/,
        /unknown outcome: 1\n {2}\S+ {2}GET \/api\/leads\/exclusive {2}\$1\.00 {2}3 h old {2}lead open-lead {2}0xabc/,
        /Leads: 1 sold, 1 settling, 1 reserved/,
        /never sent completely: 1 \(their buyers can collect them\)/,
      ])
        assert.match(out, line);
      assert.ok(out.split('\n').length < 40, 'it fits one screen');
    });
  }
});
