/** Pages rendered in a browser: what is archived, what the page may request, and a machine without a browser. */
import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { startSandbox, type Sandbox } from '../../sandbox/server.ts';
import { type Page, SourceUnavailable } from '../../sources/contract.ts';
import { openArchive } from '../../lib/archive.ts';
import { openPage } from '../../sources/fetch/page.ts';
import { createFetcher } from '../../sources/fetch/fetcher.ts';
import crescent from '../../sandbox/sources/listings/crescent_brokerage.ts';
import { memoryFolder } from '../ledger/memory_folder.ts';

const DAY = '2026-11-20';
let sandbox: Sandbox;
const folder = memoryFolder('rendered-');
let requested: { path: string; agent: string | undefined }[] = [];
let refusalStatus: number | undefined;
before(async () => {
  sandbox = await startSandbox({
    seed: 5,
    listings: 90,
    parcels: 0,
    auctions: 0,
    filings: 0,
    day: DAY,
    alter: ({ path, headers }, response) => {
      requested.push({ path, agent: headers['user-agent'] });
      return refusalStatus !== undefined && path === '/deals' ? { ...response, status: refusalStatus } : undefined;
    },
  });
});
after(async () => {
  await sandbox.close();
});

async function read(run: string, chromiumPath?: string): Promise<Page[]> {
  requested = [];
  const archive = await openArchive(folder);
  const fetcher = createFetcher({
    archive,
    clock: { nowMs: () => Date.parse(`${DAY}T12:00:00Z`), observedAt: () => `${DAY}T12:00:00Z` },
    sandboxUrl: sandbox.url,
    contact: 'me@example.org',
    limits: { retries: 0 },
    ...(chromiumPath === undefined ? {} : { chromiumPath }),
  });
  const pages: Page[] = [];
  try {
    for await (const page of crescent.fetch?.(
      fetcher.contextFor(crescent, { asOf: DAY, runId: run, lastGoodOn: null, onUnreadable: () => {} }),
    ) ?? [])
      pages.push(page);
  } finally {
    await fetcher.close();
    await archive.close();
  }
  return pages;
}

test('the document is archived as rendered, the same each time', async () => {
  const [one] = await read('one');
  const [other] = await read('other');
  assert.ok(one);
  const cards = await Array.fromAsync(crescent.parse(one));
  assert.ok(cards.length > 0, 'it has cards');
  assert.equal(one.sha256, other?.sha256);
  const archive = await openArchive(folder);
  const record = (await archive.records('crescent_brokerage', 'one')).find(({ kind }) => kind === 'cards');
  assert.ok(record);
  assert.deepEqual(
    await Array.fromAsync(crescent.parse(await openPage(archive, record))),
    cards,
    'it can be parsed again without a browser',
  );
});

test('resources of the page obey robots.txt and are requested with our user agent', async () => {
  await read('polite');
  assert.deepEqual(
    [...new Set(requested.map(({ path }) => path))].sort(),
    ['/assets/deals.js', '/data/deals.json', '/deals', '/robots.txt'],
    'not /track, which robots.txt disallows',
  );
  assert.ok(requested.every(({ agent }) => agent?.startsWith('Dealfeed/') && agent.includes('me@example.org')));
});

test('a refusal is reported as such, without starting a browser', async (t) => {
  t.after(() => {
    refusalStatus = undefined;
  });
  refusalStatus = 403;
  await assert.rejects(
    read('refused', '/no/such/chromium'),
    (error) => error instanceof SourceUnavailable && error.reason === 'refused',
  );
});

test('without Chromium the source is unavailable, and the message names the setting', async () => {
  await assert.rejects(
    read('none', '/no/such/chromium'),
    (error) =>
      error instanceof SourceUnavailable &&
      error.reason === 'unreachable' &&
      /Chromium cannot be started \(set CHROMIUM_PATH\)/u.test(error.message),
  );
});
