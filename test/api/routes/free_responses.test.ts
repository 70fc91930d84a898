/** Caching of free responses: the same bytes for the same request, and never those of another snapshot. */
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { before, describe, it } from 'node:test';
import { sharedApp } from '../support/test_app.ts';
import { buyerWith } from '../support/buyers.ts';
import { rowsOfTable } from '../support/snapshot_fixtures.ts';

interface Sent {
  readonly status: number;
  readonly headers: Record<string, unknown>;
  readonly body: Buffer;
}

/** A response as it is on the wire. */
const send = (url: string, headers: Record<string, string> = {}): Promise<Sent> =>
  new Promise((resolve, reject) => {
    request(url, { headers }, (response) => {
      const chunks: Buffer[] = [];
      response
        .on('data', (chunk: Buffer) => {
          chunks.push(chunk);
        })
        .on('end', () => {
          const {
            'x-request-id': _,
            date: __,
            'transfer-encoding': ___,
            'content-length': ____,
            ...own
          } = response.headers;
          resolve({ status: response.statusCode ?? 0, headers: own, body: Buffer.concat(chunks) });
        });
    })
      .on('error', reject)
      .end();
  });

const PATHS = [
  '/api/meta',
  '/api/deals/ids',
  '/ohio/api/meta',
  '/openapi.json',
  '/llms.txt',
  '/prices',
  '/',
  '/site/style.css',
];

describe('a free response', () => {
  const shared = sharedApp({ deals: rowsOfTable('deals', 40), leads: rowsOfTable('leads', 3) });
  let url: string;

  before(async () => {
    ({ url } = shared.app);
  });
  it('is the same the second time, in every encoding, and 304 for its ETag', async () => {
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
        for (const control of ['no-cache', 'max-age=0', '']) {
          const etags = `"other", ${String(first.headers['etag'])}`;
          const again = await send(url + path, { ...headers, 'If-None-Match': etags, 'Cache-Control': control });
          assert.equal(again.status, 304, `${path} ${control}`);
        }
      }
    }
  });

  it('does not count a lead that was sold since it was cached', async () => {
    const available = async (): Promise<number> =>
      (
        JSON.parse((await send(`${url}/api/meta`)).body.toString()) as {
          leads_feed: { coverage: { available_leads: number } };
        }
      ).leads_feed.coverage.available_leads;
    assert.deepEqual([await available(), await available()], [3, 3]);
    assert.equal((await buyerWith().fetch(`${url}/api/leads/exclusive`)).status, 200);
    assert.equal(await available(), 2);
  });

  it('is the only response that a shared cache may keep', async () => {
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
