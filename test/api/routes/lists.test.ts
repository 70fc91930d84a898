/** Paid lists: order, pages and exact values, compared with queries over the Parquet file, and invalid parameters. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { openDuck, rowsOf, type Duck } from '../../../lib/duck.ts';
import { literal } from '../../../lib/sql.ts';
import { startApp, type Started } from '../support/test_app.ts';
import { bodyOf, buyerWith } from '../support/buyers.ts';
import { dataFolder, rowOf, rowsOfTable, uuid, type DataFolder, type Row } from '../support/snapshot_fixtures.ts';

const cities = ['Cleveland', 'Akron', 'St. Louis', '100% City', 'O_Fallon'];
const statuses = ['Hot', 'Warm', 'Pass'];

/** Deals with ties, nulls and every value of the filters. */
const variedDeal = (i: number): Row => ({
  deal_score: (i * 7) % 40,
  city: cities[i % 5],
  state: i % 4 === 0 ? 'MO' : 'OH',
  list_price: i % 9 === 0 ? null : `${(i * 13_331) % 900_000}.${String(i % 100).padStart(2, '0')}`,
  cap_rate: i % 6 === 0 ? null : `${i % 12}.${String((i * 3) % 100).padStart(2, '0')}`,
  units: i % 8 === 0 ? null : (i % 30) + 1,
  rental_status: statuses[i % 3],
  listing_status: i % 10 === 0 ? 'delisted' : 'active',
  dscr_status: i % 5 === 0 ? 'insufficient_data' : 'computed',
  cap_rate_source: i % 6 === 0 ? 'none' : i % 7 === 0 ? 'derived_from_stated_noi' : 'advertised',
});

