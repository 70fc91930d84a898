/** Pages that a person saved in a browser, from the drop folder through the adapters of sites made of HTML. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { Quarantine, type SourceSpec } from '../../sources/contract.ts';
import { openArchive } from '../../lib/archive.ts';
import { readDrop, type Dropped } from '../../sources/fetch/drop.ts';
import buckeye from '../../sandbox/sources/listings/buckeye_income_property.ts';
import heartland from '../../sandbox/sources/listings/heartland_multifamily.ts';
import { parsed, sourceNamed, type Parsed } from './parsed.ts';

const cuyahoga = sourceNamed('oh_cuyahoga_sheriff');

const RECORDED = new URL('../../sources/', import.meta.url);
const recorded = (path: string): Promise<string> => readFile(new URL(path, RECORDED), 'utf8');
const DAY_PAGE = 'auctions/recorded/oh_cuyahoga_sheriff/saved_page.html';
/** Drop files for a source. A name that ends with a slash is a folder. */
async function drop(t: TestContext, spec: SourceSpec, files: Readonly<Record<string, string>>): Promise<Dropped> {
  const dataDir = await mkdtemp(join(tmpdir(), 'dealfeed-saved-'));
  t.after(() => rm(dataDir, { recursive: true, force: true }));
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
async function read(t: TestContext, spec: SourceSpec, files: Readonly<Record<string, string>>): Promise<Parsed> {
  const { pages, unknownFiles } = await drop(t, spec, files);
  assert.deepEqual(unknownFiles, []);
  spec.checkDrop?.(pages);
  return parsed(spec, pages);
}

const statuses = ({ rows }: Parsed): unknown[] => rows.map((row) => [row['item_id'], row['sale_date'], row['status']]);

test("a sale day's page, saved with its folder of images, gives its sales", async (t) => {
  const files = { 'Auction Preview.html': await recorded(DAY_PAGE), 'Auction Preview_files/': '' };
  assert.deepEqual(statuses(await read(t, cuyahoga, files)), [
    ['54131', '2026-12-07', 'scheduled'],
    ['54132', '2026-12-07', 'withdrawn'],
  ]);
});

test('a sale day with a missing item, or any other page, is refused and named', async (t) => {
  const refused = (files: Readonly<Record<string, string>>, reason: string, message: RegExp): Promise<void> =>
    assert.rejects(
      read(t, cuyahoga, files),
      (error) => error instanceof Quarantine && error.reason === reason && message.test(error.message),
    );
  await refused(
    { 'day.html': (await recorded(DAY_PAGE)).replace('54131,54132', '54131,54132,54140') },
    'count_mismatch',
    /^the saved files of 2026-12-07 hold 2 sales and lack the items 54140: save them too$/u,
  );
  await refused({ 'login.html': '<html></html>' }, 'template_changed', /^login\.html: the page of the/u);
  const { unknownFiles } = await drop(t, cuyahoga, { 'load.json': '{}' });
  assert.deepEqual(unknownFiles, ['load.json']);
});

test('saved pages of a list of cards give the listings with addresses on their site', async (t) => {
  const html = await recorded('../sandbox/sources/listings/recorded/buckeye_income_property/cards.html');
  const total = Number(/of ([\d,]+)/u.exec(html)?.[1]);
  const cards = html.split('<article').length - 1;
  const { rows } = await read(t, buckeye, { 'page_1.html': html.replace(`of ${total}`, `of ${cards}`) });
  assert.ok(rows.length > 0);
  for (const row of rows)
    assert.match(String(row['source_url']), /^https:\/\/www\.buckeye-income-property\.example\//u);
  await assert.rejects(
    read(t, buckeye, { 'page_1.html': html.replace(`of ${total}`, `of ${cards + 1}`) }),
    new RegExp(`states ${cards + 1} listings, its pages hold ${cards}`, 'u'),
  );
});

test("saved pages of listings with JSON-LD give the listings with their pages' addresses", async (t) => {
  const html = await recorded('../sandbox/sources/listings/recorded/heartland_multifamily/detail_full.html');
  const { rows } = await read(t, heartland, { 'listing.html': html });
  assert.equal(rows.length, 1);
  assert.match(String(rows[0]?.['source_url']), /^https:\/\/www\.heartland-multifamily\.example\//u);
});
