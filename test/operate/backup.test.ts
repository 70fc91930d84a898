/** `make backup` and `make restore` of a small folder: what is in it, kills, damage, refusals, and a full disk. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { openLedger } from '../../ledger/open.ts';
import { sha256 } from '../../lib/files.ts';
import { layoutOf } from '../../pipelines/layout.ts';
import { latestBackup } from '../../pipelines/operate/notes.ts';
import { verifyBackup } from '../../pipelines/operate/backup/restore.ts';
import { mountDisk, unmountDisk } from '../crash/full_disk.ts';
import { BARE } from '../environment.ts';
import { purchaseIn } from '../ledger/purchases.ts';
import { openArchive } from '../../lib/archive.ts';
import { wrongInArchive } from '../lib/archive_files.ts';
import { thorough } from '../thorough.ts';
import {
  backUpTo,
  CLI,
  command,
  dataFolder,
  KEY,
  newPath,
  LARGE_PAGE,
  PAGE,
  objectIn,
  objectsIn,
  restoreTo,
  RUN,
  treeOf,
  write,
} from './backup_folders.ts';

describe('a backup', () => {
  test('restores every file with its permissions, and nothing that belongs to a process', async () => {
    const [data, to, restored] = [dataFolder(), newPath('backups'), newPath('restored')];
    const { damage, files } = await backUpTo(data, to);
    assert.deepEqual([damage, files], [[], 13]);
    await restoreTo(restored, to);
    const isOfThisMachine = /lock\.sqlite|readers\.sqlite|backup\.json|verified\.json|\/jobs|build\.duckdb|\.building/u;
    const ours = treeOf(data).filter((line) => !isOfThisMachine.test(line));
    const withoutArchive = (tree: readonly string[]): string[] =>
      tree.filter((line) => !line.includes('archive.sqlite'));
    assert.deepEqual(withoutArchive(treeOf(restored)), withoutArchive(ours));
    assert.deepEqual(await wrongInArchive(restored), []);
    const archive = await openArchive(restored);
    for (const page of [PAGE, LARGE_PAGE]) assert.equal(Buffer.from(await archive.read(sha256(page))).toString(), page);
    assert.equal(statSync(to).mode & 0o777, 0o700, 'it contains sold answers and tokens');
  });

  test('stores a content once for any number of backups', async () => {
    const [data, to] = [dataFolder(), newPath('backups')];
    await backUpTo(data, to);
    const before = objectsIn(to);
    const second = await backUpTo(data, to);
    assert.deepEqual(objectsIn(to), before);
    write(data, 'drop/operator_files/broker/more.csv', 'address,price\n');
    const third = await backUpTo(data, to);
    assert.equal(objectsIn(to).length, before.length + 1);
    assert.ok(second.name < third.name, 'names are in the order of the backups, within one second too');
    const restored = newPath('restored');
    await restoreTo(restored, to, { BACKUP: second.name });
    assert.deepEqual(readdirSync(join(restored, 'drop/operator_files/broker')), ['list.csv']);
  });

  test('keeps the newest KEEP_BACKUPS, and only their contents', async () => {
    const [data, to] = [dataFolder(), newPath('backups')];
    write(data, 'drop/old.csv', 'old');
    const { name } = await backUpTo(data, to);
    rmSync(join(data, 'drop/old.csv'));
    await backUpTo(data, to);
    assert.deepEqual((await backUpTo(data, to, { KEEP_BACKUPS: '2' })).removed, [name]);
    assert.equal(
      objectsIn(to).some((path) => path.endsWith(sha256('old'))),
      false,
    );
    assert.equal((await verifyBackup(to, undefined)).backup.files.length, 13);
  });

  test('has no private key, and says what it does not copy', () => {
    const data = dataFolder();
    write(data, 'settle.key', KEY, 0o600);
    write(data, 'sandbox/receipt_keys.json', '{"keys":[{"d":"secret"}]}', 0o600);
    const without = newPath('backups');
    assert.match(command('backup', { DATA_DIR: data, TO: without }).out, /^not copied: sandbox, settle\.key$/mu);
    const isSecret = (path: string): boolean => /secret|abab/u.test(readFileSync(path, 'utf8'));
    assert.equal(objectsIn(without).some(isSecret), false);
  });
});

describe('a kill during a backup', () => {
  test('leaves the earlier backup intact, and the next backup is complete', async () => {
    const [data, to] = [dataFolder(), newPath('backups')];
    const first = await backUpTo(data, to);
    const rounds = thorough(1, 2);
    for (let round = 1; round <= rounds; round += 1) {
      write(data, `snapshots/2026-11-2${round}.01/deals.parquet`, Buffer.alloc(40_000_000, String(round)));
      const child = spawn(process.execPath, [CLI, 'backup'], { env: { ...BARE, DATA_DIR: data, TO: to } });
      const ended = once(child, 'exit');
      const isPartial = (path: unknown): boolean => String(path).endsWith('.tmp');
      const incoming = (): number => readdirSync(to, { recursive: true }).filter(isPartial).length;
      while (incoming() === 0 && child.exitCode === null) await pause(1);
      child.kill('SIGKILL');
      assert.deepEqual(await ended, [null, 'SIGKILL'], 'it was killed while it copied');
      assert.equal((await verifyBackup(to, undefined)).name, first.name);
    }
    const { damage } = await backUpTo(data, to);
    assert.deepEqual(damage, []);
    assert.deepEqual(readdirSync(join(to, 'incoming')), [], 'partial files of the killed backups are gone');
    const restored = newPath('restored');
    await restoreTo(restored, to);
    assert.equal(statSync(join(restored, `snapshots/2026-11-2${rounds}.01/deals.parquet`)).size, 40_000_000);
  });
});

describe('a damaged file', () => {
  test('of the backup is found by verify and by restore, which leaves the folder empty', async () => {
    const [data, to, restored] = [dataFolder(), newPath('backups'), newPath('restored')];
    await backUpTo(data, to);
    const rows = objectIn(to, readFileSync(join(data, `staged/oh_stark_tax/${RUN}.parquet`)));
    truncateSync(rows, 1000);
    await assert.rejects(
      verifyBackup(to, undefined),
      /^DamagedFile: The backup's content [0-9a-f]{64} does not have its hash\. Choose/u,
    );
    await assert.rejects(restoreTo(restored, to), /does not have its hash/u);
    assert.deepEqual(readdirSync(restored), []);
    await backUpTo(data, to);
    await restoreTo(restored, to);
  });

  test('with a changed byte, or a truncated list, is found too', async () => {
    const [data, to] = [dataFolder(), newPath('backups')];
    const { name } = await backUpTo(data, to);
    const page = objectIn(to, LARGE_PAGE);
    writeFileSync(page, LARGE_PAGE.replace('a large', 'A large'));
    await assert.rejects(restoreTo(newPath('restored'), to), /does not have its hash/u);
    truncateSync(join(to, 'backups', `${name}.json.gz`), 60);
    await assert.rejects(restoreTo(newPath('restored'), to), /\.json\.gz is damaged\. Choose another backup/u);
  });

  test('of the data folder is reported and left out, and the backup does not count', async () => {
    const [data, to] = [dataFolder(), newPath('backups')];
    command('backup', { DATA_DIR: data, TO: to });
    const deals = `snapshots/${RUN}/deals.parquet`;
    truncateSync(join(data, deals), 5);
    const noted = await latestBackup(layoutOf(data));
    assert.equal(noted?.folder, to, 'make status finds the backup');
    assert.ok(Date.parse(noted.at) <= Date.now());

    const elsewhere = newPath('backups');
    const poor = command('backup', { DATA_DIR: data, TO: elsewhere });
    assert.equal(poor.status, 1);
    assert.match(poor.out, new RegExp(`^damaged: ${deals} does not .*: it is left out$`, 'mu'));
    assert.match(poor.out, /^make status does not count this backup: it lacks damaged files\.$/mu);
    assert.deepEqual(await latestBackup(layoutOf(data)), noted);
    assert.deepEqual((await verifyBackup(elsewhere, undefined)).backup.missing, [deals]);
  });
});

describe('one line refuses', () => {
  const refused = (name: string, env: Record<string, string>, expected: RegExp): void => {
    const { status, out } = command(name, env);
    assert.equal(status, 1);
    assert.match(out, expected);
    assert.equal(out.split('\n').length, 2, out);
  };

  test('a backup of a backup, or in the data folder, or among other files, or of another kind', async () => {
    const [data, to] = [dataFolder(), newPath('backups')];
    await backUpTo(data, to);
    refused('backup', { DATA_DIR: to, TO: newPath('b') }, /^DATA_DIR is .*, which is a folder of backups\. Copy it/u);
    refused('backup', { DATA_DIR: data, TO: '/proc/backups' }, /^TO is "\/proc\/backups", expected a writable folder/u);
    refused('backup', { DATA_DIR: data, TO: join(data, 'backups') }, /^TO is .*, expected a folder outside DATA_DIR/u);
    await assert.rejects(backUpTo(data, dirname(data)), /^SettingError: TO is .*, expected a folder outside DATA_DIR/u);
    await assert.rejects(backUpTo(data, dataFolder()), /; it has other files$/u);
    await assert.rejects(backUpTo(newPath('none'), to), /expected an existing data folder/u);
    const live = dataFolder();
    write(live, 'kind.json', '{"data_clock":"live"}\n');
    await assert.rejects(backUpTo(live, to), /which has backups of sandbox data; expected another folder/u);
  });

  test('a restore into a folder with data, or from a folder without backups', async () => {
    const [data, to] = [dataFolder(), newPath('backups')];
    await backUpTo(data, to);
    const before = treeOf(data);
    refused('restore', { DATA_DIR: data, FROM: to }, /^DATA_DIR is .*expected an empty folder or a new one/u);
    assert.deepEqual(treeOf(data), before);
    await assert.rejects(restoreTo(newPath('new'), data), /expected a folder that make backup wrote/u);
    await assert.rejects(restoreTo(newPath('new'), to, { BACKUP: '2020' }), /^SettingError: BACKUP is "2020"/u);
  });

  test('a backup of another version, and a folder of them', async () => {
    const [data, to] = [dataFolder(), newPath('backups')];
    const { name } = await backUpTo(data, to);
    const list = join(to, 'backups', `${name}.json.gz`);
    const backup = JSON.parse(gunzipSync(readFileSync(list)).toString()) as object;
    writeFileSync(list, gzipSync(JSON.stringify({ ...backup, version: 2 })));
    refused(
      'restore',
      { DATA_DIR: newPath('new'), FROM: to },
      /^\S+Z\.json\.gz is not of version 3\. Restore it with/u,
    );
    write(to, 'dealfeed-backups.json', '{"format":"dealfeed backups","version":2}\n');
    await assert.rejects(restoreTo(newPath('new'), to), /^SettingError: \S+-backups\.json is not of version 3/u);
    await assert.rejects(backUpTo(data, to), /^SettingError: \S+-backups\.json is not of version 3/u);
  });
});

test('the ledger is in the backup through its own backup, and a restore raises its epoch', async () => {
  const [data, to, restored] = [dataFolder(), newPath('backups'), newPath('restored')];
  const ledger = await openLedger({ DATA_DIR: data });
  const { id } = await purchaseIn(ledger, 'sold', 1, { body: 'what was bought', lead: 'sold-lead' });
  // The server still has it open.
  await backUpTo(data, to);
  await ledger.close();
  const { ledger: result } = await restoreTo(restored, to, { LEDGER: join(restored, 'ledger.sqlite') });
  assert.deepEqual([result?.identity.epoch, result?.counts['purchases'], result?.replayed], [2, 1, 0]);
  const again = await openLedger({ DATA_DIR: restored });
  assert.equal((await again.find({ id }))?.state, 'sold');
  assert.deepEqual(await again.soldLeads(), ['sold-lead']);
  await again.close();
  const withoutLedger = newPath('restored');
  assert.equal((await restoreTo(withoutLedger, to, { WITHOUT_LEDGER: '1' })).ledger, null);
});

const disk = mountDisk('7180k');

describe('a full disk', { skip: disk === null ? 'no file system can be mounted here' : false }, () => {
  const point = disk ?? '';
  after(() => {
    unmountDisk(point);
  });

  test('ends a backup or a restore in one line, and existing files stay', async () => {
    const [data, to] = [dataFolder(), join(point, 'backups')];
    const first = await backUpTo(data, to);
    const backUpFails = async (): Promise<void> => {
      const { status, out } = command('backup', { DATA_DIR: data, TO: to });
      assert.match(out, /^The disk is full: .* Nothing was changed\. Free some space [^\n]*\n$/u);
      assert.equal(status, 1);
      assert.equal((await verifyBackup(to, undefined)).name, first.name);
      assert.deepEqual(readdirSync(join(to, 'incoming')), []);
    };
    const ledger = await openLedger({ DATA_DIR: data });
    // The log of the copy does not fit, or the log fits and the file then does not.
    for (const [n, bytes] of [700_000, 1_500_000].entries()) {
      await purchaseIn(ledger, 'sold', n, { body: randomBytes(bytes).toString('base64') });
      await backUpFails();
    }
    await ledger.close();
    rmSync(join(data, 'ledger.sqlite'));
    write(data, 'snapshots/2026-11-21.01/deals.parquet', Buffer.alloc(2_000_000, 'more'));
    await backUpFails();
    const restored = join(point, 'restored');
    const restore = command('restore', { DATA_DIR: restored, FROM: to });
    assert.equal(restore.status, 1);
    assert.match(restore.out, /^The disk is full: ENOSPC/u);
    assert.deepEqual(readdirSync(restored), []);
  });
});
