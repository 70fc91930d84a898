/** `make backup` and `make restore`: folders that are refused, the ledger in each database, and a full disk. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, describe, test } from 'node:test';
import { openLedger } from '../../ledger/open.ts';
import { verifyBackup } from '../../pipelines/operate/backup/restore.ts';
import { purchaseIn } from '../ledger/purchases.ts';
import { backUpTo, command, dataFolder, newPath, restoreTo, treeOf, write } from './backup_folders.ts';

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

/** A file system of this size. @returns null if this user may not mount one */
function mounted(size: string): string | null {
  const point = newPath('disk');
  mkdirSync(point);
  return spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', point]).status === 0 ? point : null;
}

const disk = mounted('7180k');

describe('a full disk', { skip: disk === null ? 'no file system can be mounted here' : false }, () => {
  const point = disk ?? '';
  after(() => {
    spawnSync('umount', ['-l', point]);
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
