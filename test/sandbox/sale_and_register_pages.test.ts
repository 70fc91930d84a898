/** The sandbox's sheriff sales and registers, in the formats of the real sites. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startSandbox, type Sandbox } from '../../sandbox/server.ts';
import { COLORADO, cookiesOf, CUYAHOGA_SALES, get, OHIO } from './browse.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await startSandbox({
    seed: 3,
    listings: 90,
    parcels: 3000,
    auctions: 120,
    filings: 1500,
    day: '2026-11-20',
  });
});
after(() => sandbox.close());

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

describe('registers', () => {
  test("Ohio's ten files have the month's filings in upper case, in Windows-1252, quoted if necessary", async () => {
    let rows = 0;
    let all = '';
    for (const number of ['0010', '0030', '0040', '0050', '0070', '0080', '0090', '0100', '0110', '0120']) {
      const file = await get(sandbox, `${OHIO}/WI${number}R.TXT`);
      const [header = '', ...lines] = file.body.toString('latin1').trimEnd().split('\r\n');
      assert.equal(header.split(',').length, 21);
      rows += lines.length;
      all += lines.join('\n');
    }
    assert.equal(rows, sandbox.day.ohio.filings.length);
    assert.match(all, /CAF\xc9 /u);
    assert.match(all, /,"[A-Z ]+, [A-Z]+ & CO/u);
    assert.match(all, /[A-Z]\|[A-Z]/u);
    assert.equal((await get(sandbox, `${OHIO}/WI0999R.TXT`)).status, 404);
  });

  test('Colorado is read by key in the order of ids, omits empty fields and refuses a bad query', async () => {
    const rows = async (parameters: Record<string, string>): Promise<Record<string, string>[]> =>
      JSON.parse(
        (await get(sandbox, `${COLORADO}/resource/4ykn-tg5h.json?${new URLSearchParams(parameters)}`)).text,
      ) as Record<string, string>[];
    const ids: string[] = [];
    for (;;) {
      const page = await rows({
        $where: `entityformdate >= '2026-05-01T00:00:00.000' AND entityid > '${ids.at(-1) ?? ''}'`,
        $order: 'entityid',
        $limit: '200',
      });
      ids.push(...page.map(({ entityid }) => entityid ?? ''));
      if (page.length < 200) break;
    }
    assert.deepEqual(
      ids,
      sandbox.day.colorado.filter(({ formedOn }) => formedOn >= '2026-05-01').map(({ entityId }) => entityId),
    );
    const [one] = await rows({ $order: 'entityformdate desc', $limit: '1', $select: 'entityid,entityformdate' });
    assert.deepEqual(Object.keys(one ?? {}), ['entityid', 'entityformdate']);
    assert.equal((await rows({})).length, 1000);
    assert.ok(
      (await rows({ $limit: '500' })).every((row) =>
        Object.values(row).every((value) => value !== null && value !== ''),
      ),
    );
    for (const wrong of [
      '$where=entityid >',
      '$where=nosuch = 1',
      '$order=nosuch',
      '$limit=99999',
      '$nope=1',
      "$where=entityname = 'O'Hare'",
    ]) {
      const answer = await get(sandbox, `${COLORADO}/resource/4ykn-tg5h.json?${wrong.replaceAll(' ', '%20')}`);
      assert.equal(answer.status, 400, wrong);
      assert.equal((JSON.parse(answer.text) as { error: boolean }).error, true);
    }
  });
});
