/**
 * An MLS by RESO Web API, as two vendors serve it: authorization, all pages of a feed, what stays secret, which rows
 * are listings of several units, and oddities of real servers.
 */
import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { SANDBOX_CLIENT, SANDBOX_SECRETS } from '../../sandbox/pages/reso_mls.ts';
import { type Sandbox, startSandbox } from '../../sandbox/server.ts';
import { type Candidate, type Page, Quarantine, type SourceSpec, SourceUnavailable } from '../../sources/contract.ts';
import { resoWebApi } from '../../sources/readers/reso/adapter.ts';
import { bridge, mlsGrid, type ResoServer, trestle } from '../../sources/readers/reso/server.ts';
import { openArchive } from '../../lib/archive.ts';
import { createFetcher } from '../../sources/fetch/fetcher.ts';
import mls from '../../sandbox/sources/listings/reso_sandbox_mls.ts';
import { get } from '../sandbox/browse.ts';
import { candidatesOf } from './parsed.ts';
import { quarantined, readFrom } from './site_double.ts';
import { archivedTexts } from '../lib/archive_files.ts';
import { streetLine } from '../../sources/readers/reso/rows.ts';
import { pageOf } from './recorded.ts';
import { memoryFolder } from '../ledger/memory_folder.ts';

const DAY = '2026-11-20';
const HOST = 'https://api.sandbox-mls.example';
let sandbox: Sandbox;
const folder = memoryFolder('reso-');
/** What the service is asked, and what a fault makes of its answers. */
let asked: { path: string; method: string; authorization: string | undefined }[] = [];
let answerWith: ((path: string) => number | undefined) | undefined;
before(async () => {
  sandbox = await startSandbox({
    seed: 5,
    listings: 420,
    parcels: 0,
    auctions: 0,
    filings: 0,
    day: DAY,
    alter: ({ path, method, headers }, response) => {
      asked.push({ path, method, authorization: headers['authorization'] });
      const status = answerWith?.(path);
      return status === undefined ? undefined : { ...response, status };
    },
  });
});
after(async () => {
  await sandbox.close();
});

const feed = (name: string, server: ResoServer): SourceSpec =>
  resoWebApi({
    name,
    title: name,
    home: `${HOST}/`,
    terms: { basis: 'sandbox_only', note: 'Made up.' },
    everyDays: 1,
    expect: { minRows: 1, maxRejectShare: 0.1, maxDropShare: 0.4 },
    server,
  });

/** The same MLS on a server like Trestle. */
const OAUTH = feed('oauth_mls', {
  ...trestle(),
  service: `${HOST}/odata`,
  auth: { tokenUrl: `${HOST}/oauth2/token`, scope: 'api' },
});
const OAUTH_SECRETS = { OAUTH_MLS_CLIENT_ID: SANDBOX_CLIENT.id, OAUTH_MLS_CLIENT_SECRET: SANDBOX_CLIENT.secret };

async function read(
  spec: SourceSpec,
  run: string,
  secrets: Readonly<Record<string, string>>,
  sampleRows?: number,
): Promise<Page[]> {
  asked = [];
  const clock = { nowMs: () => Date.parse(`${DAY}T12:00:00Z`), observedAt: () => `${DAY}T12:00:00Z` };
  const archive = await openArchive(folder);
  const fetcher = createFetcher({
    archive,
    clock,
    sandboxUrl: sandbox.url,
    secrets,
    limits: { retries: 1 },
  });
  const pages: Page[] = [];
  try {
    const ctx = fetcher.contextFor(spec, {
      asOf: DAY,
      runId: run,
      lastGoodOn: null,
      onUnreadable: () => assert.fail('no row is unreadable'),
      ...(sampleRows === undefined ? {} : { sampleRows }),
    });
    for await (const page of spec.fetch?.(ctx) ?? []) {
      pages.push(page);
      if (sampleRows !== undefined) break;
    }
  } finally {
    await fetcher.close();
    await archive.close();
  }
  return pages;
}

