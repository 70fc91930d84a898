/** /api/count/{list}: ranges of the paid lists, free, from which no score, price or sale can be found. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { rangeOf } from '../../../api/routes/count/coarse.ts';
import { PUBLIC_URL, sharedApp } from '../support/test_app.ts';
import { rowOf, rowsOfTable, type Row } from '../support/snapshot_fixtures.ts';
import { thorough } from '../../thorough.ts';

interface Counted {
  readonly matches: { readonly at_least: number; readonly at_most: number };
  readonly paid_call: { readonly url: string; readonly price: string };
}

const cities = ['Cleveland', 'Akron', 'Canton'];
const deal = (i: number): Row => ({
  city: i === 40 ? 'Parma' : cities[i % 3],
  deal_score: (i * 7) % 90,
  rental_status: i % 2 ? 'Hot' : 'Warm',
});
/** Ten leads of one county, so that one sale fewer would be another range, and three of another. */
const lead = (i: number): Row => ({
  county: i <= 10 ? 'Cuyahoga County, OH' : 'Stark County, OH',
  lead_score: i === 13 ? 95 : 50 + i,
  lead_type: i % 2 ? 'tax_delinquent' : 'sheriff_sale_auction',
});

const TABLES = {
  deals: [...rowsOfTable('deals', 40, deal), rowOf('deals', 41, { listing_status: 'sold', city: 'Dayton' })],
  signals: rowsOfTable('signals', 12, (i) => ({ signal_type: i % 4 ? 'tax_delinquent' : 'condemned' })),
  auctions: [rowOf('auctions', 1), rowOf('auctions', 2, { sale_status: 'cancelled' })],
  leads: rowsOfTable('leads', 13, lead),
  filings: rowsOfTable('filings', 120, (i) => ({ entity_type: i % 4 ? 'domestic_llc' : 'other' })),
};

/** Each way to choose one of some values, or none, for each filter. */
const combinations = (filters: Readonly<Record<string, readonly string[]>>): string[] =>
  Object.entries(filters).reduce(
    (queries: string[], [name, values]) =>
      queries.flatMap((query) => [query, ...values.map((value) => `${query}&${name}=${encodeURIComponent(value)}`)]),
    [''],
  );

const BOUNDS = thorough(['80'], ['20', '40', '60', '80']);
const DEAL_QUERIES = combinations({
  city: ['Parma', 'Cleveland'],
  status: ['Hot', 'Warm', 'Pass'],
  min_score: BOUNDS,
});
const LEAD_QUERIES = combinations({
  county: ['Cuyahoga', 'Stark'],
  lead_type: ['tax_delinquent', 'sheriff_sale_auction'],
  property_kind: thorough([], ['unknown']),
  min_score: BOUNDS,
});

