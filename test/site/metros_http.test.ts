/** Pages of deals and metros over HTTP: figures of the same deals, and nothing that is sold. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MIN_DEALS } from '../../api/site/metro_figures.ts';
import { PAGES } from '../../api/site/pages/all.ts';
import { METRO_PAGES } from '../../api/site/pages/metro.ts';
import { sharedApp } from '../api/support/test_app.ts';
import { rowOf } from '../api/support/snapshot_fixtures.ts';

const asPage = { headers: { Accept: 'text/html' } };

describe('figures of a metro', () => {
  const deal = (n: number, claimed: string | null, facts: Record<string, unknown> = {}) =>
    rowOf('deals', n, {
      metro: 'Cleveland',
      listing_status: 'active',
      rental_status: 'Pass',
      underwrite_reliability: 'ok',
      address: `${n} Sample St`,
      city: 'Cleveland',
      state: 'OH',
      list_price: `${n}00000.00`,
      units: n,
      deal_score: n,
      cap_rate: claimed,
      cap_rate_derived: null,
      cap_rate_underwritten: claimed === null ? '3.00' : '7.00',
      cap_gap_pct: claimed === null ? null : '1.00',
      ...facts,
    });
  const claims = (n: number, first = 1, facts = {}) =>
    Array.from({ length: n }, (_, i) => deal(first + i, '8.00', facts));

  const detroit = { metro: 'Detroit', city: 'Detroit', state: 'MI', cap_rate: '9.99' };
  const shared = sharedApp({
    deals: [...claims(MIN_DEALS), deal(40, null), ...claims(MIN_DEALS - 1, 50, detroit)],
  });
  /** Text of a page without markup. */
  const textOf = async (path: string): Promise<string> =>
    (await (await fetch(shared.app.url + path, asPage)).text()).replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');

  it('are of the same deals: those with a claim and an underwriting', async () => {
    assert.match(await textOf('/coverage'), / Cleveland 11 0 to 9 10 8\.00% 7\.00% \+1\.00 pts /);
    const cleveland = await textOf('/metros/cleveland');
    assert.match(cleveland, / same 10 deals.* 8\.00% Underwritten 7\.00% /);
  });

  it('have no medians below the least number of deals, which would show those of single deals', async () => {
    assert.match(await textOf('/coverage'), / Detroit 9 0 to 9 – none – none – none – none /);
    assert.doesNotMatch(await textOf('/metros/detroit'), /7\.00%/);
    assert.doesNotMatch(await textOf('/metros'), /Detroit[^%]*9\.99%/);
  });

  it('are on a page with its own title for a link, in the sitemap; a place without a page is 404', async () => {
    const page = await (await fetch(`${shared.app.url}/metros/cleveland`, asPage)).text();
    assert.match(page, /property="og:title" content="Cleveland, OH: advertised and underwritten cap rates · Dealfeed"/);
    assert.equal((await fetch(`${shared.app.url}/metros/nowhere`, asPage)).status, 404);
    const sitemap = await (await fetch(`${shared.app.url}/sitemap.xml`)).text();
    for (const { path } of [...PAGES, ...METRO_PAGES]) assert.ok(sitemap.includes(`${path}</loc>`), path);
  });

  it('a deal of the free index has a card with its fields, and no figure that is sold', async () => {
    const cards = await textOf('/deals');
    assert.match(
      cards,
      / \$1,000,000 10 \/100 10 Sample St Cleveland, OH 10 units, \$100,000 each 8\.00% cap rate adv/,
    );
    assert.doesNotMatch(cards, /7\.00%|1\.00 pts/);
    const { records } = (await (await fetch(`${shared.app.url}/api/deals/ids`)).json()) as {
      records: { id: string }[];
    };
    const page = await (await fetch(`${shared.app.url}/deals`, asPage)).text();
    for (const { id } of records) assert.ok(page.includes(`/api/deals/${id}/report`), id);
  });

  it('cards after the first dozen are folded, and open without a script', async () => {
    const page = await (await fetch(`${shared.app.url}/deals`, asPage)).text();
    const [shown = '', folded = ''] = page.split('<details class="others">');
    const cardsIn = (text: string): number => text.split('<li class="tile deal">').length - 1;
    assert.deepEqual([cardsIn(shown), cardsIn(folded)], [12, 2 * MIN_DEALS - 12]);
    assert.match(folded, /^\s*<summary>Show 8 more deals<\/summary>/);
    assert.doesNotMatch(await (await fetch(`${shared.app.url}/deals?metro=detroit`, asPage)).text(), /class="others"/);
  });

  it('a metro without deals and records states that, and offers no query', async () => {
    const omaha = await textOf('/metros/omaha');
    assert.match(omaha, / Kinds of records 0 none is read yet /);
    assert.doesNotMatch(omaha, /We read its public records|has the same as JSON|Query deals|can be compared/);
  });

  it('filters of the free index keep the deals that match all of them', async () => {
    const streets = async (query: string): Promise<string[]> =>
      [...(await textOf(`/deals?${query}`)).matchAll(/\/100 (\d+) Sample St/g)].map(([, n = '']) => n);
    assert.deepEqual(await streets('metro=cleveland&min_score=8&max_price=900000'), ['9', '8']);
    assert.deepEqual(await streets('min_units=58&metro=&min_price='), ['58']);
    assert.deepEqual(await streets('metro=detroit&max_price=1'), []);
    assert.equal((await streets('metro=detroit&utm_source=x')).length, MIN_DEALS - 1);
    const refused = await textOf('/deals?min_score=101');
    assert.match(refused, /min_score is &quot;101&quot;, expected .* No filter is applied\./);
  });
});