const unavailable =
  (reason: SourceUnavailable['reason'], detail: RegExp) =>
  (error: unknown): boolean =>
    error instanceof SourceUnavailable && error.reason === reason && detail.test(error.message);

for (const [spec, secrets] of [
  [mls, SANDBOX_SECRETS],
  [OAUTH, OAUTH_SECRETS],
] as const) {
  test(`${spec.name}: every listing on the market is read once, with its street and size, and no other`, async () => {
    const pages = await read(spec, spec.name, secrets);
    const rows = (await candidatesOf(spec, pages)).map((c) =>
      'values' in c ? c.values : assert.fail(c.reject.detail),
    );
    const truth = sandbox.day.listings.filter(({ site }) => site === 'reso_sandbox_mls');
    assert.ok(pages.length > 1 && truth.length > 50, `${truth.length} listings on ${pages.length} pages`);
    assert.ok(truth.some(({ units }) => units !== null && units > 4) && truth.some(({ units }) => units === 2));
    assert.deepEqual(
      rows.map((row) => [row['listing_id'], row['street'], row['zip'], row['units'], row['list_price']]).sort(),
      truth.map((l) => [l.listingId, l.street, l.zip, l.units, l.price]).sort(),
    );
    const resource = asked.filter(({ path }) => path.endsWith('/Property'));
    assert.equal(resource.length, pages.length);
    assert.ok(resource.every(({ authorization }) => authorization?.startsWith('Bearer ')));
    assert.ok(
      asked.every(({ path, authorization }) => authorization === undefined || path.endsWith('/Property')),
      'the token goes to the service only',
    );
  });
}

test('the page of a listing is its ListingURL; without one it is the record, which needs the license', async () => {
  const [grid] = await candidatesOf(mls, await read(mls, 'record', SANDBOX_SECRETS));
  const [other] = await candidatesOf(OAUTH, await read(OAUTH, 'page', OAUTH_SECRETS));
  assert.ok(grid && 'values' in grid && other && 'values' in other);
  const id = String(grid.values['listing_id']);
  assert.equal(grid.values['listing_url'], `${HOST}/v2/Property('${id}')`);
  assert.equal(grid.sourceUrl, grid.values['listing_url']);
  assert.equal(other.values['listing_url'], `${HOST}/listing/${String(other.values['listing_id'])}`);
  const record = await get(sandbox, grid.sourceUrl ?? '');
  assert.equal(record.status, 401);
  const authorization = `Bearer ${SANDBOX_SECRETS.RESO_SANDBOX_MLS_TOKEN}`;
  const licensed = await get(sandbox, grid.sourceUrl ?? '', { authorization });
  assert.equal((JSON.parse(licensed.text) as { ListingKey?: string }).ListingKey, id);
});

test('no secret and no token is in the archive', async () => {
  const kept = await archivedTexts(folder);
  assert.ok(kept.length > 2);
  for (const text of kept) assert.doesNotMatch(text, /access_token|Bearer |sandbox-secret|sandbox-token/u);
  assert.ok(
    kept.some((text) => /"method":"POST".*"kind":"token".*"sha256":null/u.test(text)),
    'that a token was asked for is recorded',
  );
});

test('without its credentials the source is unavailable, naming the setting', async () => {
  await assert.rejects(read(mls, 'none', {}), unavailable('refused', /^RESO_SANDBOX_MLS_TOKEN is not set.* token/u));
  await assert.rejects(read(OAUTH, 'none', {}), unavailable('refused', /^OAUTH_MLS_CLIENT_ID is not set.* secret/u));
  await assert.rejects(
    read(OAUTH, 'half', { OAUTH_MLS_CLIENT_ID: 'sandbox-client' }),
    unavailable('refused', /^OAUTH_MLS_CLIENT_SECRET is not set/u),
  );
  assert.deepEqual(asked, [], 'nothing is asked of the site');
});