describe('a count', () => {
  const shared = sharedApp(TABLES);
  const counted = async (path: string): Promise<Counted> => {
    const { response, body } = await shared.get(`/api/count/${path}`);
    assert.equal(response.status, 200, path);
    return body as unknown as Counted;
  };
  /** The answers to these queries, without the id of the snapshot. */
  const answers = async (list: string, queries: readonly string[]): Promise<string[]> => {
    const found: string[] = [];
    for (const query of queries) {
      const { snapshot_id: _, ...answer } = (await shared.get(`/api/count/${list}?${query.slice(1)}`)).body;
      found.push(JSON.stringify(answer));
    }
    return found;
  };

  it('is a range whose bounds are fixed', () => {
    const ranges = (hasZero: boolean, ...counts: number[]): string =>
      counts.map((n) => Object.values(rangeOf(n, hasZero)).join('-')).join(' ');
    assert.equal(ranges(true, 0, 1, 9, 10, 24, 25, 99, 100), '0-0 1-9 1-9 10-24 10-24 25-49 50-99 100-249');
    assert.equal(ranges(true, 249, 3_003_997), '100-249 2500000-4999999');
    assert.equal(ranges(false, 0, 1, 9, 10), '0-9 0-9 0-9 10-24');
  });

  it('has the total of the paid call with the same filters in its range, and its URL and price', async () => {
    for (const [path, price] of [
      ['deals', '$0.05'],
      ['deals?state=oh&city=akron&min_score=40&status=hot', '$0.05'],
      ['signals?signal_type=CONDEMNED&county=cuya', '$0.03'],
      ['auctions?auction_type=sheriff_sale', '$0.03'],
      ['leads?county=stark', '$0.25'],
      ['filings?state=OH&entity_type=domestic_llc', '$0.03'],
    ] as const) {
      const { matches, paid_call: paid } = await counted(path);
      assert.equal(paid.price, price);
      const total = Number((await shared.buy(paid.url.replace(PUBLIC_URL, '')))['total_matches']);
      assert.ok(matches.at_least <= total && total <= matches.at_most, `${path}: ${total}`);
    }
  });

  it('distinguishes none from a few only by place and kind, and never for leads or by score', async () => {
    const ends = async (path: string): Promise<unknown> => Object.values((await counted(path)).matches);
    assert.deepEqual(await ends('deals?city=Dayton'), [0, 0]);
    assert.deepEqual(await ends('deals?city=Parma'), [1, 9]);
    assert.deepEqual(await ends('auctions'), [1, 9]);
    assert.deepEqual(await ends('deals?city=Parma&min_score=80'), [0, 9]);
    assert.deepEqual(await ends('deals?city=Parma&status=Pass'), [0, 9]);
    assert.deepEqual(await ends('leads?county=Stark'), [0, 9]);
    assert.deepEqual(await ends('leads?county=Nowhere'), [0, 9]);
  });

  it('refuses other lists and filters, and names those that it accepts', async () => {
    for (const [path, reason, field] of [
      ['nothing', 'invalid_parameter', 'list'],
      ['deals?min_price=1', 'unknown_parameter', 'min_price'],
      ['deals?min_score=31', 'invalid_parameter', 'min_score'],
      ['deals?limit=1', 'unknown_parameter', 'limit'],
      ['deals?signal_type=condemned', 'unknown_parameter', 'signal_type'],
      ['signals?min_score=20', 'unknown_parameter', 'min_score'],
      ['filings?state=TX', 'invalid_parameter', 'state'],
      ['auctions?auction_type=sheriff_sale&auction_type=tax_sale', 'repeated_parameter', 'auction_type'],
    ] as const) {
      const { response, body } = await shared.get(`/api/count/${path}`);
      assert.deepEqual([response.status, body['reason'], body['field']], [400, reason, field], path);
    }
  });

  it('does not depend, in any query, on the price or score of a single deal', async () => {
    const known = await answers('deals', DEAL_QUERIES);
    for (const [day, other] of [
      ['02', { deal_score: 0, list_price: '1.00', cap_rate: '9.90' }],
      ['03', { deal_score: 100, list_price: null }],
    ] as const) {
      const changed = rowsOfTable('deals', 40, (i) => ({ ...deal(i), ...(i === 40 ? other : {}) }));
      await shared.folder.publish(`2026-11-20.${day}`, { ...TABLES, deals: [...changed, ...TABLES.deals.slice(40)] });
      await shared.app.snapshots.refresh();
      assert.deepEqual(await answers('deals', DEAL_QUERIES), known, JSON.stringify(other));
    }
    await shared.switchTo('2026-11-20.01');
  });

  it('reveals no sale of a lead by any query, however often it is repeated', async () => {
    const unsold = await answers('leads', LEAD_QUERIES);
    for (const place of ['Cuyahoga', 'Stark']) await shared.buy(`/api/leads/exclusive?county=${place}`);
    const list = await shared.buy('/api/leads?county=Cuyahoga');
    assert.equal(list['total_matches'], 9, 'the paid list is without the sold lead');
    assert.deepEqual(await answers('leads', LEAD_QUERIES), unsold);
    assert.deepEqual(await answers('leads', LEAD_QUERIES), unsold);
  });
});
