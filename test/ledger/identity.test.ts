/** A server stops when its ledger is removed, replaced or restored, and does not start on a lost, empty or older one. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { LedgerFenced } from '../../ledger/identity.ts';
import { LedgerUnavailable } from '../../ledger/ledger.ts';
import { ledgerExists, openLedger, openServingLedger, openStore, type LedgerSettings } from '../../ledger/open.ts';
import { SettingError } from '../../lib/settings.ts';
import { noLedgerYet, soldLeads } from '../../pipelines/sold_leads.ts';
import { ledgerState, soldSnapshots } from '../../pipelines/operate/earnings.ts';
import { BARE } from '../environment.ts';
import { startPostgres, type PostgresServer } from './postgres_started.ts';
import { child } from './processes.ts';
import { all, answer, purchaseIn, reserve, wanted, claim } from './purchases.ts';

const root = new URL('../../', import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), 'dealfeed-identity-'));
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
const noteOf = (path: string): { id: string; epoch: number; kind: string } =>
  JSON.parse(readFileSync(join(path, 'ledger.json'), 'utf8')) as never;
const refused = (settings: LedgerSettings, why: RegExp): Promise<void> =>
  assert.rejects(openServingLedger(settings), (error) => {
    assert.ok(error instanceof SettingError, String(error));
    assert.match(error.message, why);
    assert.equal(error.message.split('\n').length, 1);
    return true;
  });
const kinds: readonly (readonly [string, (path: string) => Promise<string>])[] = [
  ['SQLite', async (path) => join(path, 'ledger.sqlite')],
  ['PostgreSQL', async () => server?.database() ?? assert.fail('not started')],
];

describe('a ledger file that goes away while a server sells', () => {
  const ways: readonly (readonly [string, (file: string) => void])[] = [
    [
      'removed with its log',
      (file) => {
        for (const end of ['', '-wal', '-shm']) rmSync(file + end);
      },
    ],
    [
      'removed',
      (file) => {
        rmSync(file);
      },
    ],
    [
      'replaced by an empty file',
      (file) => {
        writeFileSync(`${file}.new`, '');
        renameSync(`${file}.new`, file);
      },
    ],
    [
      'emptied',
      (file) => {
        truncateSync(file);
      },
    ],
    [
      'without its log',
      (file) => {
        rmSync(`${file}-wal`);
      },
    ],
  ];
  for (const [way, act] of ways) {
    test(`${way}: no sale, and ping says why`, async () => {
      const DATA_DIR = dataDir();
      const ledger = await openServingLedger({ DATA_DIR });
      await purchaseIn(ledger, 'sold', 1, { lead: 'sold-lead' });
      const open = await reserve(ledger, wanted(2));
      await ledger.ping();
      act(join(DATA_DIR, 'ledger.sqlite'));
      const fenced = (error: unknown): boolean =>
        error instanceof LedgerFenced &&
        error instanceof LedgerUnavailable &&
        error.message === 'The ledger file was replaced or removed while the server ran. Restart the server.';
      await assert.rejects(ledger.begin(wanted(3)), fenced);
      await assert.rejects(claim(ledger, open.id, ['sold-lead', 'other'], 1), fenced);
      await assert.rejects(ledger.settling(open.id, answer('x'), 1), fenced);
      await assert.rejects(ledger.ping(), fenced);
      await ledger.close();
    });
  }
});

describe('starting', () => {
  test('a file that is missing or empty where a ledger was known is refused with the command, and left as it is', async () => {
    const DATA_DIR = dataDir();
    const file = join(DATA_DIR, 'ledger.sqlite');
    await (await openServingLedger({ DATA_DIR })).close();
    const { id } = noteOf(DATA_DIR);
    rmSync(file);
    const command = `Restore a backup: make ledger-restore FILE=... DATA_DIR=${DATA_DIR}; or, to begin a new ledger on purpose, remove ${DATA_DIR}/ledger.json`;
    await refused(
      { DATA_DIR },
      new RegExp(
        `^LEDGER is .*ledger.sqlite, which does not exist, but ledger ${id} was in use in this data folder. ${command}$`,
      ),
    );
    assert.ok(!existsSync(file));
    writeFileSync(file, '');
    await refused({ DATA_DIR }, new RegExp(`which is empty, .*${command}$`));
    assert.equal(readFileSync(file).length, 0);
    rmSync(join(DATA_DIR, 'ledger.json'));
    await (await openServingLedger({ DATA_DIR })).close();
    assert.notEqual(noteOf(DATA_DIR).id, id);
  });

  for (const [kind, fresh] of kinds) {
    test(`${kind}: another ledger and an older epoch are refused; a later epoch is noted`, async () => {
      const DATA_DIR = dataDir();
      const [LEDGER, other] = [await fresh(DATA_DIR), await fresh(dataDir())];
      await (await openLedger({ DATA_DIR: '', LEDGER: other })).close();
      await (await openServingLedger({ DATA_DIR, LEDGER })).close();
      const note = noteOf(DATA_DIR);
      assert.deepEqual([note.epoch, note.kind], [1, kind === 'SQLite' ? 'sqlite' : 'postgres']);
      assert.match(note.id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      await refused(
        { DATA_DIR, LEDGER: other },
        new RegExp(`is ledger .*, but ledger ${note.id} was in use in this data folder.*make ledger-restore FILE=`),
      );
      const store = await openStore({ DATA_DIR, LEDGER });
      await store.write((query) => query('UPDATE ledger_identity SET epoch = 3'));
      await (await openServingLedger({ DATA_DIR, LEDGER })).close();
      assert.deepEqual(noteOf(DATA_DIR), { ...note, epoch: 3 });
      await store.write((query) => query('UPDATE ledger_identity SET epoch = 2'));
      await refused(
        { DATA_DIR, LEDGER },
        /an older copy \(epoch 2\) of the ledger in use in this data folder \(epoch 3\)/,
      );
      await store.close();
    });
  }

  test('a note that is damaged is refused by its name', async () => {
    const DATA_DIR = dataDir();
    writeFileSync(join(DATA_DIR, 'ledger.json'), '{"id": 1');
    await refused({ DATA_DIR }, /ledger\.json is damaged/);
  });
});

describe('reading', () => {
  test('makes and notes nothing, and an empty file is no ledger', async () => {
    const DATA_DIR = dataDir();
    assert.deepEqual(
      [
        await soldLeads({ DATA_DIR }),
        noLedgerYet({ DATA_DIR }).length,
        await ledgerState({ DATA_DIR }),
        (await soldSnapshots({ DATA_DIR })).size,
      ],
      [[], 1, null, 0],
    );
    assert.match(make('report', { DATA_DIR }).out, /which does not exist yet/);
    assert.deepEqual(readdirSync(DATA_DIR), []);
    writeFileSync(join(DATA_DIR, 'ledger.sqlite'), '');
    assert.ok(!ledgerExists({ DATA_DIR }));
    assert.match(make('report', { DATA_DIR }).out, /which does not exist yet/);
    rmSync(join(DATA_DIR, 'ledger.sqlite'));
    await (await openLedger({ DATA_DIR })).close();
    assert.equal(make('report', { DATA_DIR }).status, 0);
    assert.deepEqual(readdirSync(DATA_DIR), ['ledger.sqlite']);
  });

  test('a run does not take a lost ledger for one without sales', async () => {
    const DATA_DIR = dataDir();
    const ledger = await openServingLedger({ DATA_DIR });
    await purchaseIn(ledger, 'sold', 1, { lead: 'sold-lead' });
    await ledger.close();
    assert.deepEqual(await soldLeads({ DATA_DIR }), ['sold-lead']);
    const [file, other] = [join(DATA_DIR, 'ledger.sqlite'), join(dataDir(), 'other.sqlite')];
    await (await openLedger({ DATA_DIR, LEDGER: other })).close();
    await assert.rejects(soldLeads({ DATA_DIR, LEDGER: other }), SettingError);
    rmSync(file);
    await assert.rejects(soldLeads({ DATA_DIR }), SettingError);
    await assert.rejects(soldSnapshots({ DATA_DIR }), SettingError);
    assert.throws(() => noLedgerYet({ DATA_DIR }), SettingError);
    assert.deepEqual(
      (await ledgerState({ DATA_DIR }))?.problems.map(({ kind }) => kind),
      ['ledger_unavailable'],
    );
  });
});

describe('a restore', () => {
  for (const [kind, fresh] of kinds) {
    test(`${kind}: over a ledger that a server sells with stops that server, which writes nothing into what was restored`, async () => {
      const DATA_DIR = dataDir();
      const LEDGER = await fresh(DATA_DIR);
      const [env, FILE] = [{ DATA_DIR, LEDGER }, join(DATA_DIR, 'backup.gz')];
      const seller = child('serve', LEDGER, DATA_DIR);
      await seller.heard(6);
      assert.equal(make('backup', { ...env, FILE }).status, 0);
      const atBackup = seller.told.length;
      await seller.heard(atBackup + 6);
      const { id } = noteOf(DATA_DIR);
      const restored = make('restore', { ...env, FILE, OVERWRITE: '1' });
      assert.equal(restored.status, 0, restored.out);
      assert.match(restored.out, new RegExp(`Epoch 2 of ledger ${id}. Restart the servers`));
      const hasEnded = await Promise.race([seller.ended.then(() => true), sleep(30_000, false, { ref: false })]);
      seller.process.kill();
      assert.ok(hasEnded, 'it goes on selling');
      assert.deepEqual(
        [seller.told.at(-1)?.error, seller.told.at(-1)?.message, seller.errors()],
        ['LedgerFenced', 'A backup of the ledger was restored while the server ran. Restart the server.', ''],
      );
      assert.deepEqual(noteOf(DATA_DIR), { id, epoch: 2, kind: kind === 'SQLite' ? 'sqlite' : 'postgres' });
      const ledger = await openServingLedger(env);
      const kept = new Set((await all(ledger.purchases())).map((p) => p.id));
      const sold = seller.told.filter((t) => t.done === 'settling');
      assert.ok(kept.size > 0 && kept.size < sold.length, 'sales after the backup are not in it');
      const buyer = await reserve(ledger, wanted(9_000, { nowMs: Date.now() + 1e6 }));
      assert.equal(
        await claim(
          ledger,
          buyer.id,
          sold.map((t) => String(t.lead)),
          Date.now() + 1e6,
        ),
        null,
        'no lead that was sold is sold again',
      );
      await ledger.close();
    });
  }

  test('raises the epoch above the noted one, and keeps the id and the time of the backup', async () => {
    const DATA_DIR = dataDir();
    const FILE = join(DATA_DIR, 'backup.gz');
    const ledger = await openServingLedger({ DATA_DIR });
    await purchaseIn(ledger, 'sold', 1);
    await ledger.close();
    const { id } = noteOf(DATA_DIR);
    const startMs = Date.now();
    assert.equal(make('backup', { DATA_DIR, FILE }).status, 0);
    const backedUpMs = Date.now();
    writeFileSync(join(DATA_DIR, 'ledger.json'), JSON.stringify({ id, epoch: 7, kind: 'sqlite' }));
    rmSync(join(DATA_DIR, 'ledger.sqlite'));
    const restored = make('restore', { DATA_DIR, FILE });
    assert.equal(restored.status, 0, restored.out);
    assert.deepEqual(noteOf(DATA_DIR), { id, epoch: 8, kind: 'sqlite' });
    const store = await openStore({ DATA_DIR });
    const [row] = await store.read('SELECT * FROM ledger_identity');
    assert.deepEqual([row?.['id'], row?.['epoch']], [id, 8]);
    assert.ok(Number(row?.['backup_at_ms']) >= startMs && Number(row?.['backup_at_ms']) <= backedUpMs);
    assert.ok(Number(row?.['restored_at_ms']) >= backedUpMs);
    await store.close();
    await (await openServingLedger({ DATA_DIR })).close();
  });
});
