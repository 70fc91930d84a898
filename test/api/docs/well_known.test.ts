/** Documents at well-known places, and what a link to a page shows: complete, cached, and true. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import robotsParserModule, { type Robot } from 'robots-parser';
import { discoveryDocuments } from '../../../api/docs/documents.ts';
import { Problem, PROBLEM_PATH, problemDocument, PROBLEMS, type Reason } from '../../../api/http/problem.ts';
import { PREVIEW_SIZE } from '../../../api/site/assets.ts';
import { allPages, PAGES } from '../../../api/site/pages/all.ts';
import { BASE } from '../../../lib/network.ts';
import { PAY_TO, PUBLIC_URL, sharedApp } from '../support/test_app.ts';

/** The module's types say that its default export is an object. */
const parseRobots = robotsParserModule as unknown as (url: string, text: string) => Robot;

const EMAIL = 'ops@dealfeed.example';
const NOW = Date.parse('2026-11-20T15:30:00Z');

describe('the documents for catalogs and crawlers', () => {
  // Without a snapshot: no document depends on one.
  const shared = sharedApp(undefined, { settings: { CONTACT_EMAIL: EMAIL }, nowMs: () => NOW });
  const get = (path: string, init?: RequestInit): Promise<Response> => fetch(shared.app.url + path, init);
  const textOf = async (path: string, accept = '*/*'): Promise<string> =>
    (await get(path, { headers: { Accept: accept } })).text();

  it('include a page for every problem type, the changelog, and an entry for the MCP registry', async () => {
    for (const [reason, { title, status }] of Object.entries(PROBLEMS)) {
      const { type } = problemDocument(new Problem(reason as Reason, ''), 'x');
      const page = await textOf(new URL(type, shared.app.url).pathname);
      assert.ok(page.startsWith(`${title}\n\nStatus ${status}, reason ${reason}.`), type);
    }
    assert.equal(await textOf('/changelog'), readFileSync('CHANGELOG.md', 'utf8'));
    const entry = JSON.parse(await textOf('/server.json')) as Readonly<Record<string, unknown>>;
    assert.equal(entry['name'], 'example.dealfeed.api/dealfeed');
    assert.deepEqual(entry['remotes'], [{ type: 'streamable-http', url: `${PUBLIC_URL}/mcp` }]);
    assert.ok(String(entry['description']).length <= 100, 'the rule of the registry');
  });

  it('have a media type, a cache time and a validator, also for HEAD', async () => {
    const { routes } = shared.app.app;
    const table = discoveryDocuments({ routes, publicUrl: PUBLIC_URL, payTo: PAY_TO, network: BASE, email: EMAIL });
    const paths = table.map(({ path }) => path).filter((path) => !path.startsWith(PROBLEM_PATH));
    assert.deepEqual(
      paths.join(' '),
      '/openapi.json /llms.txt /skill.md /changelog /server.json /.well-known/x402 /.well-known/security.txt ' +
        '/robots.txt /sitemap.xml /favicon.svg /favicon.ico /site/preview.png',
    );
    for (const { path, type } of table) {
      const response = await get(path);
      assert.equal(response.status, 200, path);
      assert.ok((response.headers.get('Content-Type') ?? '').startsWith(type), path);
      assert.match(response.headers.get('Cache-Control') ?? '', /^public, max-age=\d{2,}$/u, path);
      const etag = response.headers.get('ETag') ?? '';
      assert.match(etag, /^W\/".{10,}"$/u, path);
      assert.ok((await response.arrayBuffer()).byteLength > 0, path);
      assert.equal((await get(path, { headers: { 'If-None-Match': etag } })).status, 304, path);
      const head = await get(path, { method: 'HEAD' });
      assert.deepEqual([head.status, head.headers.get('ETag'), await head.text()], [200, etag, ''], path);
      assert.equal((await get(path, { method: 'POST' })).status, 405, path);
    }
  });

  it('include a security.txt that expires half a year from today', async () => {
    assert.equal(
      await textOf('/.well-known/security.txt'),
      `Contact: mailto:${EMAIL}\nExpires: 2027-05-19T00:00:00Z\nPreferred-Languages: en\n` +
        `Canonical: ${PUBLIC_URL}/.well-known/security.txt\n`,
    );
  });

  it('include a robots.txt that allows the pages and the API, and a sitemap of every page', async () => {
    const robots = parseRobots(`${PUBLIC_URL}/robots.txt`, await textOf('/robots.txt'));
    for (const path of ['/', '/reference', '/openapi.json', '/api/deals'])
      assert.equal(robots.isAllowed(PUBLIC_URL + path, 'SomeBot'), true, path);
    for (const path of ['/api/purchases/1', '/sandbox/wallet'])
      assert.equal(robots.isAllowed(PUBLIC_URL + path, 'SomeBot'), false, path);
    assert.deepEqual(robots.getSitemaps(), [`${PUBLIC_URL}/sitemap.xml`]);
    assert.deepEqual(
      [...(await textOf('/sitemap.xml')).matchAll(/<loc>([^<]+)<\/loc>/gu)].map(([, url]) => url),
      allPages(shared.app.app.routes).map(({ path }) => PUBLIC_URL + path),
    );
  });

  it('give every page a title, a description, and a preview image of the stated size', async () => {
    for (const { path, title, about } of PAGES) {
      const text = await textOf(path, 'text/html');
      const property = (name: string): string | undefined =>
        new RegExp(`<meta property="og:${name}" content="([^"]+)"`, 'u').exec(text)?.[1];
      assert.ok(property('title')?.startsWith(title), path);
      assert.equal(property('description'), about.replaceAll("'", '&#39;'), path);
      assert.equal(property('url'), PUBLIC_URL + path);
      assert.equal(property('image'), `${PUBLIC_URL}/site/preview.png`);
      assert.deepEqual([property('image:width'), property('image:height')], ['1200', '630']);
    }
    const preview = Buffer.from(await (await get('/site/preview.png')).arrayBuffer());
    assert.equal(preview.subarray(1, 4).toString(), 'PNG');
    assert.deepEqual({ width: preview.readUInt32BE(16), height: preview.readUInt32BE(20) }, PREVIEW_SIZE);
  });

  it('are linked from / in its headers and its JSON, and every link works', async () => {
    const response = await get('/', { headers: { Accept: '*/*' } });
    const linked = [...(response.headers.get('Link') ?? '').matchAll(/<(\/[^>]+)>/gu)].map(([, path]) => path ?? '');
    assert.deepEqual(linked, ['/openapi.json', '/llms.txt']);
    const index = (await response.json()) as Record<string, string>;
    const named = Object.values(index).filter((value) => value.startsWith(PUBLIC_URL));
    assert.equal(named.length, Object.keys(index).length - 1);
    for (const path of [...linked, ...named.map((url) => url.replace(PUBLIC_URL, ''))])
      assert.notEqual((await get(path)).status, 404, path);
  });
});