describe('paid lists', () => {
  let folder: DataFolder;
  let started: Started;
  let duck: Duck;
  let parquet: string;
  const buyer = buyerWith();

  const get = async (path: string): Promise<{ status: number; body: Record<string, unknown> }> => {
    const response = await buyer.fetch(started.url + path);
    return { status: response.status, body: await bodyOf(response) };
  };
  const idsOf = (body: Record<string, unknown>): string[] => (body['records'] as { id: string }[]).map((r) => r.id);

  before(async () => {
    folder = await dataFolder();
    const path = await folder.publish('2026-11-20.01', {
      deals: rowsOfTable('deals', 230, variedDeal),
      signals: [
        rowOf('signals', 1, { amount: '500.00' }),
        rowOf('signals', 2, { amount: '9000.10', county: 'Stark County, OH' }),
        rowOf('signals', 3, { amount: null }),
        rowOf('signals', 4, { amount: '700.00', has_address: true, address: '1 A St' }),
        rowOf('signals', 5, { amount: '99999.00', signal_state: 'removed', state_reason: 'not_on_latest_list' }),
      ],
      auctions: [
        rowOf('auctions', 1, { sale_date: '2026-11-19' }),
        rowOf('auctions', 2, { sale_date: '2026-11-20' }),
        rowOf('auctions', 3, { sale_date: '2026-12-01' }),
        rowOf('auctions', 4, { sale_date: '2026-12-02', sale_status: 'cancelled' }),
        rowOf('auctions', 5, { sale_date: '2026-12-03', county: 'Lucas County, OH' }),
      ],
      leads: [
        rowOf('leads', 1, { lead_score: 60 }),
        rowOf('leads', 2, { lead_score: 90, last_verified: '2026-11-12T12:00:00Z' }),
        rowOf('leads', 3, { lead_score: 80, last_verified: '2026-11-13T23:59:59Z' }),
        rowOf('leads', 4, { lead_score: 95, sale_date: '2026-11-19' }),
      ],
      filings: rowsOfTable('filings', 4, (i) => ({
        filing_date: `2026-11-0${i}`,
        first_seen: i === 1 ? '2026-11-01T12:00:00Z' : '2026-11-20T12:00:00Z',
        source_state: i === 4 ? 'CO' : 'OH',
        source: i === 4 ? 'colorado_sos' : 'ohio_sos',
      })),
    });
    parquet = literal(join(path, 'deals.parquet'));
    started = await startApp(folder.path);
    duck = await openDuck();
  });
  after(async () => {
    duck.close();
    await started.close();
    await folder.remove();
  });

  for (const [path, order] of [
    ['/api/deals', 'deal_score DESC NULLS LAST'],
    ['/api/deals/basic', 'cap_rate DESC NULLS LAST'],
  ] as const) {
    it(`return every row of ${path} exactly once over all pages, nulls last`, async () => {
      const expected = (
        await rowsOf(
          duck.connection,
          `SELECT id FROM read_parquet(${parquet}) WHERE listing_status = 'active' AND state = 'OH'
           ORDER BY ${order}, id`,
        )
      ).map((r) => r['id']);
      const found: string[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const { status, body } = await get(`${path}?state=OH&limit=13${cursor === '' ? '' : `&cursor=${cursor}`}`);
        assert.equal(status, 200);
        found.push(...idsOf(body));
        assert.equal(body['total_matches'], expected.length);
        cursor = body['next_cursor'] as string | null;
      }
      assert.deepEqual(found, expected);
    });
  }

  it('refuse a forged or changed cursor, or one of another query, before a payment', async () => {
    const { body } = await get('/api/deals?state=OH&limit=5');
    const cursor = String(body['next_cursor']);
    const changed = `${cursor.slice(0, -2)}${cursor.endsWith('A') ? 'B' : 'A'}${cursor.slice(-1)}`;
    for (const path of [
      '/api/deals?state=OH&cursor=abc',
      `/api/deals?state=OH&cursor=${changed}`,
      `/api/deals?state=MO&cursor=${cursor}`,
      `/api/deals/basic?state=OH&cursor=${cursor}`,
    ]) {
      const response = await fetch(started.url + path);
      assert.equal(response.status, 400, path);
      assert.equal((await bodyOf(response))['reason'], 'invalid_cursor', path);
    }
  });

  it('have exact decimals, as strings', async () => {
    const { body } = await get('/api/deals?limit=500');
    const records = new Map(
      (body['records'] as { id: string; list_price: string; cap_rate: string }[]).map((r) => [r.id, r]),
    );
    for (let i = 1; i <= 230; i += 1) {
      const row = variedDeal(i);
      if (row['listing_status'] !== 'active') continue;
      assert.equal(records.get(uuid(i))?.list_price, row['list_price']);
      assert.equal(records.get(uuid(i))?.cap_rate, row['cap_rate']);
    }
  });

  it('list as hot the deals advertised at 8.5% or more with a computed DSCR', async () => {
    const expected = (
      await rowsOf(
        duck.connection,
        `SELECT id FROM read_parquet(${parquet})
         WHERE listing_status = 'active' AND cap_rate >= 8.5 AND cap_rate_source = 'advertised'
           AND dscr_status = 'computed'
         ORDER BY deal_score DESC, id`,
      )
    ).map((r) => r['id']);
    assert.ok(expected.length > 0);
    assert.deepEqual(idsOf((await get('/api/deals/hot?limit=500')).body), expected);
  });

  it('list current signals by amount, filtered by part of the county name', async () => {
    assert.deepEqual(idsOf((await get('/api/signals')).body), [uuid(2), uuid(4), uuid(1), uuid(3)]);
    assert.deepEqual(idsOf((await get('/api/signals?county=CUYA&min_amount=500')).body), [uuid(4), uuid(1)]);
    assert.deepEqual(idsOf((await get('/api/signals?has_address=true')).body), [uuid(4)]);
    assert.equal((await get('/api/signals?county=%25')).status, 404);
  });

  it('list auctions from today on, by the data clock, and past ones only with include_past', async () => {
    assert.deepEqual(idsOf((await get('/api/auctions')).body), [uuid(2), uuid(3), uuid(5)]);
    assert.deepEqual(idsOf((await get('/api/auctions?include_past=true')).body), [uuid(1), uuid(2), uuid(3), uuid(5)]);
    assert.deepEqual(idsOf((await get('/api/auctions?from_date=2026-12-01&to_date=2026-12-01')).body), [uuid(3)]);
    assert.deepEqual(idsOf((await get('/api/auctions?county=lucas')).body), [uuid(5)]);
  });

  it('list leads verified within the maximum age of the snapshot, without past sales', async () => {
    assert.deepEqual(idsOf((await get('/api/leads')).body), [uuid(3), uuid(1)]);
    assert.equal((await get('/api/leads?min_score=81')).status, 404);
  });

  it('list filings by filing date, and as recent those first read within seven days', async () => {
    assert.deepEqual(idsOf((await get('/api/filings?state=OH')).body), [uuid(3), uuid(2), uuid(1)]);
    assert.deepEqual(idsOf((await get('/api/filings?from_date=2026-11-02&name=company%202')).body), [uuid(2)]);
    assert.deepEqual(idsOf((await get('/api/filings/recent')).body), [uuid(2), uuid(3), uuid(4)]);
  });
});

