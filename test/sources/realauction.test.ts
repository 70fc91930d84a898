/** RealAuction: what its pages say, how a read gets all of a sale day, and days that cannot be read. */
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import assert from 'node:assert/strict';
import realAuctionSources from '../../sources/auctions/realauction.ts';
import { expandTokens } from '../../sources/readers/realauction/pages.ts';
import { readSaleType, readStatus } from '../../sources/readers/realauction/rows.ts';
import {
  aidsOf,
  AT_NINE,
  DAY,
  type DoubleDay,
  type DoubleItem,
  type DoubleSite,
  items,
  onDay,
  quarantined,
  read,
  SITE,
} from './realauction_double.ts';
import { Quarantine } from '../../sources/contract.ts';

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

/** The site of three sale days, of which the second has a fault. */
const threeDays = (fault: Partial<DoubleDay>): DoubleSite => ({
  ...SITE,
  more: [
    { day: '2026-12-09', items: items(12, 'W', 60_000).map(onDay('12/09/2026')), ...fault },
    { day: '2026-12-14', items: items(11, 'W', 70_000).map(onDay('12/14/2026')) },
  ],
});

const FAULTS: readonly (readonly [what: string, fault: Partial<DoubleDay>, reason: string, detail: RegExp])[] = [
  [
    'UPDATE answers COUNT 0 for its second page',
    { withoutStatuses: 2 },
    'count_mismatch',
    /^the sale of 2026-12-09 is unreadable: UPDATE answered 0 of 2 statuses of page 2 of the waiting sales/u,
  ],
  [
    'its list is shorter than the calendar counts',
    { scheduled: 14 },
    'count_mismatch',
    /^the sale of 2026-12-09 is unreadable: 12 items read for 2026-12-09, the calendar counts 14 scheduled/u,
  ],
  [
    'its list changes between two requests',
    { losesOneAfter: 1 },
    'count_mismatch',
    /^the sale of 2026-12-09 is unreadable: 11 items read for 2026-12-09, the calendar counts 12 scheduled/u,
  ],
  ['it has a new label', { newLabel: 'Judge:' }, 'unknown_column', /^the sale of 2026-12-09 is unreadable: .*Judge/u],
];

for (const [what, fault, reason, detail] of FAULTS) {
  test(`one bad sale day does not affect the others: ${what}`, async () => {
    const { rows, unreadable } = await read(threeDays(fault));
    assert.deepEqual([...new Set(rows.map(({ sale_date }) => sale_date))], [DAY, '2026-12-14']);
    assert.equal(rows.length, 23 + 11);
    assert.deepEqual(
      unreadable.map(({ key }) => key),
      [{ county_fips: '39035', sale_date: '2026-12-09' }],
    );
    const error = unreadable[0]?.error;
    assert.ok(error instanceof Quarantine && error.reason === reason, String(error));
    assert.match(error.message, detail);
  });
}

test('a site on which every sale day is bad is quarantined', async () => {
  const bad = threeDays({ withoutStatuses: 1 });
  const more = (bad.more ?? []).map((day) => ({ ...day, withoutStatuses: 1 }));
  await assert.rejects(read({ ...bad, withoutStatuses: 1, more }), quarantined('count_mismatch'));
});

test('a missing item is named', async () => {
  const site = { ...SITE, paging: 'by number' as const, items: [...items(10), ...items(1, 'C', 60_000)] };
  const stuck = {
    ...site,
    items: site.items.map((item) => (item.area === 'C' ? { ...item, area: 'X' as 'C' } : item)),
  };
  await assert.rejects(read(stuck), /10 items read for 2026-12-07, the calendar counts 11 .*; not read: 60000$/u);
});

test('if details are for members only, the site is asked once', async () => {
  const { rows, asked } = await read({ ...SITE, membersOnly: true });
  assert.equal(rows.length, 23);
  assert.equal(asked.filter((query) => query.includes('zmethod=details')).length, 1);
  assert.ok(rows.every(({ sale_kind, sale_type_raw }) => sale_kind === 'unknown' && sale_type_raw === null));
});

test('a session that lost its day looks like an empty day, and the calendar reveals it', async () => {
  await assert.rejects(read({ ...SITE, forgetful: true }), quarantined('count_mismatch'));
});

test('a page that shows another day than requested is refused', async () => {
  await assert.rejects(read({ ...SITE, head: 'Tuesday December 8, 2026' }), quarantined('template_changed'));
  assert.equal((await read({ ...SITE, head: 'Monday December 7, 2026' })).rows.length, 23);
});

test('a list shorter than the calendar counts is not published', async () => {
  await assert.rejects(read({ ...SITE, scheduled: 25 }), quarantined('count_mismatch'));
});
