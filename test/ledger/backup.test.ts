/** Backups between both kinds of ledger, and the screen of `make ledger`. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Ledger } from '../../ledger/ledger.ts';
import { openLedger } from '../../ledger/open.ts';
import { LedgerRefused } from '../../ledger/sql/schema.ts';
import { HOUR_MS } from '../../lib/time.ts';
import { BARE } from '../environment.ts';
import { runHere } from '../process/here.ts';
import { backUpTo, ledgerFolders, restoreFrom } from './ledger_folders.ts';
import { child } from './processes.ts';
import { all, bodyOf, claim, leadOf, payment, purchaseIn, reserve, sha256, wanted } from './purchases.ts';

const CLI = fileURLToPath(new URL('../../ledger/cli.ts', import.meta.url));
const LONG_BODY = 'a long answer '.repeat(200_000);

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
}

/** The content of a ledger, for comparison. */
async function contentOf(ledger: Ledger): Promise<unknown> {
  const purchases = await all(ledger.purchases());
  return {
    purchases,
    deliveries: await all(ledger.deliveries()),
    soldLeads: await ledger.soldLeads(),
    soldProperties: await ledger.soldProperties(),
    claimed: [...(await ledger.claimedLeads(0)), ...(await ledger.claimedProperties(0))].sort(),
    answers: await Promise.all(
      purchases.map(async ({ id }) => {
        const answer = await ledger.answerOf(id);
        return answer && { headers: answer.headers, body: sha256((await bodyOf(answer)) ?? '') };
      }),
    ),
  };
}

const open = (place: string): Promise<Ledger> => openLedger({ DATA_DIR: '', LEDGER: place });

/** A restored ledger equals its backup, and continues where it stopped. */
async function checkRestored(place: string, content: unknown): Promise<void> {
  const ledger = await open(place);
  assert.deepEqual(await contentOf(ledger), content);
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

  for (const { name, fresh } of kinds) {
    test(`of ${name} restores an equal ledger in either database`, async () => {
      const place = await fresh(dataDir());
      const FILE = join(dataDir(), 'backup');
      const ledger = await open(place);
      await fill(ledger);
      const content = await contentOf(ledger);
      await backUpTo(FILE, { DATA_DIR: dataDir(), LEDGER: place });
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
        const over = await open(env.LEDGER);
        assert.deepEqual(await contentOf(over), content, 'overwritten, it equals the backup');
        await over.close();
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

  test('is missed by the screen of a ledger that does not exist: an error on standard error', () => {
    const report = spawnSync(process.execPath, [CLI], {
      encoding: 'utf8',
      env: { ...BARE, LEDGER: join(dataDir(), 'none.sqlite') },
    });
    assert.deepEqual([report.status, report.stdout], [1, '']);
    assert.match(report.stderr, /^LEDGER is .*none\.sqlite, which does not exist yet/);
  });
});
