/** Backups between both kinds of ledger, and the screen of `make ledger`. */
import assert from 'node:assert/strict';
import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { closing } from '../../lib/closing.ts';
import type { Ledger, Purchase } from '../../ledger/ledger.ts';
import { TABLES } from '../../ledger/copy.ts';
import { openLedger, openServingLedger, openLedgerStore } from '../../ledger/open.ts';
import { HOUR_MS } from '../../lib/time.ts';
import { runHere } from '../support/run_here.ts';
import { backUpTo, ledgerFolders, restoreFrom } from './ledger_folders.ts';
import { sellerOn } from './processes.ts';
import { all, bodyOf, hold, leadOf, paid, payment, purchaseIn, reserve, sha256, wanted } from './purchases.ts';
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
  const store = await openLedgerStore({ DATA_DIR: '', LEDGER: place });
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

const open = (place: string): Promise<Ledger> => openLedger({ DATA_DIR: '', LEDGER: place });

/** A restored ledger equals its backup, and continues where it stopped. */
async function checkRestored(place: string, content: unknown): Promise<void> {
  assert.deepEqual(await contentOf(place), content);
  await using ledger = closing(await open(place));
  assert.equal((await ledger.begin(wanted(1))).kind, 'taken', 'a used payment stays used');
  const next = await reserve(ledger, wanted(50));
  const leads = ['sold-lead', leadOf('another of it', 'zip:1'), 'open-lead', leadOf('released-lead', 'parcel:3')];
  assert.equal(await hold(ledger, next.id, leads, 0), 'released-lead', 'sold properties stay sold');
  assert.equal(await ledger.useOnce('token', Date.now() + 1e9), false);
  assert.equal(await ledger.recordMoney('test'), 'real');
}

