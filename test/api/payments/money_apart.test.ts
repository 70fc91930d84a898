/** A ledger has one kind of money: a lead sold for test money stays available to real buyers. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openRunningPayments } from '../../../api/payments/open.ts';
import { openLedger } from '../../../ledger/open.ts';
import { SettingError } from '../../../lib/settings.ts';
import { BASE } from '../../../lib/network.ts';

test('a sandbox server does not start on a ledger of real money, and says so in one line', async () => {
  const DATA_DIR = await mkdtemp(join(tmpdir(), 'dealfeed-money-'));
  const ledger = await openLedger({ DATA_DIR });
  assert.equal(await ledger.recordMoney('real'), 'real');
  await ledger.close();
  await assert.rejects(
    openRunningPayments({
      settings: { DATA_DIR, LEDGER: undefined },
      payments: { mode: 'sandbox', networks: [{ network: BASE }] },
      report: () => undefined,
    }),
    (error) => {
      assert.ok(error instanceof SettingError);
      assert.match(
        error.message,
        /^LEDGER is .*ledger\.sqlite, which holds sales in real money\. Use another ledger for test money: set /,
      );
      return true;
    },
  );
  await rm(DATA_DIR, { recursive: true });
});
