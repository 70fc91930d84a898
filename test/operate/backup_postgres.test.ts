/** The backup of a folder whose ledger is in PostgreSQL. restored_shop.proof.ts restores one that sells from a file. */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { describe, test } from 'node:test';
import { LedgerFenced } from '../../ledger/identity.ts';
import { openServingLedger } from '../../ledger/open.ts';
import { readSettings } from '../../lib/settings.ts';
import { backUp } from '../../pipelines/operate/backup/back_up.ts';
import { restoreFolder } from '../../pipelines/operate/backup/restore.ts';
import { backUpSettings, restoreSettings } from '../../pipelines/operate/backup/settings.ts';
import { ledgerFolders } from '../ledger/ledger_folders.ts';
import { newLayout } from '../pipelines/runs.ts';

describe('a backup of a PostgreSQL ledger', () => {
  const { kinds } = ledgerFolders();

  test('restores into an empty database, or leaves an existing ledger unchanged', async () => {
    const place = async (): Promise<string> => (await kinds[1]?.fresh('')) ?? assert.fail('no PostgreSQL');
    const [LEDGER, empty] = [await place(), await place()];
    const source = await newLayout();
    const ledger = await openServingLedger({ DATA_DIR: source.root, LEDGER });
    await ledger.recordMoney('test');
    const to = `${source.root}-backups`;
    await backUp(readSettings(backUpSettings, { DATA_DIR: source.root, TO: to, LEDGER }));
    const into = async (env: Record<string, string>): Promise<number | undefined> => {
      const target = await newLayout();
      const settings = readSettings(restoreSettings, { DATA_DIR: target.root, FROM: to, ...env });
      const { ledger: result } = await restoreFolder(settings);
      // The folder records the ledger, whichever it is.
      await (await openServingLedger({ DATA_DIR: target.root, LEDGER: env['LEDGER'] })).close();
      return result?.identity.epoch;
    };
    assert.equal(await into({ LEDGER: empty }), 2);
    assert.equal(await into({ LEDGER, WITHOUT_LEDGER: '1' }), undefined);
    assert.equal(await ledger.recordMoney('real'), 'test', 'its server still sells');
    assert.equal(await into({ LEDGER }), 2);
    await assert.rejects(ledger.recordMoney('real'), LedgerFenced, 'a restore over it stops its server');
    await ledger.close();
    rmSync(to, { recursive: true });
  });
});
