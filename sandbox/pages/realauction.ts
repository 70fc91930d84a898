/**
 * Sheriff sales of a county on the RealAuction platform: a calendar, the page of a sale day that sets the session's
 * date, lists of items compressed by tokens, and details without the parties, which only members see.
 *
 * The session's state is in the cookies, so that a response depends only on the request: CFID and CFTOKEN hold the
 * date, AWSALB, which the real site renews with every response, the current page of each area.
 */
import { page, respond, type SandboxRequest, type SandboxResponse } from '../http.ts';
import { dayNumber, dayText, monthStart, usDay, weekday, wordedDay } from '../world/days.ts';
import type { AuctionOnDay, WorldDay } from '../world/types.ts';
import { htmlPage } from './html.ts';
import { perDay } from './per_day.ts';
import { compress, detailsRows, itemMarkup, slotOf } from './realauction_items.ts';

const PER_PAGE = 10;
const AREAS = ['R', 'W', 'C'] as const;
type Area = (typeof AREAS)[number];
type Pages = Readonly<Record<Area, number>>;

/** Counties whose status boxes are blank until the page's script fills them with a second request. */
const FILLED_LATER = new Set(['39151', '39017']);

interface Session {
  readonly saleDate: string;
  readonly pages: Pages;
}

const FIRST_PAGES: Pages = { R: 1, W: 1, C: 1 };

const byDay = perDay((day) =>
  Map.groupBy(
    [...day.auctions].sort((a, b) => (a.aid < b.aid ? -1 : 1)),
    ({ countyFips, saleDate }) => `${countyFips} ${saleDate}`,
  ),
);
const byAid = perDay((day) => new Map(day.auctions.map((item) => [item.aid, item])));

/** W has items still to be sold, C closed and canceled ones. No sale is running at the sandbox's time of day. */
const areaOf = (item: AuctionOnDay): Area => (item.status === 'scheduled' ? 'W' : 'C');

function cookies(session: Session): string[] {
  const number = dayNumber(session.saleDate);
  const pages = AREAS.map((area) => session.pages[area]).join('.');
  return [
    `CFID=${number}; path=/; HttpOnly`,
    `CFTOKEN=${(number * 7919).toString(16)}-sandbox; path=/; HttpOnly`,
    `AWSALB=${Buffer.from(`pages.${pages}`).toString('base64url')}; path=/`,
  ];
}

/** The session of the request's cookies, or null if a cookie is missing or they disagree: no date is set. */
function sessionOf({ cookies: { cfid, cftoken, awsalb } }: SandboxRequest): Session | null {
  if (cfid === undefined || awsalb === undefined || cftoken !== `${(Number(cfid) * 7919).toString(16)}-sandbox`)
    return null;
  const [word, ...pages] = Buffer.from(awsalb, 'base64url').toString().split('.');
  const [R = 1, W = 1, C = 1] = pages.map(Number);
  return word === 'pages' ? { saleDate: dayText(Number(cfid)), pages: { R, W, C } } : null;
}

function calendar(day: WorldDay, fips: string, requested: string | undefined): SandboxResponse {
  const stamp = /(\d{4}-\d{2})-\d{2}/u.exec(requested ?? '')?.[1];
  const first = monthStart(dayNumber(stamp === undefined ? day.day : `${stamp}-01`));
  const boxes: string[] = [];
  for (let at = first; at < monthStart(first, 1); at += 1) {
    if (weekday(at) === 0 || weekday(at) === 6) continue;
    // A week has five boxes; those before the first of the month are empty.
    if (boxes.length === 0)
      for (let blank = 1; blank < weekday(at); blank += 1) boxes.push('<div class="CALBOX CALW5 CALSELB"></div>');
    const date = dayText(at);
    const items = byDay(day).get(`${fips} ${date}`) ?? [];
    const waiting = items.filter((item) => areaOf(item) === 'W').length;
    const counts =
      items.length === 0
        ? ''
        : '<span class="CALTEXT">Foreclosure<br><span class="CALMSG">' +
          `<span class="CALACT">${waiting}</span> / <span class="CALSCH">${items.length}</span> FC<br>` +
          `<span class="CALTIME"> ${items[0]?.startsAt ?? ''}</span></span></span>`;
    boxes.push(
      `<div class="CALBOX CALW5${items.length === 0 ? ' CALSEL0' : ' CALSELF'}" dayid='${usDay(date)}' role="link">` +
        `<span class="CALNUM">${Number(date.slice(8))}</span>${counts}</div>`,
    );
  }
  const link = (months: number, label: string): string => {
    const date = encodeURIComponent(`{ts '${dayText(monthStart(first, months))} 00:00:00'}`);
    return `<a class="CALNAV" href="/index.cfm?zaction=USER&amp;zmethod=CALENDAR&amp;selCalDate=${date}">${label}</a>`;
  };
  const month = `<span class="CALDATE">${wordedDay(first).replace(/ \d+,/u, '')}</span>`;
  const body = [
    `<div class="CALHEAD">${link(-1, '&lt;')} ${month} ${link(1, '&gt;')}</div>`,
    '<div class="CALBODY">',
    ...boxes,
    '</div>',
  ].join('\n');
  return page(htmlPage('Auction Calendar', body));
}

const itemsOf = (day: WorldDay, fips: string, saleDate: string, area: Area): AuctionOnDay[] =>
  (byDay(day).get(`${fips} ${saleDate}`) ?? []).filter((item) => areaOf(item) === area);
