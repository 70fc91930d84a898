/** Sites made of HTML: how a whole list is read, what one broken page does to it, and pages saved in a browser. */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Quarantine, type SourceSpec, SourceUnavailable } from '../../sources/contract.ts';
import heartland from '../../sandbox/sources/listings/heartland_multifamily.ts';
import { type Answer, quarantined, readFrom } from './site_double.ts';
import { openArchive } from '../../lib/archive.ts';
import { type Dropped, readDrop } from '../../sources/fetch/drop.ts';
import buckeye from '../../sandbox/sources/listings/buckeye_income_property.ts';
import { parsed, type Parsed, sourceNamed } from './parsed.ts';
import { memoryFolder } from '../ledger/memory_folder.ts';

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

const cuyahoga = sourceNamed('oh_cuyahoga_sheriff');

const RECORDED = new URL('../../sources/', import.meta.url);
const recorded = (path: string): Promise<string> => readFile(new URL(path, RECORDED), 'utf8');
const DAY_PAGE = 'auctions/recorded/oh_cuyahoga_sheriff/saved_page.html';
/** Drop files for a source. A name that ends with a slash is a folder. */
async function drop(spec: SourceSpec, files: Readonly<Record<string, string>>): Promise<Dropped> {
  const dataDir = memoryFolder('dealfeed-saved-');
  const folder = join(dataDir, 'drop', spec.name);
  await mkdir(folder, { recursive: true });
  for (const [name, content] of Object.entries(files))
    await (name.endsWith('/') ? mkdir(join(folder, name)) : writeFile(join(folder, name), content));
  return readDrop(spec, {
    dropDir: join(dataDir, 'drop'),
    archive: await openArchive(dataDir),
    clock: { observedAt: () => '2026-11-20T12:00:00Z' },
    runId: '2026-11-20.01',
  });
}

/** What the pipeline makes of dropped files. @throws Quarantine */
async function read(spec: SourceSpec, files: Readonly<Record<string, string>>): Promise<Parsed> {
  const { pages, unknownFiles } = await drop(spec, files);
  assert.deepEqual(unknownFiles, []);
  spec.checkDrop?.(pages);
  return parsed(spec, pages);
}

const statuses = ({ rows }: Parsed): unknown[] => rows.map((row) => [row['item_id'], row['sale_date'], row['status']]);

test("a sale day's page, saved with its folder of images, gives its sales", async () => {
  const files = { 'Auction Preview.html': await recorded(DAY_PAGE), 'Auction Preview_files/': '' };
  assert.deepEqual(statuses(await read(cuyahoga, files)), [
    ['54131', '2026-12-07', 'scheduled'],
    ['54132', '2026-12-07', 'withdrawn'],
  ]);
});

test('a sale day with a missing item, or any other page, is refused and named', async () => {
  const refused = (files: Readonly<Record<string, string>>, reason: string, message: RegExp): Promise<void> =>
    assert.rejects(
      read(cuyahoga, files),
      (error) => error instanceof Quarantine && error.reason === reason && message.test(error.message),
    );
  await refused(
    { 'day.html': (await recorded(DAY_PAGE)).replace('54131,54132', '54131,54132,54140') },
    'count_mismatch',
    /^the saved files of 2026-12-07 hold 2 sales and lack the items 54140: save them too$/u,
  );
  await refused({ 'login.html': '<html></html>' }, 'template_changed', /^login\.html: the page of the/u);
  const { unknownFiles } = await drop(cuyahoga, { 'load.json': '{}' });
  assert.deepEqual(unknownFiles, ['load.json']);
});

test('saved pages of a list of cards give the listings with addresses on their site', async () => {
  const html = await recorded('../sandbox/sources/listings/recorded/buckeye_income_property/cards.html');
  const total = Number(/of ([\d,]+)/u.exec(html)?.[1]);
  const count = html.split('<article').length - 1;
  const { rows } = await read(buckeye, { 'page_1.html': html.replace(`of ${total}`, `of ${count}`) });
  assert.ok(rows.length > 0);
  for (const row of rows)
    assert.match(String(row['source_url']), /^https:\/\/www\.buckeye-income-property\.example\//u);
  await assert.rejects(
    read(buckeye, { 'page_1.html': html.replace(`of ${total}`, `of ${count + 1}`) }),
    new RegExp(`states ${count + 1} listings, its pages hold ${count}`, 'u'),
  );
});

test("saved pages of listings with JSON-LD give the listings with their pages' addresses", async () => {
  const html = await recorded('../sandbox/sources/listings/recorded/heartland_multifamily/detail_full.html');
  const { rows } = await read(heartland, { 'listing.html': html });
  assert.equal(rows.length, 1);
  assert.match(String(rows[0]?.['source_url']), /^https:\/\/www\.heartland-multifamily\.example\//u);
});
