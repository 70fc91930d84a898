/** The site over HTTP: content negotiation, caching, escaping and the content security policy. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { createApp } from '../../api/app.ts';
import { allPages, PAGES } from '../../api/site/pages/all.ts';
import { sha256 } from '../../lib/files.ts';
import { bySize } from '../../models/calibration/accuracy.ts';
import { archivePage, loseBody, replaceBody } from '../lib/archive_files.ts';
import { sharedApp } from '../api/support/test_app.ts';
import { changeManifest, rowOf, rowsOfTable, uuid } from '../api/support/snapshot_fixtures.ts';

const HOSTILE = '<img src=x onerror=alert(1)>"\'&';
const asPage = { headers: { Accept: 'text/html' } };
/** An archived page that attacks its reader, and its hash. */
const PAGE = `<script>alert(1)</script><title>List</title><p>11 Main St &lt;img src=x onerror=x&gt;${HOSTILE}`;
const PAGE_HASH = sha256(PAGE);

const shared = sharedApp();

/** Text of a page without markup. */
const textOf = async (path: string): Promise<string> =>
  (await (await fetch(shared.app.url + path, asPage)).text()).replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');

describe('without a snapshot', () => {
  it('a page is 503 with Retry-After', async () => {
    const response = await fetch(`${shared.app.url}/coverage`, asPage);
    assert.equal(response.status, 503);
    assert.equal(response.headers.get('Retry-After'), '30');
  });
});

