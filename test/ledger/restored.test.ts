/** After a restore, exclusive sales wait for the transfers of the lost time, and for no others. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { IncomingTransfer, Ledger } from '../../ledger/ledger.ts';
import { openServingLedger } from '../../ledger/open.ts';
import { backUpTo, ledgerFolders, restoreFrom } from './ledger_folders.ts';
import { CHAIN, purchaseIn } from './purchases.ts';
import { bookAll, transferFor } from './transfer_booking.ts';

const LONG_AGO = 1_000;
const seconds = (): number => Math.floor(Date.now() / 1000);

/** Book the transfers of the blocks up to this one, whose time is given in Unix seconds. */
async function book(
  ledger: Ledger,
  block: bigint,
  time: number,
  ...transfers: readonly IncomingTransfer[]
): Promise<string[]> {
  const booked = await bookAll(ledger, transfers, { nowMs: Date.now(), through: { block, seconds: time } });
  return booked.map(({ kind }) => kind);
}

const settle = (ledger: Ledger, n: number): Promise<boolean> =>
  ledger.settleDebt({ chain: CHAIN, transaction: transferFor(n).transaction, logIndex: 1 }, 'refunded');

describe('after a restore', () => {
  const { dataDir, kinds } = ledgerFolders();

  for (const { name, fresh } of kinds) {
    test(`of ${name}, exclusive sales wait until its window is audited and nothing of it is owed`, async () => {
      const DATA_DIR = dataDir();
      const [env, FILE] = [{ DATA_DIR, LEDGER: await fresh(DATA_DIR) }, join(DATA_DIR, 'backup')];
      const before = await openServingLedger(env);
      await purchaseIn(before, 'sold', 4);
      assert.deepEqual(await book(before, 5n, LONG_AGO, transferFor(3), transferFor(4)), ['owed', 'matched']);
      assert.equal(await before.exclusivePause(), null, 'a stranger stops nothing');
      await backUpTo(FILE, env);
      await purchaseIn(before, 'sold', 7, { lead: 'lost' });
      await before.close();
      await restoreFrom(FILE, env, { overwrite: true, journals: [] });

      const restored = await openServingLedger({ ...env, DATA_DIR: dataDir() });
      const pauses = async (): Promise<string | null> => restored.exclusivePause();
      assert.equal(await pauses(), 'restored_not_audited');
      assert.deepEqual(await book(restored, 8n, LONG_AGO, transferFor(7)), ['owed']);
      assert.equal(await pauses(), 'restored_not_audited', 'the audit has not reached the restore');
      // The chain's clock may be ahead: the window ends at its latest block, not at the time of the restore.
      const [through, latest] = [
        { block: 9n, seconds: seconds() + 1 },
        { block: 10n, seconds: seconds() + 2 },
      ];
      await bookAll(restored, [], { nowMs: Date.now(), through, latest });
      assert.equal(await pauses(), 'restored_not_audited');
      await book(restored, 10n, seconds() + 1);
      assert.equal(await pauses(), 'restored_transfers_owed');
      assert.deepEqual(await book(restored, 12n, seconds() + 2, transferFor(11)), ['owed']);
      assert.ok(await settle(restored, 7));
      assert.equal(await pauses(), null, 'neither the transfer before the window nor the one after it counts');
      await book(restored, 13n, seconds() + 3);
      // The window is closed.
      await book(restored, 14n, seconds() + 4, transferFor(9));
      assert.equal(await pauses(), null);
      await restored.close();
    });
  }
});
