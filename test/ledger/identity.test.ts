/** A server stops when its ledger is removed, replaced or restored, and refuses a lost, empty or older one. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { closing } from '../../lib/closing.ts';
import { FILE_REPLACED, LedgerFenced, LEDGER_RESTORED } from '../../ledger/identity.ts';
import { LedgerUnavailable } from '../../ledger/ledger.ts';
import {
  ledgerExists,
  openLedger,
  openServingLedger,
  openLedgerStore,
  type LedgerSettings,
} from '../../ledger/open.ts';
import { SettingError } from '../../lib/settings.ts';
import { ledgerProblems } from '../../pipelines/operate/health.ts';
import { NONE_SOLD, noLedgerYet, soldLeads } from '../../pipelines/sold_leads.ts';
import { runHere } from '../support/run_here.ts';
import { backUpTo, ledgerFolders, noteIn, restoreFrom } from './ledger_folders.ts';
import { sellerOn } from './processes.ts';
import { all, answer, hold, purchaseIn, reserve, wanted } from './purchases.ts';

const LEDGER_CLI = join(import.meta.dirname, '../../ledger/cli.ts');

const refused = (settings: LedgerSettings, why: RegExp): Promise<void> =>
  assert.rejects(openServingLedger(settings), (error) => {
    assert.ok(error instanceof SettingError, String(error));
    assert.match(error.message, why);
    assert.equal(error.message.split('\n').length, 1);
    return true;
  });

/** Ways in which a ledger file disappears. */
const LOSSES: Readonly<Record<string, (file: string) => void>> = {
  'is removed': (file) => rmSync(file),
  'is replaced by an empty file': (file) => {
    writeFileSync(`${file}.new`, '');
    renameSync(`${file}.new`, file);
  },
  'is truncated': (file) => truncateSync(file),
  'loses its log': (file) => rmSync(`${file}-wal`),
};

