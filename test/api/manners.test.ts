/** How the server behaves towards caches, browsers, proxies and those who ask too much. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startApp, type Started } from './apps_started.ts';
import { bodyOf, buyerWith } from './buyers.ts';
import { dataFolder, rowsOfTable, type DataFolder } from './snapshots_made.ts';

describe('free answers', () => {
  let folder: DataFolder;
  let started: Started;
  const free = ['/api/meta', '/api/deals/ids', '/ohio/api/meta', '/openapi.json', '/llms.txt', '/.well-known/x402'];

  before(async () => {
    folder = await dataFolder();
    await folder.publish('2026-11-20.01', { deals: rowsOfTable('deals', 2) });
    started = await startApp(folder.path);
  });
  after(async () => {
    await started.close();
    await folder.remove();
  });

  it('may be kept for a minute, and are not sent again to who has them', async () => {
    for (const path of free) {
      const first = await fetch(started.url + path);
      const etag = first.headers.get('ETag') ?? '';
      assert.match(etag, /^W\/"[\w-]{22}"$/, path);
      assert.equal(first.headers.get('Cache-Control'), 'public, max-age=60', path);
      await first.arrayBuffer();
      const again = await fetch(started.url + path, { headers: { 'If-None-Match': etag, 'Cache-Control': '' } });
      assert.equal(again.status, 304, path);
      assert.equal(await again.text(), '');
    }
  });

  it('have another tag under another snapshot, and each its own', async () => {
    const tags = async (): Promise<string[]> => Promise.all(['/api/meta', '/api/deals/ids', '/ohio/api/meta'].map(async (p) => (await fetch(started.url + p)).headers.get('ETag') ?? ''));
    const old = await tags();
    await folder.publish('2026-11-20.02', { deals: rowsOfTable('deals', 2) });
    await started.snapshots.look();
    const now = await tags();
    assert.equal(new Set([...old, ...now]).size, 6);
  });

  it('are the only ones that anybody may keep', async () => {
    for (const path of ['/api/deals', '/api/nothing', '/api/meta?x=1']) {
      const response = await fetch(started.url + path);
      await bodyOf(response);
      assert.equal(response.headers.get('Cache-Control'), 'no-store', path);
      assert.equal(response.headers.get('ETag'), null, path);
    }
    const sold = await buyerWith().fetch(`${started.url}/api/deals`);
    await sold.arrayBuffer();
    assert.match(sold.headers.get('Cache-Control') ?? '', /private/);
    assert.equal(sold.headers.get('ETag'), null);
  });
});
