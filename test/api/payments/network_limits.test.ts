/** Two networks with our own key: the node, the gas and the refunds of each. */
import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createTestClient, http, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { serve, type Serving } from '../../../api/http/serve.ts';
import { startChain, type Chain } from '../../../api/payments/local_chain/chain.ts';
import { readServerSettings } from '../../../api/settings.ts';
import { openSqliteLedger } from '../../../ledger/sqlite/store.ts';
import { BASE, chainIdentity } from '../../../lib/network.ts';
import { bodyOf, fetchWithPayment } from '../support/buyers.ts';
import { receiptKeyPath } from '../support/receipt_key.ts';
import { dataFolder, rowsOfTable, type DataFolder } from '../support/snapshot_fixtures.ts';
import { runHere } from '../../process/here.ts';
import { payment, purchaseIn } from '../../ledger/purchases.ts';
import { bookAll, transferFor } from '../../ledger/transfer_booking.ts';
import { POLYGON, signedOn } from '../support/two_networks.ts';

const AUDIT = fileURLToPath(new URL('../../../api/payments/audit/cli.ts', import.meta.url));
const PAY_TO = privateKeyToAccount(generatePrivateKey()).address;
const GAS = 150_000n;

describe('two networks with a key of our own', () => {
  let folder: DataFolder;
  let base: Chain;
  let polygon: Chain;
  const key = generatePrivateKey();
  const settler = privateKeyToAccount(key).address;
  before(async () => {
    folder = await dataFolder();
    await folder.publish('2026-11-20.01', { deals: rowsOfTable('deals', 1) });
    [base, polygon] = await Promise.all([startChain(), startChain(POLYGON)]);
    for (const { rpcUrl } of [base, polygon])
      await createTestClient({ mode: 'anvil', transport: http(rpcUrl) }).setBalance({
        address: settler,
        value: 10n ** 18n,
      });
  });
  after(async () => {
    await base.close();
    await polygon.close();
    await folder.remove();
  });

  const env = (): Record<string, string> => ({
    DATA_DIR: folder.path,
    PAYMENTS: 'self',
    PAY_TO,
    SETTLE_KEY: key,
    PUBLIC_BASE_URL: 'http://localhost',
    RECEIPT_KEY_FILE: receiptKeyPath(),
    UNBILLED_PER_MINUTE: '0',
    NETWORKS: 'eip155:8453, eip155:137',
    RPC_URL: base.rpcUrl,
    RPC_URL_137: polygon.rpcUrl,
  });
  const opened = (more: Record<string, string> = {}): Promise<Serving> =>
    serve(readServerSettings({ ...env(), PORT: '0', ...more }));

  it('do not start with a node of the wrong chain, whichever network it is for', async () => {
    await assert.rejects(opened({ RPC_URL_137: base.rpcUrl }), {
      name: 'SettingError',
      message: /^RPC_URL_137 is not shown, expected a node of Polygon: the node serves chain 8453, expected 137$/,
    });
    const sandbox = { DATA_DIR: folder.path, PORT: '0', NETWORKS: POLYGON.name, SANDBOX_RPC_137: base.rpcUrl };
    await assert.rejects(serve(readServerSettings(sandbox)), {
      name: 'SettingError',
      message: /^SANDBOX_RPC_137 is "http.*", expected a running anvil of chain id 137: /,
    });
  });

  it('each have a gas budget: one that is spent leaves the other selling', async () => {
    const server = await opened({ GAS_PER_DAY: '1000000', GAS_PER_DAY_137: String(2n * GAS - 1n) });
    try {
      const buyer = privateKeyToAccount(generatePrivateKey());
      for (const chain of [base, polygon]) await chain.mint(buyer.address, 10_000_000n);
      const url = `${server.url}/api/deals`;
      const reasons: unknown[] = [];
      for (const network of [POLYGON, POLYGON, BASE]) {
        const response = await fetchWithPayment(url, await signedOn(network, buyer, url));
        reasons.push(response.status === 200 ? 200 : (await bodyOf(response))['reason']);
      }
      assert.deepEqual(reasons, [200, 'settlement_budget_spent', 200]);
      const { ledger } = server.running;
      const day = new Date().toISOString().slice(0, 10);
      // Ledgers of older versions count the gas of Base under the address alone.
      assert.equal(await ledger.gasReserved(settler.toLowerCase(), day), GAS);
      assert.equal(await ledger.gasReserved(`${POLYGON.name} ${settler.toLowerCase()}`, day), GAS);
      assert.deepEqual(await Promise.all([base, polygon].map((chain) => chain.balanceOf(PAY_TO))), [50_000n, 50_000n]);
    } finally {
      await server.close();
    }
  });

  it('refund an owed transfer on the network where the money arrived, and audit each network', async () => {
    const dataDir = join(folder.path, 'owed');
    await mkdir(dataDir);
    const chain = chainIdentity(POLYGON, (await polygon.reader.getBlock({ blockNumber: 0n })).hash);
    const account = { chain, payTo: PAY_TO.toLowerCase() };
    const { payer, nonce } = payment(1);
    const ledger = await openSqliteLedger(join(dataDir, 'ledger.sqlite'));
    const asset = POLYGON.usdc.address.toLowerCase();
    const onPolygon = { ...payment(1), network: POLYGON.name, asset, payTo: account.payTo };
    await purchaseIn(ledger, 'sold', 1, { payment: onPolygon, chain });
    // The second transfer of one payment pays for nothing.
    await bookAll(ledger, [transferFor(1), transferFor(1, { logIndex: 3 })], { account });
    await ledger.close();

    const run = async (more: Record<string, string>): Promise<string> => {
      const { code, out, err } = await runHere(AUDIT, { env: { ...env(), DATA_DIR: dataDir, ...more } });
      return `${out}${err}exit status ${code}`;
    };
    const refund = async (on: Chain): Promise<string> => {
      await on.mint(payer as Hex, payment(1).amount);
      const { address } = on.network.usdc;
      const logs = await on.reader.getLogs({ address, fromBlock: 0n });
      return logs.at(-1)?.transactionHash ?? '';
    };
    const REFUNDED = `${nonce}:3`;
    assert.match(
      await run({ REFUNDED, REFUND: await refund(polygon), NETWORKS: BASE.name }),
      /^NETWORKS does not name eip155:137, expected the network of the owed transfer/,
    );
    assert.match(await run({ REFUNDED, REFUND: await refund(base) }), /^the node gave no usable response/);
    assert.match(await run({ REFUNDED, REFUND: await refund(polygon) }), /: settled by 0x[0-9a-f]{64}\nexit status 0$/);
    // The audit reads final blocks only.
    await createTestClient({ mode: 'anvil', transport: http(base.rpcUrl) }).mine({ blocks: 4 });
    const audit = await run({});
    const [baseAudit = '', polygonAudit = ''] = audit.split(/(?=^Polygon, )/m);
    assert.match(baseAudit, /^Base, blocks 0 to \d+: 1 incoming transfers, 0 sold purchases[^]*\n0 differences\n$/);
    // The made-up sale has no transfer on the chain.
    assert.match(
      polygonAudit,
      /^Polygon, .* 1 sold purchases[^]*no transfer there pays for it\n1 differences\nexit status 1$/,
    );
  });
});
