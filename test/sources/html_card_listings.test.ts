/** Broker sites with HTML cards: all pages of the list are read, as many cards as the site states. */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import buckeye from '../../sandbox/sources/listings/buckeye_income_property/source.ts';
import { quarantined, readFrom, type Answer } from './site_double.ts';

const card = (id: string): string =>
  `<article class="property" data-property="${id}"><h2><a href="/properties/${id}">${id} Elm St</a></h2>
  <p class="property__place">Akron, OH 44301</p><p class="property__price">$100,000</p>
  <ul><li class="units">4 units</li></ul><time datetime="2026-11-01">Listed</time></article>`;

interface List {
  /** Number of cards on each page. */
  readonly pages: readonly number[];
  /** Text in which each page states the count. */
  readonly countText: string;
}

/** A site whose list has these pages, each linked to the next. */
const listOf =
  ({ pages, countText }: List) =>
  (url: URL): Answer => {
    const number = Number(url.searchParams.get('page'));
    const cards = Array.from({ length: pages[number - 1] ?? 0 }, (_, i) => card(`bk${number}-${i}`)).join('');
    const next = number < pages.length ? `<a rel="next" href="/properties?page=${number + 1}">Next</a>` : '';
    const count = `<p class="results-count">${countText}</p>`;
    return `<html><body>${count}${cards}<nav class="pages">${next}</nav></body></html>`;
  };

test('a site that states 42 listings and shows 41 is quarantined', async () => {
  await assert.rejects(
    readFrom(buckeye, listOf({ pages: [20, 20, 1], countText: 'Showing 1-20 of 42' })),
    quarantined('count_mismatch', /states 42 listings, its pages hold 41/u),
  );
});

test('a page with cards and without a count is a changed template', async () => {
  await assert.rejects(
    readFrom(buckeye, listOf({ pages: [20], countText: 'Many listings' })),
    quarantined('template_changed', /no number of listings/u),
  );
});
