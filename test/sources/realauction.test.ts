/** The RealAuction family: what its pages say, and how a read gets all of a sale day. */
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import assert from 'node:assert/strict';
import type { Page } from '../../sources/contract.ts';
import { realAuctionSource, realAuctionSources } from '../../sources/families/realauction/counties.ts';
import { expandTokens } from '../../sources/families/realauction/items.ts';
import { readSaleType, readStatus } from '../../sources/families/realauction/rows.ts';
import { candidatesOf } from './parsed.ts';
import type { DoubleItem } from './realauction_double.ts';
import { DAY, AT_NINE, items, SITE, read, aidsOf, quarantined } from './realauction_reads.ts';

const cuyahoga = realAuctionSource('oh_cuyahoga_sheriff');

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

test('closed items are read too, and each row says what its own pages say', async () => {
  const closed: DoubleItem = {
    aid: '60001',
    area: 'C',
    slot: 'CANCELLED BANKRUPTCY CH 13',
    saleType: 'TAX FORECLOSURE',
    caseNumber: 'CV26123456 (60001)',
  };
  const { rows } = await read({ ...SITE, items: [...items(3), closed] });
  assert.equal(rows.length, 4);
  const row = rows.find(({ item_id }) => item_id === '60001');
  assert.deepEqual(
    [row?.['case_number'], row?.['parcel_raw'], row?.['status'], row?.['sale_kind'], row?.['slot_raw']],
    ['CV26123456', '060001', 'cancelled', 'tax_foreclosure', 'CANCELLED BANKRUPTCY CH 13'],
  );
});

test('a page of items can be parsed again from its own record alone', async () => {
  const { pages } = await read(SITE);
  const [page] = pages;
  assert.ok(page);
  const replayed: Page = { ...page, context: JSON.parse(JSON.stringify(page.context)) as Record<string, string> };
  assert.deepEqual(await candidatesOf(cuyahoga, [replayed]), await candidatesOf(cuyahoga, [page]));
  assert.match(page.context['saleTypes'] ?? '', /FIRST SALE/u);
});

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

test("a session starts at the site's front page, which sets its cookies", async () => {
  const { asked } = await read({ ...SITE, items: items(1) });
  const front = 'https://cuyahoga.sheriffsaleauction.ohio.gov/';
  assert.equal(asked[0], front);
  const preview = asked.findIndex((query) => query.includes('PREVIEW'));
  assert.equal(asked[preview - 1], front);
});

test('a status that the list itself shows is read if UPDATE has none', async () => {
  const site = { ...SITE, items: items(2), filledBoxes: true };
  const { pages } = await read(site);
  const [page] = pages;
  assert.ok(page);
  const { slots: _, ...context } = page.context;
  const [candidate] = await candidatesOf(cuyahoga, [{ ...page, context }]);
  assert.ok(candidate && 'values' in candidate);
  assert.equal(candidate.values['status'], 'scheduled');
});

test('an item without a status is refused, although its case is ACTIVE', async () => {
  const { pages } = await read({ ...SITE, items: items(2) });
  const [page] = pages;
  assert.ok(page);
  const { slots: _, ...context } = page.context;
  const candidates = await candidatesOf(cuyahoga, [{ ...page, context }]);
  assert.deepEqual(
    candidates.map((candidate) => 'reject' in candidate && [candidate.reject.reason, candidate.key?.['sale_date']]),
    [
      ['missing_status', DAY],
      ['missing_status', DAY],
    ],
  );
});

test('labels are read in a th, a td or a div', async () => {
  const body = (pair: (label: string, value: string) => string): string =>
    [
      ['Case Status:', 'ACTIVE'],
      ['Case #:', 'CV1 (2)'],
      ['Parcel ID:', '123'],
      ['Property Address:', '1 A ST'],
      ['', 'PARMA , 441300000'],
      ['Appraised Value:', '$0.00'],
      ['Opening Bid:', '$23,806.80'],
      ['Deposit Requirement:', '$5,000.00'],
    ]
      .map(([label = '', value = '']) => pair(label, value))
      .join('');
  const variants = [
    ['table', body((l, v) => `<tr><th class="AD_LBL">${l}</th><td class="AD_DTA">${v}</td></tr>`)],
    ['table', body((l, v) => `<tr><td class="AD_LBL">${l}</td><td class="AD_DTA"> <a href="#">${v}</a></td></tr>`)],
    ['div', body((l, v) => `<div class="AD_LBL">${l}</div><div class="AD_DTA">${v}</div>`)],
  ];
  const pages = variants.map(([tag, details]): Page => {
    const text = JSON.stringify({
      retHTML:
        '<div class="AUCTION_ITEM PREVIEW" id="AITEM_7" aid="7"><div class="AUCTION_STATS">' +
        '<div class="ASTAT_MSGA">Auction Starts</div><div class="ASTAT_MSGB">12/07/2026 09:00 AM ET</div></div>' +
        `<div class="AUCTION_DETAILS"><${tag} class="ad_tab">${details}</${tag}></div></div>`,
      rlist: '7',
    });
    return {
      kind: 'items',
      url: 'https://cuyahoga.sheriffsaleauction.ohio.gov/index.cfm',
      context: { saleDate: DAY, area: 'W' },
      bytes: Buffer.from(text),
      sha256: '',
      contentType: null,
      observedAt: '2026-11-20T12:00:00Z',
      text: () => text,
    };
  });
  const parsed = await Promise.all(pages.map((page) => candidatesOf(cuyahoga, [page])));
  assert.deepEqual(parsed[1], parsed[0]);
  assert.deepEqual(parsed[2], parsed[0]);
  const [first] = parsed[0] ?? [];
  assert.ok(first && 'values' in first);
  assert.equal(first.values['appraised_value'], null, 'an appraisal of 0.00 is none');
  assert.equal(first.values['opening_bid'], '23806.80');
});
