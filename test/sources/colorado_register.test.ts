/** Colorado's register: which requests are made, and what its rows cite. */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import type { Candidate, FetchContext, GetOptions, Page } from '../../sources/contract.ts';
import { Registration } from '../../sources/rows/registration.ts';
import colorado from '../../sources/register/colorado_sos/source.ts';
import { COLORADO_COLUMNS } from '../../sandbox/pages/colorado.ts';
import { candidatesOf } from './parsed.ts';
import { pageOf } from './recorded.ts';
import { quarantined } from './site_double.ts';

/** A context that answers each request from a function and records it. */
function contextOf(
  answer: (url: URL) => string,
  lastGoodOn: string | null = null,
): { ctx: FetchContext; asked: URL[] } {
  const asked: URL[] = [];
  const get = async (url: string, options: GetOptions): Promise<Page> => {
    asked.push(new URL(url));
    return pageOf(Buffer.from(answer(new URL(url))), { kind: options.kind, url });
  };
  return {
    asked,
    ctx: {
      asOf: '2026-11-20',
      nowMs: 0,
      lastGoodOn,
      sampleRows: null,
      secret: () => undefined,
      session: () => ({ id: '1' }),
      get,
      getIfExists: get,
      states: () => undefined,
      describes: () => undefined,
      withContext: async (page, context) => ({ ...page, context: { ...page.context, ...context } }),
      unreadable: () => {},
    },
  };
}

const pagesOf = (ctx: FetchContext): Promise<Page[]> => Array.fromAsync(colorado.fetch?.(ctx) ?? []);

function row(candidate: Candidate | undefined): Readonly<Record<string, unknown>> {
  assert.ok(candidate && 'values' in candidate, JSON.stringify(candidate));
  return Registration.schema.parse(candidate.values);
}

const entity = (id: number): Record<string, string> => ({
  entityid: String(20_261_000_000 + id),
  entityname: `Entity ${id} LLC`,
  entityformdate: '2026-11-02T00:00:00.000',
});

/** A portal with this many entities that pages by key, as SODA does. */
const portal =
  (count: number) =>
  (url: URL): string => {
    const after = /entityid > '(\d+)'/u.exec(url.searchParams.get('$where') ?? '')?.[1] ?? '';
    const rows = Array.from({ length: count }, (_, index) => entity(index)).filter(
      ({ entityid = '' }) => entityid > after,
    );
    return JSON.stringify(rows.slice(0, Number(url.searchParams.get('$limit'))));
  };

const HEADER = COLORADO_COLUMNS.join(',');
/** A record of the export. */
const record = (id: number, name: string, formed = '11/2/2026'): string =>
  `${20_261_000_000 + id},${name},,,,,,,,,,,,,Exists,,DLLC,,,,,,,,,,,,,,,,,,${formed}`;

test('a first load requests only the full export', async () => {
  const { ctx, asked } = contextOf(() => `${HEADER}\n${record(1, 'OLD DITCH CO', '8/4/1901')}\n`);
  const pages = await pagesOf(ctx);
  assert.deepEqual(
    asked.map(({ href }) => href),
    ['https://data.colorado.gov/api/views/4ykn-tg5h/rows.csv?accessType=DOWNLOAD'],
  );
  const candidates = await candidatesOf(colorado, pages);
  assert.deepEqual(
    candidates.map((candidate) => row(candidate)['filing_date']),
    ['1901-08-04'],
  );
});

/** A portal with this many entities; its count may say another total. */
const soda2 =
  (count: number, total = count) =>
  (url: URL): string =>
    url.searchParams.get('$select')?.startsWith('count')
      ? JSON.stringify([{ total: String(total) }])
      : portal(count)(url);
const TOUCHED = ":updated_at >= '2026-11-08T00:00:00.000Z' OR entityformdate >= '2026-11-08T00:00:00.000'";

test('a later load requests all rows changed since ten days before the last good read, paged by key', async () => {
  const { ctx, asked } = contextOf(soda2(2_300), '2026-11-18');
  const candidates = await candidatesOf(colorado, await pagesOf(ctx));
  assert.equal(new Set(candidates.map((candidate) => row(candidate)['document_number'])).size, 2_300);
  assert.deepEqual(
    asked.map(({ searchParams }) => searchParams.get('$where')),
    [TOUCHED, TOUCHED, `(${TOUCHED}) AND entityid > '20261000999'`, `(${TOUCHED}) AND entityid > '20261001999'`],
  );
  assert.ok(
    asked
      .slice(1)
      .every(({ searchParams }) => searchParams.get('$order') === 'entityid' && searchParams.get('$limit') === '1000'),
  );
});

test('if the portal has touched too many rows, the formation date selects the increment', async () => {
  const { ctx, asked } = contextOf(soda2(1, 3_050_000), '2026-11-18');
  await pagesOf(ctx);
  assert.deepEqual(
    asked.map(({ searchParams }) => searchParams.get('$where')),
    [TOUCHED, "entityformdate >= '2026-09-19T00:00:00.000'"],
  );
});

test('a portal that repeats a full page is quarantined', async () => {
  const full = JSON.stringify(Array.from({ length: 1000 }, (_, index) => entity(index)));
  await assert.rejects(
    pagesOf(contextOf((url) => (url.searchParams.has('$select') ? '[{"total":"1000"}]' : full), '2026-11-18').ctx),
    quarantined('template_changed'),
  );
});
