/**
 * No response and no log line contains a secret of the settings or the address of a service. Every setting that can
 * hold a secret has one, and the services fail in every way that repeats the request.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { createTestClient, http } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { startChain, type Chain } from '../../../api/payments/local_chain/chain.ts';
import { redactorOf } from '../../../api/secrets.ts';
import { startServer } from '../../../api/server.ts';
import { NETWORK } from '../../../lib/network.ts';
import { HIDDEN } from '../../../lib/redact.ts';
import { BARE } from '../../environment.ts';
import { startPostgres, type PostgresServer } from '../../ledger/postgres_started.ts';
import { startTestServer } from '../../support/server.ts';
import { authorizationIn, buyerWith } from '../support/buyers.ts';
import { dataFolder, rowsOfTable, type DataFolder } from '../support/snapshot_fixtures.ts';
import { thorough } from '../../thorough.ts';
import { PAY_TO, receiptKeyPath, testKeyFile } from '../support/receipt_key.ts';

type Mode = 'facilitator' | 'self';
type Fault = 'none' | '429' | '401' | '500' | 'not JSON' | 'refused';
const FAULTS = ['429', '401', '500', 'not JSON', 'refused'] as const;

/** A host that no service listens on. */
const HOST = '127.0.0.4';
/** The chain of the tests mines at once. */
const SHORT_WAIT = { everyMs: 20, readsWithHint: 3, readsWithoutHint: 2 } as const;

/** A service of a server, on its own host, which fails with `fault`: some repeat the request in their error. */
async function startService(host: string, answer: (request: IncomingMessage, body: string) => Promise<string>) {
  const server = await startTestServer(async (request, response) => {
    const body = await text(request);
    const { method, url = '', headers } = request;
    const fault: Fault = url.endsWith(service.faultPath) ? service.fault : 'none';
    if (fault !== 'none') service.faultCount += 1;
    const echo = `${method} http://${headers.host}${url} refused; Authorization: ${headers.authorization}`;
    if (fault === 'refused') request.socket.destroy();
    else if (fault === 'not JSON') response.end(`<html>${echo}`);
    else if (fault === 'none') response.end(await answer(request, body));
    else
      response
        .writeHead(Number(fault))
        .end(JSON.stringify({ error: echo, errorReason: echo, invalidReason: echo, errorMessage: echo }));
  }, host);
  const { port, close } = server;
  const service = { host, port, fault: 'none' as Fault, faultPath: '', faultCount: 0, close };
  return service;
}
type Service = Awaited<ReturnType<typeof startService>>;

interface RunningServer {
  readonly name: string;
  readonly url: string;
  readonly metricsUrl: string;
  close(): Promise<void>;
}

