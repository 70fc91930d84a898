/**
 * Nothing that a server answers or logs holds a secret of its settings or an address of its services. A secret is
 * planted in every setting that can hold one, and the services fail in every way that repeats what they were asked.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { createTestClient, http } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { startChain, type Chain } from '../../../api/payments/local_chain/chain.ts';
import { BARE } from '../../environment.ts';
import { startPostgres, type PostgresServer } from '../../ledger/postgres_started.ts';
import { buyerWith, type Buyer } from '../support/buyers.ts';
import { startFacilitator, startNode, type Fault, type Service } from '../support/failing_services.ts';
import { dataFolder, rowsOfTable, type DataFolder } from '../support/snapshot_fixtures.ts';

/** None of the services listens here. */
const OWN_HOST = '127.0.0.4';
const FAULTS: readonly Fault[] = ['none', '429', '401', '500', 'not JSON', 'refused'];
const settleKey = generatePrivateKey();
const fileKey = generatePrivateKey();

/** Everything that was said, and where. */
const heard: { readonly from: string; readonly text: string }[] = [];
const running: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of running.splice(0)) await end();
});

interface Planted {
  readonly out: string;
  readonly ended: Promise<number | null>;
  readonly url: string;
  readonly metrics: string;
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, OWN_HOST);
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

/** Start a server whose every word is heard. Resolves when it listens, or when it has ended. */
async function serverWith(name: string, env: Readonly<Record<string, string>>): Promise<Planted> {
  const [port, metricsPort] = [await freePort(), await freePort()];
  const child = spawn(process.execPath, [fileURLToPath(new URL('../../../api/server.ts', import.meta.url))], {
    env: {
      ...BARE,
      PORT: String(port),
      METRICS_PORT: String(metricsPort),
      HOST: OWN_HOST,
      LOG_LEVEL: 'debug',
      UNBILLED_PER_MINUTE: '0',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  const listens = Promise.withResolvers<undefined>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      out += chunk.toString('utf8');
      if (out.includes('Ctrl-C')) listens.resolve(undefined);
    });
  }
  const ended = new Promise<number | null>((resolve) => {
    child.once('close', resolve);
  });
  running.push(async () => {
    child.kill('SIGTERM');
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
    }, 15_000);
    await ended;
    clearTimeout(timer);
    heard.push({ from: `the log (${name})`, text: out });
  });
  await Promise.race([listens.promise, ended]);
  return {
    get out() {
      return out;
    },
    ended,
    url: `http://${OWN_HOST}:${port}`,
    metrics: `http://${OWN_HOST}:${metricsPort}/metrics`,
  };
}

