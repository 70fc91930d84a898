/** Documents at well-known places, and what a link to a page shows: complete, cached, and true. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import robotsParserModule, { type Robot } from 'robots-parser';
import { discoveryDocuments } from '../../../api/docs/documents.ts';
import { PROBLEM_PATH, problemDocument, PROBLEMS, type Reason } from '../../../api/http/problem.ts';
import { MCP_PATH } from '../../../api/docs/openapi.ts';
import { PREVIEW_SIZE } from '../../../api/site/assets.ts';
import { allPages, PAGES } from '../../../api/site/pages/all.ts';
import { BASE } from '../../../lib/network.ts';
import { PAY_TO, PUBLIC_URL, startApp, sharedApp } from '../support/test_app.ts';

/** The module's types say that its default export is an object. */
const parseRobots = robotsParserModule as unknown as (url: string, text: string) => Robot;

const EMAIL = 'ops@dealfeed.example';
const NOW = Date.parse('2026-11-20T15:30:00Z');

interface Link {
  readonly href: string;
  readonly type: string;
}
interface Linkset {
  readonly linkset: readonly ({ readonly anchor: string } & Readonly<Record<string, readonly Link[] | string>>)[];
}
interface AgentCard {
  readonly supportedInterfaces: { url: string; protocolBinding: string; protocolVersion: string }[];
  readonly skills: { id: string; description: string; tags: string[]; outputModes: string[] }[];
}