describe('secrets of the settings', () => {
  const [settleKey, fileKey] = [generatePrivateKey(), generatePrivateKey()];
  const buyer = buyerWith();
  let folder: DataFolder;
  let chain: Chain;
  let postgres: PostgresServer;
  let node: Service;
  let facilitator: Service;
  /** Shared by both modes, so that one mode looks up the open settlements of the other. */
  let ledger: string;
  /** Responses with their headers, those of x402 decoded, and logs, each after its source. */
  const recorded: string[] = [];

  const env = (mode: Mode): Record<string, string> => ({
    DATA_DIR: folder.path,
    PORT: '0',
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
    ...(mode === 'self' ? { SETTLE_KEY_FILE: join(folder.path, 'key') } : { SETTLE_KEY: settleKey }),
  });

  const assertNoLeak = (): void => {
    const ports = [node.port, facilitator.port, new URL(postgres.url).port].join('|');
    const hosts = [node.host, facilitator.host, '127.0.0.1', 'alerts.example'];
    const keys = [settleKey.slice(2), fileKey.slice(2), testKeyFile.keys[0]?.d ?? ''];
    const words = ['planted', ...keys, ...hosts, new URL(postgres.url).password].map((one) => RegExp.escape(one));
    const secrets = new RegExp(`${words.join('|')}|(?<!\\d)(?:${ports})(?!\\d)`, 'iu');
    assert.ok(recorded.length > 0);
    const leaks = recorded.splice(0).flatMap((shown) => {
      const at = shown.search(secrets);
      return at < 0 ? [] : [`${shown.slice(0, 80)} ... ${shown.slice(Math.max(0, at - 150), at + 100)}`];
    });
    assert.deepEqual(leaks.slice(0, 10), []);
  };

  const start = async (name: string, mode: Mode): Promise<RunningServer> => {
    const own = { ...env(mode), METRICS_PORT: '0', HOST, LOG_LEVEL: 'debug', UNBILLED_PER_MINUTE: '0' };
    let log = `the log of ${name}: `;
    const destination = {
      write(line: string): void {
        log += line;
      },
      flush: (): void => undefined,
    };
    const { serving, greeting } = await startServer({
      env: own,
      redact: redactorOf(own),
      destination,
      wait: SHORT_WAIT,
    });
    return {
      name,
      url: serving.url,
      metricsUrl: `http://${HOST}:${serving.metricsPort}/metrics`,
      async close() {
        await serving.close();
        recorded.push(log + greeting);
      },
    };
  };

  /** Send a GET, and record the response. Null if there is none. */
  const get = async (server: RunningServer, url: string, headers = {}): Promise<Response | null> => {
    const response = await fetch(url, { headers }).catch(() => null);
    if (!response) return null;
    const decoded = ['PAYMENT-REQUIRED', 'PAYMENT-RESPONSE'].map((header) =>
      Buffer.from(response.headers.get(header) ?? '', 'base64').toString('utf8'),
    );
    const parts = [JSON.stringify([...response.headers]), ...decoded, await response.clone().text()];
    recorded.push(`${server.name}: ${new URL(url).pathname} ${response.status} ${parts.join('\n')}`);
    return response;
  };
  const pay = (server: RunningServer, payment: string): Promise<Response | null> =>
    get(server, `${server.url}/api/deals`, { 'PAYMENT-SIGNATURE': payment });

  const administer = async (...statements: readonly string[]): Promise<void> => {
    const admin = new Client({ connectionString: postgres.url });
    await admin.connect();
    for (const sql of statements) await admin.query(sql);
    await admin.end();
  };

  /** Every request that a buyer and an operator can send. */
  const requestEverything = async (server: RunningServer, payment: string): Promise<void> => {
    const sold = await pay(server, payment);
    const purchase = `/api/purchases/${sold?.headers.get('Receipt-Id') ?? authorizationIn(payment).nonce}`;
    const signIn = await buyer.signIn(server.url + purchase);
    await Promise.all([
      ...['/health', '/api/meta', '/api/deals', purchase].map((path) => get(server, server.url + path)),
      ...['/status', '/api/deals'].map((path) => get(server, server.url + path, { Accept: 'text/html' })),
      pay(server, payment),
      pay(server, 'nonsense'),
      get(server, server.url + purchase, { 'SIGN-IN-WITH-X': signIn }),
      get(server, server.metricsUrl),
    ]);
  };

  before(async () => {
    [folder, chain, postgres] = await Promise.all([dataFolder(), startChain(), startPostgres()]);
    await folder.publish('2026-11-20.01', { deals: rowsOfTable('deals', 3) }, { data: 'live' });
    const headers = { 'Content-Type': 'application/json' };
    node = await startService('127.0.0.2', async (_, body) =>
      (await fetch(chain.rpcUrl, { method: 'POST', headers, body })).text(),
    );
    const kinds = [{ x402Version: 2, scheme: 'exact', network: NETWORK }];
    const settled = { success: true, transaction: `0x${'1'.repeat(64)}`, network: NETWORK };
    facilitator = await startService('127.0.0.3', async ({ url }) =>
      JSON.stringify(url?.endsWith('/supported') === true ? { kinds, extensions: [], signers: {} } : settled),
    );
    await writeFile(join(folder.path, 'key'), fileKey);
    await chmod(join(folder.path, 'key'), 0o600);
    await administer(
      "CREATE ROLE planted_user_7735 LOGIN PASSWORD 'planted-password-7736'",
      'CREATE DATABASE planted_base_7737 OWNER planted_user_7735',
    );
    ledger = `postgres://planted_user_7735:planted-password-7736@${new URL(postgres.url).host}/planted_base_7737`;
    await chain.mint(buyer.address, 10_000_000n);
    const { address } = privateKeyToAccount(fileKey);
    const wallet = createTestClient({ mode: 'anvil', transport: http(chain.rpcUrl) });
    await wallet.setBalance({ address, value: 10n ** 18n });
  });
  after(async () => {
    await Promise.all([node.close(), facilitator.close(), chain.close(), postgres.remove(), folder.remove()]);
  });

  for (const mode of ['facilitator', 'self'] as const)
    it(`appear in no response and no log line in ${mode} mode, whatever fails`, async () => {
      const faults = thorough<readonly Fault[]>([mode === 'self' ? 'refused' : '429'], FAULTS);
      const services = mode === 'self' ? [node] : [node, facilitator];
      const healthy = await start(`${mode}, healthy`, mode);
      const signed = Array.from({ length: 3 + 4 * faults.length }, () => buyer.sign(`${healthy.url}/api/deals`));
      const payments = await Promise.all(signed);
      const next = (): string => payments.pop() ?? assert.fail('there are too few payments');
      if (mode === 'facilitator') {
        // A settlement of unknown outcome, which the servers below look up while the node fails.
        Object.assign(facilitator, { fault: '500', faultPath: '/settle' });
        assert.equal((await pay(healthy, next()))?.status, 502);
        Object.assign(facilitator, { fault: 'none', faultPath: '' });
      }
      await requestEverything(healthy, next());
      for (const fault of faults) {
        // One server was healthy at its start, the other one starts while every service fails.
        node.fault = fault;
        await pay(healthy, next());
        for (const service of services) service.fault = fault;
        const failing = await start(`${mode}, started with ${fault}`, mode);
        await requestEverything(failing, next());
        node.fault = 'none';
        if (mode === 'facilitator') for (const server of [healthy, failing]) await pay(server, next());
        facilitator.fault = 'none';
        await failing.close();
      }
      // The database turns the user away, whose name its driver repeats.
      await administer(
        'ALTER ROLE planted_user_7735 NOLOGIN',
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'planted_user_7735'",
      );
      await requestEverything(healthy, next());
      await administer('ALTER ROLE planted_user_7735 LOGIN');
      await healthy.close();
      for (const { faultCount } of services) assert.ok(faultCount > 2 * faults.length, `it failed ${faultCount} times`);
      assert.ok(
        recorded.some((shown) => /"unresolved":[1-9]/.test(shown)),
        'an open settlement was looked up',
      );
      assert.ok(
        recorded.some((shown) => shown.includes(HIDDEN)),
        'the driver of the database named a secret, which was replaced',
      );
      assertNoLeak();
    });

  it('are not in the output of the program, which ends with one line and status 1', async () => {
    const wrong = { PORT: '0', LEDGER: ledger.replace('planted-password-7736', 'planted-wrong') };
    const program = fileURLToPath(new URL('../../../api/server.ts', import.meta.url));
    const ended = await new Promise<{ code: unknown; out: string; err: string }>((resolve) => {
      execFile(process.execPath, [program], { env: { ...BARE, ...env('facilitator'), ...wrong } }, (error, out, err) =>
        resolve({ code: error?.code, out, err }),
      );
    });
    assert.deepEqual([ended.code, ended.out], [1, '']);
    assert.match(ended.err, /^LEDGER is a PostgreSQL database, which cannot be used: .*\n$/);
    recorded.push(`the program: ${ended.err}`);
    assertNoLeak();
  });
});
