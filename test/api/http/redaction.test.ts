/**
 * No response and no log line contains a secret of the settings or the address of a service. Every setting that can
 * hold a secret has one, and the services fail in every way that repeats the request.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { createTestClient, http } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { startChain, type Chain } from '../../../api/payments/local_chain/chain.ts';
import { BARE } from '../../environment.ts';
import { startPostgres, type PostgresServer } from '../../ledger/postgres_started.ts';
import { authorizationIn, buyerWith, type Buyer } from '../support/buyers.ts';
import { startFacilitator, startNode, type Fault, type Service } from '../support/failing_services.ts';
import { Recorder, type RecordedServer } from '../support/recorded_servers.ts';
import { dataFolder, rowsOfTable, type DataFolder } from '../support/snapshot_fixtures.ts';
import { thorough } from '../../thorough.ts';
import { PAY_TO, receiptKeyPath, testKeyFile } from '../support/receipt_key.ts';

const settleKey = generatePrivateKey();
const fileKey = generatePrivateKey();
const receiptKey = testKeyFile.keys[0]?.d ?? '';

const FAULTS = ['429', '401', '500', 'not JSON', 'refused'] as const;
/** How the services of a server of each mode fail. */
const faultsOf: Readonly<Record<'facilitator' | 'self', readonly Fault[]>> = {
  facilitator: thorough<readonly Fault[]>(['429'], FAULTS),
  self: thorough<readonly Fault[]>(['refused'], FAULTS),
};

