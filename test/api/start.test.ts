/** A server that is still loading its snapshot keeps who comes early waiting, and answers. */
import assert from 'node:assert/strict';
import { createServer, type AddressInfo } from 'node:net';
import { it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { serve } from '../../api/serve.ts';
import { readServerSettings } from '../../api/settings.ts';
import { dataFolder, rowsOfTable } from './snapshots_made.ts';

const freePort = (): Promise<number> => new Promise((resolve) => {
  const probe = createServer().listen(0, '127.0.0.1', () => {
    const { port } = probe.address() as AddressInfo;
    probe.close(() => { resolve(port); });
  });
});

it('a request that comes while the snapshot loads is answered from it', async () => {
  const folder = await dataFolder();
  await folder.publish('2026-11-20.01', { deals: rowsOfTable('deals', 3) });
  const port = await freePort();
  // Nobody is there to settle: free answers need nobody.
  const nobody = `http://127.0.0.1:${await freePort()}`;
  const { settings, payments } = readServerSettings({
    DATA_DIR: folder.path, PORT: String(port), PAYMENTS: 'facilitator', PAY_TO: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    PUBLIC_BASE_URL: `http://localhost:${port}`, FACILITATOR_URL: nobody, RPC_URL: nobody,
  });
  let serving = false;
  const starting = serve({ settings, payments }).then((server) => { serving = true; return server; });
  try {
    const early = await (async () => {
      for (;;) {
        const sentBefore = !serving;
        const response = await fetch(`http://127.0.0.1:${port}/api/deals/ids`).catch(() => null);
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