describe('with a snapshot', () => {
  before(async () => {
    await shared.folder.publish('2026-11-20.01', {
      deals: [
        rowOf('deals', 1, {
          address: HOSTILE,
          city: HOSTILE,
          why_this_is_interesting: HOSTILE,
          listing_url: 'javascript:alert(1)',
          rent_area_name: HOSTILE,
          source: 'a_broker',
          page_sha256: PAGE_HASH,
        }),
      ],
      reports: [rowOf('reports', 1, { id: uuid(1) })],
      signals: rowsOfTable('signals', 2, () => ({ county: HOSTILE })),
      auctions: rowsOfTable('auctions', 1),
      leads: rowsOfTable('leads', 1),
      filings: rowsOfTable('filings', 1),
      sources: [
        rowOf('sources', 1, { title: HOSTILE, home: 'javascript:alert(1)', detail: HOSTILE, reason: 'bad' }),
        rowOf('sources', 2, { source: 'a_broker', terms_show_pages: 'Made up for this test.' }),
      ],
      assumptions: rowsOfTable('assumptions', 3),
      coverage: [
        rowOf('coverage', 1, { metro: HOSTILE, kind: 'tax_lien', status: 'partly_covered', listed_rows: 1234 }),
        rowOf('coverage', 2, { metro: 'Detroit', kind: 'blight_judgment', oldest_read: '2026-11-18T12:00:00Z' }),
        rowOf('coverage', 3, { metro: 'Detroit', kind: 'condemned', status: 'not_covered', why: 'No list.' }),
        rowOf('coverage', 4, { metro: 'Detroit', kind: 'tax_sale', status: 'not_covered', why: 'No list.' }),
      ],
    });
    await shared.app.snapshots.refresh();
  });

  it('/ is a page for Accept: text/html, and an index of the API otherwise', async () => {
    const page = await fetch(shared.app.url, asPage);
    assert.match(page.headers.get('Content-Type') ?? '', /^text\/html/);
    const index = await fetch(shared.app.url, { headers: { Accept: '*/*' } });
    assert.match(index.headers.get('Content-Type') ?? '', /^application\/json/);
    assert.match(String(((await index.json()) as { start_here: string }).start_here), /\/api\/meta$/);
    for (const response of [page, index]) assert.match(response.headers.get('Vary') ?? '', /Accept/);
  });

  it('text of a public page never becomes markup or a link', async () => {
    for (const { path } of [...PAGES, { path: '/metros/detroit' }]) {
      const text = await (await fetch(shared.app.url + path, asPage)).text();
      assert.ok(!text.includes('<img src=x'), path);
      assert.ok(!text.includes('javascript:alert(1)"'), path);
    }
    const typed = await (
      await fetch(`${shared.app.url}/build?call=/api/deals&city=${encodeURIComponent(HOSTILE)}`, asPage)
    ).text();
    assert.ok(typed.includes('&lt;img') && !typed.includes('<img'));
  });

  it('coverage has a mark for each metro and kind, with the sources or the reason behind it', async () => {
    const page = await (await fetch(`${shared.app.url}/coverage`, asPage)).text();
    const marks = [...page.matchAll(/<a href="([^"#]*)#([^"]+)" aria-label="([^"]+)">/gu)];
    assert.deepEqual(
      marks.filter(([, path]) => path === '/metros/detroit').map(([, , anchor, mark]) => `${anchor} ${mark}`),
      ['sources not read', 'sources all', 'sources not read'],
    );
    for (const [, path = '', anchor = ''] of marks) {
      const behind = await (await fetch(`${shared.app.url}${path === '' ? '/coverage' : path}`, asPage)).text();
      assert.ok(behind.includes(` id="${anchor}"`), path);
    }
    const detroit = await textOf('/metros/detroit');
    assert.match(detroit, / 2 kinds we do not read, and why Condemned No list\. Tax sale No list\. /);
  });

  it('the page about scores compares with owners, 2 to 4 units first, and the home page has its error', async () => {
    const [small] = bySize('owners');
    const scores = await textOf('/scores');
    const row = ['2 to 4 units', small?.n, small?.held_out?.toFixed(2)].join(' ');
    assert.ok(scores.includes(row), row);
    const error = Math.round(((small?.held_out ?? NaN) - 1) * 100);
    assert.match(await textOf('/'), new RegExp(`2 to 4 units: Dealfeed ${Math.abs(error)}% too`));
  });

  it('an archived page that the example report cites is text with its hash, and its bytes are a file', async () => {
    const address = `${shared.app.url}/report/pages/${PAGE_HASH}`;
    assert.equal((await fetch(address, asPage)).status, 404, 'without an archive');
    await archivePage(shared.folder.path, PAGE, {
      source: 'a_broker',
      url: 'javascript:alert(1)',
      responseHeaders: { 'content-type': 'text/html' },
    });
    const page = await fetch(address, asPage);
    assert.equal(page.status, 200);
    assert.match(page.headers.get('Content-Security-Policy') ?? '', /default-src 'none'/);
    const text = await page.text();
    assert.ok(text.includes(PAGE_HASH) && text.includes('11 Main St &lt;img'), text);
    assert.ok(!text.includes('<img') && !text.includes('alert(1)</script') && !text.includes('"javascript:'));
    const bytes = await fetch(`${address}/bytes`);
    assert.equal(sha256(await bytes.text()), PAGE_HASH);
    assert.equal(bytes.headers.get('Content-Type'), 'application/octet-stream');
    assert.equal(bytes.headers.get('X-Content-Type-Options'), 'nosniff');
    assert.match(bytes.headers.get('Content-Security-Policy') ?? '', /^sandbox; default-src 'none'$/);
    assert.match(bytes.headers.get('Content-Disposition') ?? '', /^attachment/);

    replaceBody(shared.folder.path, PAGE_HASH, 'other bytes');
    const damaged = await fetch(`${address}/bytes`);
    assert.equal(damaged.status, 500);
    assert.doesNotMatch(await damaged.text(), /other bytes/);
    loseBody(shared.folder.path, PAGE_HASH);
    assert.equal((await fetch(`${address}/bytes`)).status, 404);
  });

  it('no other page of the archive can be reached', async () => {
    const other = await archivePage(shared.folder.path, 'another page');
    for (const name of [other, `${PAGE_HASH.slice(1)}0`, '..%2f..%2fcurrent', PAGE_HASH.toUpperCase(), '%00'])
      for (const path of [name, `${name}/bytes`]) {
        const response = await fetch(`${shared.app.url}/report/pages/${path}`);
        assert.equal(response.status, 404, path);
        assert.doesNotMatch(await response.text(), /another page$/);
      }
  });

  it('every page has a policy without other origins, nothing inline, and at most 60 kB with its files', async () => {
    const bytesOf = async (path: string): Promise<Buffer> =>
      Buffer.from(await (await fetch(shared.app.url + path, asPage)).arrayBuffer());
    const files = new Set((await bytesOf('/')).toString('utf8').match(/(?<=")\/site\/[^"]+(?=")/g));
    let ofFiles = 0;
    for (const path of files) {
      const bytes = await bytesOf(path);
      ofFiles += path.includes('woff2') ? bytes.length : gzipSync(bytes).length;
    }
    assert.ok(files.size >= 3 && ofFiles > 10_000);
    for (const { path } of allPages(shared.app.app.routes)) {
      const response = await fetch(shared.app.url + path, asPage);
      const policy = response.headers.get('Content-Security-Policy') ?? '';
      assert.match(policy, /default-src 'none'/);
      assert.doesNotMatch(policy, /unsafe|\*|data:|https:/);
      const text = await response.text();
      assert.doesNotMatch(text, / style="|<style|<script(?! src="\/site\/)| on\w+="/);
      if (path.startsWith('/reference')) continue;
      const size = gzipSync(text).length + ofFiles;
      assert.ok(size <= 60_000, `${path} needs ${size} bytes`);
    }
  });

  it('a page is cached per snapshot, and 304 for its ETag', async () => {
    const first = await fetch(`${shared.app.url}/coverage`, asPage);
    const etag = first.headers.get('ETag') ?? '';
    const again = await fetch(`${shared.app.url}/coverage`, {
      headers: { ...asPage.headers, 'If-None-Match': etag },
    });
    assert.equal(again.status, 304);
    const published = await shared.folder.publish('2026-11-20.02', {
      deals: rowsOfTable('deals', 7),
      sources: [
        rowOf('sources', 1),
        rowOf('sources', 2, { source: 'unread', status: 'never_read', freshness: 'never_read', last_good_at: null }),
      ],
      assumptions: rowsOfTable('assumptions', 1),
    });
    const read = { family: 'tax', resale: 'unknown', last_good_at: null };
    await changeManifest(published, (manifest) =>
      Object.assign(manifest, { sources: [{ ...read, source: 'unread', history: '=x==.'.repeat(18) }] }),
    );
    await shared.app.snapshots.refresh();
    const next = await fetch(`${shared.app.url}/coverage`, {
      headers: { ...asPage.headers, 'If-None-Match': etag },
    });
    assert.equal(next.status, 200);
    assert.equal(next.headers.get('X-Snapshot-Id'), '2026-11-20.02');
  });

  it('the status page is written for buyers, without operator terms', async () => {
    const page = await (await fetch(`${shared.app.url}/status`, asPage)).text();
    const text = page.replaceAll(/<[^>]*>|\s+/gu, ' ');
    assert.match(text, /Buying +(works|paused)/u);
    assert.match(text, /1 more not read yet/u);
    assert.match(page, /aria-label="Read on 54 days, failed on 18"/u);
    assert.doesNotMatch(text, /quarantine|staged|degraded/iu);
  });

  it('every county in a form is accepted by the call', async () => {
    const form = await (await fetch(`${shared.app.url}/build?call=/api/deals`, asPage)).text();
    const [list = ''] = /<select id="f-county".*?<\/select>/su.exec(form) ?? [];
    for (const [, county = ''] of list.matchAll(/<option value="([^"]+)"/gu)) {
      const query = new URLSearchParams({ call: '/api/deals', county }).toString();
      const page = await (await fetch(`${shared.app.url}/build?${query}`, asPage)).text();
      assert.match(page, /<div id="problems"><\/div>/u, county);
    }
  });

  it('an API error is a page in a browser, with the same status and headers as for a program', async () => {
    for (const [path, status, pattern] of [
      ['/api/deals', 402, /\$0\.05/],
      ['/nowhere', 404, /action="\/search"/],
      [`/api/deals?city=${encodeURIComponent(HOSTILE)}&x=${encodeURIComponent(HOSTILE)}`, 400, /Nothing was charged/],
    ] as const) {
      const [page, problem] = await Promise.all([fetch(shared.app.url + path, asPage), fetch(shared.app.url + path)]);
      assert.deepEqual([page.status, problem.status], [status, status]);
      assert.match(problem.headers.get('Content-Type') ?? '', /^application\/problem\+json/);
      assert.match(page.headers.get('Content-Type') ?? '', /^text\/html/);
      assert.equal(page.headers.has('PAYMENT-REQUIRED'), status === 402);
      const text = await page.text();
      assert.match(text, pattern);
      assert.ok(!text.includes('<img'), path);
    }
  });

  it('assets are cached for a year under a URL that changes with their content', async () => {
    const text = await (await fetch(shared.app.url, asPage)).text();
    const addresses = [...text.matchAll(/"(\/site\/[^"]+)"/g)].map(([, address = '']) => address);
    const names = addresses.map((address) => address.replace(/\?v=.*/, ''));
    const files = ['geist.woff2', 'style.css', 'enhance.js', 'us-dark.svg', 'us-light.svg'];
    assert.deepEqual(
      names,
      files.map((name) => `/site/${name}`),
    );
    for (const address of addresses) {
      const file = await fetch(shared.app.url + address);
      assert.equal(file.status, 200);
      assert.match(file.headers.get('Cache-Control') ?? '', /immutable/);
    }
    const style = await (await fetch(`${shared.app.url}/site/style.css`)).text();
    assert.ok(style.includes(`url("${addresses[0] ?? ''}")`), 'the font that is preloaded is the one that is used');
  });
});

describe('with real money', () => {
  it('there can be no test wallet', () => {
    assert.throws(
      () => createApp({ payments: { mode: 'facilitator', sandbox: {} } } as unknown as Parameters<typeof createApp>[0]),
      /test money/,
    );
  });
});