test('a wrong secret is a refusal; a service that is down is retried and then unavailable', async (t) => {
  await assert.rejects(
    read(OAUTH, 'wrong', { ...OAUTH_SECRETS, OAUTH_MLS_CLIENT_SECRET: 'stale' }),
    unavailable('refused', /answered 401 to the token request: invalid_client$/u),
  );
  await assert.rejects(read(mls, 'stale', { RESO_SANDBOX_MLS_TOKEN: 'stale' }), unavailable('refused', /401/u));
  t.after(() => {
    answerWith = undefined;
  });
  answerWith = (path) => (path === '/oauth2/token' ? 503 : undefined);
  await assert.rejects(
    read(OAUTH, 'down', OAUTH_SECRETS),
    unavailable('server_error', /answered 503 to the token request/u),
  );
  assert.equal(asked.filter(({ method }) => method === 'POST').length, 2);
});

test('a query that the server does not understand is refused with advice on what to change', async () => {
  const sandboxMls = { ...mlsGrid('sandbox'), service: `${HOST}/v2` };
  const { systemName: _, ...unnamed } = sandboxMls;
  const wrong: readonly (readonly [string, ResoServer])[] = [
    ['a field of a later dictionary', { ...sandboxMls, dictionary: '2.0' }],
    ['no system name', unnamed],
    ['a page that is too large', { ...sandboxMls, pageSize: 5001 }],
    ['too many "or"', { ...sandboxMls, onMarket: ['A', 'B', 'C', 'D', 'E', 'F'], maxOr: 9 }],
  ];
  for (const [name, server] of wrong) {
    const spec = feed('wrong_mls', server);
    await assert.rejects(
      read(spec, name, { WRONG_MLS_TOKEN: 'sandbox-token' }),
      unavailable('refused', /responded with 400.*`lacks`.*`types`/u),
      name,
    );
  }
  const many = feed('wrong_mls', { ...sandboxMls, onMarket: ['Active', 'Pending', 'Coming Soon', 'A', 'B', 'C'] });
  assert.ok((await read(many, 'in', { WRONG_MLS_TOKEN: 'sandbox-token' })).length > 0, '`in` is understood');
});

const row = (i: number): Readonly<Record<string, unknown>> => ({
  ListingKey: `K${i}`,
  StandardStatus: 'Active',
  PropertyType: 'ResidentialIncome',
  ListPrice: 1,
  City: 'A',
  StateOrProvince: 'GA',
  PostalCode: '30303',
  StreetName: 'B',
  ModificationTimestamp: `2026-11-${String(1 + Math.floor(i / 10)).padStart(2, '0')}T00:00:00+00:00`,
});

/** A server that gives 25 rows at most and no link, with `total` rows of which it has `held`. */
const unlinked =
  (held: number, total: number) =>
  (url: URL): string => {
    const from = Date.parse(/ ge (\S+)$/u.exec(url.searchParams.get('$filter') ?? '')?.[1] ?? '2000-01-01');
    const rows = Array.from({ length: held }, (_, i) => row(i)).filter(
      (r) => Date.parse(String(r['ModificationTimestamp'])) >= from,
    );
    return JSON.stringify({ '@odata.count': total, value: rows.slice(0, 25) });
  };

test('without a next link the read continues from the last timestamp; a missing row is not a removal', async () => {
  const { pages, asked: queries } = await readFrom(OAUTH, unlinked(60, 60), DAY, OAUTH_SECRETS);
  assert.equal(new Set((await candidatesOf(OAUTH, pages)).map((c) => c.raw)).size, 60);
  assert.match(decodeURIComponent(queries[1] ?? ''), / and ModificationTimestamp ge 2026-11-03T00:00:00\.000Z&/u);
  await assert.rejects(readFrom(OAUTH, unlinked(60, 80), DAY, OAUTH_SECRETS), quarantined('count_mismatch', /80.*60/u));
  const circle = JSON.stringify({
    '@odata.count': 9,
    value: [row(1)],
    '@odata.nextLink': `${HOST}/odata/Property?$skip=1`,
  });
  await assert.rejects(
    readFrom(OAUTH, () => circle, DAY, OAUTH_SECRETS),
    quarantined('count_mismatch', /circle/u),
  );
});