describe('secrets of the settings', () => {
  let folder: DataFolder;
  let chain: Chain;
  let postgres: PostgresServer;
  let node: Service;
  let facilitator: Service;
  let keyFile: string;
  let buyer: Buyer;
  /** Shared by both modes, so that one mode looks up the open settlements of the other. */
  let ledger: string;
  const recorder = new Recorder();
  const env = (mode: 'facilitator' | 'self'): Record<string, string> => ({
    DATA_DIR: folder.path,
    PAYMENTS: mode,
    PAY_TO,
    PUBLIC_BASE_URL: 'http://localhost:4021',
    NODE_ENV: 'production',
    RPC_URL: `http://${node.host}:${node.port}/v2/planted-rpc-path-7731?apikey=planted-rpc-query-7732`,
    FACILITATOR_URL: `http://${facilitator.host}:${facilitator.port}/planted-facilitator-path-7733`,
    FACILITATOR_AUTHORIZATION: 'Bearer planted-bearer-7734',
    LEDGER: ledger,
    QUEUE: ledger.replace('planted_base_', 'planted_queue_'),
    RECEIPT_KEY_FILE: receiptKeyPath(),
    CURSOR_SECRET: 'planted-cursor-secret-7738',
    CENSUS_API_KEY: 'planted-census-key-7741',
    ALERT_COMMAND: 'curl https://alerts.example/planted-alert-7740',
    ...(mode === 'self' ? { SETTLE_KEY_FILE: keyFile } : { SETTLE_KEY: settleKey }),
  });

  const assertNoLeak = (): void => {
    const ports = [node.port, facilitator.port, new URL(postgres.url).port].join('|');
    const secrets = [
      'planted',
      settleKey.slice(2),
      fileKey.slice(2),
      receiptKey,
      RegExp.escape(node.host),
      RegExp.escape(facilitator.host),
      RegExp.escape('127.0.0.1'),
      RegExp.escape('alerts.example'),
      RegExp.escape(new URL(postgres.url).password),
      `(?<!\\d)(?:${ports})(?!\\d)`,
    ].map((source) => new RegExp(source, 'i'));
    assert.ok(recorder.texts.length > 0);
    assert.deepEqual(recorder.leaks(secrets).slice(0, 10), []);
  };

  before(async () => {
    [folder, chain, postgres] = await Promise.all([dataFolder(), startChain(), startPostgres()]);
    await folder.publish('2026-11-20.01', { deals: rowsOfTable('deals', 3) }, { data: 'live' });
    [node, facilitator] = [await startNode('127.0.0.2', chain.rpcUrl), await startFacilitator('127.0.0.3')];
    keyFile = join(folder.path, 'key');
    await writeFile(keyFile, fileKey);
    await chmod(keyFile, 0o600);
    const admin = new Client({ connectionString: postgres.url });
    await admin.connect();
    await admin.query("CREATE ROLE planted_user_7735 LOGIN PASSWORD 'planted-password-7736'");
    await admin.query('CREATE DATABASE planted_base_7737 OWNER planted_user_7735');
    await admin.end();
    ledger = `postgres://planted_user_7735:planted-password-7736@${new URL(postgres.url).host}/planted_base_7737`;
    buyer = buyerWith();
    await chain.mint(buyer.address, 10_000_000n);
    await createTestClient({ mode: 'anvil', transport: http(chain.rpcUrl) }).setBalance({
      address: privateKeyToAccount(fileKey).address,
      value: 10n ** 18n,
    });
  });
  after(async () => {
    await node.close();
    await facilitator.close();
    await chain.close();
    await postgres.remove();
    await folder.remove();
  });

  const signed = (server: RecordedServer, count: number): Promise<string[]> =>
    Promise.all(Array.from({ length: count }, () => buyer.sign(`${server.url}/api/deals`)));

  /** Every request that a buyer and an operator can send. */
  const requestEverything = async (name: string, server: RecordedServer, payment: string): Promise<void> => {
    const get = (path: string, headers: Record<string, string> = {}): Promise<Response | null> =>
      recorder.get(name, server.url + path, headers);
    const sold = await get('/api/deals', { 'PAYMENT-SIGNATURE': payment });
    const purchase = `/api/purchases/${sold?.headers.get('Receipt-Id') ?? authorizationIn(payment).nonce}`;
    const signIn = await buyer.signIn(server.url + purchase);
    await Promise.all([
      get('/health'),
      get('/status', { Accept: 'text/html' }),
      get('/api/meta'),
      get('/api/deals'),
      get('/api/deals', { Accept: 'text/html' }),
      get('/api/deals', { 'PAYMENT-SIGNATURE': payment }),
      get('/api/deals', { 'PAYMENT-SIGNATURE': 'nonsense' }),
      get(purchase),
      get(purchase, { 'SIGN-IN-WITH-X': signIn }),
      recorder.get(name, server.metricsUrl),
    ]);
  };

  for (const mode of ['facilitator', 'self'] as const) {
    it(`are in no response and no log line in ${mode} mode, with any fault`, async () => {
      const faults = faultsOf[mode];
      const healthy = await recorder.start(`${mode}, healthy`, env(mode));
      assert.match(healthy.output(), /^listening/m);
      // Two, and four for each fault.
      const signedPayments = await signed(healthy, 2 + 4 * faults.length);
      const nextPayment = (): string => signedPayments.pop() ?? assert.fail('there are too few payments');
      const pay = (name: string, server: RecordedServer): Promise<Response | null> =>
        recorder.get(name, `${server.url}/api/deals`, { 'PAYMENT-SIGNATURE': nextPayment() });
      const isFacilitated = mode === 'facilitator';
      if (isFacilitated) {
        // A settlement of unknown outcome, which the servers below look up while the node fails.
        Object.assign(facilitator, { fault: '500', faultPath: '/settle' });
        assert.equal((await pay(`${mode}, settlement lost`, healthy))?.status, 502);
        Object.assign(facilitator, { fault: 'none', faultPath: '' });
      }
      await requestEverything(`${mode}, no fault`, healthy, nextPayment());
      for (const fault of faults) {
        // One server was healthy at its start, the other one starts while every service fails.
        node.fault = fault;
        await pay(`${mode}, node: ${fault}`, healthy);
        if (isFacilitated) facilitator.fault = fault;
        const failing = await recorder.start(`${mode}, started with: ${fault}`, env(mode));
        await requestEverything(`${mode}, started with: ${fault}`, failing, nextPayment());
        node.fault = 'none';
        if (isFacilitated) {
          for (const server of [healthy, failing]) await pay(`${mode}, facilitator: ${fault}`, server);
          facilitator.fault = 'none';
        }
        await failing.close();
      }
      await healthy.close();
      assert.ok(node.faultCount > 2 * faults.length, `the node failed ${node.faultCount} times`);
      if (isFacilitated)
        assert.ok(facilitator.faultCount > 2 * faults.length, `the facilitator failed ${facilitator.faultCount} times`);
      assert.ok(
        recorder.texts.some(({ text }) => /"unresolved":[1-9]/.test(text)),
        'an open settlement was looked up',
      );
      assertNoLeak();
    });
  }

  if (thorough(false, true)) {
    it('are in no response and no log line when the database stops', async () => {
      const server = await recorder.start('database stopped', env('facilitator'));
      const [payment = ''] = await signed(server, 1);
      await postgres.stop('immediate');
      try {
        const [late] = await Promise.all([
          recorder.start('database stopped at the start', env('facilitator')),
          requestEverything('database stopped', server, payment),
        ]);
        assert.equal(late.isRunning, false);
        assert.match(late.output(), /^LEDGER is a PostgreSQL database, which is unavailable: /);
        await late.close();
      } finally {
        await postgres.start();
      }
      await server.close();
      assertNoLeak();
    });
  }

  it('are not in the output of the program, which ends with one line and status 1', async () => {
    const wrongPassword = ledger.replace('planted-password-7736', 'planted-wrong');
    const ended = await new Promise<{ code: unknown; out: string; err: string }>((resolve) => {
      execFile(
        process.execPath,
        [fileURLToPath(new URL('../../../api/server.ts', import.meta.url))],
        { env: { ...BARE, ...env('facilitator'), PORT: '0', LEDGER: wrongPassword } },
        (error, out, err) => {
          resolve({ code: error?.code, out, err });
        },
      );
    });
    assert.deepEqual([ended.code, ended.out], [1, '']);
    assert.match(ended.err, /^LEDGER is a PostgreSQL database, which cannot be used: .*\n$/);
    recorder.texts.push({ source: 'the program', text: ended.err });
    assertNoLeak();
  });
});
