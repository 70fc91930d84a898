/** RealAuction: what its pages say, and how a read gets all of a sale day. */
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import assert from 'node:assert/strict';
import realAuctionSources from '../../sources/auctions/realauction.ts';
import { expandTokens } from '../../sources/readers/realauction/items.ts';
import { readSaleType, readStatus } from '../../sources/readers/realauction/rows.ts';
import type { DoubleItem } from './realauction_double.ts';
import { AT_NINE, items, SITE, read, aidsOf, quarantined } from './realauction_reads.ts';

test('each county of the table has the FIPS code of its name, and the host of its office', () => {
  const counties = readFileSync(new URL('../../models/reference/counties.csv', import.meta.url), 'utf8').split('\n');
  assert.equal(realAuctionSources.length, 31);
  for (const { name, hosts, county } of realAuctionSources) {
    assert.ok(counties.includes(`${county?.fips},${county?.name},${county?.state}`), name);
    const place = name === 'fl_orange_foreclosure' ? 'myorangeclerk' : name.split('_')[1];
    const hostOf = {
      OH: `${place}.sheriffsaleauction.ohio.gov`,
      PA: `${place}.pa.realforeclose.com`,
      FL: `${place}.${name.endsWith('_tax_deed') ? 'realtaxdeed' : 'realforeclose'}.com`,
    };
    assert.deepEqual(hosts, [hostOf[name.slice(0, 2).toUpperCase() as keyof typeof hostOf]], name);
    assert.ok(name.startsWith(`${county?.state.toLowerCase()}_${county?.name.split(' ')[0]?.toLowerCase()}_`), name);
  }
});

test('an unknown token means that the template changed', () => {
  assert.throws(() => expandTokens('@Ax">@Q</div>'), quarantined('template_changed'));
});

test('a cancellation in the time slot outweighs a case status that still says ACTIVE', () => {
  const status = (
    slot: string | null,
    caseStatus: string | null = 'ACTIVE',
    area: 'W' | 'C' = 'W',
    label = 'Auction Status',
  ): string => readStatus(caseStatus, { label, text: slot, amount: null }, area);
  assert.equal(status(AT_NINE), 'scheduled');
  assert.equal(status('Cancelled'), 'cancelled');
  assert.equal(status('CANCELLED BANKRUPTCY CH 13'), 'cancelled');
  assert.equal(status('Canceled per County'), 'cancelled');
  assert.equal(status('Withdrawn'), 'withdrawn');
  assert.equal(status('POSTPONED BY ATTORNEY'), 'postponed');
  assert.equal(status('NO BIDS - UNSOLD'), 'unsold');
  assert.equal(status(AT_NINE, 'ACTIVE', 'C', 'Auction Sold'), 'sold');
  assert.equal(status(AT_NINE, 'WITHDRAWN'), 'withdrawn');
  assert.equal(status('Bidder walked away'), 'unknown');
  assert.equal(status(null), 'scheduled');
  assert.equal(status(null, null), 'unknown');
  assert.equal(status(AT_NINE, 'ACTIVE', 'C'), 'unknown', 'closed without a word');
});

test('kind and round are read only if the sale type states them', () => {
  assert.deepEqual(readSaleType('FORECLOSURE - FIRST SALE'), { sale_kind: 'mortgage_foreclosure', sale_round: 1 });
  assert.deepEqual(readSaleType('FORECLOSURE - SECOND SALE'), { sale_kind: 'mortgage_foreclosure', sale_round: 2 });
  assert.deepEqual(readSaleType('TAX FORECLOSURE'), { sale_kind: 'tax_foreclosure', sale_round: null });
  assert.deepEqual(readSaleType('FORECLOSURE'), { sale_kind: 'unknown', sale_round: null });
  assert.deepEqual(readSaleType(null), { sale_kind: 'unknown', sale_round: null });
});

for (const paging of ['by number', 'forward only'] as const) {
  for (const saysPageCount of [true, false]) {
    const count = saysPageCount ? 'with a page count' : 'without a page count';
    test(`all 23 items of a day are read from a site that pages ${paging}, ${count}`, async () => {
      const { rows } = await read({ ...SITE, paging, saysPageCount });
      assert.deepEqual(
        aidsOf(rows),
        items(23).map(({ aid }) => aid),
      );
    });
  }
}

test('each page is loaded once, with the statuses that UPDATE gives right after its LOAD, ten at most', async () => {
  const canceled = (index: number): DoubleItem => ({
    aid: String(50_000 + index),
    area: 'W',
    slot: 'Canceled per Order',
  });
  const site = { ...SITE, items: items(23).map((item, index) => (index % 10 === 3 ? canceled(index) : item)) };
  for (const paging of ['by number', 'forward only'] as const) {
    const { rows, asked } = await read({ ...site, paging });
    assert.deepEqual(
      rows.filter(({ status }) => status === 'cancelled').map(({ item_id }) => item_id),
      ['50003', '50013'],
    );
    assert.equal(rows.filter(({ status }) => status === 'scheduled').length, 21);
    const updates = asked.filter((query) => query.includes('FNC=UPDATE&'));
    assert.deepEqual(
      updates.map((query) => /ref=([^&]*)/u.exec(query)?.[1]?.split(',').filter(Boolean).length),
      [10, 10, 3],
    );
    const loads = asked.filter((query) => query.includes('FNC=LOAD&AREA=W'));
    // A site that pages forward only ignores the first page number.
    assert.equal(loads.length, paging === 'by number' ? 3 : 4);
    for (const update of updates) assert.match(asked[asked.indexOf(update) - 1] ?? '', /FNC=LOAD&AREA=W/u);
  }
});

test('a page of more than ten items has its statuses from several UPDATEs', async () => {
  const { rows, asked } = await read({ ...SITE, paging: 'by number', perPage: 12 });
  assert.equal(rows.length, 23);
  const idsOf = (query: string): number => /ref=([^&]*)/u.exec(query)?.[1]?.split(',').filter(Boolean).length ?? 0;
  assert.deepEqual(asked.filter((query) => query.includes('FNC=UPDATE&')).map(idsOf), [10, 2, 10, 1]);
});
