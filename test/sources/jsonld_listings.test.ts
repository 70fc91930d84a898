/** Broker sites: how the whole list is read, and what one broken page does to it. */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { SourceUnavailable } from '../../sources/contract.ts';
import heartland from '../../sandbox/sources/listings/heartland_multifamily/source.ts';
import { jsonLdListings } from '../../sources/families/jsonld/adapter.ts';
import { candidatesOf } from './parsed.ts';
import { quarantined, readFrom, type Answer } from './site_double.ts';

const jsonLd = (node: unknown): string =>
  `<html><head><script type="application/ld+json">${JSON.stringify(node)}</script></head></html>`;

const detail = (id: string): string =>
  jsonLd({
    '@context': 'https://schema.org',
    '@type': 'RealEstateListing',
    identifier: id,
    offers: { price: 100000 },
    about: {
      address: { streetAddress: `${id} Elm St`, addressLocality: 'Akron', addressRegion: 'OH', postalCode: '44301' },
    },
  });

/** A list of `count` cards, three a page, whose pages answer with `page(id)`. */
const cards =
  (count: number, page: (id: string) => Answer) =>
  (url: URL): Answer => {
    const id = /^\/listing\/([^/]+)\/x$/u.exec(url.pathname)?.[1];
    if (id !== undefined) return page(id);
    const at = Number(url.searchParams.get('page'));
    const shown = Array.from({ length: count }, (_, i) => `l${i}`).slice((at - 1) * 3, at * 3);
    const next = at * 3 < count ? `<link rel="next" href="/listings?page=${at + 1}">` : '';
    const links = shown.map((l) => `<a class="listing-card" href="/listing/${l}/x">${l}</a>`).join('');
    return `<html><head>${next}</head><body>${links}</body></html>`;
  };

test('a template that changed on all pages is detected after a few', async () => {
  const asked: string[] = [];
  await assert.rejects(
    readFrom(
      heartland,
      cards(30, (id) => {
        asked.push(id);
        return '<html>new design</html>';
      }),
    ),
    quarantined('template_changed'),
  );
  assert.equal(asked.length, 5);
  await assert.rejects(
    readFrom(heartland, () => '<html>new design</html>'),
    quarantined('template_changed', /listing-card/),
  );
});

test('a refusal ends the read at once', async () => {
  const asked: string[] = [];
  await assert.rejects(
    readFrom(
      heartland,
      cards(8, (id) => {
        asked.push(id);
        return id === 'l2' ? 429 : detail(id);
      }),
    ),
    (error) => error instanceof SourceUnavailable && error.reason === 'rate_limited',
  );
  assert.deepEqual(asked, ['l0', 'l1', 'l2']);
});

test('a list that links back to itself ends', async () => {
  const site = cards(2, detail);
  const { pages } = await readFrom(heartland, (url) =>
    url.pathname === '/listings'
      ? String(site(url)).replace('<head>', '<head><link rel="next" href="?page=1">')
      : site(url),
  );
  assert.equal(pages.length, 2);
});

/** A site whose search results have every field. */
const exchange = jsonLdListings({
  name: 'exchange',
  title: 'Exchange',
  host: 'www.exchange.example',
  terms: { basis: 'sandbox_only', note: 'Made up for this test.' },
  everyDays: 1,
  politeness: { minIntervalMs: 1000, concurrency: 1 },
  expect: { minRows: 1, maxRejectShare: 0.1, maxDropShare: 0.4 },
  list: {
    kind: 'item_list',
    start: '/search?start=0&count=50',
    offset: 'start',
    count: 'count',
    type: 'Residence',
  },
  paths: {
    listing_id: ['sku'],
    listing_url: ['url', '@id'],
    street: ['address.streetAddress'],
    city: ['address.addressLocality'],
    state: ['address.addressRegion'],
    zip: ['address.postalCode'],
    list_price: ['offers.price'],
    currency: ['offers.priceCurrency'],
    availability: ['offers.availability'],
    units: ['additionalProperty[Units]'],
    cap_rate: ['additionalProperty[Cap Rate]'],
    noi: ['additionalProperty[NOI]'],
    year_built: ['additionalProperty[Year Built]'],
    property_type: ['additionalProperty[Property Type]'],
    listed_on: ['datePosted'],
  },
});

/** Search results of `count` deals where the site says there are `total`. */
const results =
  (count: number, total = count) =>
  (url: URL): Answer => {
    const start = Number(url.searchParams.get('start'));
    const size = Number(url.searchParams.get('count'));
    const items = Array.from({ length: count }, (_, i) => i)
      .slice(start, start + size)
      .map((i) => ({
        '@type': 'ListItem',
        item: {
          '@type': ['Product', 'Residence'],
          sku: `d${i}`,
          address: { addressLocality: 'Tampa', addressRegion: 'FL', postalCode: '33602' },
        },
      }));
    return jsonLd({ '@graph': [{ '@type': 'ItemList', numberOfItems: total, itemListElement: items }] });
  };

test('results are read by offset up to the number the site states', async () => {
  const { pages, asked } = await readFrom(exchange, results(120));
  assert.deepEqual(
    asked.map((url) => new URL(url).searchParams.get('start')),
    ['0', '50', '100'],
  );
  assert.equal((await candidatesOf(exchange, pages)).length, 120);
  assert.equal((await readFrom(exchange, results(0))).pages.length, 1);
});

test('fewer results than the site states are not accepted as complete', async () => {
  await assert.rejects(readFrom(exchange, results(60, 120)), quarantined('count_mismatch', /120.*60/));
});
