/** The claims journal: a ledger that lost its last sales never sells their leads again. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { sell } from '../../api/payments/sale.ts';
import { heldClaims, type ClaimEntry } from '../../ledger/journal.ts';
import { LedgerUnavailable, type Ledger } from '../../ledger/ledger.ts';
import { openLedger, openServingLedger, openStore } from '../../ledger/open.ts';
import { BARE } from '../environment.ts';
import { startPostgres, type PostgresServer } from './postgres_started.ts';
import { child } from './processes.ts';
import { answer, purchaseIn, reserve, wanted, claim, GENEROUS_LEADS } from './purchases.ts';

const root = new URL('../../', import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), 'dealfeed-journal-'));
let server: PostgresServer | undefined;
before(async () => {
  server = await startPostgres();
});
after(async () => {
  await server?.remove();
  rmSync(folder, { recursive: true, force: true });
});
let count = 0;
function dataDir(): string {
  const path = join(folder, String((count += 1)));
  mkdirSync(path);
  return path;
}
const make = (command: string, env: Record<string, string>): { status: number | null; out: string } => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['ledger/cli.ts', command], {
    cwd: root,
    encoding: 'utf8',
    env: { ...BARE, ...env },
  });
  return { status, out: stdout + stderr };
};
const journalOf = (path: string): string => join(path, 'claims.journal');
const entries = (path: string): ClaimEntry[] =>
  readFileSync(journalOf(path), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as ClaimEntry);
/** Tables that version 1 did not have, and how many columns a purchase had. */
const [NEW_TABLES, OLD_PURCHASE] = [['transfers', 'audits', 'gas_days', 'withheld_leads'], 23];
/** A backup as version 1 wrote it: no identity, no chain. */
function asVersion1(text: string): string {
  const lines = text
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => JSON.parse(line) as unknown[] | { counts: Record<string, number> });
  const old = lines
    .map((line) => {
      if (!Array.isArray(line))
        return {
          counts: Object.fromEntries(Object.entries(line.counts).filter(([name]) => !NEW_TABLES.includes(name))),
        };
      return line[0] === 'purchases' ? line.slice(0, 1 + OLD_PURCHASE) : line;
    })
    .filter((line) => !Array.isArray(line) || !NEW_TABLES.includes(String(line[0])));
  return `${[{ format: 'dealfeed ledger', version: 1 }, ...old].map((line) => JSON.stringify(line)).join('\n')}\n`;
}
const LATER_MS = 1e15;
/** The first of these leads that another buyer gets, long after every lease. */
async function given(ledger: Ledger, n: number, leads: readonly string[]): Promise<string | null> {
  const buyer = await reserve(ledger, wanted(n, { nowMs: LATER_MS }));
  const lead = await claim(ledger, buyer.id, leads, LATER_MS);
  await ledger.release(buyer.id, 'not_settled', LATER_MS);
  return lead;
}
const kinds: readonly (readonly [string, (path: string) => Promise<string>])[] = [
  ['SQLite', async (path) => join(path, 'ledger.sqlite')],
  ['PostgreSQL', async () => server?.database() ?? assert.fail('not started')],
];

test('a log cut to 70 % after a kill loses sales, and their leads are not sold again', async () => {
  const DATA_DIR = dataDir();
  const file = join(DATA_DIR, 'ledger.sqlite');
  const seller = child('serve', file, DATA_DIR);
  await seller.heard(20);
  seller.process.kill('SIGKILL');
  await seller.ended;
  const leads = seller.told.filter((t) => t.done === 'settling').map((t) => String(t.lead));
  assert.ok(leads.length >= 10);
  truncateSync(`${file}-wal`, Math.floor(statSync(`${file}-wal`).size * 0.7));
  const copy = join(dataDir(), 'ledger.sqlite');
  for (const end of ['', '-wal']) copyFileSync(file + end, copy + end);
  const without = await openLedger({ DATA_DIR: '', LEDGER: copy });
  assert.ok(leads.includes(String(await given(without, 9_000, leads))), 'the ledger alone has lost a sale');
  await without.close();

  const ledger = await openServingLedger({ DATA_DIR });
  assert.equal(await given(ledger, 9_000, leads), null);
  assert.equal(await given(ledger, 9_001, [...leads, 'another']), 'another');
  const [sold, claimed] = [await ledger.soldLeads(), await ledger.claimedLeads(LATER_MS)];
  assert.deepEqual(
    leads.filter((lead) => !sold.includes(lead)),
    [],
  );
  assert.equal(claimed.get(leads.at(-1) ?? ''), 'sold');
  await ledger.deleteExpiredReservations(LATER_MS);
  assert.equal(await given(ledger, 9_002, leads), null);
  await ledger.close();
});