test('a read that reaches the last row of a query continues from the last timestamp instead of the link', async () => {
  const limited = feed('oauth_mls', { ...trestle(), service: `${HOST}/odata`, maxRows: 50, pageSize: 25 });
  const site = (url: URL): string | number => {
    const skip = Number(url.searchParams.get('$skip') ?? 0);
    if (skip >= 50) return 400;
    const body = JSON.parse(unlinked(90, 90)(url)) as { value: unknown[] };
    const from = Date.parse(/ ge (\S+)$/u.exec(url.searchParams.get('$filter') ?? '')?.[1] ?? '2000-01-01');
    const rows = Array.from({ length: 90 }, (_, i) => row(i)).filter(
      (r) => Date.parse(String(r['ModificationTimestamp'])) >= from,
    );
    const next = new URL(url);
    next.searchParams.set('$skip', String(skip + 25));
    next.searchParams.set('access_token', 'secret');
    const more = skip + 25 < rows.length ? { '@odata.nextLink': next.href } : {};
    return JSON.stringify({ ...body, value: rows.slice(skip, skip + 25), ...more });
  };
  const { pages, asked: queries } = await readFrom(limited, site, DAY, OAUTH_SECRETS);
  assert.equal(new Set((await candidatesOf(limited, pages)).map((c) => c.raw)).size, 90);
  assert.ok(
    queries.every((query) => !query.includes('secret')),
    'a token in a link is dropped',
  );
});

type Row = Readonly<Record<string, unknown>>;

const ROW: Row = {
  ListingKey: 'K1',
  StandardStatus: 'Active',
  PropertyType: 'Residential Income',
  PropertySubType: 'Duplex',
  ListPrice: 195000,
  City: 'Oak Lawn',
  StateOrProvince: 'IL',
  PostalCode: '60453',
  StreetNumber: '1234',
  StreetDirPrefix: 'W',
  StreetName: '1st',
  StreetSuffix: 'Place',
  ModificationTimestamp: '2026-11-11T00:02:03.715Z',
};

async function parse(server: ResoServer, rows: readonly Row[]): Promise<readonly Candidate[]> {
  const bytes = new TextEncoder().encode(JSON.stringify({ value: rows }));
  return candidatesOf(feed('an_mls', server), [pageOf(bytes, { kind: 'property', url: `${server.service}/Property` })]);
}

const keysOf = (candidates: readonly Candidate[]): unknown[] =>
  candidates.map((c) => ('values' in c ? c.values['listing_id'] : c.reject.reason));

test('a commercial building of another kind is left out; a feed declares its own words', async () => {
  const commercial = { ...ROW, PropertyType: 'Commercial Sale' };
  const rows = [
    { ...commercial, ListingKey: 'office', PropertySubType: 'Office' },
    { ...commercial, ListingKey: 'blank', PropertySubType: null },
    { ...commercial, ListingKey: 'local', PropertySubType: 'Multiple Dwellings' },
  ];
  assert.deepEqual(keysOf(await parse(bridge('test'), rows)), []);
  const types = [{ type: 'Commercial Sale', subtypes: ['Multi Family', 'Multiple Dwellings'] }];
  assert.deepEqual(keysOf(await parse({ ...bridge('test'), types }, rows)), ['local']);
});

test('a deleted listing, and one that its seller withholds from the internet, is left out', async () => {
  for (const no of [false, 0, '0', 'false', 'N']) {
    assert.deepEqual(await parse(mlsGrid('test'), [{ ...ROW, MlgCanView: no }]), []);
    assert.deepEqual(await parse(mlsGrid('test'), [{ ...ROW, InternetEntireListingDisplayYN: no }]), []);
    const [hidden] = await parse(mlsGrid('test'), [{ ...ROW, InternetAddressDisplayYN: no }]);
    assert.ok(hidden && 'values' in hidden && hidden.values['street'] === null);
  }
  for (const yes of [true, 1, null, undefined, 'Y'])
    assert.equal((await parse(mlsGrid('test'), [{ ...ROW, MlgCanView: yes }])).length, 1);
});

