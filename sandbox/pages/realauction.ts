/**
 * Sales of a county on the RealAuction platform, of a sheriff or of a clerk of court: a calendar, the page of a sale
 * day that sets the session's date and leaves the page counts to its script, lists of items compressed by tokens
 * without their status, the statuses and page counts of the list loaded last, and details without the parties, which
 * only members see.
 *
 * The session's state is in the cookies, so that a response depends only on the request: CFID and CFTOKEN hold the
 * date, AWSALB, which the real site renews with every response, the current page of each area and the area loaded last.
 */
import type { AuctionType } from '../../sources/kinds.ts';
import { page, respond, type SandboxRequest, type SandboxResponse, type SitePages } from '../http.ts';
import { dayNumber, dayText, monthStart, usDay, weekday, wordedDay } from '../world/days.ts';
import type { AuctionOnDay } from '../world/types.ts';
import type { WorldDay } from '../world/world.ts';
import { htmlPage } from './html.ts';
import { perDay } from './per_day.ts';
import { compress, detailsRows, itemMarkup, renderSlot } from './realauction_items.ts';

const PER_PAGE = 10;
const AREAS = ['R', 'W', 'C'] as const;
type Area = (typeof AREAS)[number];
type Pages = Readonly<Record<Area, number>>;

/** Counties whose lists page forward only. The others page by number, and answer a step forward with the same page. */
const FORWARD_ONLY = new Set(['39017', '39151']);

/** LOAD and UPDATE begin with the blank lines of the template that writes them. */
const BLANK_LINES = '\n\n\n\t\n\t\n\n\t\n    \n';

/** A site: the sales of one kind in one county. */
interface SaleSite {
  readonly fips: string;
  readonly type: AuctionType;
}

const itemsOn = (day: WorldDay, { fips, type }: SaleSite, saleDate: string): readonly AuctionOnDay[] =>
  byDay(day).get(`${fips} ${type} ${saleDate}`) ?? [];

interface Session {
  readonly saleDate: string;
  readonly pages: Pages;
  /** Area that was loaded last. */
  readonly area: Area | null;
}

const FIRST_PAGES: Pages = { R: 1, W: 1, C: 1 };

const byDay = perDay((day) =>
  Map.groupBy(
    [...day.auctions].sort((a, b) => (a.aid < b.aid ? -1 : 1)),
    ({ countyFips, auctionType, saleDate }) => `${countyFips} ${auctionType} ${saleDate}`,
  ),
);
const byAid = perDay((day) => new Map(day.auctions.map((item) => [item.aid, item])));

/** W has items still to be sold, C closed and canceled ones. No sale is running at the sandbox's time of day. */
const areaOf = (item: AuctionOnDay): Area => (item.status === 'scheduled' ? 'W' : 'C');

function cookies(session: Session): string[] {
  const number = dayNumber(session.saleDate);
  const pages = [...AREAS.map((area) => session.pages[area]), session.area ?? ''].join('.');
  return [
    `CFID=${number}; path=/; HttpOnly`,
    `CFTOKEN=${(number * 7919).toString(16)}-sandbox; path=/; HttpOnly`,
    `AWSALB=${Buffer.from(`pages.${pages}`).toString('base64url')}; path=/`,
  ];
}

/** The session of the request's cookies, or null if a cookie is missing or they disagree: no date is set. */
function parseSession({ cookies: { cfid, cftoken, awsalb } }: SandboxRequest): Session | null {
  if (cfid === undefined || awsalb === undefined || cftoken !== `${(Number(cfid) * 7919).toString(16)}-sandbox`)
    return null;
  const [word, ...state] = Buffer.from(awsalb, 'base64url').toString().split('.');
  const [R = 1, W = 1, C = 1] = state.map(Number);
  const area = AREAS.find((each) => each === state[3]) ?? null;
  return word === 'pages' ? { saleDate: dayText(Number(cfid)), pages: { R, W, C }, area } : null;
}