describe('an older backup', () => {
  for (const [kind, fresh] of kinds) {
    test(`${kind}: leads sold after it are withheld, also those of another host's journal, and stay so in later backups`, async () => {
      const [here, there] = [dataDir(), dataDir()];
      const LEDGER = await fresh(here);
      const [FILE, later] = [join(here, 'backup.gz'), join(here, 'later.gz')];
      const [one, two] = [
        await openServingLedger({ DATA_DIR: here, LEDGER }),
        await openServingLedger({ DATA_DIR: there, LEDGER }),
      ];
      await purchaseIn(one, 'sold', 1, { lead: 'before' });
      assert.equal(make('backup', { DATA_DIR: here, LEDGER, FILE }).status, 0);
      await purchaseIn(one, 'sold', 2, { lead: 'sold-here' });
      await purchaseIn(one, 'settling', 3, { lead: 'settling-here' });
      await purchaseIn(one, 'released', 4, { lead: 'released-here' });
      await purchaseIn(one, 'sold', 5);
      await purchaseIn(two, 'sold', 6, { lead: 'sold-there' });
      await Promise.all([one.close(), two.close()]);
      const missing = make('restore', {
        DATA_DIR: here,
        LEDGER,
        FILE,
        OVERWRITE: '1',
        JOURNALS: `${journalOf(here)},${join(there, 'none')}`,
      });
      assert.deepEqual(
        [missing.status, /^JOURNALS names .*none", expected existing claims journals\n$/.test(missing.out)],
        [1, true],
        missing.out,
      );
      const restored = make('restore', {
        DATA_DIR: here,
        LEDGER,
        FILE,
        OVERWRITE: '1',
        JOURNALS: `${journalOf(here)}, ${journalOf(there)}`,
      });
      assert.equal(restored.status, 0, restored.out);
      assert.match(restored.out, /3 leads were sold after the backup/);
      const expected = ['before', 'settling-here', 'sold-here', 'sold-there'];
      const ledger = await openServingLedger({ DATA_DIR: here, LEDGER });
      assert.deepEqual(await ledger.soldLeads(), expected);
      assert.equal(await given(ledger, 9_000, expected), null);
      assert.equal(await given(ledger, 9_001, [...expected, 'released-here']), 'released-here');
      await ledger.close();
      const store = await openStore({ DATA_DIR: here, LEDGER });
      const [row] = await store.read("SELECT * FROM withheld_leads WHERE lead_id = 'sold-here'");
      assert.deepEqual([row?.['payer'], row?.['nonce']], [wanted(2).payment.payer, wanted(2).payment.nonce]);
      await store.close();
      assert.equal(make('backup', { DATA_DIR: here, LEDGER, FILE: later }).status, 0);
      const elsewhere = dataDir();
      const moved = make('restore', { DATA_DIR: elsewhere, FILE: later });
      assert.match(moved.out, /3 withheld leads/);
      const again = await openServingLedger({ DATA_DIR: elsewhere });
      assert.deepEqual(await again.soldLeads(), expected);
      await again.close();
    });
  }

  test('a backup of version 1 restores, and the journal is replayed over it', async () => {
    const DATA_DIR = dataDir();
    const FILE = join(DATA_DIR, 'backup.gz');
    const ledger = await openServingLedger({ DATA_DIR });
    await purchaseIn(ledger, 'sold', 1, { lead: 'before' });
    assert.equal(make('backup', { DATA_DIR, FILE }).status, 0);
    await purchaseIn(ledger, 'sold', 2, { lead: 'after' });
    await ledger.close();
    const text = gunzipSync(readFileSync(FILE)).toString();
    const old = asVersion1(text);
    writeFileSync(FILE, gzipSync(old));
    const { id } = JSON.parse(readFileSync(join(DATA_DIR, 'ledger.json'), 'utf8')) as { id: string };
    const restored = make('restore', { DATA_DIR, FILE, OVERWRITE: '1' });
    assert.equal(restored.status, 0, restored.out);
    const again = await openServingLedger({ DATA_DIR });
    assert.deepEqual(await again.soldLeads(), ['after', 'before']);
    await again.close();
    const store = await openStore({ DATA_DIR });
    const [row] = await store.read('SELECT id, epoch, backup_at_ms FROM ledger_identity');
    assert.deepEqual({ ...row }, { id, epoch: 2, backup_at_ms: 0 });
    await store.close();
  });
});

describe('the journal', () => {
  test('names each lead before money moves, and again when it is released; other purchases are not in it', async () => {
    const DATA_DIR = dataDir();
    const ledger = await openServingLedger({ DATA_DIR });
    await purchaseIn(ledger, 'sold', 1, { lead: 'one', nowMs: 5_000 });
    await purchaseIn(ledger, 'released', 2, { lead: 'two' });
    await purchaseIn(ledger, 'sold', 3);
    await given(ledger, 4, ['three']);
    await ledger.close();
    assert.deepEqual(
      entries(DATA_DIR).map(({ lead, state }) => [lead, state]),
      [
        ['one', 'held'],
        ['two', 'held'],
        ['two', 'released'],
      ],
    );
    const { payer, nonce } = wanted(1).payment;
    const { purchase, ledger: id, ...first } = entries(DATA_DIR)[0] ?? assert.fail('no entry');
    assert.deepEqual(first, { at: '1970-01-01T00:00:05.010Z', lead: 'one', payer, nonce, state: 'held' });
    assert.match(`${purchase} ${id}`, /^[0-9a-f-]{36} [0-9a-f-]{36}$/);
    assert.equal(statSync(journalOf(DATA_DIR)).mode & 0o777, 0o600);
  });

  test('that cannot be written stops the sale before money moves, and frees the lead', async () => {
    const DATA_DIR = dataDir();
    const ledger = await openServingLedger({ DATA_DIR });
    mkdirSync(journalOf(DATA_DIR));
    const lead = await purchaseIn(ledger, 'reserved', 1, { lead: 'a-lead' });
    await assert.rejects(
      ledger.settling(lead.id, answer('x'), 1),
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
        make: async (claimant) => {
          assert.deepEqual(await claimant.claim(['a-lead'], GENEROUS_LEADS), { kind: 'claimed', leadId: 'a-lead' });
          return answer('the lead');
        },
        settle: async () => {
          settled += 1;
          return { transaction: null };
        },
        evidence: async () => ({ kind: 'open' }),
        payerFault: async () => null,
        wait: { everyMs: 1, looksWithHint: 1, looksWithoutHint: 1 },
      },
      { ...wanted(2) },
    );
    assert.deepEqual([outcome.kind, settled], ['not_sent', 0]);
    assert.equal(await given(ledger, 3, ['a-lead']), 'a-lead');
    assert.equal((await purchaseIn(ledger, 'sold', 4)).state, 'sold', 'a sale without a lead needs no journal');
    await ledger.close();
  });

  test('with a line that a crash cut short is read without it, and the next entry is not lost', async () => {
    const DATA_DIR = dataDir();
    const ledger = await openServingLedger({ DATA_DIR });
    await purchaseIn(ledger, 'sold', 1, { lead: 'one' });
    const whole = readFileSync(journalOf(DATA_DIR), 'utf8');
    appendFileSync(journalOf(DATA_DIR), whole.trim().slice(0, -20));
    await purchaseIn(ledger, 'sold', 2, { lead: 'two' });
    appendFileSync(journalOf(DATA_DIR), Buffer.alloc(40));
    await ledger.close();
    assert.deepEqual(
      (await heldClaims([journalOf(DATA_DIR)], null)).map(({ lead }) => lead),
      ['one', 'two'],
    );
    await (await openServingLedger({ DATA_DIR })).close();
  });

  test('holds the lead of a purchase that is only reserved in the ledger, as a cut log leaves it', async () => {
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
    assert.equal(await given(again, 2, ['one']), null);
    await again.close();
  });

  test('of another ledger in the same folder is not replayed', async () => {
    const DATA_DIR = dataDir();
    const ledger = await openServingLedger({ DATA_DIR });
    await purchaseIn(ledger, 'sold', 1, { lead: 'one' });
    await ledger.close();
    for (const name of ['ledger.sqlite', 'ledger.json']) rmSync(join(DATA_DIR, name));
    assert.ok(existsSync(journalOf(DATA_DIR)));
    const other = await openServingLedger({ DATA_DIR });
    assert.deepEqual(await other.soldLeads(), []);
    await other.close();
  });
});
