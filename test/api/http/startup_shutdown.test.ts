/** Requests during startup wait for the snapshot; requests during shutdown are completed. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { serve, type ServeOptions } from '../../../api/http/serve.ts';
import { readServerSettings } from '../../../api/settings.ts';
import { gracefulShutdown, limitedServer } from '../../../api/http/socket.ts';
import { dataFolder, rowsOfTable } from '../support/snapshot_fixtures.ts';
import { PAY_TO, receiptKeyPath } from '../support/receipt_key.ts';

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
