/** The site as answers over HTTP: who gets a page, what is kept, what can never get in. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createApp } from '../../api/app.ts';
import { PAGES } from '../../api/site/pages/all.ts';
import { startApp, type Started } from '../api/support/test_app.ts';
import { dataFolder, rowOf, rowsOfTable, uuid, type DataFolder } from '../api/support/snapshot_fixtures.ts';

const HOSTILE = '<img src=x onerror=alert(1)>"\'&';
const asPage = { headers: { Accept: 'text/html' } };

let data: DataFolder;
let server: Started;
before(async () => {
  data = await dataFolder();
  server = await startApp(data.path);
});
after(async () => {
  await server.close();
  await data.remove();
});

describe('before there is a snapshot', () => {
  it('a page says so, with 503 and when to come back', async () => {
    const answer = await fetch(`${server.url}/coverage`, asPage);
    assert.equal(answer.status, 503);
    assert.equal(answer.headers.get('Retry-After'), '30');
    assert.match(await answer.text(), /No data yet/);
  });
});

describe('with a snapshot', () => {
  before(async () => {
    await data.publish('2026-11-20.01', {
      deals: [
        rowOf('deals', 1, {
          address: HOSTILE,
          city: HOSTILE,
          why_this_is_interesting: HOSTILE,
          listing_url: 'javascript:alert(1)',
          rent_area_name: HOSTILE,
        }),
      ],
      reports: [rowOf('reports', 1, { id: uuid(1) })],
      signals: rowsOfTable('signals', 2, () => ({ county: HOSTILE })),
      auctions: rowsOfTable('auctions', 1),
      leads: rowsOfTable('leads', 1),
      filings: rowsOfTable('filings', 1),
      sources: [rowOf('sources', 1, { title: HOSTILE, home: 'javascript:alert(1)', detail: HOSTILE, reason: 'bad' })],
      assumptions: rowsOfTable('assumptions', 3),
    });
    await server.snapshots.refresh();
  });

  it('/ is a page for who asks for one, and a small index for a program', async () => {
    const page = await fetch(server.url, asPage);
    assert.match(page.headers.get('Content-Type') ?? '', /^text\/html/);
    const index = await fetch(server.url, { headers: { Accept: '*/*' } });
    assert.match(index.headers.get('Content-Type') ?? '', /^application\/json/);
    assert.match(String(((await index.json()) as { start_here: string }).start_here), /\/api\/meta$/);
    for (const answer of [page, index]) assert.match(answer.headers.get('Vary') ?? '', /Accept/);
  });

  it('nothing of a public page becomes markup or an address of ours', async () => {
    for (const { path } of PAGES) {
      const text = await (await fetch(server.url + path, asPage)).text();
      assert.ok(!text.includes('<img'), path);
      assert.ok(!text.includes('javascript:alert(1)"'), path);
    }
    const typed = await (
      await fetch(`${server.url}/build?call=/api/deals&city=${encodeURIComponent(HOSTILE)}`, asPage)
    ).text();
    assert.ok(typed.includes('&lt;img') && !typed.includes('<img'));
  });

  it('every page has a policy that lets in nothing from elsewhere, and no style or script of its own', async () => {
    for (const { path } of PAGES) {
      const answer = await fetch(server.url + path, asPage);
      const policy = answer.headers.get('Content-Security-Policy') ?? '';
      assert.match(policy, /default-src 'none'/);
      assert.doesNotMatch(policy, /unsafe|\*|data:|https:/);
      assert.doesNotMatch(await answer.text(), / style="|<style|<script(?! src="\/site\/)| on\w+="/);
    }
  });

  it('a page is made once for a snapshot, named by its content, and not sent again to who has it', async () => {
    const first = await fetch(`${server.url}/coverage`, asPage);
    const etag = first.headers.get('ETag') ?? '';
    const again = await fetch(`${server.url}/coverage`, {
      headers: { ...asPage.headers, 'If-None-Match': etag, 'Cache-Control': '' },
    });
    assert.equal(again.status, 304);
    await data.publish('2026-11-20.02', {
      deals: rowsOfTable('deals', 7),
      sources: [rowOf('sources', 1)],
      assumptions: rowsOfTable('assumptions', 1),
    });
    await server.snapshots.refresh();
    const next = await fetch(`${server.url}/coverage`, {
      headers: { ...asPage.headers, 'If-None-Match': etag, 'Cache-Control': '' },
    });
    assert.equal(next.status, 200);
    assert.equal(next.headers.get('X-Snapshot-Id'), '2026-11-20.02');
  });

  it('an address of the API opened in a browser explains itself; status, headers and what a program gets stay', async () => {
    for (const [path, status, says] of [
      ['/api/deals', 402, /\$0\.05/],
      ['/nowhere', 404, /There is no \/nowhere here/],
      [`/api/deals?city=${encodeURIComponent(HOSTILE)}&x=${encodeURIComponent(HOSTILE)}`, 400, /Nothing was charged/],
    ] as const) {
      const [page, problem] = await Promise.all([fetch(server.url + path, asPage), fetch(server.url + path)]);
      assert.deepEqual([page.status, problem.status], [status, status]);
      assert.match(problem.headers.get('Content-Type') ?? '', /^application\/problem\+json/);
      assert.match(page.headers.get('Content-Type') ?? '', /^text\/html/);
      assert.equal(page.headers.has('PAYMENT-REQUIRED'), status === 402);
      const text = await page.text();
      assert.match(text, says);
      assert.ok(!text.includes('<img'), path);
    }
  });

  it('files beside the pages are kept for a year under an address that changes with them', async () => {
    const text = await (await fetch(server.url, asPage)).text();
    for (const [, address = ''] of text.matchAll(/"(\/site\/[^"]+)"/g)) {
      const file = await fetch(server.url + address);
      assert.equal(file.status, 200);
      assert.match(file.headers.get('Cache-Control') ?? '', /immutable/);
    }
  });
});

describe('where the money is real', () => {
  it('there is no test purchase: no page, no link, and none can be put in', async () => {
    assert.equal((await fetch(`${server.url}/sandbox/buy`, asPage)).status, 404);
    assert.equal((await fetch(`${server.url}/sandbox/buy`, { method: 'POST', body: 'call=/api/deals' })).status, 404);
    assert.doesNotMatch(await (await fetch(server.url, asPage)).text(), /sandbox\/buy/);
    const buyer = { address: '0x0', purchase: () => Promise.reject(new Error('never')) };
    assert.throws(
      () =>
        createApp({ payments: { mode: 'facilitator' }, sandboxBuyer: buyer } as unknown as Parameters<
          typeof createApp
        >[0]),
      /test money/,
    );
  });
});