describe('the documents for catalogs and crawlers', () => {
  // Without a snapshot: no document depends on one.
  const shared = sharedApp(undefined, { contactEmail: EMAIL, nowMs: () => NOW });
  const get = (path: string, init?: RequestInit): Promise<Response> => fetch(shared.app.url + path, init);
  const json = async <T>(path: string): Promise<T> => (await (await get(path)).json()) as T;
  it('have a page at the type of every problem, the changelog, and an entry for the MCP registry', async () => {
    for (const [reason, { title, status }] of Object.entries(PROBLEMS)) {
      const { type } = problemDocument(reason as Reason, '', { billed: false, instance: 'x' });
      const response = await get(new URL(type, shared.app.url).pathname);
      assert.equal(response.status, 200, type);
      assert.ok((await response.text()).startsWith(`${title}\n\nStatus ${status}, reason ${reason}.`), type);
    }
    assert.equal(await (await get('/changelog')).text(), readFileSync('CHANGELOG.md', 'utf8'));
    const { name, description, remotes } = await json<Readonly<Record<string, unknown>>>('/server.json');
    assert.deepEqual(
      [name, remotes],
      ['example.dealfeed.api/dealfeed', [{ type: 'streamable-http', url: `${PUBLIC_URL}/mcp` }]],
    );
    // The registry's rules.
    assert.match(String(name), /^[a-zA-Z0-9.-]{1,180}\/[a-zA-Z0-9._-]{1,19}$/u);
    assert.ok(String(description).length <= 100, String(description));
  });

  const pages = (): Promise<[path: string, text: string][]> =>
    Promise.all(
      PAGES.map(async ({ path }): Promise<[string, string]> => [
        path,
        await (await get(path, { headers: { Accept: 'text/html' } })).text(),
      ]),
    );

  it('have a media type, a cache time and a validator, also for HEAD', async () => {
    const { routes } = shared.app.app;
    const table = discoveryDocuments({ routes, publicUrl: PUBLIC_URL, payTo: PAY_TO, network: BASE, email: EMAIL });
    assert.deepEqual(
      table.map(({ path }) => path).filter((path) => !path.startsWith(PROBLEM_PATH)),
      [
        '/openapi.json',
        '/llms.txt',
        '/skill.md',
        '/changelog',
        '/server.json',
        '/.well-known/x402',
        '/.well-known/api-catalog',
        '/.well-known/agent-card.json',
        '/.well-known/security.txt',
        '/robots.txt',
        '/sitemap.xml',
        '/favicon.svg',
        '/favicon.ico',
        '/site/preview.png',
      ],
    );
    for (const { path, type } of table) {
      const response = await get(path);
      assert.equal(response.status, 200, path);
      assert.ok((response.headers.get('Content-Type') ?? '').startsWith(type), path);
      assert.equal(response.headers.get('X-Content-Type-Options'), 'nosniff', path);
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

  it('security.txt expires half a year after today, and is 404 without an address', async () => {
    const text = await (await get('/.well-known/security.txt')).text();
    assert.equal(
      text,
      `Contact: mailto:${EMAIL}\nExpires: 2027-05-19T00:00:00Z\nPreferred-Languages: en\n` +
        `Canonical: ${PUBLIC_URL}/.well-known/security.txt\n`,
    );
    const silent = await startApp(shared.folder.path, { snapshots: shared.app.snapshots });
    try {
      assert.equal((await fetch(`${silent.url}/.well-known/security.txt`)).status, 404);
    } finally {
      await silent.close();
    }
  });

  it('the API catalog links to descriptions of the types that it states, and names itself', async () => {
    const self = `<${PUBLIC_URL}/.well-known/api-catalog>; rel="api-catalog"`;
    assert.equal((await get('/.well-known/api-catalog', { method: 'HEAD' })).headers.get('Link'), self);
    const { linkset } = await json<Linkset>('/.well-known/api-catalog');
    const [catalog, api, mcp] = linkset;
    assert.deepEqual(catalog?.['item'], [
      { href: api?.anchor, title: 'Dealfeed over HTTP' },
      { href: mcp?.anchor, title: 'Dealfeed over MCP' },
    ]);
    for (const relation of ['service-desc', 'service-doc', 'service-meta', 'status']) assert.ok(api?.[relation]);
    const links = linkset.slice(1).flatMap((context) => Object.values(context).filter((v) => typeof v === 'object'));
    for (const { href, type } of links.flat() as Link[]) {
      const response = await get(href.replace(PUBLIC_URL, ''), { headers: { Accept: type } });
      // A problem document if it needs a snapshot.
      assert.ok([200, 503].includes(response.status), href);
      const sent = response.headers.get('Content-Type') ?? '';
      if (response.ok) assert.equal(sent.split(';')[0], type, href);
    }
  });

  it('the agent card has the required fields of A2A 1.0, and a skill with its price for each call', async () => {
    const card = await json<AgentCard & Record<string, unknown>>('/.well-known/agent-card.json');
    for (const name of ['name', 'description', 'version', 'capabilities', 'defaultInputModes', 'defaultOutputModes'])
      assert.ok(card[name], name);
    assert.deepEqual(
      card.supportedInterfaces.map(({ url }) => url),
      [PUBLIC_URL + MCP_PATH],
    );
    const routes = shared.app.app.routes.filter(({ path }) => path.startsWith('/api/'));
    assert.deepEqual(
      card.skills.map(({ id }) => id),
      routes.map(({ name }) => name),
    );
    for (const [i, { price }] of routes.entries()) {
      const { description = '', tags = [], outputModes = [] } = card.skills[i] ?? {};
      assert.equal(/Costs \$([\d.]+\d)\b/u.exec(description)?.[1] ?? null, price);
      assert.deepEqual([tags.length, tags[1]], [2, price === null ? 'free' : 'paid']);
      assert.ok(outputModes.length > 0);
    }
  });

  it('robots.txt allows the pages and the API, and the sitemap lists every page', async () => {
    const robots = parseRobots(`${PUBLIC_URL}/robots.txt`, await (await get('/robots.txt')).text());
    for (const path of ['/', '/reference', '/openapi.json', '/api/deals'])
      assert.equal(robots.isAllowed(PUBLIC_URL + path, 'SomeBot'), true, path);
    for (const path of ['/api/purchases/1', '/sandbox/wallet'])
      assert.equal(robots.isAllowed(PUBLIC_URL + path, 'SomeBot'), false, path);
    assert.deepEqual(robots.getSitemaps(), [`${PUBLIC_URL}/sitemap.xml`]);
    const sitemap = await (await get('/sitemap.xml')).text();
    assert.deepEqual(
      [...sitemap.matchAll(/<loc>([^<]+)<\/loc>/gu)].map(([, url]) => url),
      allPages(shared.app.app.routes).map(({ path }) => PUBLIC_URL + path),
    );
  });

  it('every page has a title, a description, an image and an icon for links to it', async () => {
    for (const [path, text] of await pages()) {
      const property = (name: string): string | undefined =>
        new RegExp(`<meta property="og:${name}" content="([^"]+)"`, 'u').exec(text)?.[1];
      const { title = '', about = '' } = PAGES.find((page) => page.path === path) ?? {};
      assert.ok(property('title')?.startsWith(title), path);
      assert.equal(property('description'), about.replaceAll("'", '&#39;'), path);
      assert.equal(property('url'), PUBLIC_URL + path);
      assert.equal(property('image'), `${PUBLIC_URL}/site/preview.png`);
      assert.deepEqual([property('image:width'), property('image:height')], ['1200', '630']);
      assert.match(text, /<link rel="icon" href="\/favicon\.ico" sizes="32x32"/u);
    }
    const error = await (await get('/nowhere', { headers: { Accept: 'text/html' } })).text();
    assert.match(error, /og:image"/u);
    assert.doesNotMatch(error, /og:url"/u);
  });

  it('the images have the type and the size that pages state', async () => {
    const bytes = async (path: string): Promise<Buffer> => Buffer.from(await (await get(path)).arrayBuffer());
    const preview = await bytes('/site/preview.png');
    assert.equal(preview.subarray(1, 4).toString(), 'PNG');
    assert.deepEqual({ width: preview.readUInt32BE(16), height: preview.readUInt32BE(20) }, PREVIEW_SIZE);
    assert.ok(preview.length < 100_000);
    const icon = await bytes('/favicon.ico');
    assert.deepEqual([icon.readUInt16LE(0), icon.readUInt16LE(2), icon.readUInt16LE(4)], [0, 1, 1]);
    const image = icon.subarray(icon.readUInt32LE(18));
    assert.deepEqual([image.length, image.subarray(1, 4).toString()], [icon.readUInt32LE(14), 'PNG']);
    assert.equal(image.readUInt32BE(16), icon.readUInt8(6));
  });

  it('/ names them in its headers and in its answer to programs, and every address that it names exists', async () => {
    const response = await get('/', { headers: { Accept: '*/*' } });
    const linked = [...(response.headers.get('Link') ?? '').matchAll(/<([^>]+)>/gu)].map(([, path]) => path ?? '');
    assert.deepEqual(linked, ['/.well-known/api-catalog', '/openapi.json', '/llms.txt']);
    const index = (await response.json()) as Record<string, string>;
    const named = Object.values(index).filter((value) => value.startsWith(PUBLIC_URL));
    assert.equal(named.length, Object.keys(index).length - 1);
    for (const path of [...linked, ...named.map((url) => url.replace(PUBLIC_URL, ''))])
      assert.notEqual((await get(path)).status, 404, path);
  });
});
