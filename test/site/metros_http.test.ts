/** Pages of deals, metros and the search over HTTP, without scripts: what they show, and nothing that is sold. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { parse } from 'csv-parse/sync';
import { MIN_DEALS } from '../../api/site/place_figures.ts';
import { metroMap } from '../../api/site/map/metro_map.ts';
import { PAGES } from '../../api/site/pages/all.ts';
import { METRO_PAGES } from '../../api/site/pages/metros.ts';
import { METROS } from '../../api/site/map/metros.ts';
import { METRO_NAMES } from '../../models/metros.ts';
import { sharedApp } from '../api/support/test_app.ts';
import { rowOf, uuid } from '../api/support/snapshot_fixtures.ts';
import { plainText, unescaped } from './markup.ts';

import bases from '../../api/site/map/bases.json' with { type: 'json' };

const asPage = { headers: { Accept: 'text/html' } };
const MAX_BYTES = 60_000;
const COUNTY = 'Cuyahoga County, OH';
const ZIPS = ['44102', '44104', '44105', '44107'];
const DEALS = 120;
const PARCEL = 60;

/** Deals of Cleveland, the first ones with the highest score, so that the fifty of the index are the first fifty. */
const deal = (n: number) =>
  rowOf('deals', n, {
    metro: 'Cleveland',
    county: COUNTY,
    city: n % 4 === 3 ? 'Lakewood' : 'Cleveland',
    state: 'OH',
    zip: ZIPS[n % 4],
    address: `${n} Sample St`,
    listing_status: 'active',
    rental_status: 'Pass',
    underwrite_reliability: 'ok',
    report_status: n === 2 ? 'no_underwriting' : 'available',
    list_price: `${100 + n}000.00`,
    units: 2 + (n % 5),
    deal_score: 100 - (n % 101),
    cap_rate: n === 4 ? null : '8.11',
    cap_rate_underwritten: '6.93',
    cap_gap_pct: n === 4 ? null : '1.18',
    geo_basis: n === 1 ? 'parcel_layer' : 'zip_centroid',
    latitude: '41.48000',
    longitude: '-81.70000',
  });
const place = (n: number, given: Record<string, unknown>) =>
  rowOf('places', n, {
    state: 'OH',
    county: COUNTY,
    county_fips: '39035',
    metro: 'Cleveland',
    has_listings: true,
    ...given,
  });

