/** The journal and its copy in a file: a ledger that lost its last sales puts them back. */
import assert from 'node:assert/strict';
import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { describe, mock, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { closing } from '../../lib/closing.ts';
import { journalFile } from '../../ledger/journal_file.ts';
import { LedgerUnavailable, type Ledger, type OfferedLead, type Purchase } from '../../ledger/ledger.ts';
import { openLedger, openServingLedger, openLedgerStore, type LedgerSettings } from '../../ledger/open.ts';
import type { JournalLine } from '../../ledger/sql/journal.ts';
import { SettingError } from '../../lib/settings.ts';
import { journalViolations } from './journal_checks.ts';
import { backUpTo, ledgerFolders, noteIn, restoreFrom } from './ledger_folders.ts';
import { sellerOn } from './processes.ts';
import { all, answer, bodyOf, CHAIN, hold, leadOf, paid, purchaseIn, reserve, wanted } from './purchases.ts';
import { bookAll, transferFor } from './transfer_booking.ts';
import { ledgerProblems } from '../../pipelines/operate/health.ts';

/** The lines of the file that are not cut. */
const linesIn = (dataDir: string): JournalLine[] =>
  readFileSync(journalFile(dataDir), 'utf8')
    .split('\n')
    .filter((line) => line.endsWith('}'))
    .map((line) => JSON.parse(line) as JournalLine);

const tableOf = async (settings: LedgerSettings): Promise<readonly string[]> => {
  const store = await openLedgerStore(settings);
  const violations = await journalViolations(store.read);
  const rows = await store.read('SELECT line FROM journal ORDER BY seq');
  await store.close();
  assert.deepEqual(violations, []);
  return rows.map((row) => String(row['line']));
};

/** Journal and file have the same lines. */
async function assertCopied(settings: LedgerSettings): Promise<void> {
  const inFile = new Set(linesIn(settings.DATA_DIR).map((line) => JSON.stringify(line)));
  assert.deepEqual([...inFile].sort(), [...(await tableOf(settings))].sort());
}

const LATER_MS = 1e15;
/** The first of these leads that another buyer gets, long after every lease. */
async function firstFree(ledger: Ledger, n: number, leads: readonly (string | OfferedLead)[]): Promise<string | null> {
  const buyer = await reserve(ledger, wanted(n, { nowMs: LATER_MS }));
  const free = await hold(ledger, buyer.id, leads, LATER_MS);
  await ledger.release(buyer.id, 'not_settled', LATER_MS);
  return free;
}

const textOf = async (ledger: Ledger, { id }: Purchase): Promise<string> => String(bodyOf(await ledger.answerOf(id)));

describe('the journal', () => {
  const { dataDir, kinds } = ledgerFolders();

  for (const { name, fresh } of kinds) {
    test(`of ${name} has a line for each change with all facts after it, and its file has the same lines`, async () => {
      const DATA_DIR = dataDir();
      const settings = { DATA_DIR, LEDGER: await fresh(DATA_DIR) };
      const ledger = await openServingLedger(settings);
      const sold = await purchaseIn(ledger, 'sold', 1, {
        lead: 'one',
        properties: ['parcel:1', 'zip:1'],
        nowMs: 5_000,
      });
      await purchaseIn(ledger, 'released', 2, { lead: 'two', properties: ['parcel:2'] });
      const open = await purchaseIn(ledger, 'settling', 3, { payment: { ...wanted(3).payment, validBefore: 3n } });
      await ledger.markUnknown(open.id, 'not_seen', paid(3).transaction);
      await bookAll(ledger, [transferFor(1, paid(9)), transferFor(3), transferFor(7)]);
      await ledger.settleDebt({ chain: sold.chain, ...paid(7), logIndex: 1 }, 'refunded');
      await ledger.forgetAnswers(10_000);
      await firstFree(ledger, 4, ['three']);
      await ledger.close();
      await assertCopied(settings);
      const lines = (await tableOf(settings)).map((line) => JSON.parse(line) as JournalLine);
      const nonceOf = ({ purchase }: JournalLine): number => Number(purchase?.['nonce'] ?? 0);
      assert.deepEqual(
        [1, 2, 3, 4, 0].map((n) => lines.filter((line) => nonceOf(line) === n).map(({ event }) => event)),
        [
          ['reserved', 'held', 'settling', 'sold', 'moved'],
          ['reserved', 'held', 'settling', 'released'],
          ['reserved', 'settling', 'unknown', 'sold', 'forgotten'],
          ['reserved', 'held', 'dropped'],
          ['began', 'resolved', 'forgot'],
        ],
      );
      const { id } = noteIn(DATA_DIR);
      assert.ok(lines.every(({ ledger: own, at }) => own === id && Date.parse(at) > Date.UTC(2026, 0)));
      assert.equal(Buffer.from(lines[2]?.answer ?? '', 'base64').toString(), 'answer 1');
      assert.equal(statSync(journalFile(DATA_DIR)).mode & 0o777, 0o600);
    });

    test(`of ${name} restores what a restored backup lacks, from the files of all hosts`, async () => {
      const [here, there] = [dataDir(), dataDir()];
      const env = { DATA_DIR: here, LEDGER: await fresh(here) };
      const [FILE, later] = [join(here, 'backup'), join(here, 'later')];
      const [one, two] = [await openServingLedger(env), await openServingLedger({ ...env, DATA_DIR: there })];
      await purchaseIn(one, 'sold', 1, { lead: 'before' });
      const early = await purchaseIn(one, 'reserved', 7, { lead: 'early' });
      const late = await purchaseIn(one, 'released', 10, { lead: 'late' });
      await backUpTo(FILE, env);
      await one.release(early.id, 'not_settled', 9);
      await bookAll(one, [transferFor(10)]);
      const sold = await purchaseIn(one, 'sold', 2, { lead: 'sold-here', properties: ['parcel:1'], body: 'the lead' });
      const open = await purchaseIn(one, 'settling', 3, { lead: 'early' });
      const ended = await purchaseIn(one, 'released', 4, { lead: 'released-here' });
      const list = await purchaseIn(one, 'sold', 5, { body: 'a list' });
      const unsent = await purchaseIn(one, 'settling', 8);
      const other = await purchaseIn(two, 'sold', 6, { lead: 'sold-there' });
      await Promise.all([one.close(), two.close()]);
      const journals = [journalFile(here), journalFile(there)];
      assert.equal((await restoreFrom(FILE, env, { overwrite: true, journals })).replayed, 8);

      const ledger = await openServingLedger(env);
      assert.equal((await ledger.find({ id: late.id }))?.state, 'sold', 'its money arrived after the backup');
      for (const purchase of [sold, open, ended, other])
        assert.deepEqual(await ledger.find({ id: purchase.id }), purchase);
      assert.equal(await textOf(ledger, sold), 'the lead');
      assert.equal(await ledger.find({ id: early.id }), null);
      // Only the answers of exclusive leads are in the journal.
      for (const { id } of [list, unsent])
        assert.partialDeepStrictEqual(await ledger.find({ id }), { state: 'released', why: 'answer_lost' });
      const expected = ['before', 'early', 'late', 'sold-here', 'sold-there'];
      assert.deepEqual([await ledger.soldLeads(), await ledger.soldProperties()], [expected, ['parcel:1']]);
      assert.equal(
        await firstFree(ledger, 9_001, [...expected, leadOf('of it', 'parcel:1'), 'released-here']),
        'released-here',
      );
      assert.equal(await ledger.exclusivePause(), 'restored_not_audited');
      await ledger.close();
      await backUpTo(later, env);
      await restoreFrom(later, { DATA_DIR: there, LEDGER: join(there, 'ledger.sqlite') });
      await tableOf({ DATA_DIR: there });
    });
  }

  test('remembers after a restore which owed transfers were settled', async () => {
    const DATA_DIR = dataDir();
    const FILE = join(DATA_DIR, 'backup');
    const ledger = await openServingLedger({ DATA_DIR });
    await bookAll(ledger, [transferFor(1)]);
    await backUpTo(FILE, { DATA_DIR });
    await bookAll(ledger, [transferFor(2), transferFor(3)]);
    for (const n of [1, 2]) await ledger.settleDebt({ chain: CHAIN, ...paid(n), logIndex: 1 }, `refund of ${n}`);
    await ledger.close();
    await restoreFrom(FILE, { DATA_DIR }, { overwrite: true });
    await using restored = closing(await openServingLedger({ DATA_DIR }));
    const [again, open] = await bookAll(restored, [transferFor(2), transferFor(3)]);
    assert.deepEqual([again?.kind, again?.resolution, open?.kind], ['resolved', 'refund of 2', 'owed']);
    assert.deepEqual(
      (await all(restored.transfers(null))).map(({ resolution }) => resolution),
      ['refund of 1', 'refund of 2', null],
    );
  });

  test('writes a line to its file only once no crash can remove it from the database', async () => {
    const DATA_DIR = dataDir();
    const ledger = await openServingLedger({ DATA_DIR });
    const { id } = await reserve(ledger, wanted(1));
    const copied = (): readonly unknown[] => linesIn(DATA_DIR).map(({ event }) => event);
    await sleep(100);
    assert.equal(statSync(journalFile(DATA_DIR), { throwIfNoEntry: false }), undefined);
    await hold(ledger, id, ['one'], 0);
    await sleep(100);
    assert.deepEqual(copied(), ['reserved', 'held']);
    await reserve(ledger, wanted(2));
    await ledger.close();
    assert.deepEqual(copied(), ['reserved', 'held', 'reserved']);
  });

  test('is flushed before money moves for an exclusive lead, and only then', async () => {
    const ledger = await openServingLedger({ DATA_DIR: dataDir() });
    let flushes = 0;
    const { fdatasync } = fs;
    mock.method(fs, 'fdatasync', (file: number, done: (error: Error | null) => void) => {
      fdatasync(file, (error) => {
        flushes += 1;
        done(error);
      });
    });
    syncBuiltinESMExports();
    try {
      await purchaseIn(ledger, 'sold', 1);
      const { id } = await purchaseIn(ledger, 'reserved', 2, { lead: 'lead' });
      assert.equal(flushes, 0);
      assert.equal(await ledger.startSettling(id, answer('the lead'), 1), true);
      assert.equal(flushes, 1);
      await ledger.markSold(id, paid(2), 2);
      await ledger.close();
      assert.equal(flushes, 1);
    } finally {
      mock.restoreAll();
      syncBuiltinESMExports();
    }
  });

  for (const { name, fresh } of kinds) {
    test(`of ${name} found late keeps the later sale of a lead, and owes a refund for the lost sale`, async () => {
      const [DATA_DIR, LATER] = [dataDir(), dataDir()];
      const settings = { DATA_DIR, LEDGER: await fresh(DATA_DIR) };
      const before = await openServingLedger(settings);
      const FILE = join(DATA_DIR, 'backup');
      await backUpTo(FILE, settings);
      const owed = await purchaseIn(before, 'sold', 1, { lead: 'one', properties: ['parcel:1'] });
      await before.close();
      const later = { DATA_DIR: LATER, LEDGER: await fresh(LATER) };
      await restoreFrom(FILE, later, { journals: [] });
      const without = await openServingLedger(later);
      const again = await purchaseIn(without, 'sold', 2, { lead: 'two', properties: ['parcel:1'] });
      await without.close();
      appendFileSync(journalFile(LATER), readFileSync(journalFile(DATA_DIR)));

      const found = await openServingLedger(later);
      assert.deepEqual(
        (await bookAll(found, [transferFor(1), transferFor(2)])).map(({ kind }) => kind),
        ['owed', 'matched'],
      );
      assert.partialDeepStrictEqual(await found.find({ id: owed.id }), { state: 'released', why: 'superseded' });
      assert.deepEqual(await found.soldLeads(), ['two']);
      assert.equal((await found.find({ id: again.id }))?.state, 'sold');
      await found.close();
      await tableOf(later);
    });

    test(`of ${name} ignores a line of its file that takes back or changes a sale`, async () => {
      const DATA_DIR = dataDir();
      const settings = { DATA_DIR, LEDGER: await fresh(DATA_DIR) };
      const before = await openServingLedger(settings);
      await purchaseIn(before, 'sold', 1, { lead: 'one', properties: ['parcel:1'] });
      await before.close();
      const sold = linesIn(DATA_DIR).at(-1);
      const forge = (event: string, facts: object): string => {
        const number = (sold?.number ?? 0) + 1;
        return JSON.stringify({
          ...sold,
          event,
          number,
          purchase: { ...sold?.purchase, changes: `${number}`, ...facts },
        });
      };
      const returned = { lead: null, returned_lead: 'one', properties: null, returned_properties: 'parcel:1' };
      for (const line of [
        forge('released', { state: 'released', standing: null, ...returned }),
        forge('dropped', {}),
        forge('moved', returned),
        forge('moved', { payer: wanted(2).payment.payTo }),
      ]) {
        appendFileSync(journalFile(DATA_DIR), `${line}\n`);
        const ledger = await openServingLedger(settings);
        assert.equal(await firstFree(ledger, 9, [leadOf('two', 'parcel:1'), 'one']), null, line);
        assert.equal(await ledger.exclusivePause(), null);
        await ledger.close();
        assert.ok((await tableOf(settings)).includes(JSON.stringify(sold)), line);
      }
    });

    test(`of ${name} restores sales by their age even if earlier releases were not copied`, async () => {
      const [here, there] = [dataDir(), dataDir()];
      const env = { DATA_DIR: here, LEDGER: await fresh(here) };
      const FILE = join(here, 'backup');
      const ledger = await openServingLedger(env);
      const early = await purchaseIn(ledger, 'reserved', 1, { lead: 'one', properties: ['parcel:1'] });
      const open = await purchaseIn(ledger, 'settling', 2, { lead: 'two', properties: ['parcel:2'] });
      await backUpTo(FILE, env);
      const late = await purchaseIn(ledger, 'reserved', 3, { lead: 'three', properties: ['parcel:3'] });
      const unsent = await purchaseIn(ledger, 'reserved', 6, { lead: 'four' });
      const older = await purchaseIn(ledger, 'settling', 7, { lead: 'five' });
      for (const { id } of [early, late, unsent]) await ledger.release(id, 'not_settled', 9);
      for (const { id } of [open, older]) await ledger.release(id, 'expired_unused', 9);
      // The lines have milliseconds.
      await sleep(5);
      const kept = [
        await purchaseIn(ledger, 'settling', 8, { lead: 'four' }),
        await purchaseIn(ledger, 'settling', 9, { lead: 'five' }),
        await purchaseIn(ledger, 'sold', 4, { lead: 'one' }),
        await purchaseIn(ledger, 'sold', 5, { lead: 'another', properties: ['parcel:2'] }),
        await purchaseIn(ledger, 'sold', 3, { lead: 'three', properties: ['parcel:3'] }),
      ];
      await ledger.close();
      // A file has the lines in any order.
      const copied = linesIn(here).filter(({ event }) => event !== 'dropped' && event !== 'released');
      copied.reverse();
      writeFileSync(journalFile(there), copied.map((line) => `${JSON.stringify(line)}\n`).join(''));
      const journals = [journalFile(there)];
      await restoreFrom(FILE, { ...env, DATA_DIR: there }, { overwrite: true, journals });
      const restored = await openLedger(env);
      for (const purchase of kept) assert.deepEqual(await restored.find({ id: purchase.id }), purchase);
      for (const { id } of [early, late, open, unsent, older])
        assert.equal((await restored.find({ id }))?.why, 'superseded');
      assert.deepEqual(await restored.soldLeads(), ['another', 'five', 'four', 'one', 'three']);
      await restored.close();
      await tableOf(env);
    });
  }

  test('restores the sales that a truncated log lost, when a server starts', async () => {
    const DATA_DIR = dataDir();
    const file = join(DATA_DIR, 'ledger.sqlite');
    const seller = sellerOn(file, DATA_DIR);
    await seller.printed(20);
    await seller.end('SIGKILL');
    const sales = seller.sales().filter((line) => line.done === 'settling');
    const leads = sales.map((line) => String(line.lead));
    assert.ok(leads.length >= 10);
    truncateSync(`${file}-wal`, Math.floor(statSync(`${file}-wal`).size * 0.7));
    const copy = join(dataDir(), 'ledger.sqlite');
    for (const end of ['', '-wal']) copyFileSync(file + end, copy + end);
    const withoutJournal = await openLedger({ DATA_DIR: '', LEDGER: copy });
    assert.ok(leads.includes(String(await firstFree(withoutJournal, 9_000, leads))), 'the ledger has lost a sale');
    await withoutJournal.close();

    const ledger = await openServingLedger({ DATA_DIR });
    assert.equal(await firstFree(ledger, 9_001, [...leads, 'another']), 'another');
    assert.equal(await ledger.exclusivePause(), 'restored_not_audited');
    assert.ok((await ledgerProblems({ DATA_DIR })).some(({ kind }) => kind === 'exclusive_paused'));
    for (const { id } of seller.sales().filter((line) => line.done === 'sold'))
      assert.equal(bodyOf(await ledger.answerOf(id))?.length, 20_000);
    await ledger.close();
    await assertCopied({ DATA_DIR });
  });

  test('whose file cannot be written stops the sale of a lead before money moves, and loses no line', async () => {
    const DATA_DIR = dataDir();
    const again = await openServingLedger({ DATA_DIR });
    mkdirSync(journalFile(DATA_DIR));
    const lead = await purchaseIn(again, 'reserved', 1, { lead: 'a-lead' });
    await assert.rejects(
      again.startSettling(lead.id, answer('x'), 1),
      (error) => error instanceof LedgerUnavailable && error.message === 'the journal file cannot be written (EISDIR)',
    );
    await again.release(lead.id, 'not_sent', 2);
    assert.equal(await firstFree(again, 3, ['a-lead']), 'a-lead');
    const { state } = await purchaseIn(again, 'sold', 4);
    assert.equal(state, 'sold', 'a sale without a lead does not wait for the file');
    rmdirSync(journalFile(DATA_DIR));
    await purchaseIn(again, 'sold', 5, { lead: 'a-lead' });
    await again.close();
    await assertCopied({ DATA_DIR });
  });

  test('catches up with its file when a ledger is opened', async () => {
    const DATA_DIR = dataDir();
    await (await openServingLedger({ DATA_DIR })).close();
    const unwatched = await openLedger({ DATA_DIR });
    for (let n = 1; n < 200; n += 1) await purchaseIn(unwatched, 'sold', n);
    await unwatched.close();
    await (await openServingLedger({ DATA_DIR })).close();
    await assertCopied({ DATA_DIR });
  });

  test('is read without the lines that a crash has cut, and later lines are not lost', async () => {
    const DATA_DIR = dataDir();
    const ledger = await openServingLedger({ DATA_DIR });
    await purchaseIn(ledger, 'sold', 1, { lead: 'one' });
    const text = readFileSync(journalFile(DATA_DIR), 'utf8');
    appendFileSync(journalFile(DATA_DIR), text.trim().slice(0, -20));
    await purchaseIn(ledger, 'sold', 2, { lead: 'two' });
    await ledger.close();
    appendFileSync(journalFile(DATA_DIR), Buffer.alloc(40));
    const again = await openServingLedger({ DATA_DIR });
    assert.equal(await again.exclusivePause(), null, 'nothing is lost');
    await purchaseIn(again, 'sold', 3, { lead: 'three' });
    await again.close();
    await assertCopied({ DATA_DIR });
  });

  test('with a line that no ledger can have written stops the start, and the message names the file', async () => {
    const DATA_DIR = dataDir();
    const settings = { DATA_DIR, LEDGER: join(DATA_DIR, 'ledger.sqlite') };
    await (await openServingLedger(settings)).close();
    const line = { ledger: noteIn(DATA_DIR).id, event: 'sold', number: 1, at: new Date(), purchase: { id: 'x' } };
    writeFileSync(journalFile(DATA_DIR), JSON.stringify(line));
    await assert.rejects(openServingLedger(settings), (error: Error) => {
      return error instanceof SettingError && error.message.includes(journalFile(DATA_DIR));
    });
  });

  test('of another ledger in the same folder is ignored', async () => {
    const DATA_DIR = dataDir();
    const ledger = await openServingLedger({ DATA_DIR });
    await purchaseIn(ledger, 'sold', 1, { lead: 'one' });
    await ledger.close();
    for (const name of ['ledger.sqlite', 'ledger.json']) rmSync(join(DATA_DIR, name));
    await using other = closing(await openServingLedger({ DATA_DIR }));
    assert.deepEqual([await all(other.purchases()), await other.exclusivePause()], [[], null]);
  });
});
