/** An MLS by RESO Web API: the client's token, the whole feed page by page, and what is kept secret. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { SANDBOX_SECRETS } from '../../sandbox/pages/reso_mls.ts';
import { startSandbox, type Sandbox } from '../../sandbox/server.ts';
import { SourceUnavailable, type Page } from '../../sources/contract.ts';
import { openArchive } from '../../sources/fetch/archive.ts';
import { createFetcher } from '../../sources/fetch/fetcher.ts';
import mls from '../../sources/listings/reso_sandbox_mls/source.ts';
import { candidatesOf } from './parsed.ts';
import { quarantined, readFrom } from './site_double.ts';

const DAY = '2026-11-20';
let sandbox: Sandbox;
let folder = '';
/** What the service is asked, and what a fault makes of its answers. */
let asked: { path: string; method: string; bearer: boolean }[] = [];
let answerWith: ((path: string) => number | undefined) | undefined;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reso-'));
  sandbox = await startSandbox({
    seed: 5,
    listings: 420,
    parcels: 0,
    auctions: 0,
    filings: 0,
    day: DAY,
    alter: ({ path, method, headers }, response) => {
      asked.push({ path, method, bearer: headers['authorization']?.startsWith('Bearer ') ?? false });
      const status = answerWith?.(path);
      return status === undefined ? undefined : { ...response, status };
    },
  });
});
after(async () => {
  await sandbox.close();
  await rm(folder, { recursive: true });
});

async function read(run: string, secrets: Readonly<Record<string, string>>): Promise<Page[]> {
  asked = [];
  const clock = { nowMs: () => Date.parse(`${DAY}T12:00:00Z`), observedAt: () => `${DAY}T12:00:00Z` };
  const fetcher = createFetcher({
    archive: await openArchive(folder),
    clock,
    sandboxUrl: sandbox.url,
    secrets,
    limits: { retries: 1 },
  });
  const pages: Page[] = [];
  try {
    const ctx = fetcher.contextFor(mls, {
      asOf: DAY,
      runId: run,
      lastGoodOn: null,
      onUnreadable: () => assert.fail('no row is unreadable'),
    });
    for await (const page of mls.fetch?.(ctx) ?? []) pages.push(page);
  } finally {
    await fetcher.close();
  }
  return pages;
}

const unavailable =
  (reason: SourceUnavailable['reason'], detail: RegExp) =>
  (error: unknown): boolean =>
    error instanceof SourceUnavailable && error.reason === reason && detail.test(error.message);

test('one token opens every page, and every listing on the market is read once', async () => {
  const pages = await read('all', SANDBOX_SECRETS);
  const keys = (await candidatesOf(mls, pages)).map((c) => ('values' in c ? c.values['listing_id'] : c.reject.detail));
  const truth = sandbox.day.listings
    .filter(({ site }) => site === 'reso_sandbox_mls')
    .map(({ listingId }) => listingId);
  assert.ok(pages.length > 1 && truth.length > 50, `${truth.length} listings on ${pages.length} pages`);
  assert.deepEqual([...keys].sort(), truth.sort());
  assert.equal(asked.filter(({ method }) => method === 'POST').length, 1);
  assert.ok(
    asked.every(({ path, bearer }) => bearer === path.startsWith('/odata/')),
    'the token goes to the service only',
  );
});

test('neither the secret nor the token is in the archive', async () => {
  const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  assert.ok(files.length > 2);
  const kept = await Promise.all(files.map(({ parentPath, name }) => readFile(join(parentPath, name), 'latin1')));
  for (const text of kept) assert.doesNotMatch(text, /access_token|Bearer |sandbox-secret/u);
  assert.ok(
    kept.some((text) => /"method":"POST".*"kind":"token".*"sha256":null/u.test(text)),
    'that a token was asked for is recorded',
  );
});

test('without its credentials the source is unavailable, naming the setting', async () => {
  await assert.rejects(read('none', {}), unavailable('refused', /^RESO_SANDBOX_MLS_CLIENT_ID is not set/u));
  await assert.rejects(
    read('half', { RESO_SANDBOX_MLS_CLIENT_ID: 'sandbox-client' }),
    unavailable('refused', /^RESO_SANDBOX_MLS_CLIENT_SECRET is not set/u),
  );
  assert.deepEqual(asked, [], 'nothing is asked of the site');
});

test('a wrong secret is a refusal, a service that is down is asked again and then unavailable', async (t) => {
  await assert.rejects(
    read('wrong', { ...SANDBOX_SECRETS, RESO_SANDBOX_MLS_CLIENT_SECRET: 'stale' }),
    unavailable('refused', /answered 401 to the token request: invalid_client$/u),
  );
  t.after(() => {
    answerWith = undefined;
  });
  answerWith = (path) => (path === '/oauth2/token' ? 503 : undefined);
  await assert.rejects(
    read('down', SANDBOX_SECRETS),
    unavailable('server_error', /answered 503 to the token request/u),
  );
  assert.equal(asked.filter(({ method }) => method === 'POST').length, 2);
});

const row = (i: number): unknown => ({
  ListingKey: `K${i}`,
  StandardStatus: 'Active',
  ModificationTimestamp: `2026-11-${String(1 + Math.floor(i / 10)).padStart(2, '0')}T00:00:00Z`,
});

/** A server that gives three pages' worth at most and no link, with `total` rows of which it has `held`. */
const unlinked =
  (held: number, total: number) =>
  (url: URL): string => {
    const from = / ge (\S+)$/u.exec(url.searchParams.get('$filter') ?? '')?.[1] ?? '';
    const rows = Array.from({ length: held }, (_, i) => row(i)).filter(
      (r) => (r as { ModificationTimestamp: string }).ModificationTimestamp >= from,
    );
    return JSON.stringify({ '@odata.count': total, value: rows.slice(0, 25) });
  };

test('without a next link the read continues from the last timestamp; a missing row is not a removal', async () => {
  const { pages } = await readFrom(mls, unlinked(60, 60), DAY, SANDBOX_SECRETS);
  assert.equal(new Set((await candidatesOf(mls, pages)).map((c) => c.raw)).size, 60);
  await assert.rejects(readFrom(mls, unlinked(60, 80), DAY, SANDBOX_SECRETS), quarantined('count_mismatch', /80.*60/u));
  await assert.rejects(
    readFrom(
      mls,
      () =>
        JSON.stringify({
          '@odata.count': 9,
          value: [row(1)],
          '@odata.nextLink': 'https://api.sandbox-mls.example/odata/Property?$skip=1',
        }),
      DAY,
      SANDBOX_SECRETS,
    ),
    quarantined('count_mismatch', /circle/u),
  );
});
