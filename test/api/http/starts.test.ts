/** A server with an invalid setting names it in one line; requests at its start and at its end are answered. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { readServerSettings } from '../../../api/settings.ts';
import { BASE, BASE_SEPOLIA } from '../../../lib/network.ts';
import { receiptKeyPath, PAY_TO } from '../support/receipt_key.ts';
import { serve, type ServeOptions } from '../../../api/http/serve.ts';
import { gracefulShutdown, limitedServer } from '../../../api/http/socket.ts';
import { dataFolder, rowsOfTable } from '../support/snapshot_fixtures.ts';

const real = {
  PAYMENTS: 'facilitator',
  PAY_TO,
  PUBLIC_BASE_URL: 'https://api.dealfeed.test',
  FACILITATOR_URL: 'https://facilitator.dealfeed.test',
  RPC_URL: 'https://base.dealfeed.test',
  RECEIPT_KEY_FILE: receiptKeyPath(),
};

const KEY = `0x${'1'.repeat(64)}`;
const self = { ...real, PAYMENTS: 'self' };

describe('settings of the server', () => {
  it('are optional: the default is a sandbox on port 4021', () => {
    const { settings, payments } = readServerSettings({});
    assert.equal(settings.PORT, 4021);
    assert.equal(payments.mode, 'sandbox');
  });

  it('are accepted for real money if complete', () => {
    const { payments } = readServerSettings({ ...real, NODE_ENV: 'production', FACILITATOR_AUTHORIZATION: 'Bearer t' });
    assert.deepEqual(payments, {
      mode: 'facilitator',
      payTo: PAY_TO,
      network: BASE,
      rpcUrl: 'https://base.dealfeed.test',
      facilitators: [{ url: 'https://facilitator.dealfeed.test', authorization: 'Bearer t' }],
    });
  });

  it('can name another network, and several facilitators, each with its authorization', () => {
    const { payments } = readServerSettings({
      ...real,
      NETWORK: 'eip155:84532',
      FACILITATOR_URL: 'https://one.dealfeed.test, https://two.dealfeed.test',
      FACILITATOR_AUTHORIZATION: '| Bearer t',
    });
    assert.ok(payments.mode === 'facilitator');
    assert.equal(payments.network, BASE_SEPOLIA);
    assert.deepEqual(payments.facilitators, [
      { url: 'https://one.dealfeed.test' },
      { url: 'https://two.dealfeed.test', authorization: 'Bearer t' },
    ]);
  });

  const wrong: [string, Record<string, string>, RegExp][] = [
    ['an invalid port', { PORT: '70000' }, /^PORT is "70000", expected a port$/],
    ['test money in production', { NODE_ENV: 'production' }, /^PAYMENTS is "sandbox", expected facilitator/],
    [
      'two facilitators and one authorization',
      {
        ...real,
        FACILITATOR_URL: 'https://a.dealfeed.test,https://b.dealfeed.test',
        FACILITATOR_AUTHORIZATION: 'Bearer t',
      },
      /^FACILITATOR_AUTHORIZATION is not shown, expected 2 authorizations, one for each URL of FACILITATOR_URL$/,
    ],
    ['no receiver', { ...real, PAY_TO: '' }, /^PAY_TO is not set, expected the address that receives the payments/],
    [
      'a public address without TLS',
      { ...real, PUBLIC_BASE_URL: 'http://api.dealfeed.test' },
      /^PUBLIC_BASE_URL is "http:\/\/api.dealfeed.test", expected an https URL/,
    ],
    ['no key', self, /^SETTLE_KEY is not set, expected a key/],
    [
      'a key that is none',
      { ...self, SETTLE_KEY: 'hunter2' },
      /^(?!.*hunter2)SETTLE_KEY is not shown, expected a key of 0x/,
    ],
    [
      'two keys',
      { ...self, SETTLE_KEY: KEY, SETTLE_KEY_FILE: 'x' },
      /^(?!.*1{9})SETTLE_KEY and SETTLE_KEY_FILE are both set/,
    ],
  ];
  for (const [name, env, message] of wrong) {
    it(`are refused with ${name}`, () => {
      assert.throws(() => readServerSettings(env), { name: 'SettingError', message });
    });
  }
});

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => {
        resolve(port);
      });
    });
  });

/** Settings of a server on its own port, without facilitator and node, which free responses do not need. */
async function settingsFor(dataDir: string): Promise<ServeOptions> {
  const port = await freePort();
  const unusedUrl = `http://127.0.0.1:${await freePort()}`;
  return readServerSettings({
    DATA_DIR: dataDir,
    PORT: String(port),
    PAYMENTS: 'facilitator',
    PAY_TO,
    PUBLIC_BASE_URL: `http://localhost:${port}`,
    FACILITATOR_URL: unusedUrl,
    RPC_URL: unusedUrl,
    RECEIPT_KEY_FILE: receiptKeyPath(),
  });
}

it('a request during startup waits for the snapshot', async () => {
  const folder = await dataFolder();
  await folder.publish('2026-11-20.01', { deals: rowsOfTable('deals', 3) }, { data: 'live' });
  const options = await settingsFor(folder.path);
  let isServing = false;
  const starting = serve(options).then((server) => {
    isServing = true;
    return server;
  });
  try {
    const early = await (async () => {
      for (;;) {
        const sentBefore = !isServing;
        const response = await fetch(`http://127.0.0.1:${options.settings.PORT}/api/deals/ids`).catch(() => null);
        if (response) return { response, sentBefore };
        await pause(1);
      }
    })();
    assert.ok(early.sentBefore, 'the first request reached the server after its start');
    assert.equal(early.response.status, 200);
    assert.equal(((await early.response.json()) as { count: number }).count, 3);
  } finally {
    await (await starting).close();
    await folder.remove();
  }
});

it('a client that keeps sending requests gets its last response with Connection: close', async () => {
  let stopped: Promise<void> | undefined;
  const server = limitedServer();
  const end = gracefulShutdown(server, 10_000);
  let requests = 0;
  server.on('request', (_request, response) => {
    requests += 1;
    if (requests === 3) stopped = end();
    setImmediate(() => {
      response.end('complete');
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const send = async (): Promise<{ text: string; connection: string | undefined }> => {
    const [response] = (await once(get({ port, host: '127.0.0.1', agent }), 'response')) as [IncomingMessage];
    return { text: (await response.setEncoding('utf8').toArray()).join(''), connection: response.headers.connection };
  };
  try {
    for (const connection of ['keep-alive', 'keep-alive', 'close'])
      assert.deepEqual(await send(), { text: 'complete', connection });
    assert.ok(stopped);
    await stopped;
    await assert.rejects(send, { code: 'ECONNREFUSED' });
  } finally {
    agent.destroy();
  }
});
