/** `make ledger AUDIT=1` and `make ledger REFUNDED=...`, on a chain that the command reads. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createTestClient, http, type Hex } from 'viem';
import { startChain } from '../../../api/payments/local_chain/chain.ts';
import { openSqliteLedger } from '../../../ledger/sqlite/store.ts';
import { BASE, chainIdentity } from '../../../lib/network.ts';
import { runHere } from '../../process/here.ts';
import { payment, purchaseIn } from '../../ledger/purchases.ts';
import { ACCOUNT, bookAll, transferFor } from '../../ledger/transfer_booking.ts';
import { dataFolder } from '../support/snapshot_fixtures.ts';

const AUDIT = fileURLToPath(new URL('../../../api/payments/audit/cli.ts', import.meta.url));

test('records a refund only if it pays the payer, and reports differences', async () => {
  const folder = await dataFolder();
  const local = await startChain();
  try {
    const chain = chainIdentity(BASE, (await local.reader.getBlock({ blockNumber: 0n })).hash);
    const { payer, nonce, amount, payTo } = payment(1);
    const ledger = await openSqliteLedger(join(folder.path, 'ledger.sqlite'));
    await purchaseIn(ledger, 'sold', 1, { chain });
    // The second transfer of one payment pays for nothing.
    await bookAll(ledger, [transferFor(1), transferFor(1, { logIndex: 3 })], { account: { ...ACCOUNT, chain } });
    await ledger.close();

    const run = async (more: Record<string, string>): Promise<string> => {
      const env = { DATA_DIR: folder.path, RPC_URL: local.rpcUrl, ...more };
      const { code, out, err } = await runHere(AUDIT, { env });
      return `${out}${err}exit status ${code}`;
    };
    const transferTo = async (to: Hex): Promise<string> => {
      await local.mint(to, amount);
      const logs = await local.reader.getLogs({ address: local.network.usdc.address, fromBlock: 0n });
      return logs.at(-1)?.transactionHash ?? '';
    };
    const REFUNDED = `${nonce}:3`;
    assert.match(
      await run({ REFUNDED, REFUND: await transferTo(payTo as Hex) }),
      /^REFUND is 0x\w{64}, expected a transaction that pays 1\.000000 USDC to 0x\w{40}\nexit status 1$/,
    );
    assert.match(await run({ REFUNDED, REFUND: `0x${'e'.repeat(64)}` }), /^the node gave no usable response/);
    assert.match(
      await run({ REFUNDED, REFUND: await transferTo(payer as Hex) }),
      /: settled by 0x[0-9a-f]{64}\nexit status 0$/,
    );
    // The audit reads final blocks only.
    await createTestClient({ mode: 'anvil', transport: http(local.rpcUrl) }).mine({ blocks: 4 });
    // What was booked here never happened on this chain.
    const audit = await run({});
    assert.match(audit, /^Blocks 0 to 1000000: transfers to 0x\w{40}\n {2}1 transfers of 1\.000000 USDC, 1 of them /);
    assert.match(audit, /\n {2}the audit says that it has read block 1000000, and the last final is \d+\n/);
    assert.match(audit, new RegExp(`\\n  transfer ${nonce}:3 is booked in block 1, and is not there\\n`));
    assert.match(audit, /\n5 differences\nexit status 1$/);
  } finally {
    await local.close();
    await folder.remove();
  }
});
