/** Paid lists: order, pages and exact values. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sharedApp } from '../support/test_app.ts';
import { rowOf, rowsOfTable, uuid, type Row } from '../support/snapshot_fixtures.ts';

const cities = ['Cleveland', 'Akron', 'St. Louis', '100% City', 'O_Fallon'];
const statuses = ['Hot', 'Warm', 'Pass'];

/** Most advertise a cap rate; of some it follows from a stated NOI. */
function claim(i: number): Row {
  const rate = `${i % 12}.${String((i * 3) % 100).padStart(2, '0')}`;
  if (i % 6 === 0) return { cap_rate: null, cap_rate_source: 'none' };
  if (i % 7 === 0) return { cap_rate: null, cap_rate_derived: rate, cap_rate_source: 'derived_from_stated_noi' };
  return { cap_rate: rate, cap_rate_source: 'advertised' };
}

/** Deals with ties, nulls and every value of the filters. */
const variedDeal = (i: number): Row => ({
  deal_score: (i * 7) % 40,
  city: cities[i % 5],
  state: i % 4 === 0 ? 'MO' : 'OH',
  list_price: i % 9 === 0 ? null : `${(i * 13_331) % 900_000}.${String(i % 100).padStart(2, '0')}`,
  ...claim(i),
  units: i % 8 === 0 ? null : (i % 30) + 1,
  rental_status: statuses[i % 3],
  listing_status: i % 10 === 0 ? 'delisted' : 'active',
  dscr_status: i % 5 === 0 ? 'insufficient_data' : 'computed',
  condition_risk: i % 2 === 0 ? 'condemned' : 'none',
});

const DEALS = rowsOfTable('deals', 230, variedDeal);

/** Characters that end a value or a record of JSON or of its file, within a value. */
const ODD = [
  'quoted "name" \\ and / more',
  'tab\tand line\nand bell\u0007',
  'Straße, São, 東京, 🏠',
  '\u2028',
  '\u007f',
  '!a',
];
const SIGNALS = rowsOfTable('signals', ODD.length, (i) => ({ county: ODD[i - 1] }));
const LEADS = rowsOfTable('leads', ODD.length, (i) => ({
  score_rationale: { 'a "b", {[': '}],', c: ODD[i - 1], d: '\\', e: '"]' },
}));

const COLORADO = { source_state: 'CO', source: 'colorado_sos' };
const OHIO = { source_state: 'OH', source: 'ohio_sos' };
/** A source that is two days old. */
const READ_DAILY = { every_days: 1, last_good_at: '2026-11-18T12:00:00Z' };