/** Call, and hear the answer with its headers, those of x402 decoded. */
async function call(
  name: string,
  url: string,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<Response | null> {
  const response = await fetch(url, { method, headers }).catch(() => null);
  if (!response) return null;
  const encoded = ['PAYMENT-REQUIRED', 'PAYMENT-RESPONSE'].map((h) =>
    Buffer.from(response.headers.get(h) ?? '', 'base64').toString('utf8'),
  );
  const text = [JSON.stringify([...response.headers]), ...encoded, await response.clone().text()].join('\n');
  heard.push({ from: `${method} ${new URL(url).pathname} ${response.status} (${name})`, text });
  return response;
}

describe('secrets of the settings', () => {
  let folder: DataFolder;
  let chain: Chain;
  let postgres: PostgresServer;
  let node: Service;
  let facilitator: Service;
  let keyFile: string;
  let buyer: Buyer;
  /** One for both modes, so that what one leaves open the other looks up. */
  let ledger: string;
  const env = (mode: 'facilitator' | 'self'): Record<string, string> => ({
    DATA_DIR: folder.path,
    PAYMENTS: mode,
    PAY_TO: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    PUBLIC_BASE_URL: 'http://localhost:4021',
    NODE_ENV: 'production',
    RPC_URL: `http://${node.host}:${node.port}/v2/planted-rpc-path-7731?apikey=planted-rpc-query-7732`,
    FACILITATOR_URL: `http://${facilitator.host}:${facilitator.port}/planted-facilitator-path-7733`,
    FACILITATOR_AUTHORIZATION: 'Bearer planted-bearer-7734',
    LEDGER: ledger,
    QUEUE: ledger.replace('planted_base_', 'planted_queue_'),
    CURSOR_SECRET: 'planted-cursor-secret-7738',
    HUD_TOKEN: 'planted-hud-token-7739',
    ALERT_COMMAND: 'curl https://alerts.example/planted-alert-7740',
    ...(mode === 'self' ? { SETTLE_KEY_FILE: keyFile } : { SETTLE_KEY: settleKey }),
  });
  const secrets = (): string[] => [
    'planted',
    settleKey.slice(2),
    fileKey.slice(2),
    node.host,
    facilitator.host,
    '127.0.0.1',
    'alerts.example',
    new URL(postgres.url).password,
  ];
  const assertNothingIsSaid = (): void => {
    const ports = new RegExp(
      `(?<!\\d)(?:${[node.port, facilitator.port, new URL(postgres.url).port].join('|')})(?!\\d)`,
    );
    const wrong = heard.flatMap(({ from, text }) => [
      ...secrets()
        .filter((s) => text.toLowerCase().includes(s.toLowerCase()))
        .map(
          (s) =>
            `${from} says ${s}: ${text.slice(Math.max(0, text.toLowerCase().indexOf(s.toLowerCase()) - 150), text.toLowerCase().indexOf(s.toLowerCase()) + 100)}`,
        ),
      ...(ports.test(text)
        ? [`${from} says a port: ${text.slice(Math.max(0, text.search(ports) - 150), text.search(ports) + 20)}`]
        : []),
    ]);
    assert.ok(heard.length > 0);
    heard.length = 0;
    assert.deepEqual(wrong.slice(0, 10), []);
  };

  before(async () => {
    [folder, chain, postgres] = [await dataFolder(), await startChain(), await startPostgres()];
    await folder.publish('2026-11-20.01', { deals: rowsOfTable('deals', 3) });
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
    node.close();
    facilitator.close();
    await chain.close();
    await postgres.remove();
    await folder.remove();
  });

  /** Everything that a buyer and an operator can ask for, once. */
  const askEverything = async (name: string, server: Planted, payments: string[]): Promise<void> => {
    const payment = payments.pop() ?? '';
    const sold = await call(name, `${server.url}/api/deals`, { 'PAYMENT-SIGNATURE': payment });
    await call(name, `${server.url}/health`);
    await call(name, `${server.url}/status`, { Accept: 'text/html' });
    await call(name, `${server.url}/api/meta`);
    await call(name, `${server.url}/api/deals`);
    await call(name, `${server.url}/api/deals`, { Accept: 'text/html' });
    await call(name, `${server.url}/api/deals`, { 'PAYMENT-SIGNATURE': payment });
    await call(name, `${server.url}/api/deals`, { 'PAYMENT-SIGNATURE': 'nonsense' });
    const { nonce } = (
      JSON.parse(Buffer.from(payment, 'base64').toString('utf8')) as { payload: { authorization: { nonce: string } } }
    ).payload.authorization;
    const url = `${server.url}/api/purchases/${sold?.headers.get('Receipt-Id') ?? nonce}`;
    await call(name, url);
    await call(name, url, { 'SIGN-IN-WITH-X': await buyer.signIn(url) });
    await call(name, server.metrics);
  };

  for (const mode of ['facilitator', 'self'] as const) {
    it(`are in no answer and in no log line of a server in ${mode} mode, whatever fails`, async () => {
      const healthy = await serverWith(`${mode}, healthy`, env(mode));
      assert.match(healthy.out, /^listening/m, healthy.out);
      const asked = await call(`${mode}, healthy`, `${healthy.url}/api/deals`);
      assert.equal(asked?.status, 402, `${await asked?.text()} ${healthy.out}`);
      const payments = await Promise.all(Array.from({ length: 32 }, () => buyer.sign(`${healthy.url}/api/deals`)));
      if (mode === 'facilitator') {
        // A settlement of unknown outcome, which is looked up while the node fails.
        Object.assign(facilitator, { fault: '500', only: '/settle' });
        const unknown = await call(`${mode}, settlement lost`, `${healthy.url}/api/deals`, {
          'PAYMENT-SIGNATURE': payments.pop() ?? '',
        });
        assert.equal(unknown?.status, 502);
        Object.assign(facilitator, { fault: 'none', only: '' });
      }
      const faulty = [
        ...(mode === 'facilitator' ? [['facilitator', facilitator] as const] : []),
        ['node', node],
      ] as const;
      for (const [service, target] of faulty) {
        for (const fault of FAULTS) {
          const name = `${mode}, ${service}: ${fault}`;
          // It was healthy at its start, and it starts with the fault.
          target.fault = fault;
          await call(name, `${healthy.url}/api/deals`, { 'PAYMENT-SIGNATURE': payments.pop() ?? '' });
          const server = await serverWith(name, env(mode));
          await askEverything(name, server, payments);
          target.fault = 'none';
          for (const end of running.splice(1)) await end();
        }
      }
      assert.ok(node.faultCount > 10, 'the node was asked while it failed');
      assert.ok(
        heard.some(({ text }) => /"unresolved":[1-9]/.test(text)),
        'a settlement of unknown outcome was looked up meanwhile',
      );
      assertNothingIsSaid();
    });
  }

  it('are in no answer and in no log line when the database goes', async () => {
    const server = await serverWith('database stopped', env('facilitator'));
    const payments = await Promise.all([1, 2].map(() => buyer.sign(`${server.url}/api/deals`)));
    await postgres.stop('immediate');
    try {
      await askEverything('database stopped', server, payments);
      const late = await serverWith('database away at the start', env('facilitator'));
      assert.equal(await late.ended, 1);
      assert.match(late.out, /^LEDGER is a PostgreSQL database, which is unavailable: /);
    } finally {
      await postgres.start();
    }
    for (const end of running.splice(0)) await end();
    assertNothingIsSaid();
  });

  it('are in no message of a server that does not start', async () => {
    const wrong: [string, Record<string, string>, RegExp][] = [
      [
        'a node that is none',
        { RPC_URL: 'ftp://planted.example/planted' },
        /^RPC_URL is not shown, expected the URL of a Base node/,
      ],
      ['a facilitator that is none', { FACILITATOR_URL: 'planted' }, /^FACILITATOR_URL is not shown, expected/],
      [
        'a ledger that is none',
        { LEDGER: 'mysql://planted:planted@planted/planted' },
        /^LEDGER is not shown, expected/,
      ],
      [
        'an authorization that is none',
        { FACILITATOR_AUTHORIZATION: 'Bearer planted-é' },
        /^FACILITATOR_AUTHORIZATION is not shown/,
      ],
      ['a secret that is too short', { CURSOR_SECRET: 'planted' }, /^CURSOR_SECRET is not shown/],
      [
        'a wrong password',
        { LEDGER: ledger.replace('planted-password-7736', 'planted-wrong') },
        /^LEDGER is a PostgreSQL database, which cannot be used: /,
      ],
      [
        'no such database',
        { LEDGER: ledger.replace('planted_base_', 'planted_none_') },
        /^LEDGER is a PostgreSQL database, which cannot be used: /,
      ],
    ];
    for (const [name, change, message] of wrong) {
      const server = await serverWith(name, { ...env('facilitator'), ...change });
      assert.equal(await server.ended, 1, name);
      assert.match(server.out, message, name);
    }
    for (const end of running.splice(0)) await end();
    assertNothingIsSaid();
  });
});
