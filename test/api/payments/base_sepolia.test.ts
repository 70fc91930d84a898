/** A server on Base Sepolia, with a local chain in its place: its token, its test money, and payments on Base. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { decodePaymentResponseHeader, encodePaymentSignatureHeader } from '@x402/core/http';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { x402Client } from '@x402/fetch';
import { createTestClient, http } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { serve, type Serving } from '../../../api/http/serve.ts';
import { startChain, type Chain } from '../../../api/payments/local_chain/chain.ts';
import { readServerSettings } from '../../../api/settings.ts';
import { BASE, BASE_SEPOLIA } from '../../../lib/network.ts';
import { bodyOf, fetchPaymentRequired, fetchWithPayment } from '../support/buyers.ts';
import { receiptKeyPath } from '../support/receipt_key.ts';
import { dataFolder, rowsOfTable, type DataFolder } from '../support/snapshot_fixtures.ts';

const PAY_TO = privateKeyToAccount(generatePrivateKey()).address;
const PRICE = 50_000n;

describe('a server on Base Sepolia', () => {
  const key = generatePrivateKey();
  const buyer = privateKeyToAccount(generatePrivateKey());
  const signer = new x402Client().register('eip155:*', new ExactEvmScheme(buyer));
  let folder: DataFolder;
  let chain: Chain;
  let server: Serving;
  let url: string;

  const opened = (more: Record<string, string>): Promise<Serving> =>
    serve(
      readServerSettings({
        DATA_DIR: folder.path,
        PORT: '0',
        PAYMENTS: 'self',
        NODE_ENV: 'production',
        PAY_TO,
        SETTLE_KEY: key,
        PUBLIC_BASE_URL: 'http://localhost',
        RECEIPT_KEY_FILE: receiptKeyPath(),
        ...more,
      }),
    );
  before(async () => {
    folder = await dataFolder();
    await folder.publish('2026-11-20.01', { deals: rowsOfTable('deals', 1) });
    chain = await startChain(BASE_SEPOLIA);
    await createTestClient({ mode: 'anvil', transport: http(chain.rpcUrl) }).setBalance({
      address: privateKeyToAccount(key).address,
      value: 10n ** 18n,
    });
    await chain.mint(buyer.address, 10_000_000n);
    server = await opened({ NETWORK: BASE_SEPOLIA.name, RPC_URL: chain.rpcUrl });
    url = `${server.url}/api/deals`;
  });
  after(async () => {
    await server.close();
    await chain.close();
    await folder.remove();
  });

  it('refuses a payment on Base with a typed reason, and charges nothing', async () => {
    const required = await fetchPaymentRequired(url);
    const { address, name, version } = BASE.usdc;
    const onBase = required.accepts.map((terms) => ({
      ...terms,
      network: BASE.name,
      asset: address,
      extra: { name, version },
    }));
    const payload = await signer.createPaymentPayload({ ...required, accepts: onBase });
    const response = await fetchWithPayment(url, encodePaymentSignatureHeader(payload));
    const { reason, payment_error, billed } = await bodyOf(response);
    assert.deepEqual(
      [response.status, reason, payment_error, billed],
      [402, 'payment_invalid', 'no_matching_payment_requirements', false],
    );
    assert.equal(await chain.balanceOf(PAY_TO), 0n);
  });

  it('offers the domain name of its own token, and sells for test money', async () => {
    const required = await fetchPaymentRequired(url);
    assert.deepEqual(
      required.accepts.map(({ network, asset, extra }) => [network, asset, extra]),
      [['eip155:84532', '0x036CbD53842c5426634e7929541eC2318f3dCF7e', { name: 'USDC', version: '2' }]],
    );
    const payment = encodePaymentSignatureHeader(await signer.createPaymentPayload(required));
    const response = await fetchWithPayment(url, payment);
    assert.equal(response.status, 200);
    assert.equal(
      decodePaymentResponseHeader(response.headers.get('PAYMENT-RESPONSE') ?? '').network,
      BASE_SEPOLIA.name,
    );
    assert.equal(await chain.balanceOf(PAY_TO), PRICE);
    const sold = await server.running.ledger.find({ id: response.headers.get('Receipt-Id') ?? '' });
    assert.match(sold?.chain ?? '', /^eip155:84532 0x[0-9a-f]{64}$/);
    const { test_money, notice } = await bodyOf(await fetch(url));
    assert.deepEqual([test_money, String(notice).slice(0, 14)], [true, 'TEST PAYMENTS:']);
    const health = await bodyOf(await fetch(`${server.url}/health`));
    assert.equal((health['payments'] as { test_money: boolean }).test_money, true);
    for (const path of ['/', '/status', '/leads', '/no-such-page']) {
      const page = await (await fetch(server.url + path, { headers: { Accept: 'text/html' } })).text();
      assert.match(/<aside aria-label="Notice">.*?<\/summary>/su.exec(page)?.[0] ?? '', /test money/iu, path);
    }
    await folder.publish('2026-11-20.02', { deals: rowsOfTable('deals', 1) }, { data: 'live' });
    await server.snapshots.refresh();
    assert.equal(server.snapshots.acquire()?.snapshot.id, '2026-11-20.02', 'live data is for rehearsals too');
    await assert.rejects(opened({ RPC_URL: 'http://127.0.0.1:9' }), {
      name: 'SettingError',
      message: /^LEDGER is .*ledger\.sqlite, which holds sales in test money\. Use another ledger for real money: set /,
    });
  });
});