describe('paid lists', () => {
  const idsOf = (body: Record<string, unknown>): string[] => (body['records'] as { id: string }[]).map((r) => r.id);

  const shared = sharedApp({
    deals: DEALS,
    signals: SIGNALS,
    leads: LEADS,
    filings: [
      ...rowsOfTable('filings', 4, (i) => ({
        filing_date: `2026-11-0${i}`,
        first_seen: i === 1 ? '2026-11-01T12:00:00Z' : '2026-11-20T12:00:00Z',
        source_state: i === 4 ? 'CO' : 'OH',
        source: i === 4 ? 'colorado_sos' : 'ohio_sos',
      })),
      rowOf('filings', 5, { ...COLORADO, filing_date: '2026-11-12', entity_status: 'Delinquent' }),
      rowOf('filings', 6, { ...COLORADO, filing_date: '2026-11-10', entity_status: 'Good Standing' }),
      rowOf('filings', 7, { ...COLORADO, filing_date: '2026-11-11', entity_status: 'Exists' }),
      rowOf('filings', 8, { ...COLORADO, filing_date: '2026-11-13', entity_status: 'Dissolved' }),
      rowOf('filings', 9, { ...COLORADO, filing_date: '2026-12-24', entity_status: 'Good Standing' }),
      rowOf('filings', 10, { ...OHIO, filing_date: '2026-10-25' }),
    ],
    sources: [
      rowOf('sources', 1, {
        source: 'ohio_sos',
        family: 'register',
        ...READ_DAILY,
        last_good_at: '2026-11-19T12:00:00Z',
      }),
      rowOf('sources', 2, { source: 'colorado_sos', family: 'register', ...READ_DAILY }),
      rowOf('sources', 3, { source: 'site', family: 'listings', ...READ_DAILY }),
      rowOf('sources', 4, { source: 'county', family: 'tax', ...READ_DAILY, last_good_at: null }),
      rowOf('sources', 5, {
        source: 'rents',
        family: 'fmr',
        ...READ_DAILY,
        last_good_at: '2026-11-20T12:00:00Z',
        outdated_on: '2026-11-20',
        outdated_reason: 'fiscal_year_over',
      }),
    ],
  });
  for (const [path, order] of [
    ['/api/deals', 'deal_score'],
    ['/api/deals/basic', 'cap_rate'],
  ] as const) {
    it(`return every row of ${path} exactly once over all pages, nulls last`, async () => {
      const expected = DEALS.filter(({ listing_status, state }) => listing_status === 'active' && state === 'OH')
        .toSorted((a, b) => Number(b[order] ?? -1) - Number(a[order] ?? -1))
        .map(({ id }) => id);
      const found: string[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const body = await shared.buy(`${path}?state=OH&limit=29${cursor === '' ? '' : `&cursor=${cursor}`}`);
        found.push(...idsOf(body));
        assert.equal(body['total_matches'], expected.length);
        cursor = body['next_cursor'] as string | null;
      }
      assert.deepEqual(found, expected);
    });
  }

  it('refuse a forged or changed cursor, or one of another query, before a payment', async () => {
    const body = await shared.buy('/api/deals?state=OH&limit=5');
    const cursor = String(body['next_cursor']);
    const changed = `${cursor.slice(0, -2)}${cursor.endsWith('A') ? 'B' : 'A'}${cursor.slice(-1)}`;
    for (const path of [
      '/api/deals?state=OH&cursor=abc',
      `/api/deals?state=OH&cursor=${changed}`,
      `/api/deals?state=MO&cursor=${cursor}`,
      `/api/deals/basic?state=OH&cursor=${cursor}`,
    ]) {
      const { status, body: refused } = await shared.get(path);
      assert.deepEqual([status, refused['reason']], [400, 'invalid_cursor'], path);
    }
  });

  it('have exact decimals as strings, and records equal to the published ones with any characters', async () => {
    for (const [path, rows] of [
      ['/api/deals', DEALS.filter(({ listing_status: status }) => status === 'active')],
      ['/api/signals', SIGNALS],
      ['/api/leads', LEADS],
    ] as const) {
      const body = await shared.buy(`${path}?fields=all&limit=500`);
      const sold = new Map((body['records'] as (Row & { absent: Row })[]).map((row) => [row['id'], row]));
      assert.equal(sold.size, rows.length);
      for (const row of rows) {
        const { absent, ...record } = sold.get(row['id']) ?? assert.fail(path);
        assert.equal(JSON.stringify(record), JSON.stringify(row), 'also the order of the fields');
        const missing = Object.keys(row).filter((name) => row[name] === null);
        assert.deepEqual(
          Object.keys(absent).filter((at) => !/[.[]/u.test(at)),
          missing,
        );
      }
    }
  });

  it('show the last seven days of each register by filing date as recent, in good standing first', async () => {
    const expected = [7, 6, 3, 2, 1, 8, 5].map(uuid);
    assert.deepEqual(idsOf(await shared.buy('/api/filings/recent')), expected);
    const found: string[] = [];
    for (let cursor: unknown = ''; cursor !== null;) {
      const body = await shared.buy(`/api/filings/recent?limit=2${cursor === '' ? '' : `&cursor=${String(cursor)}`}`);
      found.push(...idsOf(body));
      cursor = body['next_cursor'];
    }
    assert.deepEqual(found, expected, 'page by page');
  });

  it('say which of their sources are older than their cadence', async () => {
    const staleOf = async (path: string): Promise<unknown[]> => {
      const body = await shared.buy(path);
      const stale = body['stale_sources'] as { source: string; reason: string }[];
      const isInNote = /Older than its cadence: (\w+)/.exec(String(body['note']))?.[1];
      assert.equal(isInNote, stale[0]?.source);
      return stale.map(({ source, reason }) => `${source}: ${reason}`);
    };
    assert.deepEqual(await staleOf('/api/deals/basic'), ['rents: fiscal_year_over', 'site: older_than_read_interval']);
    assert.deepEqual(await staleOf('/api/filings'), ['colorado_sos: older_than_read_interval']);
    assert.deepEqual(await staleOf('/ohio/api/filings/recent'), []);
    assert.deepEqual(await staleOf('/api/filings?state=co'), ['colorado_sos: older_than_read_interval']);
    assert.deepEqual(await staleOf('/api/signals'), [], 'a source that was never read has no rows');
  });
});
