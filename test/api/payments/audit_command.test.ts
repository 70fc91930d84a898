/** `make ledger AUDIT=1` and `make ledger REFUNDED=...`, on a chain that the command reads. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createTestClient, http, type Hex } from 'viem';
import { serve } from '../../../api/http/serve.ts';
import { startChain } from '../../../api/payments/local_chain/chain.ts';
import { readServerSettings } from '../../../api/settings.ts';
import { openStore } from '../../../ledger/open.ts';
import { openSqliteLedger } from '../../../ledger/sqlite/store.ts';
import { BASE, chainIdentity } from '../../../lib/network.ts';
import { runHere } from '../../process/here.ts';
import { payment, purchaseIn } from '../../ledger/purchases.ts';
import { ACCOUNT, bookAll, transferFor } from '../../ledger/transfer_booking.ts';
import { buyerWith } from '../support/buyers.ts';
import { dataFolder, rowsOfTable } from '../support/snapshot_fixtures.ts';

const AUDIT = fileURLToPath(new URL('../../../api/payments/audit/cli.ts', import.meta.url));

test('finds nothing wrong in a shop that sells, and names a sale whose row was changed', async () => {
  const folder = await dataFolder();
  await folder.publish('2026-11-20.01', { deals: rowsOfTable('deals', 2), leads: rowsOfTable('leads', 3) });
  const { settings, payments } = readServerSettings({ DATA_DIR: folder.path, PORT: '0' });
  const server = await serve({ settings, payments });
  const audit = async (): Promise<string> => {
    const { code, out, err } = await runHere(AUDIT, { env: { DATA_DIR: folder.path } });
    return `${out}${err}exit status ${code}`;
  };
  try {
    const { sandbox } = server.payments;
    assert.ok(sandbox);
    const buyer = buyerWith(sandbox.buyer.privateKey);
    // A stranger sends next to nothing.
    await sandbox.chain.mint(server.payments.payTo, 1n);
    for (const path of ['/api/deals', '/api/leads/exclusive', '/api/leads/exclusive'])
      assert.equal((await buyer.fetch(server.url + path)).status, 200);
    await createTestClient({ mode: 'anvil', transport: http(sandbox.chain.rpcUrl) }).mine({ blocks: 3 });
    await server.running.audit.pass();
    const [blocks = '', ...lines] = (await audit()).split('\n');
    assert.match(blocks, /^Blocks 0 to \d+: transfers to 0x\w{40}$/);
    assert.deepEqual(lines, [
      '  4 transfers of 2.050001 USDC, 1 of them pay for nothing',
      '  3 purchases, 3 answers, 12 lines of the journal',
      '0 differences',
      'exit status 0',
    ]);
    const store = await openStore({ DATA_DIR: folder.path });
    const [row] = await store.write((query) =>
      query("UPDATE purchases SET route = 'GET /x' WHERE route = 'GET /api/deals' RETURNING id"),
    );
    await store.close();
    const changed = `purchase ${String(row?.['id'])}: route is GET /x, and the journal says GET /api/deals`;
    assert.deepEqual((await audit()).split('\n').slice(-3), [`  ${changed}`, '1 differences', 'exit status 1']);
  } finally {
    await server.close();
    await folder.remove();
  }
});

test('records a refund only if it pays the payer, and reports differences', async () => {
  const folder = await dataFolder();
  const local = await startChain();
  try {
    const chain = chainIdentity(BASE, (await local.reader.getBlock({ blockNumber: 0n })).hash);
    const { payer, nonce, amount, payTo } = payment(1);
    const ledger = await openSqliteLedger(join(folder.path, 'ledger.sqlite'));
    await purchaseIn(ledger, 'sold', 1, { chain });
    // The other transfers of one payment pay for nothing.
    const transfers = [1, 3, 5].map((logIndex) => transferFor(1, { logIndex }));
    await bookAll(ledger, transfers, { account: { ...ACCOUNT, chain } });
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
      /^REFUND is 0x\w{64}, expected a transaction that pays exactly 1\.000000 USDC to 0x\w{40}\nexit status 1$/,
    );
    assert.match(await run({ REFUNDED, REFUND: `0x${'e'.repeat(64)}` }), /^REFUND is 0x\w{64}, expected a transaction/);
    const REFUND = await transferTo(payer as Hex);
    assert.match(await run({ REFUNDED, REFUND }), /: settled by 0x[0-9a-f]{64}\nexit status 0$/);
    const second = await run({ REFUNDED: `${nonce}:5`, REFUND: REFUND.toUpperCase().replace('0X', '0x') });
    assert.match(second, /^REFUND is 0x\w{64}, which refunds another one\nexit status 1$/);
    // The audit reads final blocks only.
    await createTestClient({ mode: 'anvil', transport: http(local.rpcUrl) }).mine({ blocks: 4 });
    // What was booked here never happened on this chain.
    const audit = await run({});
    assert.match(audit, /^Blocks 0 to 1000000: transfers to 0x\w{40}\n {2}1 transfers of 1\.000000 USDC, 1 of them /);
    assert.match(audit, /\n {2}the audit says that it has read block 1000000, and the last final is \d+\n/);
    assert.match(audit, new RegExp(`\\n  transfer ${nonce}:3 is booked in block 1, and is not there\\n`));
    assert.match(audit, /\n7 differences\nexit status 1$/);
  } finally {
    await local.close();
    await folder.remove();
  }
});