describe('parameters', () => {
  let folder: DataFolder;
  let started: Started;

  before(async () => {
    folder = await dataFolder();
    await folder.publish('2026-11-20.01', { deals: rowsOfTable('deals', 1) });
    started = await startApp(folder.path);
  });
  after(async () => {
    await started.close();
    await folder.remove();
  });

  it('are refused by name, with the accepted values', async () => {
    const cases: [string, string, string, RegExp][] = [
      ['/api/deals?stat=OH', 'unknown_parameter', 'stat', /state, city, min_price/],
      ['/api/meta?x=1', 'unknown_parameter', 'x', /takes none/],
      ['/api/deals?__proto__=1', 'unknown_parameter', '__proto__', /no parameter/],
      ['/api/deals?state=OH&state=OH', 'repeated_parameter', 'state', /2 times/],
      ['/api/deals?state=Ohio', 'invalid_parameter', 'state', /two-letter/],
      ['/api/deals?state=', 'invalid_parameter', 'state', /two-letter/],
      ['/api/deals?min_price=1e5', 'invalid_parameter', 'min_price', /a number/],
      ['/api/deals?min_price=0x10', 'invalid_parameter', 'min_price', /a number/],
      ['/api/deals?min_cap=NaN', 'invalid_parameter', 'min_cap', /a number/],
      ['/api/deals?min_units=2.5', 'invalid_parameter', 'min_units', /whole number/],
      ['/api/deals?min_score=101', 'invalid_parameter', 'min_score', /0 to 100/],
      ['/api/deals?status=hot', 'invalid_parameter', 'status', /Hot, Warm, Pass/],
      ['/api/deals?city=%00', 'invalid_parameter', 'city', /text/],
      ['/api/auctions?from_date=2026-02-30', 'invalid_parameter', 'from_date', /YYYY-MM-DD/],
      ['/api/auctions?from_date=20261120', 'invalid_parameter', 'from_date', /YYYY-MM-DD/],
      ['/api/auctions?include_past=yes', 'invalid_parameter', 'include_past', /true or false/],
      ['/api/leads?lead_type=mortgage', 'invalid_parameter', 'lead_type', /tax_delinquent, sheriff_sale_auction/],
      ['/api/deals?limit=0', 'invalid_parameter', 'limit', /1 to 500/],
    ];
    for (const [path, reason, field, detail] of cases) {
      const response = await fetch(started.url + path);
      assert.equal(response.status, 400, path);
      const body = await bodyOf(response);
      assert.equal(body['reason'], reason, path);
      assert.equal(body['field'], field, path);
      assert.match(String(body['detail']), detail, path);
      assert.equal(body['billed'], false, path);
    }
  });

  it('of unknown paths and methods get a problem document', async () => {
    const cases: [string, string, number, string][] = [
      ['GET', '/api/nothing', 404, 'not_found'],
      ['GET', '/API/deals', 404, 'not_found'],
      ['POST', '/api/deals', 405, 'method_not_allowed'],
      ['DELETE', '/api/meta', 405, 'method_not_allowed'],
      ['GET', `/api/deals?city=${'x'.repeat(2_000)}`, 414, 'uri_too_long'],
    ];
    for (const [method, path, status, reason] of cases) {
      const response = await fetch(started.url + path, { method });
      assert.equal(response.status, status, path);
      assert.equal(response.headers.get('Content-Type'), 'application/problem+json', path);
      assert.equal((await bodyOf(response))['reason'], reason, path);
    }
  });
});
