/**
 * RealAuction: what its pages say, how a read gets all of a sale day, and days that cannot be read. A stand-in for one
 * county's site answers in memory as the recorded ones do: PREVIEW binds a day to the session and leaves its page
 * counts empty, LOAD gives ten items a page with blank status boxes, UPDATE states the page counts and the statuses of
 * the page loaded last, and of no other. Each quirk that only some of the real sites have is a switch.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { type GetOptions, Quarantine } from '../../sources/contract.ts';
import { Auction } from '../../sources/rows/auction.ts';
import { candidatesOf, sourceNamed } from './parsed.ts';
import { type Answer, quarantined, readFrom } from './site_double.ts';
import realAuctionSources from '../../sources/auctions/realauction.ts';
import { expandTokens } from '../../sources/readers/realauction/pages.ts';
import { readSaleType, readStatus } from '../../sources/readers/realauction/rows.ts';

interface DoubleItem {
  readonly aid: string;
  readonly area: 'W' | 'C';
  readonly slot: string;
  readonly saleType?: string;
}

interface DoubleDay {
  readonly day: string;
  readonly items: readonly DoubleItem[];
  /** What the calendar counts; the items themselves unless told. */
  readonly scheduled?: number;
  /** Page for whose items UPDATE answers COUNT 0. */
  readonly withoutStatuses?: number;
  /** Number of LOADs in a session after which the last item is gone. */
  readonly losesOneAfter?: number;
  /** A label that no item had before. */
  readonly newLabel?: string;
}

interface DoubleSite extends DoubleDay {
  /** Sale days besides this one. */
  readonly more?: readonly DoubleDay[];
  /** How pages after the first are given. */
  readonly paging: 'by number' | 'forward only';
  /** Items of a LOAD; ten unless told. */
  readonly perPage?: number;
  /** Whether UPDATE says how many pages there are. */
  readonly saysPageCount: boolean;
  /** Show a door instead of details. */
  readonly membersOnly?: boolean;
  /** Day in the head of the day's page; the day itself unless told. */
  readonly head?: string;
  /** Forget which day was bound to a session. */
  readonly forgetful?: boolean;
}

/** Most ids that UPDATE answers. */
const MAX_IDS = 10;

const perPage = (site: DoubleSite): number => site.perPage ?? 10;

/** What the site remembers of a session. */
interface Bound {
  day: DoubleDay | undefined;
  readonly at: Partial<Record<string, number>>;
  /** Ids of the page loaded last. */
  shown: readonly string[];
  number: number;
  loads: number;
}

const printedDay = ({ day }: DoubleDay): string => `${day.slice(5, 7)}/${day.slice(8)}/${day.slice(0, 4)}`;
const pagesOf = (site: DoubleSite, { items }: DoubleDay, area: string): number =>
  Math.ceil(items.filter((item) => item.area === area).length / perPage(site));

/** Markup of an item as the Ohio sites send it: label cells are th, tokens A, B, C, E, G and I are used. */
function compressed(item: DoubleItem, day: DoubleDay): string {
  const row = (label: string, value: string): string =>
    `<tr><th@CAD_LBL" scope="row">${label}</th><td@CAD_DTA">${value}@G`;
  return (
    `<div id="AITEM_${item.aid}" aria-label="Auction Details" @C@E_ITEM PREVIEW" aid="${item.aid}" rem="0" isset="0">` +
    `@A@E_STATS" tabindex="0">@AASTAT_MSGA ASTAT_LBL">@B` +
    `@AASTAT_MSGB Astat_DATA">@B@AASTAT_MSGC ASTAT_LBL">@B @AASTAT_MSGD Astat_DATA">@B` +
    '@AASTAT_MSG_SOLDTO_Label ASTAT_LBL">@B@AASTAT_MSG_SOLDTO_MSG Astat_DATA">@B@B' +
    '@A@E_DETAILS"><@I@Cad_tab" summary=""><tbody>' +
    row('Case Status:', 'ACTIVE') +
    row('Case #:', `CV26${item.aid} (${item.aid})`) +
    row('Parcel ID:', `0${item.aid}`) +
    row('Property Address:', `${item.aid} EXAMPLE AVE`) +
    row('', 'CLEVELAND , 441130000') +
    row('Appraised Value:', '$60,000.00') +
    row('Opening Bid:', '$40,000.00') +
    row('Deposit Requirement:', '$5,000.00') +
    (day.newLabel === undefined ? '' : row(day.newLabel, 'X')) +
    `</tbody></@I>@B@B@A@E_ITEM_SPACER">&nbsp;@B `
  );
}

function calendar(days: readonly DoubleDay[], requested: string): string {
  const boxes = days
    .filter(({ day }) => requested.includes(`${day.slice(0, 7)}-01`))
    .map((each) => {
      const scheduled = each.scheduled ?? each.items.length;
      const active = scheduled - each.items.filter((item) => item.area === 'C').length;
      return (
        `<div class='CALBOX CALW5 CALSELF' dayid='${printedDay(each)}'>` +
        `<span class="CALTEXT">Foreclosure</span><span class="CALACT">${active}</span>` +
        ` / <span class="CALSCH">${scheduled}</span> FC<span class="CALTIME">09:00 AM ET</span></div>`
      );
    });
  return `<div class="CALMAIN"><div class='CALBOX CALW5'></div>${boxes.join('')}</div>`;
}

function preview(site: DoubleSite, day: DoubleDay): string {
  const pages = (area: string): string =>
    `<span class="PageText">page <input id="curP${area}A" type="text" curPG="" /> of <span id="max${area}A"></span>`;
  return (
    `<div class="BLHeaderDateDisplay">${site.head ?? printedDay(day)}</div><div id="Area_R" arid="R"></div>` +
    `<div class="Head_W">${pages('W')}</span><div id="Area_W" arid="W"></div></div>` +
    `<div class="Head_C">${pages('C')}</span><div id="Area_C" arid="C"></div></div>` +
    `<div id="ALB" style="display:none">${day.items.map(({ aid }) => aid).join(',')}</div>`
  );
}

