/** Each filter of each list, at its bound and with another; defaults and orders of lists; the exclusive sale. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { buyRecords, numbersOf, type Body, type Shop } from './shop.ts';

/** Query: the numbers of the rows, in order. Empty: no row, and the request is not billed. */
type Cases = Readonly<Record<string, readonly number[]>>;

async function assertRows(shop: Shop, path: string, cases: Cases): Promise<void> {
  for (const [query, expected] of Object.entries(cases)) {
    const url = `${path}${query}`;
    if (expected.length > 0) {
      assert.deepEqual(numbersOf(await buyRecords(shop, url)), expected, url);
      continue;
    }
    const settled = shop.app.facilitator.settled;
    const { status, body } = await shop.ask(url);
    assert.deepEqual([status, body['reason'], body['billed']], [404, 'no_matches', false], url);
    assert.equal(shop.app.facilitator.settled, settled, url);
  }
}

/** Rows by deal_score; 6 is sold. */
const DEAL_FILTERS: Cases = {
  '': [1, 2, 3, 4, 5, 7],
  '?state=OH': [1, 2],
  '?state=ME': [],
  '?city=akron': [2],
  '?city=akro': [],
  '?county=cuyahoga': [1, 3, 4, 7],
  '?county=stark%20county': [2],
  '?county=cuyahoga&state=OH': [1],
  '?zip=44702': [2],
  '?zip=44114': [],
  '?zip=44702&county=cuyahoga': [],
  '?county=Maricopa': [],
  '?min_cap_underwritten=6.10': [1, 2, 3, 5, 7],
  '?min_cap_underwritten=6.11': [5],
  '?max_cap_gap=1.30': [1, 2, 3, 5, 7],
  '?max_cap_gap=-1': [5],
  '?underwrite_reliability=proxy_out_of_range': [3],
  '?underwrite_reliability=UNKNOWN': [4],
  '?min_dscr=1.2': [1, 2, 3, 7],
  '?min_dscr=1.21': [],
  '?listed_since=2026-11-15': [1, 2, 3, 4, 7],
  '?listed_since=2026-11-16': [1, 2, 3, 4, 7],
  '?listed_since=2026-11-20': [1, 3, 4, 7],
  '?listed_since=2026-11-21': [],
  '?min_price=300000': [3, 5, 7],
  '?min_price=300000.01': [5, 7],
  '?max_price=200000': [1, 2],
  '?max_price=199999.99': [1],
  '?min_cap=9': [3, 5],
  '?min_cap=8.5': [2, 3, 5],
  '?min_units=20': [5, 7],
  '?max_units=8': [1, 2],
  '?min_score=70': [1, 2, 3],
  '?min_score=91': [],
  '?status=Hot': [1, 4],
  '?status=Warm': [2, 5],
  '?status=Pass': [3, 7],
  '?state=OH&status=Warm': [2],
  '?state=OH&status=Pass': [],
};
const SIGNAL_FILTERS: Cases = {
  '': [2, 4, 1, 3],
  '?county=uyahog': [1, 3],
  '?county=Stark': [2, 4],
  '?county=Lucas': [],
  '?signal_type=tax_delinquent': [2, 4, 1, 3],
  '?signal_type=fire': [],
  '?min_amount=700': [2, 4],
  '?min_amount=9000.11': [],
  '?has_address=true': [4, 1],
  '?has_address=true&county=Stark': [4],
  '?property_kind=two_to_four': [2, 1],
  '?property_kind=unknown': [4, 3],
  '?property_kind=vacant_lot': [],
  '?state=oh': [2, 4, 1, 3],
  '?state=MI': [],
  '?city=canton': [4],
  '?city=cant': [],
  '?zip=44113': [1],
  '?zip=44113&county=Stark': [],
};
const AUCTION_FILTERS: Cases = {
  '': [3, 4, 2],
  '?include_past=true': [1, 3, 4, 2],
  '?include_past=false': [3, 4, 2],
  '?county=ark%20Cou': [3, 4],
  '?from_date=2026-12-01': [4, 2],
  '?from_date=2026-11-01': [3, 4, 2],
  '?to_date=2026-12-01': [3, 4],
  '?to_date=2026-11-20&county=Cuyahoga': [],
  '?to_date=2026-11-19&include_past=true': [1],
  '?min_appraised=90000': [3, 2],
  '?min_appraised=90000.01': [3],
  '?state=OH': [3, 4, 2],
  '?state=IN': [],
  '?city=CLEVELAND': [4, 2],
  '?zip=44702': [3],
  '?zip=44702&city=Cleveland': [],
};
const LEAD_FILTERS: Cases = {
  '': [2, 3, 1, 5],
  '?county=cuya': [3, 1],
  '?min_score=70': [2, 3],
  '?min_score=95': [],
  '?lead_type=tax_delinquent': [2, 1, 5],
  '?lead_type=sheriff_sale_auction': [3],
  '?county=stark&lead_type=sheriff_sale_auction': [],
  '?property_kind=two_to_four': [3, 1],
  '?property_kind=five_up': [2],
  '?property_kind=vacant_lot': [],
  '?state=OH': [2, 3, 1, 5],
  '?state=CO': [],
  '?city=Canton': [2],
  '?zip=44702': [2],
  '?zip=44113': [],
};
/** Texts are searched as they are: none of their characters stands for others. */
const FILING_FILTERS: Cases = {
  '': [1, 2, 3, 4],
  '?state=CO': [3],
  '?name=100%25': [1],
  '?name=o_fallon': [2],
  '?name=%5C': [4],
  '?name=HOMES': [2, 3],
  '?name=nobody': [],
  '?agent=agents': [1],
  '?agent=%25': [],
  '?city=denver': [3],
  '?city=denv': [],
  '?entity_type=domestic_llc': [1, 3],
  '?from_date=2026-11-17': [1, 2],
  '?to_date=2026-11-16': [3, 4],
};
const LISTS: Readonly<Record<string, Cases>> = {
  '/api/deals': DEAL_FILTERS,
  '/api/signals': SIGNAL_FILTERS,
  '/api/auctions': AUCTION_FILTERS,
  '/api/leads': LEAD_FILTERS,
  '/api/filings': FILING_FILTERS,
};
/**
 * A pair of values for each two filters of a list: the rows of both are those that each has, in the order of the list,
 * and differ from the rows of either, so that a filter that the other one switches off is seen.
 */
