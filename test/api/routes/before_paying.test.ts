/** The 402 of a call says what it buys, what all of it costs, and which values match nothing, and shows no sale. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { rowOf, rowsOfTable, uuid, type Row } from '../support/snapshot_fixtures.ts';
import { sharedApp } from '../support/test_app.ts';

/** As many leads as a full day has. */
const LEADS = 4_675;
const DAYS_HEADERS = ['Week', 'Week-From', 'Week-To', 'Rows-By-State', 'Newest-Filing-Date'];

const auctionLead = (n: number, auction_type: string, given: Row = {}): Row =>
  rowOf('leads', n, {
    lead_type: 'sheriff_sale_auction',
    auction_type,
    county: 'Duval County, FL',
    state: 'FL',
    lead_score: 90,
    sale_date: '2026-12-24',
    ...given,
  });
const COLORADO = { source: 'colorado_sos', source_state: 'CO' };

describe('a 402', () => {
  const shared = sharedApp({
    deals: [
      rowOf('deals', 1, { cap_rate: '9.00' }),
      rowOf('deals', 2, { cap_rate: null, cap_rate_derived: '8.20' }),
      rowOf('deals', 3, { cap_rate: null, cap_rate_derived: '7.90' }),
      rowOf('deals', 4, { cap_rate: null, cap_rate_derived: '9.90', listing_status: 'sold' }),
    ],
    signals: [
      rowOf('signals', 1),
      ...rowsOfTable('signals', 20, (i) => ({
        id: uuid(500 + i),
        county: 'Stark County, OH',
        address: `${i} MAIN ST`,
        zip: '44702',
        owner_name: i % 4 === 0 ? 'ROE RICHARD' : null,
      })),
    ],
    auctions: [rowOf('auctions', 1, { sale_date: '2026-11-01' }), rowOf('auctions', 2, { sale_date: '2026-12-24' })],
    leads: [
      auctionLead(5_001, 'foreclosure_sale'),
      auctionLead(5_002, 'tax_deed_sale', { lead_score: 80 }),
      auctionLead(5_003, 'sheriff_sale', { county: 'Stark County, OH', state: 'OH' }),
      ...rowsOfTable('leads', LEADS - 3, () => ({ lead_score: 10 })),
    ],
    filings: [
      rowOf('filings', 1, { ...COLORADO, first_seen: '2026-11-12T12:00:00Z', filing_date: '2026-11-10' }),
      rowOf('filings', 2, { ...COLORADO, first_seen: '2026-11-10T12:00:00Z', filing_date: '2026-11-08' }),
      rowOf('filings', 3, { ...COLORADO, first_seen: '2026-10-28T12:00:00Z', filing_date: '2026-10-27' }),
      // The first load of Ohio, today: of its filings, one was filed within seven days.
      ...rowsOfTable('filings', 40, (i) => ({ id: uuid(100 + i), filing_date: i === 1 ? '2026-11-18' : '2026-09-01' })),
    ],
  });
  const unpaid = async (path: string): Promise<Record<string, unknown>> => {
    const { response, body } = await shared.get(path);
    assert.equal(response.status, 402, path);
    if (!path.includes('?')) assert.ok((response.headers.get('PAYMENT-REQUIRED') ?? '').length < 3_000, path);
    return body;
  };

  it('of all leads states the largest page at the same price: a client that reads it spends $2.50', async () => {
    const terms = await unpaid('/api/leads');
    assert.deepEqual([terms['limit'], terms['max_limit']], [20, 500]);
    assert.deepEqual(terms['matches'], { at_least: 2_500, at_most: 4_999, filters: {} });
    assert.match(String(terms['price_note']), /^Same price up to 500: .* 5 to 10 calls \(\$1\.25 to \$2\.50\) with/u);
    assert.match(String(terms['price_note']), /125 to 250 calls \(\$31\.25 to \$62\.50\) with limit=20\.$/u);
    let [spent, read] = [0, 0];
    for (let cursor: unknown = ''; cursor !== null; spent += Number(String(terms['price']).slice(1))) {
      const page: Record<string, unknown> = await shared.buy(
        `/api/leads?limit=${String(terms['max_limit'])}${cursor === '' ? '' : `&cursor=${String(cursor)}`}`,
      );
      assert.deepEqual([page['limit'], page['max_limit']], [500, 500]);
      read += Number(page['count']);
      cursor = page['next_cursor'];
    }
    assert.deepEqual([read, spent.toFixed(2)], [LEADS, '2.50']);
  });

  it('of a list has the range that a count has for its coarse filters, whatever other filters it has', async () => {
    for (const [query, coarse] of [
      ['county=Duval&min_signals=2', 'county=Duval'],
      ['state=OH&min_score=45', 'state=OH'],
      ['state=FL&min_score=80&auction_type=tax_deed_sale', 'state=FL&min_score=80&auction_type=tax_deed_sale'],
    ] as const) {
      const { at_least, at_most } = (await unpaid(`/api/leads?${query}`))['matches'] as Record<string, unknown>;
      assert.deepEqual({ at_least, at_most }, (await shared.get(`/api/count/leads?${coarse}`)).body['matches'], query);
    }
  });

  it('of a list names the promised fields that most rows of its coarse filters lack', async () => {
    assert.deepEqual((await unpaid('/api/signals?county=Stark&min_amount=1'))['rarely_filled'], { owner_name: 25 });
    for (const path of ['/api/signals?county=Cuyahoga', '/api/auctions', '/api/deals'])
      assert.equal((await unpaid(path))['rarely_filled'], undefined, path);
  });

  it('of the weekly file states its week, rows by state and newest filing date, also in headers', async () => {
    const file = {
      week: '2026-W46',
      from: '2026-11-09',
      to: '2026-11-15',
      rows: { OH: 0, CO: 2 },
      newest_filing_date: '2026-11-10',
    };
    assert.deepEqual((await unpaid('/api/batch/weekly.csv'))['file'], file);
    assert.deepEqual((await shared.get('/api/meta')).body['weekly_file'], file);
    const { body: ohio } = await shared.get('/ohio/api/meta');
    assert.deepEqual((ohio['weekly_file'] as Row)['rows'], { OH: 39 });
    const sold = await shared.buyer.fetch(`${shared.app.url}/api/batch/weekly.csv`);
    assert.deepEqual(
      DAYS_HEADERS.map((name) => sold.headers.get(name)),
      [file.week, file.from, file.to, 'OH=0, CO=2', file.newest_filing_date],
    );
    await sold.arrayBuffer();
    assert.deepEqual((await unpaid('/api/batch/weekly.csv?week=2026-W45'))['file'], {
      week: '2026-W45',
      from: '2026-11-02',
      to: '2026-11-08',
      rows: { OH: 0, CO: 0 },
      newest_filing_date: null,
    });
  });

  it('of an exclusive lead lists the kinds of sale in its place with ranges, before and after a sale', async () => {
    const typesOf = async (query: string): Promise<unknown[]> =>
      ((await unpaid(`/api/leads/exclusive?${query}`))['auction_types'] as Row[]).map((row) => Object.values(row));
    const expected = [
      ['foreclosure_sale', 0, 9],
      ['tax_deed_sale', 0, 9],
    ];
    assert.deepEqual(await typesOf('state=FL&min_score=20'), expected);
    assert.deepEqual(await typesOf('county=Stark'), [['sheriff_sale', 0, 9]]);
    const { lead } = await shared.buy('/api/leads/exclusive?state=FL&auction_type=tax_deed_sale');
    assert.equal((lead as Row)['auction_type'], 'tax_deed_sale');
    assert.deepEqual(await typesOf('state=FL&min_score=20'), expected);
    const { response } = await shared.get('/api/leads?state=FL&auction_type=tax_sale&lead_type=nothing');
    assert.equal(response.status, 400);
  });

  it('has a typed hint for a value that matches nothing or a first day in the past, as do answers', async () => {
    for (const [path, code, parameter, near] of [
      ['/api/signals?signal_type=tax_delinquant', 'unknown_kind', 'signal_type', ['tax_delinquent']],
      ['/api/deals?min_cap=0.08', 'fraction_for_percent', 'min_cap', undefined],
      ['/api/deals?state=xx', 'unknown_state', 'state', undefined],
      ['/api/leads/exclusive?state=XX', 'unknown_state', 'state', undefined],
      ['/api/auctions?from_date=2026-10-01', 'past_from_date', 'from_date', undefined],
    ] as const) {
      const [hint] = (await unpaid(path))['hints'] as Row[];
      assert.deepEqual([hint?.['code'], hint?.['parameter'], hint?.['near']], [code, parameter, near], path);
    }
    for (const path of ['/api/deals?min_cap=8', '/api/auctions?from_date=2026-10-01&include_past=true'])
      assert.equal((await unpaid(path))['hints'], undefined, path);
    const sales = await shared.buy('/api/auctions?from_date=2026-10-01');
    assert.deepEqual([sales['total_matches'], /include_past=true/u.test(String(sales['note']))], [1, true]);
    const { status, body } = await shared.ask('/api/signals?signal_type=tax_delinquant');
    assert.deepEqual([status, (body['hints'] as Row[])[0]?.['code']], [404, 'unknown_kind']);
  });

  it('is followed by the number of deals whose stated NOI implies min_cap, which are not in the list', async () => {
    const answer = await shared.buy('/api/deals?min_cap=8');
    assert.deepEqual([answer['total_matches'], answer['implied_by_noi']], [1, 1]);
    assert.equal((await shared.buy('/api/deals'))['implied_by_noi'], undefined);
  });

  it('and added_last_7d count seven days by filing date, without the first load', async () => {
    const { body } = await shared.get('/ohio/api/meta');
    assert.deepEqual(body['coverage'], { total_records: 40, added_last_7d: 1, freshest: '2026-11-18' });
    assert.equal((await shared.buy('/ohio/api/filings/recent'))['total_matches'], 1);
  });
});
