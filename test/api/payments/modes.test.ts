/**
 * Payment modes: the lifetime of the sandbox's chain, settling with our own key, Base Sepolia, and a ledger of one kind
 * of money: a lead sold for test money stays available to real buyers.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { createTestClient, http } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { decodePaymentResponseHeader, encodePaymentSignatureHeader } from '@x402/core/http';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { x402Client } from '@x402/fetch';
import { closing } from '../../../lib/closing.ts';
import { startChain, type Chain } from '../../../api/payments/local_chain/chain.ts';
import { readWallet } from '../../../api/payments/local_chain/wallet.ts';
import { serve, type Serving } from '../../../api/http/serve.ts';
import { ledgerExists, openLedger } from '../../../ledger/open.ts';
import { readServerSettings } from '../../../api/settings.ts';
import { joinOn } from '../support/base.ts';
import { bodyOf, buyerWith, fetchWithPayment, fetchPaymentRequired } from '../support/buyers.ts';
import { serverProcess, type ServerProcess } from '../../support/program.ts';
import { changeManifest, dataFolder, rowsOfTable, type DataFolder } from '../support/snapshot_fixtures.ts';
import { PAY_TO, receiptKeyPath } from '../support/receipt_key.ts';
import { startTestServer } from '../../support/server.ts';
import { BASE, BASE_SEPOLIA } from '../../../lib/network.ts';

/** What a test that fails leaves open is closed, so that it fails and does not hang. */
const leftOpen: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of leftOpen.splice(0).reverse()) await close();
});

const open = async (env: Record<string, string>, said: unknown[] = []): Promise<Serving> => {
  const { settings, payments } = readServerSettings({ PORT: '0', ...env });
  const server = await serve({
    settings,
    payments,
    log: (entry) => {
      said.push(entry);
    },
    report: (event) => {
      said.push(event);
    },
  });
  leftOpen.push(() => server.close());
  return server;
};
const answers = (url: string): Promise<boolean> =>
  fetch(url, { method: 'POST', body: '{}' }).then(
    () => true,
    () => false,
  );
/** Wait until this is so. */
async function until(what: string, test: () => Promise<boolean>): Promise<void> {
  for (let i = 0; i < 200; i += 1) {
    if (await test()) return;
    await pause(50);
  }
  assert.fail(what);
}

describe('the chain of the sandbox', () => {
  let folder: DataFolder;
  before(async () => {
    folder = await dataFolder();
    await folder.publish('2026-11-20.01', { deals: rowsOfTable('deals', 1) });
  });
  after(() => folder.remove());

  const started = async (env: Record<string, string>): Promise<ServerProcess> => {
    const server = await serverProcess({ DATA_DIR: folder.path, ...env });
    leftOpen.push(() => server.end('SIGKILL'));
    return server;
  };

  it('is shared by the servers on one data folder; the first writes the wallet file and ends the chain', async () => {
    const first = await started({});
    const wallet = (await readWallet(folder.path)) ?? assert.fail('there is no wallet file');
    const second = await open({ DATA_DIR: folder.path });
    const { payTo, sandbox } = second.payments;
    assert.deepEqual(
      [sandbox?.chain.rpcUrl, sandbox?.buyer.address, payTo],
      [wallet.rpc_url, wallet.address, wallet.pay_to],
    );
    const buyer = buyerWith(wallet.private_key as `0x${string}`);
    const start = (await sandbox?.chain.balanceOf(payTo)) ?? 0n;
    const urls = [first.url, second.url, first.url].map((url) => `${url}/api/deals`);
    const payment = await buyer.sign(urls[0] ?? '');
    const responses = await Promise.all(urls.map((url) => fetchWithPayment(url, payment)));
    assert.deepEqual(responses.map((r) => r.status).sort(), [200, 409, 409]);
    assert.equal(((await sandbox?.chain.balanceOf(payTo)) ?? 0n) - start, 50_000n);
    await second.close();
    assert.equal((await readWallet(folder.path))?.base_url, first.url);
    assert.equal((await buyer.fetch(`${first.url}/api/deals`)).status, 200);

    await first.end('SIGKILL');
    await until('the chain outlives a killed server', async () => !(await answers(wallet.rpc_url)));
    const next = await open({ DATA_DIR: folder.path });
    assert.notEqual(next.payments.sandbox?.chain.rpcUrl, wallet.rpc_url, 'the next server starts another chain');
    assert.notEqual(await readWallet(folder.path), null);
    await next.close();
    assert.equal(await readWallet(folder.path), null);
  });

  it('outlives the servers that joined it, which share its buyer and receiver', async () => {
    await using chain = closing(await startChain());
    await joinOn(folder.path, chain);
    const server = await open({ DATA_DIR: folder.path });
    const wallet = await readWallet(folder.path);
    assert.deepEqual([wallet?.rpc_url, wallet?.pay_to], [chain.rpcUrl, server.payments.payTo]);
    await server.close();
    assert.equal(await answers(chain.rpcUrl), true);
    assert.deepEqual(await readWallet(folder.path), wallet);
  });
});

