/** Caching of free responses: the same bytes for the same request, and never those of another snapshot. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sharedApp } from '../support/test_app.ts';
import { buyerWith } from '../support/buyers.ts';
import { rowsOfTable } from '../support/snapshot_fixtures.ts';

interface Sent {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const OF_ONE_RESPONSE = ['x-request-id', 'date', 'transfer-encoding', 'content-length'];

const send = async (url: string, headers: Readonly<Record<string, string>> = {}): Promise<Sent> => {
  const response = await fetch(url, { headers });
  const own = [...response.headers].filter(([name]) => !OF_ONE_RESPONSE.includes(name));
  return { status: response.status, headers: Object.fromEntries(own), body: await response.text() };
};

const PATHS = '/api/meta /api/deals/ids /ohio/api/meta /openapi.json /llms.txt /prices / /site/style.css'.split(' ');

describe('a free response', () => {
  const shared = sharedApp({ deals: rowsOfTable('deals', 40), leads: rowsOfTable('leads', 3) });

  it('is the same when repeated, in every encoding, and answers 304 to its ETag', async () => {
    const { url } = shared.app;
    for (const path of PATHS) {
      for (const encoding of ['identity', 'gzip', 'br']) {
        const headers = { 'Accept-Encoding': encoding, Accept: 'text/html' };
        const [first, second] = [await send(url + path, headers), await send(url + path, headers)];
        assert.equal(first.status, 200, path);
        assert.equal(first.headers['content-encoding'], encoding === 'identity' ? undefined : encoding, path);
        assert.deepEqual(second, first);
        // A lead in /api/meta may be sold at any time.
        if (path.includes('/api/'))
          assert.equal(
            first.headers['cache-control'],
            path === '/api/meta' ? 'public, no-cache' : 'public, max-age=60',
          );
        // Node's fetch adds no-cache to a request with If-None-Match.
        for (const control of ['no-cache', 'max-age=0']) {
          const etags = `"other", ${first.headers['etag']}`;
          const again = await send(url + path, { ...headers, 'If-None-Match': etags, 'Cache-Control': control });
          assert.equal(again.status, 304, `${path} ${control}`);
        }
      }
    }
  });

  it('does not count a lead that was sold since it was cached', async () => {
    const { url } = shared.app;
    const available = async (): Promise<number> => {
      const meta = JSON.parse((await send(`${url}/api/meta`)).body) as Record<
        string,
        { coverage: { available_leads: number } }
      >;
      return meta['leads_feed']?.coverage.available_leads ?? assert.fail();
    };
    assert.deepEqual([await available(), await available()], [3, 3]);
    assert.equal((await buyerWith().fetch(`${url}/api/leads/exclusive`)).status, 200);
    assert.equal(await available(), 2);
  });

  it('is the only response that a shared cache may keep', async () => {
    const { url } = shared.app;
    for (const path of ['/api/deals', '/api/nothing', '/api/meta?x=1']) {
      const { headers } = await send(url + path);
      assert.deepEqual([headers['cache-control'], headers['etag']], ['no-store', undefined], path);
    }
    const sold = await buyerWith().fetch(`${url}/api/deals`);
    await sold.arrayBuffer();
    assert.match(sold.headers.get('Cache-Control') ?? '', /private/);
    assert.equal(sold.headers.get('ETag'), null);
  });
});
