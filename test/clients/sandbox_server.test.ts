/** The lifetime of a sandbox server: its chain and its wallet file exist only while it runs. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { serve, type Serving } from '../../api/http/serve.ts';
import { readServerSettings } from '../../api/settings.ts';
import { bodyOf, buyerWith, fetchWithPayment } from '../api/support/buyers.ts';
import { dataFolder, rowOf, type DataFolder } from '../api/support/snapshot_fixtures.ts';

describe('a sandbox server', () => {
  let folder: DataFolder;
  before(async () => {
    folder = await dataFolder();
    await folder.publish('2026-11-20.01', { deals: [rowOf('deals', 1)] });
  });
  after(() => folder.remove());
  const start = (): Promise<Serving> => serve(readServerSettings({ DATA_DIR: folder.path, PORT: '0' }));

  it('responds with 503, not 402, if its chain is gone', async () => {
    const server = await start();
    const url = `${server.url}/api/deals`;
    const payment = await buyerWith(server.payments.sandbox?.buyer.privateKey).sign(url);
    await server.payments.sandbox?.chain.close();
    const response = await fetchWithPayment(url, payment);
    assert.equal(response.status, 503);
    assert.equal((await bodyOf(response))['reason'], 'payments_unavailable');
    await server.close();
  });

  it('stops its chain and removes its wallet file when it stops', async () => {
    const server = await start();
    const rpcUrl = server.payments.sandbox?.chain.rpcUrl ?? '';
    await server.close();
    await assert.rejects(fetch(rpcUrl));
    await assert.rejects(fetch(server.url));
    await assert.rejects(readFile(join(folder.path, 'sandbox', 'wallet.json')));
  });
});
