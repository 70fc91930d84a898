/** The reference over HTTP: complete, by construction from routes and records; short; and true. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { codeExamples } from '../../api/docs/code_examples.ts';
import { PROBLEMS } from '../../api/http/problem.ts';
import { templateOf } from '../../api/routes/define.ts';
import { allPages } from '../../api/site/pages/all.ts';
import { CALLS } from '../../api/site/pages/reference/enums.ts';
import { modelOf } from '../../api/site/pages/reference/model.ts';
import { endpointPath, enumsPath, SEARCH_PATH } from '../../api/site/pages/reference/paths.ts';
import { fieldPath, RECORDS } from '../../api/site/pages/reference/records.ts';
import { BASE } from '../../lib/network.ts';
import { PUBLIC_URL, startSharedApp, type SharedApp } from '../api/support/test_app.ts';
import { rowsOfTable } from '../api/support/snapshot_fixtures.ts';
import { brokenLinks, idsIn, plainText, readReference, unescaped } from './reference_pages.ts';

const MAX_BYTES = 60_000;

describe('the reference', () => {
  let shared: SharedApp;
  let pages: ReadonlyMap<string, string>;
  const routes = () => shared.app.app.routes;
  const get = (path: string): Promise<Response> => fetch(shared.app.url + path, { headers: { Accept: 'text/html' } });
  const pageAt = (path: string): string => pages.get(path) ?? assert.fail(`there is no page ${path}`);

  before(async () => {
    shared = await startSharedApp({ deals: rowsOfTable('deals', 3), reports: rowsOfTable('reports', 3) });
    pages = await readReference(shared.app.url, routes());
  });
  after(() => shared.close());

  it('has a page for each operation with its price, parameters, fields, examples, a sample and its reasons', () => {
    const { endpoints } = modelOf(routes());
    assert.deepEqual(
      new Set(endpoints.flatMap(({ route }) => (route ? [route.name] : []))),
      new Set(routes().map(({ name }) => name)),
    );
    for (const { href, path, route, price, params, bodies, outcomes } of endpoints) {
      const markup = pageAt(href);
      const text = plainText(markup);
      assert.ok(text.includes(` ${path} `) && text.includes(`GET, ${price}`), href);
      for (const { name, about } of params) assert.ok(text.includes(name) && text.includes(about), `${href}: ${name}`);
      for (const { rows, sameAs } of bodies)
        for (const field of rows) assert.ok(sameAs ?? text.includes(field.about), `${href}: ${field.path}`);
      for (const reason of outcomes.flatMap(({ reasons }) => reasons))
        assert.ok(text.includes(reason), `${href}: ${reason}`);
      if (!route) continue;
      const shown = [...markup.matchAll(/<pre[^>]*><code>([^<]*)</gu)].map(([, code = '']) => unescaped(code));
      for (const { label } of codeExamples(route, { publicUrl: PUBLIC_URL, network: BASE.name }))
        assert.match(markup, new RegExp(`The call in ${label}`, 'u'), `${href}: ${label}`);
      assert.equal(shown.length, 4, `${href}: three examples and a sample`);
      for (const example of shown.slice(0, 3))
        assert.ok(example.includes(PUBLIC_URL + (path.split('{')[0] ?? '')), example);
      assert.match(shown[3] ?? '', route.media === undefined ? /^\{\n {2}"/u : /^id,/u, href);
    }
  });

  it('has each field of each record once, with its type, unit, meaning and absence rule', () => {
    for (const { name, definition } of RECORDS) {
      for (const { name: field, about, unit, absent } of definition.columns) {
        const [path = '', id = ''] = fieldPath(name, field).split('#');
        const row = new RegExp(`<tr role="row" id="${id}">(.*?)</tr>`, 'su').exec(pageAt(path))?.[1] ?? '';
        const text = plainText(row);
        assert.ok(text.includes(about), `${name}.${field} has its meaning on ${path}`);
        if (unit !== undefined) assert.ok(text.includes(`, ${unit}`), `${name}.${field}: ${text}`);
        assert.equal(text.includes('Null when'), absent !== undefined, `${name}.${field}: ${text}`);
        if (absent !== undefined) assert.ok(text.includes(absent), `${name}.${field}: ${text}`);
      }
    }
  });

  it('has each list of values once, and links each field with values to it', () => {
    const { enums } = modelOf(routes());
    const owners = [...RECORDS.map(({ name }) => name), CALLS].map(enumsPath);
    for (const { id, values } of enums.all) {
      const places = owners.filter((path) => idsIn(pageAt(path)).includes(id));
      assert.deepEqual(places, [enums.hrefOf(values).split('#')[0]], id);
      const section = new RegExp(`<section id="${id}"(.*?)</section>`, 'su').exec(pageAt(places[0] ?? ''))?.[1] ?? '';
      for (const value of values) assert.ok(section.includes(`<code>${value}</code>`), `${id}: ${value}`);
    }
    for (const { name, definition } of RECORDS) {
      for (const { name: field, values } of definition.columns.filter((column) => column.values)) {
        const [path = '', anchor = ''] = fieldPath(name, field).split('#');
        const row = new RegExp(`<tr role="row" id="${anchor}">(.*?)</tr>`, 'su').exec(pageAt(path))?.[1] ?? '';
        assert.ok(row.includes(`href="${enums.hrefOf(values ?? [])}"`), `${name}.${field}`);
      }
    }
  });

  it(`has no page above ${MAX_BYTES} bytes, no anchor twice, and no broken link`, () => {
    for (const [path, markup] of pages) {
      const bytes = Buffer.byteLength(markup);
      assert.ok(bytes <= MAX_BYTES, `${path} has ${bytes} bytes`);
      const ids = idsIn(markup);
      assert.equal(new Set(ids).size, ids.length, `${path}: ${ids.filter((id, i) => ids.indexOf(id) !== i).join(' ')}`);
    }
    assert.deepEqual(brokenLinks(pages), []);
    assert.equal(new Set(allPages(routes()).map(({ path }) => path)).size, allPages(routes()).length);
  });

  it('keeps the anchors of the former single page', () => {
    const ids = new Set(idsIn(pageAt('/reference')));
    for (const { path } of routes()) assert.ok(ids.has(path), path);
    for (const name of ['deal', 'deal_in_list', 'owner', 'problem', 'deals_response', 'lookup_miss'])
      assert.ok(ids.has(`schema-${name}`), name);
  });

  it('shows the terms that the 402 of the same call has', async () => {
    const shown = [...pageAt('/reference').matchAll(/<pre[^>]*><code>([^<]*)</gu)]
      .map(([, code = '']) => unescaped(code))
      .find((code) => code.includes('402 Payment Required'));
    const [, path = '', terms = ''] = /^GET (\S+) [^{]*(\{.*\})$/su.exec(shown ?? '') ?? [];
    const response = await fetch(shared.app.url + path);
    assert.equal(response.status, 402);
    const required = Buffer.from(response.headers.get('PAYMENT-REQUIRED') ?? '', 'base64').toString('utf8');
    const { extensions: _, ...actual } = JSON.parse(required) as Record<string, unknown>;
    assert.deepEqual(JSON.parse(terms), actual);
  });

  it('has every reason of an error', () => {
    const ids = new Set(idsIn(pageAt('/reference/errors')));
    for (const reason of Object.keys(PROBLEMS)) assert.ok(ids.has(reason), reason);
  });

  it('finds endpoints, records, fields, parameters, values and errors, the name itself first', async () => {
    for (const [query, href] of [
      ['/api/owners', '/reference/owners'],
      ['lead', '/reference/records/lead'],
      ['also_listed cap_rate', '/reference/records/deal#also_listed[].cap_rate'],
      ['deal score', '/reference/records/deal#deal_score'],
      ['min_cap', '/reference/deals#min_cap'],
      ['tax_deed_sale', '/reference/enums/auction#auction_type'],
      ['settlement_unknown', '/reference/errors#settlement_unknown'],
      ['collect a paid response', '/reference/collect'],
    ] as const) {
      const text = await (await get(`${SEARCH_PATH}?q=${encodeURIComponent(query)}`)).text();
      const [, first] = /<ol class="ref-results">\s*<li>\s*<a href="([^"]+)"/u.exec(text) ?? [];
      assert.equal(first, href, query);
      assert.deepEqual(brokenLinks(new Map([...pages, [SEARCH_PATH, text]])), []);
    }
  });

  it('answers a search without a match, without a word, and with markup in it', async () => {
    const found = async (query: string): Promise<string> =>
      (/<div id="found"[^>]*>(.*?)<\/div>/su.exec(await (await get(`${SEARCH_PATH}?q=${query}`)).text()) ?? [])[1] ??
      '';
    assert.match(await found('xyzzy'), /No results for “xyzzy”/u);
    assert.doesNotMatch(await found(''), /No results for/u);
    const typed = encodeURIComponent('"><img src=x onerror=alert(1)>');
    const text = await (await get(`${SEARCH_PATH}?q=${typed}`)).text();
    assert.ok(!text.includes('<img') && text.includes('&lt;img'));
    assert.equal((await get(`${SEARCH_PATH}?q=${'a'.repeat(1_500)}`)).status, 200);
  });

  it('shows the answer of this snapshot for a free call', () => {
    const [id = ''] = /9b0e|[0-9a-f]{8}-[0-9a-f]{4}-/u.exec(pageAt(endpointPath({ name: 'deal_ids' }))) ?? [];
    assert.notEqual(id, '');
    assert.match(pageAt(endpointPath({ name: 'deal_ids' })), /From the current snapshot/u);
    assert.match(pageAt(endpointPath({ name: 'deals' })), /Made from sample records/u);
    assert.ok(routes().some((route) => templateOf(route).includes('{')));
  });
});