describe('a backup', () => {
  const { dataDir, kinds } = ledgerFolders();

  test('has every table of the schema, with its key', async () => {
    const store = await openLedgerStore({ DATA_DIR: dataDir() });
    const keys = await store.read(`SELECT t.name, group_concat(c.name, ', ' ORDER BY c.pk) AS key
      FROM sqlite_master AS t JOIN pragma_table_info(t.name) AS c ON c.pk > 0
      WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' GROUP BY t.name`);
    await store.close();
    assert.deepEqual(new Map(keys.map((row) => [row['name'], row['key']])), new Map(Object.entries(TABLES)));
  });

  for (const { name, fresh } of kinds) {
    test(`of ${name} restores an equal ledger in either database`, async () => {
      const place = await fresh(dataDir());
      const FILE = join(dataDir(), 'backup');
      const ledger = await open(place);
      await fill(ledger);
      const content = await contentOf(place);
      await backUpTo(FILE, { DATA_DIR: dataDir(), LEDGER: place });
      assert.equal(statSync(FILE).mode & 0o777, 0o600);
      for (let n = 100; n < 105; n += 1) await purchaseIn(ledger, 'sold', n, { lead: `later-${n}` });
      await ledger.close();
      for (const target of kinds) {
        const env = { DATA_DIR: dataDir(), LEDGER: await target.fresh(dataDir()) };
        await restoreFrom(FILE, env);
        await checkRestored(env.LEDGER, content);
        await assert.rejects(restoreFrom(FILE, env), /: the ledger is not empty\. Set OVERWRITE=1 to delete/);
        await restoreFrom(FILE, env, { overwrite: true });
        assert.deepEqual(await contentOf(env.LEDGER), content, 'overwritten, it equals the backup');
      }
    });

    test(`of ${name} while another process sells is a consistent snapshot`, async () => {
      const DATA_DIR = dataDir();
      const [place, target, FILE] = [await fresh(DATA_DIR), await fresh(dataDir()), join(DATA_DIR, 'busy')];
      const seller = sellerOn(place, DATA_DIR);
      await seller.printed(1);
      await backUpTo(FILE, { DATA_DIR, LEDGER: place });
      await seller.printed(seller.lines.length + 4);
      await seller.end('SIGKILL');
      await restoreFrom(FILE, { DATA_DIR, LEDGER: target }, { journals: [] });
      const [source, copy] = [await open(place), await open(target)];
      const [now, then] = [await all(source.purchases()), await all(copy.purchases())];
      assert.ok(then.length > 0 && now.length > then.length, 'the other process sold during the backup');
      const ids = (purchases: readonly Purchase[]): readonly string[] => purchases.map(({ id }) => id);
      assert.deepEqual(ids(then), ids(now.slice(0, then.length)), 'purchases up to one moment, and none after it');
      for (const { id, state, answerSha256 } of then)
        if (state !== 'reserved') assert.equal(sha256(bodyOf(await copy.answerOf(id)) ?? ''), answerSha256);
      await Promise.all([source.close(), copy.close()]);
    });
  }

  test('that is not a ledger of this version is refused in one line, and no ledger is created', async () => {
    const DATA_DIR = dataDir();
    const [FILE, LEDGER] = [join(DATA_DIR, 'backup'), join(DATA_DIR, 'none.sqlite')];
    await (await open(FILE)).close();
    const database = (sql: string): void => {
      const db = new DatabaseSync(FILE);
      db.exec(sql);
      db.close();
    };
    const wrong: readonly (readonly [() => void, RegExp])[] = [
      [() => database('PRAGMA user_version = 1'), /^the ledger has version 1, and this program uses version \d+: /],
      [() => database('PRAGMA application_id = 1'), / is not a ledger but another SQLite database$/],
      [() => writeFileSync(FILE, '{"format": "a backup"}\n'.repeat(100)), / is not an SQLite file$/],
      [() => rmSync(FILE), / is not a backup of a ledger: it is missing or empty$/],
    ];
    for (const [change, message] of wrong) {
      change();
      await assert.rejects(restoreFrom(FILE, { DATA_DIR, LEDGER }), { name: 'LedgerRefused', message });
    }
    assert.ok(!existsSync(LEDGER));
  });

  test('without its journal pauses exclusive sales until its window is audited and its refunds are paid', async () => {
    const env = { DATA_DIR: dataDir() };
    const FILE = join(env.DATA_DIR, 'backup');
    const before = await openServingLedger(env);
    const nowSeconds = Math.floor(Date.now() / 1000);
    const book = (ledger: Ledger, block: bigint, seconds: number, ...numbers: number[]): Promise<unknown> =>
      bookAll(
        ledger,
        numbers.map((n) => transferFor(n)),
        { nowMs: Date.now(), through: { block, seconds } },
      );
    await book(before, 5n, 1_000, 3);
    assert.equal(await before.exclusivePause(), null, 'a stranger stops nothing');
    await backUpTo(FILE, env);
    await before.close();
    await restoreFrom(FILE, env, { overwrite: true, journals: [] });
    await using restored = closing(
      await openServingLedger({ DATA_DIR: dataDir(), LEDGER: join(env.DATA_DIR, 'ledger.sqlite') }),
    );
    const pauses: unknown[] = [];
    const notePause = async (): Promise<unknown> => pauses.push(await restored.exclusivePause());
    await book(restored, 8n, 1_000, 7);
    await notePause();
    // The chain's clock may be ahead: the window ends at its latest block, not at the time of the restore.
    const [through, latest] = [
      { block: 9n, seconds: nowSeconds + 1 },
      { block: 10n, seconds: nowSeconds + 2 },
    ];
    await bookAll(restored, [], { nowMs: Date.now(), through, latest });
    await notePause();
    await book(restored, 10n, nowSeconds + 1);
    await notePause();
    await book(restored, 12n, nowSeconds + 2, 11);
    await restored.settleDebt({ chain: wanted(7).chain, ...paid(7), logIndex: 1 }, 'refunded');
    await notePause();
    await book(restored, 13n, nowSeconds + 3);
    await book(restored, 14n, nowSeconds + 4, 9);
    await notePause();
    const [waits, isOwed] = ['restored_not_audited', 'restored_transfers_owed'];
    assert.deepEqual(pauses, [waits, waits, isOwed, null, null], 'transfers outside of the window do not count');
  });

  for (const { name, fresh } of kinds) {
    test(`of ${name}: the sales screen of its ledger shows revenue, unknown outcomes and leads`, async () => {
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
      ])
        assert.match(out, line);
      assert.ok(out.split('\n').length < 40, 'it fits one screen');
    });
  }
});
