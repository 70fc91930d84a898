/** Broker sites: how the whole list is read, and what one broken page does to it. */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { SourceUnavailable } from '../../sources/contract.ts';
import heartland from '../../sandbox/sources/listings/heartland_multifamily.ts';
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
