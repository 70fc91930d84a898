/** The claims journal: a ledger that lost its last sales never sells their leads again. */
import assert from 'node:assert/strict';
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { sell } from '../../api/payments/sale.ts';
import { heldClaims, journalFile, type ClaimEntry } from '../../ledger/journal.ts';
import type { OfferedLead } from '../../ledger/lead_claims.ts';
import { LedgerUnavailable, type Ledger } from '../../ledger/ledger.ts';
import { openLedger, openServingLedger, openStore } from '../../ledger/open.ts';
import { backUpTo, ledgerFolders, restoreFrom } from './ledger_folders.ts';
import { child } from './processes.ts';
import { answer, claim, GENEROUS_LEADS, leadOf, purchaseIn, reserve, wanted } from './purchases.ts';

const entriesIn = (dataDir: string): ClaimEntry[] =>
  readFileSync(journalFile(dataDir), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as ClaimEntry);

const LATER_MS = 1e15;
/** The first of these leads that another buyer gets, long after every lease. */
async function firstFree(ledger: Ledger, n: number, leads: readonly (string | OfferedLead)[]): Promise<string | null> {
  const buyer = await reserve(ledger, wanted(n, { nowMs: LATER_MS }));
  const free = await claim(ledger, buyer.id, leads, LATER_MS);
  await ledger.release(buyer.id, 'not_settled', LATER_MS);
  return free;
}