describe('the free pages', () => {
  const shared = sharedApp({
    deals: [
      ...Array.from({ length: DEALS }, (_, i) => deal(i + 1)),
      ...Array.from({ length: MIN_DEALS - 1 }, (_, i) =>
        rowOf('deals', 500 + i, {
          ...deal(500 + i),
          metro: 'Detroit',
          city: 'Detroit',
          state: 'MI',
          zip: '48201',
          deal_score: 0,
        }),
      ),
    ],
    metro_days: [
      rowOf('metro_days', 1, { as_of: '2026-11-19', compared: 9, cap_rate_asked: '6.93', deals: 9, auctions_ahead: 3 }),
      rowOf('metro_days', 2, { compared: 10, cap_rate_asked: '8.11', cap_rate_underwritten: '6.93', new_deals: 12 }),
    ],
    places: [
      ...ZIPS.map((zip, i) => place(i, { zip, city: i === 3 ? 'Lakewood' : 'Cleveland' })),
      place(9, { zip: null, city: null }),
    ],
  });
  const pageAt = async (path: string, status = 200): Promise<string> => {
    const response = await fetch(shared.app.url + path, asPage);
    assert.equal(response.status, status, path);
    return response.text();
  };
  const textOf = async (path: string): Promise<string> => plainText(await pageAt(path));
  const indexed = async (): Promise<{ id: string; address: string; list_price: string }[]> =>
    (
      (await (await fetch(`${shared.app.url}/api/deals/ids`)).json()) as {
        records: { id: string; address: string; list_price: string }[];
      }
    ).records;

  it('show at most the fifty deals of the index, whatever links are followed', async () => {
    const free = await indexed();
    const [seen, streets, deals] = [new Set<string>(), new Set<string>(), new Set<string>()];
    const open = ['/', '/search?q=Sample', '/search?q=44102'];
    while (open.length > 0) {
      const path = open.pop() ?? '';
      if (seen.has(path)) continue;
      seen.add(path);
      const response = await fetch(shared.app.url + path, asPage);
      if (!response.headers.get('Content-Type')?.startsWith('text/html')) continue;
      const page = await response.text();
      assert.ok(Buffer.byteLength(page) <= MAX_BYTES, `${path} has ${Buffer.byteLength(page)} bytes`);
      for (const [, street = ''] of page.matchAll(/(\d+ Sample St)/gu)) streets.add(street);
      for (const [, id = ''] of page.matchAll(/"\/deals\/([0-9a-f-]{36})"/gu)) deals.add(id);
      // The reference and the archive have no deals, and other tests read them.
      for (const [, href = ''] of page.matchAll(/ href="(\/[^"#]*)/gu))
        if (/^\/(?:deals|metros|build|search|coverage|prices|status|report)?(?:[/?]|$)/u.test(href))
          open.push(unescaped(href));
    }
    assert.ok(seen.size > 80, `${seen.size} pages`);
    assert.deepEqual([...deals].sort(), free.map(({ id }) => id).sort());
    assert.deepEqual([...streets].sort(), free.map(({ address }) => address).sort());
  });

  it('show no figure of a paid deal, and rounded medians of at least ten deals', async () => {
    const pages = ['/', '/deals', '/metros', '/metros/cleveland', `/deals/${uuid(1)}`, '/search?q=Sample'];
    for (const path of pages) assert.doesNotMatch(await textOf(path), /6\.93|1\.18/u, path);
    assert.match(await textOf('/metros/cleveland'), /Advertised by brokers 8\.00% Supported by rents 7\.00%/u);
    assert.match(await textOf('/metros'), / Cleveland, OH 100 to 249 50 8\.00% 7\.00% /u);
    assert.match(await textOf('/metros'), / Detroit, MI 1 to 9 /u);
    assert.match(await textOf('/metros/detroit'), new RegExp(`Fewer than ${MIN_DEALS} deals here`, 'u'));
  });

  it('show the trend of a metro in ranges and steps, without a median of few deals', async () => {
    const page = await textOf('/metros/cleveland');
    assert.match(page, / 2026-11-20 8\.00% 7\.00% 10 to 24 under 10 2026-11-19 under 10 /u);
  });

  it('show the ranges of the free count for a metro, each of its counties, and each of its ZIPs', async () => {
    const rangeOf = async (query: string): Promise<string> => {
      const { matches } = (await (await fetch(`${shared.app.url}/api/count/deals?${query}`)).json()) as {
        matches: { at_least: number; at_most: number };
      };
      return `${matches.at_least} to ${matches.at_most}`;
    };
    const page = await textOf('/metros/cleveland');
    assert.ok(page.includes(`${await rangeOf('metro=Cleveland')} small apartment buildings for sale`), page);
    assert.ok(page.includes(` ${COUNTY} ${await rangeOf(`county=${encodeURIComponent(COUNTY)}`)} `), page);
    for (const zip of ZIPS) assert.ok(page.includes(`${zip} All ${await rangeOf(`zip=${zip}`)} deals`), zip);
  });

  it('link the circles of a metro to its list, and keep its filters in the URL', async () => {
    const page = await pageAt('/metros/cleveland?min_price=100%2C000&max_price=105000&min_units=3');
    for (const [, zip = ''] of page.matchAll(/<a href="#z(\d{5})"/gu)) assert.ok(page.includes(`id="z${zip}"`), zip);
    assert.equal(page.split('<a href="#z').length - 1, ZIPS.length);
    const streets = [...page.matchAll(/<span>(\d+) Sample St/gu)].map(([, n]) => n);
    assert.deepEqual(streets.sort(), ['1', '2', '3', '4']);
    assert.ok(
      page.includes('metro=Cleveland&amp;min_price=100000&amp;max_price=105000&amp;min_units=3'),
      'the paid list',
    );
    assert.match(page, /<title>1 Sample St, Cleveland, at its parcel/u);
    assert.doesNotMatch(page, /<title>4 Sample St, [A-Za-z]+, at its parcel/u);
    const refused = await textOf('/metros/cleveland?min_score=101');
    assert.match(refused, /“Score from” is "101", expected .* No filter is applied\./u);
    assert.equal((await pageAt('/metros/cleveland?min_score=101')).split('<li class="deal">').length, 51);
  });

  it('include a page of each free deal with its card and one button; another deal is 404', async () => {
    const page = await pageAt(`/deals/${uuid(1)}`);
    assert.match(plainText(page), /\$101,000 99 \/100 Cleveland, OH 3 units at \$33,667, 8\.11% cap rate advertised/u);
    assert.deepEqual(
      [...page.matchAll(/<a href="([^"]+)" class="button"/gu)].map(([, href]) => href),
      [`/api/deals/${uuid(1)}/report`],
    );
    assert.match(page, /og:title" content="1 Sample St, Cleveland · Dealfeed"/u);
    assert.doesNotMatch(await pageAt(`/deals/${uuid(2)}`), /class="button"/u);
    for (const id of [uuid(PARCEL), uuid(9999), 'x']) await pageAt(`/deals/${id}`, 404);
  });

  it('find a metro, a city, a ZIP, a county and a free deal by a part of the name, and no other deal', async () => {
    const linksOf = async (asked: string): Promise<string[]> => {
      const [, found = ''] = (await pageAt(`/search?q=${encodeURIComponent(asked)}`)).split('<main');
      return [...found.matchAll(/ href="([^"]+)"/gu)].map(([, href = '']) => href);
    };
    assert.equal((await linksOf('cleve'))[0], '/metros/cleveland');
    assert.ok((await linksOf('lakewood')).includes('/metros/cleveland#z44107'));
    assert.ok((await linksOf('44104')).includes('/metros/cleveland#z44104'));
    assert.ok((await linksOf('Cuyahoga')).includes('/metros/cleveland'));
    assert.ok((await linksOf('7 sample')).includes(`/deals/${uuid(7)}`));
    for (const nothing of ['60 Sample', '', '<b>'])
      assert.ok(!(await linksOf(nothing)).join().includes('/deals/0'), nothing);
    assert.match(await pageAt('/'), /<form class="search" method="get" action="\/search"/u);
  });

  it('are in the sitemap, except those of deals, which change daily', async () => {
    const sitemap = await (await fetch(`${shared.app.url}/sitemap.xml`)).text();
    for (const { path } of [...PAGES, ...METRO_PAGES]) assert.ok(sitemap.includes(`${path}</loc>`), path);
    assert.ok(!sitemap.includes('/deals/'));
    await pageAt('/metros/nowhere', 404);
  });
});

describe('the map of a metro', () => {
  const reference = (name: string): Record<string, string>[] =>
    parse(readFileSync(new URL(`../../models/reference/${name}.csv`, import.meta.url)), { columns: true });

  it('has the counties and ZIPs of the reference tables', () => {
    const rows = reference('metro_counties');
    const byMetro = Map.groupBy(rows, ({ metro }) => metro);
    const names = ([metro = '', own]: [string | undefined, Record<string, string>[]]) => [
      metro,
      own.map(({ county, state }) => `${county}, ${state}`),
    ];
    assert.deepEqual(
      METROS.map(({ name, counties }) => [name, counties]),
      [...byMetro].map(names),
    );
    for (const { zip = '', county_fips: fips } of reference('zip_places'))
      for (const { metro = '' } of rows.filter((row) => row['county_fips'] === fips && row['has_listings'] === 'true'))
        assert.ok(zip in bases[metro as keyof typeof bases].zips, `${zip} in ${metro}`);
  });

  it('is drawn for all twenty, and its circles never overlap or leave it, however many ZIPs', () => {
    for (const metro of METRO_NAMES) {
      const zips = Object.keys(bases[metro as keyof typeof bases].zips);
      for (const count of [1, 30, zips.length]) {
        const shown = zips.slice(0, count).map((zip, i) => ({
          zip,
          city: `City ${i % 9}`,
          least: [0, 1, 10, 25, 50, 100][i % 6] ?? 0,
          about: '',
        }));
        const { svg } = metroMap(metro, shown, []) ?? assert.fail(metro);
        const circles = [
          ...svg.text.matchAll(/translate\(([\d.-]+) ([\d.-]+)\)">\s*<g class="fixed">\s*<circle r="([\d.]+)"/gu),
        ].map(([, ...numbers]) => numbers.map(Number));
        assert.equal(circles.length, count, `${metro}: each of ${count} ZIPs has its circle`);
        for (const [i, [x = NaN, y = NaN, radius = NaN]] of circles.entries()) {
          assert.ok(x >= radius && y >= radius && x <= 480 - radius && y <= 400 - radius, `${metro}: ${x} ${y}`);
          for (const [a = NaN, b = NaN, other = NaN] of circles.slice(i + 1))
            assert.ok(Math.hypot(x - a, y - b) >= radius + other, `${metro}: ${x} ${y} and ${a} ${b}`);
        }
      }
    }
  });
});
