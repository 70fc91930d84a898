/** A killed server of the sandbox leaves a chain that was running before, and its wallets, to the next server. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serve } from '../../../api/http/serve.ts';
import { startChain } from '../../../api/payments/local_chain/chain.ts';
import { readWallet } from '../../../api/payments/local_chain/wallet.ts';
import { readServerSettings } from '../../../api/settings.ts';
import { buyerWith } from '../support/buyers.ts';
import { serverProcess } from '../../process/program.ts';
import { dataFolder, rowsOfTable } from '../support/snapshot_fixtures.ts';

test('a chain that was running before outlives a killed server, so that open settlements can be resolved', async () => {
  const folder = await dataFolder();
  await folder.publish('2026-11-20.01', { deals: rowsOfTable('deals', 1) });
  const chain = await startChain();
  const env = { DATA_DIR: folder.path, SANDBOX_RPC: chain.rpcUrl, PORT: '0' };
  const server = await serverProcess(env);
  try {
    const wallet = (await readWallet(folder.path)) ?? assert.fail('there is no wallet file');
    assert.equal(wallet.rpc_url, chain.rpcUrl);
    const buyer = buyerWith(wallet.private_key as `0x${string}`);
    assert.equal((await buyer.fetch(`${server.url}/api/deals`)).status, 200);
    await server.end('SIGKILL');
    await chain.ping();
    const again = await serve(readServerSettings(env));
    try {
      assert.equal(again.payments.sandbox?.buyer.address, wallet.address, 'the same buyer');
      assert.equal(again.payments.payTo, wallet.pay_to, 'the same receiver');
    } finally {
      await again.close();
    }
  } finally {
    await server.end('SIGKILL');
    await chain.close();
    await folder.remove();
  }
});