describe('the claims journal', () => {
  const { dataDir, kinds } = ledgerFolders();

  test('withholds leads of sales that a truncated log has lost', async () => {
    const DATA_DIR = dataDir();
    const file = join(DATA_DIR, 'ledger.sqlite');
    const seller = child('serve', file, DATA_DIR);
    await seller.printed(20);
    seller.process.kill('SIGKILL');
    await seller.ended;
    const leads = seller.lines.filter((line) => line.done === 'settling').map((line) => String(line.lead));
    assert.ok(leads.length >= 10);
    truncateSync(`${file}-wal`, Math.floor(statSync(`${file}-wal`).size * 0.7));
    const copy = join(dataDir(), 'ledger.sqlite');
    for (const end of ['', '-wal']) copyFileSync(file + end, copy + end);
    const withoutJournal = await openLedger({ DATA_DIR: '', LEDGER: copy });
    assert.ok(leads.includes(String(await firstFree(withoutJournal, 9_000, leads))), 'the ledger has lost a sale');
    await withoutJournal.close();

    const ledger = await openServingLedger({ DATA_DIR });
    assert.equal(await firstFree(ledger, 9_000, leads), null);
    assert.equal(await firstFree(ledger, 9_001, [...leads, 'another']), 'another');
    const [sold, claimed] = [await ledger.soldLeads(), await ledger.claimedLeads(LATER_MS)];
    assert.deepEqual(
      leads.filter((lead) => !sold.includes(lead)),
      [],
    );
    assert.equal(claimed.get(leads.at(-1) ?? ''), 'sold');
    await ledger.deleteExpiredReservations(LATER_MS);
    assert.equal(await firstFree(ledger, 9_002, leads), null);
    await ledger.close();
  });

  for (const { name, fresh } of kinds) {
    test(`${name}: withholds leads sold after a restored backup, by the journals of all hosts, for good`, async () => {
      const [here, there] = [dataDir(), dataDir()];
      const LEDGER = await fresh(here);
      const env = { DATA_DIR: here, LEDGER };
      const [FILE, later] = [join(here, 'backup'), join(here, 'later')];
      const [one, two] = [await openServingLedger(env), await openServingLedger({ DATA_DIR: there, LEDGER })];
      await purchaseIn(one, 'sold', 1, { lead: 'before' });
      await backUpTo(FILE, env);
      await purchaseIn(one, 'sold', 2, { lead: 'sold-here', properties: ['parcel:1'] });
      await purchaseIn(one, 'settling', 3, { lead: 'settling-here' });
      await purchaseIn(one, 'released', 4, { lead: 'released-here' });
      await purchaseIn(one, 'sold', 5);
      await purchaseIn(two, 'sold', 6, { lead: 'sold-there' });
      await Promise.all([one.close(), two.close()]);
      const journals = [journalFile(here), journalFile(there)];
      const restored = await restoreFrom(FILE, env, { overwrite: true, journals });
      assert.equal(restored.withheld, 3);
      const expected = ['before', 'settling-here', 'sold-here', 'sold-there'];
      const ledger = await openServingLedger(env);
      assert.deepEqual(await ledger.soldLeads(), expected);
      assert.deepEqual(await ledger.soldProperties(), ['parcel:1']);
      assert.equal(await firstFree(ledger, 9_000, [...expected, leadOf('another of it', 'parcel:1')]), null);
      assert.equal(await firstFree(ledger, 9_001, [...expected, 'released-here']), 'released-here');
      await ledger.close();
      const store = await openStore(env);
      const [row] = await store.read("SELECT * FROM withheld_leads WHERE lead_id = 'sold-here'");
      assert.deepEqual([row?.['payer'], row?.['nonce']], [wanted(2).payment.payer, wanted(2).payment.nonce]);
      await store.close();
      await backUpTo(later, env);
      const elsewhere = dataDir();
      const { counts } = await restoreFrom(later, { DATA_DIR: elsewhere });
      assert.deepEqual([counts['withheld_leads'], counts['withheld_properties']], [3, 1]);
      const again = await openServingLedger({ DATA_DIR: elsewhere });
      assert.deepEqual([await again.soldLeads(), await again.soldProperties()], [expected, ['parcel:1']]);
      await again.close();
    });
  }

  test('records each lead before money moves and when it is released, and no other purchases', async () => {
    const DATA_DIR = dataDir();
    const ledger = await openServingLedger({ DATA_DIR });
    await purchaseIn(ledger, 'sold', 1, { lead: 'one', properties: ['parcel:1'], nowMs: 5_000 });
    await purchaseIn(ledger, 'released', 2, { lead: 'two' });
    await purchaseIn(ledger, 'sold', 3);
    await firstFree(ledger, 4, ['three']);
    await ledger.close();
    assert.deepEqual(
      entriesIn(DATA_DIR).map(({ lead, state }) => [lead, state]),
      [
        ['one', 'held'],
        ['two', 'held'],
        ['two', 'released'],
      ],
    );
    const { payer, nonce } = wanted(1).payment;
    const { purchase, ledger: id, ...first } = entriesIn(DATA_DIR)[0] ?? assert.fail('no entry');
    const properties = ['parcel:1'];
    assert.deepEqual(first, { at: '1970-01-01T00:00:05.010Z', lead: 'one', properties, payer, nonce, state: 'held' });
    assert.match(`${purchase} ${id}`, /^[0-9a-f-]{36} [0-9a-f-]{36}$/);
    assert.equal(statSync(journalFile(DATA_DIR)).mode & 0o777, 0o600);
  });

  test('that cannot be written stops the sale before money moves, and frees the lead', async () => {
    const DATA_DIR = dataDir();
    const ledger = await openServingLedger({ DATA_DIR });
    mkdirSync(journalFile(DATA_DIR));
    const lead = await purchaseIn(ledger, 'reserved', 1, { lead: 'a-lead' });
    await assert.rejects(
      ledger.startSettling(lead.id, answer('x'), 1),
      (error) =>
        error instanceof LedgerUnavailable && error.message === 'the claims journal cannot be written (EISDIR)',
    );
    await ledger.release(lead.id, 'not_sent', 2);
    let settled = 0;
    const outcome = await sell(
      {
        ledger,
        nowMs: () => 10,
        pause: async () => undefined,
        buildAnswer: async (claimant) => {
          assert.deepEqual(await claimant.claim([{ leadId: 'a-lead', properties: ['a-home'] }], GENEROUS_LEADS), {
            kind: 'claimed',
            leadId: 'a-lead',
          });
          return answer('the lead');
        },
        settle: async () => {
          settled += 1;
          return { transaction: null };
        },
        evidence: async () => ({ kind: 'open' }),
        wait: { everyMs: 1, readsWithHint: 1, readsWithoutHint: 1 },
      },
      { ...wanted(2) },
    );
    assert.deepEqual([outcome.kind, settled], ['not_sent', 0]);
    assert.equal(await firstFree(ledger, 3, ['a-lead']), 'a-lead');
    assert.equal((await purchaseIn(ledger, 'sold', 4)).state, 'sold', 'a sale without a lead needs no journal');
    await ledger.close();
  });

  test('with a line that a crash truncated is read without it, and the next entry is not lost', async () => {
    const DATA_DIR = dataDir();
    const ledger = await openServingLedger({ DATA_DIR });
    await purchaseIn(ledger, 'sold', 1, { lead: 'one' });
    const text = readFileSync(journalFile(DATA_DIR), 'utf8');
    appendFileSync(journalFile(DATA_DIR), text.trim().slice(0, -20));
    await purchaseIn(ledger, 'sold', 2, { lead: 'two' });
    appendFileSync(journalFile(DATA_DIR), Buffer.alloc(40));
    await ledger.close();
    assert.deepEqual(
      (await heldClaims([journalFile(DATA_DIR)], null)).map(({ lead }) => lead),
      ['one', 'two'],
    );
    await (await openServingLedger({ DATA_DIR })).close();
  });

  test('withholds the lead of a purchase that is only reserved in the ledger, after a truncated log', async () => {
    const DATA_DIR = dataDir();
    const ledger = await openServingLedger({ DATA_DIR });
    await purchaseIn(ledger, 'sold', 1, { lead: 'one' });
    await ledger.close();
    const store = await openStore({ DATA_DIR });
    await store.write((query) =>
      query(`UPDATE purchases SET state = 'reserved', settling_at_ms = NULL, ended_at_ms = NULL, tx_hash = NULL`),
    );
    await store.close();
    const again = await openServingLedger({ DATA_DIR });
    assert.equal(await again.deleteExpiredReservations(LATER_MS), 1);
    assert.equal(await firstFree(again, 2, ['one']), null);
    await again.close();
  });

  test('of another ledger in the same folder is not replayed', async () => {
    const DATA_DIR = dataDir();
    const ledger = await openServingLedger({ DATA_DIR });
    await purchaseIn(ledger, 'sold', 1, { lead: 'one' });
    await ledger.close();
    for (const name of ['ledger.sqlite', 'ledger.json']) rmSync(join(DATA_DIR, name));
    assert.ok(existsSync(journalFile(DATA_DIR)));
    const other = await openServingLedger({ DATA_DIR });
    assert.deepEqual(await other.soldLeads(), []);
    await other.close();
  });
});