describe('settling with a key of our own', () => {
  let folder: DataFolder;
  let chain: Chain;
  const key = generatePrivateKey();
  const env = (): Record<string, string> => ({
    DATA_DIR: folder.path,
    NODE_ENV: 'production',
    PAYMENTS: 'self',
    PAY_TO,
    PUBLIC_BASE_URL: 'http://localhost',
    RPC_URL: chain.rpcUrl,
    RECEIPT_KEY_FILE: receiptKeyPath(),
  });
  before(async () => {
    folder = await dataFolder();
    await folder.publish('2026-11-20.01', { deals: rowsOfTable('deals', 1) }, { data: 'live' });
    chain = await startChain();
  });
  after(async () => {
    await chain.close();
    await folder.remove();
  });
  const admin = () => createTestClient({ mode: 'anvil', transport: http(chain.rpcUrl) });

  it('sells, pays the gas, says when the gas runs out, and never shows the key', async () => {
    const file = join(folder.path, 'key');
    await writeFile(file, `${key}\n`, { mode: 0o600 });
    const account = privateKeyToAccount(key).address;
    await admin().setBalance({ address: account, value: 10n ** 18n });
    const said: unknown[] = [];
    const server = await open({ ...env(), SETTLE_KEY_FILE: file }, said);
    try {
      assert.equal(await readWallet(folder.path), null, 'no wallet of the sandbox');
      const buyer = buyerWith();
      await chain.mint(buyer.address, 1_000_000n);
      const start = await chain.balanceOf(server.payments.payTo);
      const response = await buyer.fetch(`${server.url}/api/deals`);
      assert.equal(response.status, 200);
      assert.equal((await chain.balanceOf(server.payments.payTo)) - start, 50_000n);
      const unpaid = await bodyOf(await fetch(`${server.url}/api/deals`));
      assert.equal(
        ['notice', 'test_money'].some((name) => name in unpaid),
        false,
        'real money says nothing of a sandbox',
      );
      assert.ok((await chain.reader.getBalance({ address: account })) < 10n ** 18n);
      const health = async (): Promise<Record<string, unknown>> =>
        (await bodyOf(await fetch(`${server.url}/health`)))['payments'] as Record<string, unknown>;
      const { warnings, test_money } = await health();
      assert.deepEqual([warnings, test_money], [[], false]);
    } finally {
      await server.close();
    }
    await admin().setBalance({ address: account, value: 10n ** 12n });
    await using poor = closing(await open({ ...env(), SETTLE_KEY: key }, said));
    const health = await bodyOf(await fetch(`${poor.url}/health`));
    assert.equal(health['status'], 'degraded');
    assert.match(JSON.stringify(health['payments']), /the gas is enough for \d+ settlements/);
    for (const text of [JSON.stringify(said), JSON.stringify(health)]) assert.equal(text.includes(key.slice(2)), false);
  });

  it('never sells made-up data, or data that does not say what it is, whether at the start or later', async () => {
    const data = await dataFolder();
    leftOpen.push(() => data.remove());
    const settings = { ...env(), DATA_DIR: data.path, SETTLE_KEY: key };
    const refused = { name: 'SettingError', message: /snapshots\/2026-11-20\.0\d: it has made-up / };
    const deals = { deals: rowsOfTable('deals', 1) };
    const silent = await data.publish('2026-11-20.01', deals, { data: 'live' });
    await changeManifest(silent, (manifest) => Object.assign(manifest, { data_clock: undefined }));
    await assert.rejects(open(settings), refused);
    await data.publish('2026-11-20.02', deals);
    await assert.rejects(open(settings), refused);
    assert.equal(ledgerExists({ DATA_DIR: data.path }), false, 'the folder is not marked as one of real money');

    await data.publish('2026-11-20.03', deals, { data: 'live' });
    await using server = closing(await open(settings));
    for (const madeUp of ['2026-11-20.01', '2026-11-20.02']) {
      await data.switchTo(madeUp);
      await server.snapshots.refresh();
      const { snapshot_id, snapshot_failure } = await bodyOf(await fetch(`${server.url}/health`));
      assert.deepEqual(
        [snapshot_id, (snapshot_failure as { target: string }).target],
        ['2026-11-20.03', `snapshots/${madeUp}`],
      );
    }
  });

  it('does not start with a node of another chain, or a facilitator of other networks', async () => {
    const other = await startTestServer((request, response) => {
      const body = request.method === 'GET' ? { kinds: [] } : { jsonrpc: '2.0', id: 0, result: '0x1' };
      response.setHeader('Content-Type', 'application/json').end(JSON.stringify(body));
    });
    leftOpen.push(async () => other.close());
    for (const [more, message] of [
      [{ SETTLE_KEY: key, RPC_URL: other.url }, /^RPC_URL is .*of Base: the node serves chain 1, expected 8453$/],
      [
        { PAYMENTS: 'facilitator', FACILITATOR_URL: other.url },
        /^FACILITATOR_URL is .* exact payments on eip155:8453$/,
      ],
    ] as const)
      await assert.rejects(open({ ...env(), ...more }), { name: 'SettingError', message });
  });
});

it('a sandbox server does not start on a ledger of real money, and says so in one line', async () => {
  const DATA_DIR = await mkdtemp(join(tmpdir(), 'dealfeed-money-'));
  const ledger = await openLedger({ DATA_DIR });
  assert.equal(await ledger.recordMoney('real'), 'real');
  await ledger.close();
  await assert.rejects(open({ DATA_DIR }), {
    name: 'SettingError',
    message: /^LEDGER is .*ledger\.sqlite, which holds sales in real money\. Use another ledger for test money: set /,
  });
  await rm(DATA_DIR, { recursive: true });
});

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
