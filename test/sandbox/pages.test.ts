/** The sandbox's pages: the same bytes for the same world and day, marked as made up, in the real sites' formats. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { unzipSync } from 'fflate';
import { startSandbox, type Sandbox } from '../../sandbox/server.ts';
import {
  BUCKEYE,
  COLORADO,
  cookiesOf,
  CUYAHOGA_LAYER,
  CUYAHOGA_SALES,
  get,
  HAMILTON_LAYER,
  HEARTLAND,
  HUD,
  MONTGOMERY,
  OHIO,
  STARK_LAYER,
} from './browse.ts';

const sizes = { seed: 3, listings: 90, parcels: 3000, auctions: 120, filings: 1500, day: '2026-11-20' };
let sandbox: Sandbox;
let twin: Sandbox;
before(async () => {
  [sandbox, twin] = await Promise.all([startSandbox(sizes), startSandbox(sizes)]);
  for (const one of [sandbox, twin]) await get(one, `${HUD}/portal/datasets/fmr.html`);
});
after(() => Promise.all([sandbox.close(), twin.close()]));

const monday = '11/23/2026';
const query = (layer: string, where: string, more = ''): string =>
  `${layer}/query?where=${encodeURIComponent(where)}${more}&returnGeometry=false&f=json`;

test('the same world and day give the same bytes, and everything says that it is made up', async () => {
  const detail = sandbox.day.listings.find(({ site }) => site === 'heartland_multifamily')?.path ?? '';
  const deal = sandbox.day.listings.find(({ site }) => site === 'buckeye_income_property')?.path ?? '';
  const aid = sandbox.day.auctions.find(({ county }) => county === 'Cuyahoga')?.aid ?? '';
  const pages = [
    `${HEARTLAND}/robots.txt`,
    `${HEARTLAND}/listings?page=2`,
    HEARTLAND + detail,
    `${BUCKEYE}/properties?page=1`,
    BUCKEYE + deal,
    `${HUD}/portal/datasets/fmr/fmr2026/FY26_FMRs.xlsx`,
    `${CUYAHOGA_LAYER}?f=json`,
    query(CUYAHOGA_LAYER, 'total_net_delq_balance > 0', '&outFields=*'),
    query(HAMILTON_LAYER, 'DELQ_TAXES > 0', '&outFields=*'),
    'https://www.hcauditor.org/download/Delinquent/unpaid.xlsx',
    'https://www.akronlegalnews.com/notices/delinquent_taxes_detail/411',
    query(STARK_LAYER, 'FINAL_BALANCE > 0', '&outFields=*'),
    `${MONTGOMERY}/search/fdpopup.cfm?dtype=DQ`,
    `${MONTGOMERY}/downloads/Delq_20261119.zip`,
    `${CUYAHOGA_SALES}?zaction=USER&zmethod=CALENDAR`,
    `${CUYAHOGA_SALES}?zaction=AUCTION&Zmethod=PREVIEW&AUCTIONDATE=${monday}`,
    `${CUYAHOGA_SALES}?zaction=auction&zmethod=details&AID=${aid}`,
    `${OHIO}/WI0100R.TXT`,
    'https://www.ohiosos.gov/businesses/business-reports/download-business-report/',
    `${COLORADO}/resource/4ykn-tg5h.json?$order=entityid&$limit=50`,
    `${COLORADO}/api/views/4ykn-tg5h.json`,
    `${COLORADO}/api/views/4ykn-tg5h/rows.csv?accessType=DOWNLOAD`,
    `${HEARTLAND}/nowhere`,
  ];
  for (const address of pages) {
    const [one, other] = await Promise.all([get(sandbox, address), get(twin, address)]);
    assert.equal(one.status, address.endsWith('/nowhere') ? 404 : 200, address);
    assert.ok(one.body.equals(other.body), `${address} differs between two servers`);
    assert.deepEqual(one.headers, other.headers, address);
    assert.equal(one.headers['x-dealfeed-sandbox'], 'made-up data', address);
    if (String(one.headers['content-type']).startsWith('text/html'))
      assert.match(one.text, /class="sandbox-banner"[^>]*>SANDBOX: [^<]*made up/u, address);
  }
});

describe('listing sites', () => {
  test('A responds with 410 for former listings, and redirects a bare number to the whole address', async () => {
    const { goneListings, listings } = sandbox.day;
    const gone = [...goneListings].find((id) => id.startsWith('HM-'));
    assert.equal((await get(sandbox, `${HEARTLAND}/listing/${gone}/anything`)).status, 410);
    const { listingId, path } = listings.find(({ site }) => site === 'heartland_multifamily') ?? {};
    const moved = await get(sandbox, `${HEARTLAND}/listing/${listingId}`);
    assert.deepEqual([moved.status, moved.headers.location], [301, path]);
  });
});

test('HUD: nothing but the FY2026 original is posted, a workbook with the codes as text', async () => {
  for (const name of ['fmr2027/FY27_FMRs_revised', 'fmr2027/FY27_FMRs', 'fmr2026/FY26_FMRs_revised']) {
    assert.equal((await get(sandbox, `${HUD}/portal/datasets/fmr/${name}.xlsx`)).status, 404, name);
  }
  const parts = unzipSync((await get(sandbox, `${HUD}/portal/datasets/fmr/fmr2026/FY26_FMRs.xlsx`)).body);
  const text = (name: string): string => Buffer.from(parts[name] ?? []).toString();
  assert.match(text('xl/sharedStrings.xml'), /<t>3903599999<\/t>/u);
  assert.match(text('xl/sharedStrings.xml'), /<t>04<\/t>/u);
  assert.match(text('xl/workbook.xml'), /name="FY26_FMRs".*name="Field_Descriptions"/u);
  assert.equal(text('xl/worksheets/sheet1.xml').match(/<row /gu)?.length, 142);
});

describe('map servers', () => {
  const rowsOf = async (
    address: string,
  ): Promise<{
    features: { attributes: Record<string, unknown> }[];
    exceededTransferLimit?: boolean;
    count?: number;
    error?: { code: number };
  }> => JSON.parse((await get(sandbox, address)).text) as never;

  test("Hamilton's answers more than 200 features in an order with HTTP 400", async () => {
    const page = (count: number): Promise<{ status: number }> =>
      get(sandbox, query(HAMILTON_LAYER, '1=1', `&orderByFields=OBJECTID&resultRecordCount=${count}`));
    assert.deepEqual([(await page(200)).status, (await page(1000)).status], [200, 400]);
  });

  test('errors come as HTTP 200', async () => {
    assert.equal((await rowsOf(query(STARK_LAYER, 'NO_SUCH_FIELD > 0'))).error?.code, 400);
    assert.equal((await rowsOf(query(STARK_LAYER, 'FINAL_BALANCE >'))).error?.code, 400);
    assert.equal((await rowsOf(query(STARK_LAYER, 'FINAL_BALANCE > 0', '&outFields=PIN,NOPE'))).error?.code, 400);
  });
});

test('Montgomery: unquoted links with backslashes to an archive of padded columns and broken lines', async () => {
  const popup = await get(sandbox, `${MONTGOMERY}/search/fdpopup.cfm?dtype=DQ`);
  const [, href = ''] = /href=(\S+Delq_\d{8}\.zip)/u.exec(popup.text) ?? [];
  assert.equal(href, '\\applications\\treasurer\\downloads\\Delq_20261119.zip');
  const files = unzipSync((await get(sandbox, `https://go.mcohio.org${href.replaceAll('\\', '/')}`)).body);
  const [[name, csv] = []] = Object.entries(files);
  assert.equal(name, 'DELQ\\Delq_20261119.csv');
  const [header = '', ...lines] = Buffer.from(csv ?? [])
    .toString('latin1')
    .trimEnd()
    .split('\r\n');
  assert.equal(header.split(',').length, 62);
  assert.match(header, /^PARCELID +,HLF1CHG +,/u);
  const whole = lines.filter((line) => /^[A-Z]\d\d(?: \d{5}|\d{6})[ A]\d{4},/u.test(line));
  for (const form of [/^[A-Z]\d\d \d{5} \d{4},/u, /^[A-Z]\d\d \d{5}A\d{4},/u, /^[A-Z]\d\d\d{6} \d{4},/u])
    assert.ok(
      whole.some((line) => form.test(line)),
      form.source,
    );
  assert.equal(whole.length, sandbox.day.delinquent.filter(({ countyFips }) => countyFips === '39113').length);
  assert.ok(lines.length > whole.length, 'some lines continue a record');
  assert.match(csv ? Buffer.from(csv).toString('latin1') : '', /\xbd/u);
  assert.equal((await get(sandbox, `${MONTGOMERY}/downloads/Delq_20261126.zip`)).status, 404, 'not posted yet');
});

describe('sheriff sales', () => {
  const load = (area: string, paging: string): string =>
    `${CUYAHOGA_SALES}?zaction=AUCTION&Zmethod=UPDATE&FNC=LOAD&AREA=${area}&${paging}&tx=1`;
  const listOf = (text: string): string[] => (JSON.parse(text) as { rlist: string }).rlist.split(',').filter(Boolean);
  const busiest = (): string => {
    const days = Map.groupBy(
      sandbox.day.auctions.filter(({ county, status }) => county === 'Cuyahoga' && status === 'scheduled'),
      ({ saleDate }) => saleDate,
    );
    return [...days].sort(([, a], [, b]) => b.length - a.length)[0]?.[0] ?? '';
  };
  const us = (day: string): string => `${day.slice(5, 7)}/${day.slice(8)}/${day.slice(0, 4)}`;
  const preview = (day: string): string => `${CUYAHOGA_SALES}?zaction=AUCTION&Zmethod=PREVIEW&AUCTIONDATE=${us(day)}`;

  test('LOAD without the cookies of PREVIEW is an empty day', async () => {
    const answer = await get(sandbox, load('W', 'PageDir=0&doR=1&bypassPage=0'));
    assert.equal(answer.text.trim(), '{"retHTML":"","rlist":""}');
    assert.match(answer.text, /^\n+\t/u, 'blank lines come before the brace');
    assert.match(String(answer.headers['content-type']), /text\/html/u);
  });

  interface Answer {
    readonly WM: number;
    readonly CM: number;
    readonly ADATA: { readonly COUNT: number; readonly AITEM: readonly { readonly AID: string; readonly B: string }[] };
  }
  /** Ask UPDATE for items with the cookies of a LOAD. */
  const update = async (aids: readonly string[], cookie: string): Promise<Answer> => {
    const address = `${CUYAHOGA_SALES}?zaction=AUCTION&ZMETHOD=UPDATE&FNC=UPDATE&ref=${aids.join(',')},&tx=1`;
    return JSON.parse((await get(sandbox, address, { cookie })).text) as Answer;
  };

  test('the page counts are in UPDATE, and the numbered pages give as many items as the calendar counts', async () => {
    const day = busiest();
    const expected = sandbox.day.auctions.filter((item) => item.county === 'Cuyahoga' && item.saleDate === day);
    const opened = await get(sandbox, preview(day));
    assert.match(
      opened.text,
      /id="curPWA"[^>]*curPG="" \/>.*id="maxWA"><\/span>/u,
      'empty until the script fills them',
    );
    const listed = /id="ALB"[^>]*>([\d,]*)</u.exec(opened.text)?.[1]?.split(',');
    assert.deepEqual(listed, expected.map(({ aid }) => aid).sort());
    const first = await get(sandbox, load('W', 'PageDir=0&doR=1&bypassPage=0'), { cookie: cookiesOf(opened) });
    const { WM, CM } = await update(listOf(first.text), cookiesOf(first));
    assert.ok(WM > 1, 'more than one page');
    assert.equal(CM, Math.ceil(expected.filter(({ status }) => status !== 'scheduled').length / 10));
    const byNumber = listOf(first.text);
    for (let page = 2; page <= WM; page += 1) {
      const shown = listOf(
        (await get(sandbox, load('W', `PageDir=0&doR=1&bypassPage=${page}`), { cookie: cookiesOf(opened) })).text,
      );
      assert.ok(shown.length <= 10);
      byNumber.push(...shown);
    }
    const forward = await get(sandbox, load('W', 'PageDir=1&doR=0&bypassPage=0'), { cookie: cookiesOf(first) });
    assert.deepEqual(listOf(forward.text), listOf(first.text), 'a step forward gives the same page');
    const closed = listOf(
      (await get(sandbox, load('C', 'PageDir=0&doR=1&bypassPage=0'), { cookie: cookiesOf(opened) })).text,
    );
    assert.deepEqual([...byNumber, ...closed].sort(), expected.map(({ aid }) => aid).sort());
    const month = encodeURIComponent(`{ts '${day.slice(0, 7)}-01 00:00:00'}`);
    const calendar = await get(sandbox, `${CUYAHOGA_SALES}?zaction=USER&zmethod=CALENDAR&selCalDate=${month}`);
    const [, active, scheduled] =
      new RegExp(`dayid='${us(day)}'.*?CALACT">(\\d+)<.*?CALSCH">(\\d+)<`, 'u').exec(calendar.text) ?? [];
    assert.deepEqual([Number(active), Number(scheduled)], [byNumber.length, expected.length]);
  });

  test('UPDATE answers ten items of the page loaded last, and COUNT 0 for others', async () => {
    const opened = await get(sandbox, preview(busiest()));
    const first = await get(sandbox, load('W', 'PageDir=0&doR=1&bypassPage=0'), { cookie: cookiesOf(opened) });
    const second = await get(sandbox, load('W', 'PageDir=0&doR=1&bypassPage=2'), { cookie: cookiesOf(opened) });
    const counted = async (aids: readonly string[], cookie: string): Promise<number[]> => {
      const { ADATA } = await update(aids, cookie);
      return [ADATA.COUNT, ADATA.AITEM.length];
    };
    const aids = listOf(first.text);
    assert.deepEqual(await counted(aids, cookiesOf(first)), [10, 10]);
    assert.deepEqual(await counted(aids, cookiesOf(second)), [0, 0], 'another page');
    assert.deepEqual(await counted([...aids, '1'], cookiesOf(first)), [0, 0], 'eleven ids');
    assert.deepEqual(await counted(aids, cookiesOf(opened)), [0, 0], 'no page loaded');
    const { ADATA } = await update(aids, cookiesOf(first));
    assert.ok(ADATA.AITEM.every(({ B }) => /^\d{2}\/\d{2}\/\d{4} \d{2}:\d{2} AM ET$/u.test(B)));
  });

  test('items are shortened by tokens, and neither they nor their details name a party', async () => {
    const opened = await get(sandbox, preview(busiest()));
    const { retHTML } = JSON.parse(
      (await get(sandbox, load('W', 'PageDir=0&doR=1&bypassPage=0'), { cookie: cookiesOf(opened) })).text,
    ) as { retHTML: string };
    assert.match(retHTML, /^<div id="AITEM_\d+" aria-label="Auction Details"@C@E_ITEM PREVIEW" aid="\d+"/u);
    assert.match(retHTML, /@AASTAT_MSGA ASTAT_LBL">@B@AASTAT_MSGB Astat_DATA">@B/u, 'the status boxes are blank');
    assert.doesNotMatch(retHTML, /<\/div>|AUCTION/u);
    const item = sandbox.day.auctions.find(({ county }) => county === 'Cuyahoga');
    const details = await get(sandbox, `${CUYAHOGA_SALES}?zaction=auction&zmethod=details&AID=${item?.aid}`);
    assert.match(
      details.text,
      /Sale Type:<\/th><td class="AD_DTA">(?:FORECLOSURE - (?:FIRST|SECOND) SALE|TAX FORECLOSURE)</u,
    );
    for (const text of [retHTML, details.text])
      assert.ok(!text.includes(item?.plaintiff ?? '?') && !text.includes(item?.defendant ?? '?'));
  });
});