describe('the identity of a ledger', () => {
  const { dataDir, kinds } = ledgerFolders();

  for (const [loss, lose] of Object.entries(LOSSES)) {
    test(`a server whose ledger file ${loss} sells nothing more, and ping says why`, async () => {
      const DATA_DIR = dataDir();
      await using ledger = closing(await openServingLedger({ DATA_DIR }));
      await purchaseIn(ledger, 'sold', 1, { lead: 'sold-lead' });
      const open = await reserve(ledger, wanted(2));
      await ledger.ping();
      lose(join(DATA_DIR, 'ledger.sqlite'));
      const fenced = (error: unknown): boolean =>
        error instanceof LedgerFenced && error instanceof LedgerUnavailable && error.message === FILE_REPLACED;
      await assert.rejects(ledger.begin(wanted(3)), fenced);
      await assert.rejects(hold(ledger, open.id, ['sold-lead', 'other'], 1), fenced);
      await assert.rejects(ledger.startSettling(open.id, answer('x'), 1), fenced);
      await assert.rejects(ledger.ping(), fenced);
    });
  }

  test('a missing or empty file of a recorded ledger is refused with the remedy, and not changed', async () => {
    const DATA_DIR = dataDir();
    const file = join(DATA_DIR, 'ledger.sqlite');
    await (await openServingLedger({ DATA_DIR })).close();
    const { id } = noteIn(DATA_DIR);
    rmSync(file);
    const remedy =
      `Restore a backup: make restore FROM=... DATA_DIR=${DATA_DIR}; ` +
      `or, to begin a new ledger on purpose, remove ${DATA_DIR}/ledger.json`;
    const lost = `but ledger ${id} was in use in this data folder. ${remedy}`;
    await refused({ DATA_DIR }, new RegExp(`^LEDGER is .*ledger.sqlite, which does not exist, ${lost}$`));
    assert.ok(!existsSync(file));
    writeFileSync(file, '');
    await refused({ DATA_DIR }, new RegExp(`^LEDGER is .*ledger.sqlite, which is empty, ${lost}$`));
    assert.equal(readFileSync(file).length, 0);
    rmSync(join(DATA_DIR, 'ledger.json'));
    await (await openServingLedger({ DATA_DIR })).close();
    assert.notEqual(noteIn(DATA_DIR).id, id);
  });

  for (const { name, kind, fresh } of kinds) {
    test(`${name}: another ledger and an older epoch are refused; a later epoch is recorded`, async () => {
      const DATA_DIR = dataDir();
      const [LEDGER, other] = [await fresh(DATA_DIR), await fresh(dataDir())];
      await (await openLedger({ DATA_DIR: '', LEDGER: other })).close();
      await (await openServingLedger({ DATA_DIR, LEDGER })).close();
      const note = noteIn(DATA_DIR);
      assert.deepEqual([note.epoch, note.kind], [1, kind]);
      assert.match(note.id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      await refused(
        { DATA_DIR, LEDGER: other },
        new RegExp(`is ledger .*, but ledger ${note.id} was in use in this data folder.*make restore FROM=`),
      );
      await using store = closing(await openLedgerStore({ DATA_DIR, LEDGER }));
      await store.write((query) => query('UPDATE ledger_identity SET epoch = 3'));
      await (await openServingLedger({ DATA_DIR, LEDGER })).close();
      assert.deepEqual(noteIn(DATA_DIR), { ...note, epoch: 3 });
      await store.write((query) => query('UPDATE ledger_identity SET epoch = 2'));
      await refused(
        { DATA_DIR, LEDGER },
        /an older copy \(epoch 2\) of the ledger in use in this data folder \(epoch 3\)/,
      );
    });
  }

  test('a damaged note is refused with its name', async () => {
    const DATA_DIR = dataDir();
    writeFileSync(join(DATA_DIR, 'ledger.json'), '{"id": 1');
    await refused({ DATA_DIR }, /ledger\.json is damaged/);
  });

  test('reading creates and records nothing, and an empty file does not count as a ledger', async () => {
    const DATA_DIR = dataDir();
    assert.deepEqual(
      [await soldLeads({ DATA_DIR }), noLedgerYet({ DATA_DIR }).length, await ledgerProblems({ DATA_DIR })],
      [NONE_SOLD, 1, []],
    );
    assert.match((await runHere(LEDGER_CLI, { env: { DATA_DIR } })).err, /which does not exist yet/);
    assert.deepEqual(readdirSync(DATA_DIR), []);
    writeFileSync(join(DATA_DIR, 'ledger.sqlite'), '');
    assert.ok(!ledgerExists({ DATA_DIR }));
    assert.match((await runHere(LEDGER_CLI, { env: { DATA_DIR } })).err, /which does not exist yet/);
    rmSync(join(DATA_DIR, 'ledger.sqlite'));
    await (await openLedger({ DATA_DIR })).close();
    assert.equal((await runHere(LEDGER_CLI, { env: { DATA_DIR } })).code, 0);
    assert.deepEqual(readdirSync(DATA_DIR), ['ledger.sqlite']);
  });

  test('a pipeline run does not treat a lost ledger as a ledger without sales', async () => {
    const DATA_DIR = dataDir();
    const ledger = await openServingLedger({ DATA_DIR });
    await purchaseIn(ledger, 'sold', 1, { lead: 'sold-lead', properties: ['parcel:1'] });
    await ledger.close();
    assert.deepEqual(await soldLeads({ DATA_DIR }), { leads: ['sold-lead'], properties: ['parcel:1'] });
    const [file, other] = [join(DATA_DIR, 'ledger.sqlite'), join(dataDir(), 'other.sqlite')];
    await (await openLedger({ DATA_DIR, LEDGER: other })).close();
    await assert.rejects(soldLeads({ DATA_DIR, LEDGER: other }), SettingError);
    rmSync(file);
    await assert.rejects(soldLeads({ DATA_DIR }), SettingError);
    assert.throws(() => noLedgerYet({ DATA_DIR }), SettingError);
    assert.deepEqual(
      (await ledgerProblems({ DATA_DIR })).map((problem) => problem.kind),
      ['ledger_unavailable'],
    );
  });

  for (const { name, kind, fresh } of kinds) {
    test(`${name}: a restore stops a running server, which writes nothing into the restored ledger`, async () => {
      const DATA_DIR = dataDir();
      const LEDGER = await fresh(DATA_DIR);
      const [env, FILE] = [{ DATA_DIR, LEDGER }, join(DATA_DIR, 'backup')];
      const seller = sellerOn(LEDGER, DATA_DIR);
      await seller.printed(6);
      await backUpTo(FILE, env);
      await seller.printed(seller.lines.length + 6);
      const { id } = noteIn(DATA_DIR);
      const { identity } = await restoreFrom(FILE, env, { overwrite: true });
      assert.deepEqual(identity, { id, epoch: 2 });
      const hasEnded = await Promise.race([seller.ended.then(() => true), sleep(30_000, false, { ref: false })]);
      seller.child.kill();
      assert.ok(hasEnded, 'the server still sells');
      const last = seller.sales().at(-1);
      assert.deepEqual([last?.error, last?.message], ['LedgerFenced', LEDGER_RESTORED]);
      assert.deepEqual(noteIn(DATA_DIR), { id, epoch: 2, kind });
      await using ledger = closing(await openServingLedger(env));
      const stored = new Set((await all(ledger.purchases())).map((p) => p.id));
      const sold = seller.sales().filter((line) => line.done === 'settling');
      assert.ok(
        sold.length > 0 && sold.every((line) => stored.has(line.id)),
        'the journal has the sales after the backup',
      );
      const laterMs = Date.now() + 1e6;
      const buyer = await reserve(ledger, wanted(9_000, { nowMs: laterMs }));
      const soldLeadIds = sold.map((line) => String(line.lead));
      assert.equal(await hold(ledger, buyer.id, soldLeadIds, laterMs), null, 'no sold lead is sold again');
    });
  }

  test('a restore raises the epoch above the recorded one, and keeps the id', async () => {
    const DATA_DIR = dataDir();
    const FILE = join(DATA_DIR, 'backup');
    await (await openServingLedger({ DATA_DIR })).close();
    const { id } = noteIn(DATA_DIR);
    await backUpTo(FILE, { DATA_DIR });
    writeFileSync(join(DATA_DIR, 'ledger.json'), JSON.stringify({ id, epoch: 7, kind: 'sqlite' }));
    rmSync(join(DATA_DIR, 'ledger.sqlite'));
    const { identity } = await restoreFrom(FILE, { DATA_DIR });
    assert.deepEqual(
      [identity, noteIn(DATA_DIR)],
      [
        { id, epoch: 8 },
        { id, epoch: 8, kind: 'sqlite' },
      ],
    );
    await (await openServingLedger({ DATA_DIR })).close();
  });
});