test('a required field that no row has was renamed; in a few rows it may be blank', async () => {
  const { ListPrice: _, ...unpriced } = ROW;
  const five = Array.from({ length: 5 }, (_each, i) => ({ ...unpriced, ListingKey: `K${i}`, AskingPrice: 1 }));
  await assert.rejects(
    parse(mlsGrid('test'), five),
    quarantined('template_changed', /none of the 5 rows has ListPrice/u),
  );
  assert.equal((await parse(mlsGrid('test'), five.slice(0, 4))).length, 4);
  assert.equal((await parse(mlsGrid('test'), [...five.slice(0, 4), ROW])).length, 5);
});

test('a feed of many commercial listings without a declared subtype is quarantined and names its words', async () => {
  const rows = (count: number, subtype: string): Row[] =>
    Array.from({ length: count }, (_, i) => ({
      ...ROW,
      ListingKey: `K${i}`,
      PropertyType: 'Commercial Sale',
      PropertySubType: i % 2 === 0 ? 'Office' : subtype,
    }));
  const readRows = (value: readonly Row[]): ReturnType<typeof readFrom> =>
    readFrom(feed('an_mls', mlsGrid('test')), () => JSON.stringify({ value }), '2026-11-20', {
      AN_MLS_TOKEN: 'secret',
    });
  await assert.rejects(readRows(rows(100, 'Apartment Building')), (error: unknown) => {
    assert.ok(error instanceof Quarantine && error.reason === 'template_changed');
    assert.match(error.message, /100 listings of type Commercial Sale.*Office, Apartment Building/u);
    return true;
  });
  await readRows(rows(99, 'Apartment Building'));
  await readRows(rows(100, 'Multi Family'));
});

test('the street line is built from its parts, or taken from the start of an address with its place', () => {
  const lines: readonly (readonly [Row, string | null])[] = [
    [ROW, '1234 W 1st Place'],
    [{ ...ROW, StreetDirSuffix: 'S', UnitNumber: '55' }, '1234 W 1st Place S #55'],
    [{ ...ROW, UnitNumber: 'APT G' }, '1234 W 1st Place APT G'],
    [{ ...ROW, UnitNumber: '#2' }, '1234 W 1st Place #2'],
    [{ ...ROW, UnitNumber: 'B' }, '1234 W 1st Place #B'],
    [{ ...ROW, StreetNumber: 1234, StreetDirPrefix: '', StreetSuffix: null }, '1234 1st'],
    [{ ...ROW, StreetName: null }, null],
    [{ ...ROW, UnparsedAddress: '12 Elm St' }, '12 Elm St'],
    [{ ...ROW, UnparsedAddress: '12 Elm St, Oak Lawn, IL 60453' }, '12 Elm St'],
    [{ ...ROW, UnparsedAddress: '12 Elm St Unit 2 Oak Lawn IL 60453-1234 USA' }, '12 Elm St Unit 2'],
    [{ ...ROW, UnparsedAddress: '12 Elm St, Unit B, Oak Lawn' }, '12 Elm St, Unit B'],
    [{ ...ROW, UnparsedAddress: '12 Elm St, IL 60453' }, '12 Elm St'],
    [{ ...ROW, UnparsedAddress: 'Oak Lawn, IL 60453' }, null],
    [{ ...ROW, UnparsedAddress: '12 Oak Lawn' }, '12 Oak Lawn'],
    [{ ...ROW, UnparsedAddress: '12 Elm St, Chicago, IL' }, '12 Elm St, Chicago, IL'],
    [{ ...ROW, City: 'New Haven', StateOrProvince: 'CT', UnparsedAddress: '12 Elm CT' }, '12 Elm CT'],
    [{ ...ROW, City: 'A (B', UnparsedAddress: '12 Elm St, A (B, IL' }, '12 Elm St'],
  ];
  for (const [printed, expected] of lines) assert.equal(streetLine(printed), expected, JSON.stringify(printed));
});
