/** Who comes while a server still loads its snapshot waits and is answered; who is served while it ends is not cut off. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, get, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { serve, type ServeOptions } from '../../../api/http/serve.ts';
import { readServerSettings } from '../../../api/settings.ts';
import { gracefulShutdown, limitedServer } from '../../../api/http/socket.ts';
import { dataFolder, rowsOfTable } from '../support/snapshot_fixtures.ts';

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => {
        resolve(port);
      });
    });
  });

/** Settings of a server on a port of its own. Nobody is there to settle: free answers need nobody. */
async function settingsFor(dataDir: string): Promise<ServeOptions> {
  const port = await freePort();
  const nobody = `http://127.0.0.1:${await freePort()}`;
  return readServerSettings({
    DATA_DIR: dataDir,
    PORT: String(port),
    PAYMENTS: 'facilitator',
    PAY_TO: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    PUBLIC_BASE_URL: `http://localhost:${port}`,
    FACILITATOR_URL: nobody,
    RPC_URL: nobody,
  });
}

it('a request that comes while the snapshot loads is answered from it', async () => {
  const folder = await dataFolder();
  await folder.publish('2026-11-20.01', { deals: rowsOfTable('deals', 3) });
  const options = await settingsFor(folder.path);
  let serving = false;
  const starting = serve(options).then((server) => {
    serving = true;
    return server;
  });
  try {
    const early = await (async () => {
      for (;;) {
        const sentBefore = !serving;
        const response = await fetch(`http://127.0.0.1:${options.settings.PORT}/api/deals/ids`).catch(() => null);
        if (response) return { response, sentBefore };
        await pause(1);
      }
    })();
    assert.ok(early.sentBefore, 'the first request to reach the server came after it had started: this shows nothing');
    assert.equal(early.response.status, 200);
    assert.equal(((await early.response.json()) as { count: number }).count, 3);
  } finally {
    await (await starting).close();
    await folder.remove();
  }
});

it('a client that never pauses gets the answer it asked for, and a server that ends tells it to go', async () => {
  let ended: Promise<void> | undefined;
  const server = limitedServer();
  const end = gracefulShutdown(server, 10_000);
  let asked = 0;
  server.on('request', (_request, response) => {
    asked += 1;
    if (asked === 3) ended = end();
    setImmediate(() => {
      response.end('whole');
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = async (): Promise<{ text: string; connection: string | undefined }> => {
    const [answer] = (await once(get({ port, host: '127.0.0.1', agent }), 'response')) as [IncomingMessage];
    return { text: (await answer.setEncoding('utf8').toArray()).join(''), connection: answer.headers.connection };
  };
  try {
    for (const connection of ['keep-alive', 'keep-alive', 'close'])
      assert.deepEqual(await ask(), { text: 'whole', connection });
    assert.ok(ended);
    await ended;
    await assert.rejects(ask, { code: 'ECONNREFUSED' });
  } finally {
    agent.destroy();
  }
});

it('a connection that was promised to be kept is closed once its answer is whole', async () => {
  // Neither its own patience nor the cut at the end can close it before the test is given up.
  const server = limitedServer();
  server.keepAliveTimeout = 3_600_000;
  const end = gracefulShutdown(server, 3_600_000);
  const begun = once(server, 'request');
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  try {
    const asked = once(get({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', agent }), 'response');
    const [, response] = (await begun) as [IncomingMessage, ServerResponse];
    response.write('first ');
    const [answer] = (await asked) as [IncomingMessage];
    assert.equal(answer.headers.connection, 'keep-alive');
    const ended = end();
    response.end('and last');
    assert.equal((await answer.setEncoding('utf8').toArray()).join(''), 'first and last');
    await ended;
  } finally {
    agent.destroy();
  }
});