function calendar(day: WorldDay, site: SaleSite, requested: string | undefined): SandboxResponse {
  const stamp = /(\d{4}-\d{2})-\d{2}/u.exec(requested ?? '')?.[1];
  const first = monthStart(dayNumber(stamp === undefined ? day.day : `${stamp}-01`));
  const boxes: string[] = [];
  const selected = site.type === 'tax_deed_sale' ? 'CALSELT' : 'CALSELF';
  for (let at = first; at < monthStart(first, 1); at += 1) {
    if (weekday(at) === 0 || weekday(at) === 6) continue;
    // A week has five boxes; those before the first of the month are empty.
    if (boxes.length === 0)
      for (let blank = 1; blank < weekday(at); blank += 1) boxes.push('<div class="CALBOX CALW5 CALSELB"></div>');
    const date = dayText(at);
    const items = itemsOn(day, site, date);
    const waiting = items.filter((item) => areaOf(item) === 'W').length;
    const counts =
      items.length === 0
        ? ''
        : `<span class="CALTEXT">${site.type === 'tax_deed_sale' ? 'Tax Deed' : 'Foreclosure'}<br>` +
          `<span class="CALMSG"><span class="CALACT">${waiting}</span> / ` +
          `<span class="CALSCH">${items.length}</span> ${site.type === 'tax_deed_sale' ? 'TD' : 'FC'}<br>` +
          `<span class="CALTIME"> ${items[0]?.startsAt ?? ''}</span></span></span>`;
    boxes.push(
      `<div class="CALBOX CALW5 ${items.length === 0 ? 'CALSEL0' : selected}" dayid='${usDay(date)}' role="link">` +
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

const itemsOf = (day: WorldDay, site: SaleSite, saleDate: string, area: Area): AuctionOnDay[] =>
  itemsOn(day, site, saleDate).filter((item) => areaOf(item) === area);
const pagesOf = (items: readonly AuctionOnDay[]): number => Math.ceil(items.length / PER_PAGE);

/** Items on the current page of an area. */
function itemsShown(day: WorldDay, site: SaleSite, { saleDate, pages }: Session, area: Area): AuctionOnDay[] {
  return itemsOf(day, site, saleDate, area).slice((pages[area] - 1) * PER_PAGE, pages[area] * PER_PAGE);
}

function preview(day: WorldDay, site: SaleSite, requested: string | undefined): SandboxResponse | null {
  const [, month, date, year] = /^(\d{2})\/(\d{2})\/(\d{4})$/u.exec(requested ?? '') ?? [];
  if (year === undefined) return null;
  const saleDate = `${year}-${month}-${date}`;
  const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
  const number = dayNumber(saleDate);
  if (!Number.isInteger(number)) return null;
  const names: Readonly<Record<Area, string>> = {
    R: 'Running Auctions',
    W: 'Auctions Waiting',
    C: 'Auctions Closed or Canceled',
  };
  const areas = AREAS.map((area) => {
    // The script fills the page counts; the running area has one page.
    const pageText =
      `<div class="PageFrame" area="${area}"><span class="PageText"><span tabindex="0">page </span>` +
      `<input id="curP${area}A" aria-label="Current page" type="text" curPG="" /><span tabindex="0"> of </span>` +
      `<span tabindex="0" aria-label="Total pages" id="max${area}A"></span></span></div>`;
    return (
      `<div class="Head_${area}"><div tabindex="0" class="Sub_Title">${names[area]}</div>` +
      `${area === 'R' ? '' : pageText}\n<div id="Area_${area}" class="Auct_Area" ref="Y" arid="${area}"></div></div>`
    );
  });
  const listed = itemsOn(day, site, saleDate)
    .map(({ aid }) => aid)
    .join(',');
  const body = [
    `<div class="BLHeaderDateDisplay">${weekdays[weekday(number)]} ${wordedDay(number)}</div>`,
    ...areas,
    `<div tabindex="0" id="ALB" style="display:none">${listed}</div>`,
    '<script src="/CORE/System/JS/auction.js"></script>',
  ].join('\n');
  return page(htmlPage('Auction Preview', body), {
    'set-cookie': cookies({ saleDate, pages: FIRST_PAGES, area: null }),
    'cache-control': 'no-store',
  });
}

/** JSON, served as HTML. */
const jsonAsHtml = (value: unknown, session: Session | null): SandboxResponse =>
  respond(`${BLANK_LINES}${JSON.stringify(value)}\n`, 'text/html; charset=UTF-8', {
    'cache-control': 'no-store',
    ...(session ? { 'set-cookie': cookies(session) } : {}),
  });

function load(
  day: WorldDay,
  site: SaleSite,
  request: SandboxRequest,
  value: (name: string) => string | undefined,
): SandboxResponse {
  const session = parseSession(request);
  const area = AREAS.find((known) => known === value('area')?.toUpperCase());
  // Without a date the response is the same as on a day without sales.
  if (!session || !area) return jsonAsHtml({ retHTML: '', rlist: '' }, null);
  const items = itemsOf(day, site, session.saleDate, area);
  const last = Math.max(1, pagesOf(items));
  const isStep = value('pagedir') === '1';
  const forward = isStep ? session.pages[area] + 1 : 1;
  const numbered = isStep ? session.pages[area] : Number(value('bypasspage') ?? '0');
  const wanted = FORWARD_ONLY.has(site.fips) ? forward : numbered;
  const current = { ...session, pages: { ...session.pages, [area]: Math.min(last, Math.max(1, wanted)) }, area };
  const shown = itemsShown(day, site, current, area);
  const html = shown.map((item) => itemMarkup(day, item)).join('');
  return jsonAsHtml({ retHTML: compress(html), rlist: shown.map(({ aid }) => aid).join(',') }, current);
}

/**
 * The request with which the page's script fills the status boxes and the page counts. The response has up to ten items
 * of the page loaded last, and COUNT 0 for any others.
 */
function update(
  day: WorldDay,
  site: SaleSite,
  request: SandboxRequest,
  requested: string | undefined,
): SandboxResponse {
  const session = parseSession(request);
  const wanted = (requested ?? '').split(',').filter(Boolean);
  const shown = session?.area && wanted.length <= PER_PAGE ? itemsShown(day, site, session, session.area) : [];
  const found = shown.filter(({ aid }) => wanted.includes(aid));
  const pages = (area: Area): number => (session ? pagesOf(itemsOf(day, site, session.saleDate, area)) : 0);
  const current = session?.area ? `page ${session.pages[session.area]} of ${pages(session.area)}` : '';
  const AITEM = found.map((item) => ({ AID: item.aid, ...renderSlot(item), SBH: item.status === 'sold', SP: false }));
  return jsonAsHtml(
    {
      PC: current,
      WM: pages('W'),
      CM: pages('C'),
      RR: false,
      RW: false,
      RA: false,
      RC: false,
      ADATA: { COUNT: AITEM.length, AITEM },
    },
    session,
  );
}

function details(day: WorldDay, { fips, type }: SaleSite, aid: string | undefined): SandboxResponse | null {
  const item = byAid(day).get(aid ?? '');
  // Clerks show details to registered users only.
  if (type !== 'sheriff_sale' || item?.countyFips !== fips) return null;
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
export function realAuction(fips: string, type: AuctionType = 'sheriff_sale'): SitePages {
  const site: SaleSite = { fips, type };
  return (day, request) => {
    if (request.path === '/')
      return page(
        htmlPage(
          'Sheriff Sale Auction',
          '<div id="splashMenuBottom">' +
            '<a href="/index.cfm?zaction=USER&amp;zmethod=CALENDAR">Auction Calendar</a></div>',
        ),
      );
    if (request.path.toLowerCase() !== '/index.cfm') return null;
    const values = new Map([...request.query].map(([name, text]) => [name.toLowerCase(), text]));
    const value = (name: string): string | undefined => values.get(name);
    const action = ['zaction', 'zmethod', 'fnc'].map((name) => value(name)?.toLowerCase() ?? '').join(' ');
    switch (action.trim()) {
      case 'user calendar':
        return calendar(day, site, value('selcaldate'));
      case 'auction preview':
        return preview(day, site, value('auctiondate'));
      case 'auction update load':
        return load(day, site, request, value);
      case 'auction update update':
        return update(day, site, request, value('ref'));
      case 'auction details':
        return details(day, site, value('aid'));
      default:
        return null;
    }
  };
}