function pairsOf(cases: Cases): Cases {
  // The rows of past sales are not among those of the other filters; a lower bound above its upper one is refused.
  const single = Object.keys(cases).filter((query) => /^[^&]+$/u.test(query) && !query.includes('include_past'));
  const kindOf = (query: string): string => query.replace(/=.*/u, '').replace(/^\?(?:min|max|from|to)_/u, '?');
  const pairs = new Map<string, readonly [query: string, rows: readonly number[]]>();
  for (const one of single)
    for (const other of single.slice(single.indexOf(one) + 1)) {
      const [a, b] = [cases[one] ?? [], cases[other] ?? []];
      const both = (cases[''] ?? []).filter((n) => a.includes(n) && b.includes(n));
      if (kindOf(one) !== kindOf(other) && both.length < Math.min(a.length, b.length))
        pairs.set(`${kindOf(one)} ${kindOf(other)}`, [`${one}&${other.slice(1)}`, both]);
    }
  return Object.fromEntries(pairs.values());
}
/** The same rows by cap rate, without a cap rate last. */
const BY_CAP_RATE = [5, 3, 2, 7, 1, 4];

export function testFilters(shop: Shop): void {
  it('filters deals by each parameter, inclusive of its bound, and ranks them by deal_score', () =>
    assertRows(shop, '/api/deals', DEAL_FILTERS));

  it('filters cards by the same parameters and ranks them by advertised cap rate', () =>
    assertRows(
      shop,
      '/api/deals/basic',
      Object.fromEntries(
        Object.entries(DEAL_FILTERS).map(([query, rows]) => [query, BY_CAP_RATE.filter((n) => rows.includes(n))]),
      ),
    ));

  it('marks deals hot at an advertised cap rate of 8.5% or more, if their DSCR is computed', () =>
    assertRows(shop, '/api/deals/hot', { '': [2, 3] }));

  it('filters signals by each parameter and ranks them by amount', () =>
    assertRows(shop, '/api/signals', SIGNAL_FILTERS));

  it('filters auctions by each parameter, from today on by default, and ranks them by sale date', () =>
    assertRows(shop, '/api/auctions', AUCTION_FILTERS));

  it('filters leads by each parameter and ranks them by lead_score; none is older than seven days', () =>
    assertRows(shop, '/api/leads', LEAD_FILTERS));

  it('ranks filings by filing date, and returns none as recent that was first read weeks ago', async () => {
    await assertRows(shop, '/api/filings', FILING_FILTERS);
    assert.deepEqual(numbersOf(await buyRecords(shop, '/api/filings/recent')).sort(), [1, 2, 3]);
    await assertRows(shop, '/ohio/api/filings', { '': [1, 2, 4], '?name=nobody': [] });
    await assertRows(shop, '/colorado/api/filings', { '': [3], '?name=nobody': [] });
  });

  it('returns the rows that pass both of two filters, on every list', async () => {
    for (const [path, cases] of Object.entries(LISTS)) {
      const pairs = pairsOf(cases);
      assert.ok(Object.values(pairs).some((rows) => rows.length > 0));
      await assertRows(shop, path, pairs);
    }
  });

  it('refuses a lookup without address and apn, an unknown enum value and a score above 100 with 400', async () => {
    for (const [path, field] of [
      ['/api/lookup', 'address'],
      ['/api/lookup?address=Main+St', 'address'],
      ['/api/lookup?apn=--', 'apn'],
      ['/api/lookup?apn=1&parcel=2', 'parcel'],
      ['/api/lookup?city=Cleveland&state=OH', 'address'],
      ['/api/deals?status=Cold', 'status'],
      ['/api/deals/basic?status=Cold', 'status'],
      ['/api/deals?min_score=101', 'min_score'],
      ['/api/leads?min_score=-1', 'min_score'],
      ['/api/leads?lead_type=fire', 'lead_type'],
      ['/api/leads/exclusive?lead_type=fire', 'lead_type'],
      ['/api/leads?property_kind=castle', 'property_kind'],
      ['/api/signals?property_kind=castle', 'property_kind'],
      ['/api/deals?min_units=1.5', 'min_units'],
      ['/api/auctions?from_date=tomorrow', 'from_date'],
      ['/api/signals?has_address=perhaps', 'has_address'],
      ['/api/deals/hot?state=OH', 'state'],
      ['/api/deals?underwrite_reliability=maybe', 'underwrite_reliability'],
      ['/api/deals?listed_since=yesterday', 'listed_since'],
      ['/api/signals?zip=4411', 'zip'],
      ['/api/leads/exclusive?zip=44113-1234', 'zip'],
      ['/api/auctions?state=Ohio', 'state'],
      ['/api/auctions?to_date=2026-11-19', 'to_date'],
      ['/api/auctions?from_date=2026-02-30', 'from_date'],
      ['/api/deals?stat=OH', 'stat'],
      ['/api/deals?state=OH&state=OH', 'state'],
      ['/api/deals?min_price=2&max_price=1.99', 'max_price'],
      ['/api/deals?min_price=1e5', 'min_price'],
      ['/api/deals?city=%FF', 'city'],
      ['/api/deals?city=%00', 'city'],
      ['/api/deals?limit=0', 'limit'],
    ] as const) {
      const { status, body } = await shop.get(path);
      assert.deepEqual([status, body['field']], [400, field], path);
    }
  });

  it('sells one lead per call: the best match of the filters, once, and then the next best', async () => {
    const sold = async (query: string): Promise<number | string> => {
      const { status, body } = await shop.ask(`/api/leads/exclusive${query}`);
      const { lead, reason } = body as { lead?: Body; reason?: string };
      return lead === undefined ? `${status} ${reason}` : (numbersOf([lead])[0] ?? 'no number');
    };
    assert.equal(await sold('?county=cuyahoga&lead_type=sheriff_sale_auction'), 3);
    assert.equal(await sold('?lead_type=sheriff_sale_auction'), '404 no_matches');
    assert.equal(await sold('?property_kind=vacant_lot'), '404 no_matches');
    assert.equal(await sold('?zip=44702&city=Cleveland'), '404 no_matches');
    assert.equal(await sold('?min_score=60'), 2);
    assert.equal(await sold('?min_score=60'), 1);
    assert.equal(await sold('?min_score=60'), '404 no_matches');
    assert.deepEqual(numbersOf(await buyRecords(shop, '/api/leads')), [5]);
  });
}
