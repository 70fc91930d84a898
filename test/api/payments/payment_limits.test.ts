/** Ceilings on gas and the switch for contract wallets, by settings of a real server on the real local chain. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { createTestClient, http } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { startChain, type Chain } from '../../../api/payments/local_chain/chain.ts';
import { serve, type Serving } from '../../../api/http/serve.ts';
import { readServerSettings } from '../../../api/settings.ts';
import { bodyOf, buyerWith, fetchWithPayment, type Buyer } from '../support/buyers.ts';
import { contractWallet } from '../support/contract_wallets.ts';
import { nodeProxy, type NodeProxy } from '../../node/node.ts';
import { dataFolder, rowsOfTable, type DataFolder } from '../support/snapshot_fixtures.ts';
import { PAY_TO, receiptKeyPath } from '../support/receipt_key.ts';

const PRICE = 50_000n;

describe('limits of a running server', () => {
  let folder: DataFolder;
  /** A data folder has one ledger: test money has a folder of its own. */
  let sandboxFolder: DataFolder;
  let chain: Chain;
  let node: NodeProxy;
  const open: Serving[] = [];
  const key = generatePrivateKey();

  before(async () => {
    [folder, sandboxFolder] = await Promise.all([dataFolder(), dataFolder()]);
    const tables = { deals: rowsOfTable('deals', 2), leads: rowsOfTable('leads', 2) };
    await folder.publish('2026-11-20.01', tables, { data: 'live' });
    await sandboxFolder.publish('2026-11-20.01', tables);
    chain = await startChain();
    node = await nodeProxy(chain.rpcUrl);
    await createTestClient({ mode: 'anvil', transport: http(chain.rpcUrl) }).setBalance({
      address: privateKeyToAccount(key).address,
      value: 10n ** 18n,
    });
  });
  afterEach(async () => {
    for (const server of open.splice(0)) await server.close();
  });
  after(async () => {
    await node.close();
    await chain.close();
    await Promise.all([folder.remove(), sandboxFolder.remove()]);
  });

  const started = async (env: Record<string, string>): Promise<Serving> => {
    const { settings, payments } = readServerSettings({
      DATA_DIR: folder.path,
      PORT: '0',
      UNBILLED_PER_MINUTE: '0',
      ...env,
    });
    const server = await serve({ settings, payments, checkResponses: true });
    open.push(server);
    return server;
  };
  const sandbox = (env: Record<string, string> = {}): Promise<Serving> =>
    started({ DATA_DIR: sandboxFolder.path, SANDBOX_RPC: chain.rpcUrl, ...env });
  const self = (env: Record<string, string> = {}): Promise<Serving> =>
    started({
      PAYMENTS: 'self',
      SETTLE_KEY: key,
      PAY_TO,
      PUBLIC_BASE_URL: 'http://localhost',
      RPC_URL: node.url,
      RECEIPT_KEY_FILE: receiptKeyPath(),
      ...env,
    });
  const buyer = async (): Promise<Buyer> => {
    const made = buyerWith();
    await chain.mint(made.address, 20n * PRICE);
    return made;
  };
  const told = async (response: Response): Promise<unknown[]> => {
    const { reason, billed } = await bodyOf(response);
    return [response.status, reason, billed];
  };
  const gasSpent = async (spend: () => Promise<void>): Promise<bigint> => {
    const { address } = privateKeyToAccount(key);
    const transactions = await chain.reader.getTransactionCount({ address });
    await spend();
    return BigInt((await chain.reader.getTransactionCount({ address })) - transactions);
  };

  it('stop sales when the gas of the day is spent, also after a restart, until more is allowed', async () => {
    const limits = { GAS_PER_SETTLEMENT: '150000', GAS_PER_DAY: '300000' };
    const who = await buyer();
    const first = await self(limits);
    const sent = await gasSpent(async () => {
      for (let i = 0; i < 2; i += 1) assert.equal((await who.fetch(`${first.url}/api/deals`)).status, 200);
      await first.close();
      const again = await self(limits);
      const payment = await who.sign(`${again.url}/api/deals`);
      const refused = await fetchWithPayment(`${again.url}/api/deals`, payment);
      assert.equal(refused.headers.get('Retry-After'), '3600');
      assert.deepEqual(await told(refused), [503, 'settlement_budget_spent', false]);
      await again.close();
      const raised = await self({ ...limits, GAS_PER_DAY: '450000' });
      assert.equal(
        (await fetchWithPayment(`${raised.url}/api/deals`, payment)).status,
        200,
        'the payment was not used',
      );
    });
    assert.equal(sent, 3n);
  });

  it('refuse a settlement that needs more gas than one may take, before anything is sent', async () => {
    const server = await self({ GAS_PER_SETTLEMENT: '21000' });
    const who = await buyer();
    const sent = await gasSpent(async () => {
      const refused = await fetchWithPayment(`${server.url}/api/deals`, await who.sign(`${server.url}/api/deals`));
      const body = await bodyOf(refused);
      assert.deepEqual(
        [refused.status, body['reason'], body['payment_error'], body['billed']],
        [402, 'payment_invalid', 'settlement_gas_above_limit', false],
      );
    });
    assert.equal(sent, 0n);
  });

  it('refuse contract wallets in self mode', async () => {
    const wallet = await contractWallet(chain, 4n * PRICE);
    const own = await self();
    assert.deepEqual(
      await told(await fetchWithPayment(`${own.url}/api/deals`, await wallet.sign(`${own.url}/api/deals`))),
      [402, 'contract_wallet_refused', false],
    );
    const withThem = await sandbox();
    const lead = `${withThem.url}/api/leads/exclusive`;
    assert.deepEqual(await told(await fetchWithPayment(lead, await wallet.sign(lead))), [
      402,
      'contract_wallet_refused',
      false,
    ]);
    assert.equal(
      (await fetchWithPayment(`${withThem.url}/api/deals`, await wallet.sign(`${withThem.url}/api/deals`))).status,
      200,
    );
    assert.equal(await chain.balanceOf(wallet.address), 3n * PRICE);
  });

  it('count an account with an EIP-7702 delegation as a contract', async () => {
    const server = await sandbox();
    const who = await buyer();
    await createTestClient({ mode: 'anvil', transport: http(chain.rpcUrl) }).setCode({
      address: who.address,
      bytecode: `0xef0100${'11'.repeat(20)}`,
    });
    const lead = `${server.url}/api/leads/exclusive`;
    await chain.mint(who.address, 1_000_000n);
    assert.deepEqual(await told(await fetchWithPayment(lead, await who.sign(lead))), [
      402,
      'contract_wallet_refused',
      false,
    ]);
  });

  it('start no sale while the node does not answer, with a code that names no host', async () => {
    const server = await self();
    const who = await buyer();
    const payment = await who.sign(`${server.url}/api/deals`);
    node.fail(503);
    const refused = await fetchWithPayment(`${server.url}/api/deals`, payment).finally(() => {
      node.recover();
    });
    const text = await refused.text();
    assert.deepEqual([refused.status, (JSON.parse(text) as { reason: unknown }).reason], [503, 'payments_unavailable']);
    assert.equal(refused.headers.get('Retry-After'), '5');
    assert.equal(text.includes(new URL(node.url).host), false);
    assert.equal((await fetchWithPayment(`${server.url}/api/deals`, payment)).status, 200);
  });
});