const pagesOf = (items: readonly AuctionOnDay[]): number => Math.max(1, Math.ceil(items.length / PER_PAGE));

function preview(day: WorldDay, fips: string, requested: string | undefined): SandboxResponse | null {
  const [, month, date, year] = /^(\d{2})\/(\d{2})\/(\d{4})$/u.exec(requested ?? '') ?? [];
  if (year === undefined) return null;
  const saleDate = `${year}-${month}-${date}`;
  const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
  const number = dayNumber(saleDate);
  if (!Number.isInteger(number)) return null;
  const names: Readonly<Record<Area, string>> = {
    R: 'Running',
    W: 'Auctions Waiting',
    C: 'Auctions Closed or Canceled',
  };
  const areas = AREAS.map((area) => {
    const pages = pagesOf(itemsOf(day, fips, saleDate, area));
    const pageText = `page <span id="curP${area}A">1</span> of <span id="max${area}A">${pages}</span>`;
    return (
      `<div class="Head_${area}">${names[area]} <span class="PageText">${pageText}</span></div>\n` +
      `<div id="Area_${area}" area="${area}" class="Area"></div>`
    );
  });
  const body = [
    `<div class="BLHeaderDateDisplay">${weekdays[weekday(number)]} ${wordedDay(number)}</div>`,
    '<div id="ALB" rel="0"></div>',
    ...areas,
    '<script src="/CORE/System/JS/auction.js"></script>',
  ].join('\n');
  return page(htmlPage('Auction Preview', body), {
    'set-cookie': cookies({ saleDate, pages: FIRST_PAGES }),
    'cache-control': 'no-store',
  });
}

/** JSON, served as HTML. */
const jsonAsHtml = (value: unknown, session: Session | null): SandboxResponse =>
  respond(JSON.stringify(value), 'text/html; charset=UTF-8', {
    'cache-control': 'no-store',
    ...(session ? { 'set-cookie': cookies(session) } : {}),
  });

function load(
  day: WorldDay,
  fips: string,
  request: SandboxRequest,
  value: (name: string) => string | undefined,
): SandboxResponse {
  const session = sessionOf(request);
  const area = AREAS.find((a) => a === value('area')?.toUpperCase());
  // Without a date the response is the same as on a day without sales.
  if (!session || !area) return jsonAsHtml({ retHTML: '', rlist: '' }, null);
  const items = itemsOf(day, fips, session.saleDate, area);
  const bypass = Number(value('bypasspage') ?? '0');
  const step = Number(value('pagedir') ?? '0');
  const wanted =
    bypass > 0
      ? bypass
      : step !== 0
        ? session.pages[area] + Math.sign(step)
        : value('dor') === '1'
          ? 1
          : session.pages[area];
  const current = Math.min(pagesOf(items), Math.max(1, wanted));
  const shown = items.slice((current - 1) * PER_PAGE, current * PER_PAGE);
  const html = shown.map((item) => itemMarkup(day, item, !FILLED_LATER.has(fips))).join('');
  return jsonAsHtml(
    { retHTML: compress(html), rlist: shown.map(({ aid }) => aid).join(',') },
    { ...session, pages: { ...session.pages, [area]: current } },
  );
}

/** The request with which the page's script fills the status boxes. */
function update(day: WorldDay, fips: string, request: SandboxRequest, requested: string | undefined): SandboxResponse {
  const session = sessionOf(request);
  const found = (requested ?? '')
    .split(',')
    .map((aid) => byAid(day).get(aid))
    .filter((item) => item !== undefined && item.countyFips === fips && item.saleDate === session?.saleDate);
  return jsonAsHtml(
    { ADATA: { AITEM: found.flatMap((item) => (item ? [{ AID: item.aid, ...slotOf(item) }] : [])) } },
    session,
  );
}

function details(day: WorldDay, fips: string, aid: string | undefined): SandboxResponse | null {
  const item = byAid(day).get(aid ?? '');
  if (!item || item.countyFips !== fips) return null;
  const table = `<table class="ad_tab"><tbody>${detailsRows(day, item)}</tbody></table>`;
  return page(
    htmlPage(
      'Auction Details',
      `<div class="AUCTION_DETAILS">${table}</div>\n` +
        '<p class="Parties">Plaintiff and defendant are shown to registered users after login.</p>',
    ),
  );
}

/** The pages of one county's site. Query names and values are case-insensitive, as in ColdFusion. */
export function realAuction(fips: string): (day: WorldDay, request: SandboxRequest) => SandboxResponse | null {
  return (day, request) => {
    if (request.path === '/')
      return page(
        htmlPage('Sheriff Sale Auction', '<a href="/index.cfm?zaction=USER&amp;zmethod=CALENDAR">Auction Calendar</a>'),
      );
    if (request.path.toLowerCase() !== '/index.cfm') return null;
    const values = new Map([...request.query].map(([name, text]) => [name.toLowerCase(), text]));
    const value = (name: string): string | undefined => values.get(name);
    const action = ['zaction', 'zmethod', 'fnc'].map((name) => value(name)?.toLowerCase() ?? '').join(' ');
    switch (action.trim()) {
      case 'user calendar':
        return calendar(day, fips, value('selcaldate'));
      case 'auction preview':
        return preview(day, fips, value('auctiondate'));
      case 'auction update load':
        return load(day, fips, request, value);
      case 'auction update update':
        return update(day, fips, request, value('ref'));
      case 'auction details':
        return details(day, fips, value('aid'));
      default:
        return null;
    }
  };
}