function load(site: DoubleSite, session: Bound, query: URLSearchParams): string {
  const { day } = session;
  const area = query.get('AREA') ?? '';
  if (day === undefined) return '{"retHTML":"","rlist":""}';
  session.loads += 1;
  const isShorter = session.loads > (day.losesOneAfter ?? Infinity);
  const here = day.items.filter((item) => item.area === area).slice(0, isShorter ? -1 : undefined);
  let at = session.at[area] ?? 1;
  if (query.get('PageDir') === '1') at += site.paging === 'by number' ? 0 : 1;
  else at = site.paging === 'by number' ? Number(query.get('bypassPage')) || 1 : 1;
  at = Math.min(at, Math.max(1, pagesOf(site, day, area)));
  session.at[area] = at;
  const shown = here.slice((at - 1) * perPage(site), at * perPage(site));
  session.shown = shown.map(({ aid }) => aid);
  session.number = at;
  const retHTML = shown.map((item) => compressed(item, day)).join('');
  return `\n\n\t\n${JSON.stringify({ retHTML, rlist: session.shown.join(',') })}\n`;
}

function update(site: DoubleSite, { day, shown, number }: Bound, query: URLSearchParams): string {
  const wanted = (query.get('ref') ?? '').split(',').filter(Boolean);
  const isAnswered = wanted.length <= MAX_IDS && day?.withoutStatuses !== number;
  const rows = (day?.items ?? [])
    .filter(({ aid }) => isAnswered && wanted.includes(aid) && shown.includes(aid))
    .map(({ aid, slot }) => ({ AID: aid, A: /^\d/u.test(slot) ? 'A' : 'B', B: slot, C: '', D: '', SL: '', ST: '' }));
  const counts = site.saysPageCount && day ? { WM: pagesOf(site, day, 'W'), CM: pagesOf(site, day, 'C') } : {};
  return JSON.stringify({ PC: 'page 1 of 1', ...counts, RR: false, ADATA: { COUNT: rows.length, AITEM: rows } });
}

function details(site: DoubleSite, days: readonly DoubleDay[], aid: string | null): string | undefined {
  if (site.membersOnly) return '<html><body><form id="LogIn">User Name</form></body></html>';
  const item = days.flatMap(({ items }) => items).find((each) => each.aid === aid);
  return item
    ? `<table><tr><td class="AD_LBL">Sale Type:</td><td class="AD_DTA">${item.saleType ?? ''}</td></tr></table>`
    : undefined;
}

/** @returns the site's answers, by the session of each request */
function answersOf(site: DoubleSite): (url: URL, options: GetOptions) => Answer {
  const sessions = new Map<string, Bound>();
  const days = [site, ...(site.more ?? [])];
  return ({ pathname, searchParams: q }, options) => {
    if (pathname === '/') return '<div id="splashMenuBottom"></div>';
    const id = options.session?.id ?? '';
    const session = sessions.get(id) ?? { day: undefined, at: {}, shown: [], number: 0, loads: 0 };
    sessions.set(id, session);
    if (q.get('zmethod') === 'CALENDAR') return calendar(days, q.get('selCalDate') ?? '');
    if (q.get('Zmethod') === 'PREVIEW') {
      const day = days.find((each) => printedDay(each) === q.get('AUCTIONDATE')) ?? site;
      session.day = site.forgetful ? undefined : day;
      return preview(site, day);
    }
    if (q.get('FNC') === 'LOAD') return load(site, session, q);
    if (q.get('FNC') === 'UPDATE') return update(site, session, q);
    return q.get('zmethod') === 'details' ? details(site, days, q.get('AID')) : undefined;
  };
}

const cuyahoga = sourceNamed('oh_cuyahoga_sheriff');

const TODAY = '2026-11-20';
const DAY = '2026-12-07';
const AT_NINE = '12/07/2026 09:00 AM ET';

const items = (count: number, area: 'W' | 'C' = 'W', from = 50_000): DoubleItem[] =>
  Array.from({ length: count }, (_, index) => ({
    aid: String(from + index),
    area,
    slot: area === 'W' ? AT_NINE : 'Withdrawn',
    saleType: 'FORECLOSURE - FIRST SALE',
  }));

/** An item with its time on another day. */
const onDay =
  (day: string) =>
  (item: DoubleItem): DoubleItem => ({ ...item, slot: `${day} 09:00 AM ET` });

const SITE: DoubleSite = { day: DAY, items: items(23), paging: 'by number', saysPageCount: true };

/** What a read of the site gives, and the queries of its requests, without the timestamps. */
async function read(site: DoubleSite) {
  const { pages, asked, unreadable } = await readFrom(cuyahoga, answersOf(site), TODAY);
  const rows = (await candidatesOf(cuyahoga, pages)).map((candidate) => {
    assert.ok('values' in candidate, JSON.stringify(candidate));
    return Auction.schema.parse(candidate.values) as Readonly<Record<string, unknown>>;
  });
  const queries = asked.map((url) => url.replace(/^.*index\.cfm\?/u, '').replace(/&tx=\d+/u, ''));
  return { rows, pages, asked: queries, unreadable };
}

const aidsOf = (rows: readonly Readonly<Record<string, unknown>>[]): string[] =>
  [...new Set(rows.map((row) => String(row['item_id'])))].sort();

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
    for (const query of updates) assert.match(asked[asked.indexOf(query) - 1] ?? '', /FNC=LOAD&AREA=W/u);
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
