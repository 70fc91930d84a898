/**
 * Sales of a county on the RealAuction platform, of a sheriff or of a clerk of court: a calendar, the page of a sale
 * day that sets the session's date and leaves the page counts to its script, lists of items compressed by tokens
 * without their status, the statuses and page counts of the list loaded last, and details without the parties, which
 * only members see.
 *
 * The session's state is in the cookies, so that a response depends only on the request: CFID and CFTOKEN hold the
 * date, AWSALB, which the real site renews with every response, the current page of each area and the area loaded
 * last.
 *
 * Florida's items have hidden
 * bids, amounts of 0.00 that are not known yet, links in place of parcel numbers, and city lines in the address.
 */
import { dayNumber, dayText, monthStart, usDay, weekday, wordedDay } from '../world/days.ts';
import { spellStreet } from '../world/streets.ts';
import type { AuctionOnDay } from '../world/types.ts';
import type { WorldDay } from '../world/world.ts';
import { escapeHtml, fullDollars, htmlPage, perDay } from './parts.ts';
import type { AuctionType } from '../../sources/kinds.ts';
import { page, respond, type SandboxRequest, type SandboxResponse, type SitePages } from '../http.ts';

const PASCO = '12101';
const HILLSBOROUGH = '12057';
const PINELLAS = '12103';

type Pairs = readonly (readonly [label: string, value: string])[];

const amount = (value: string | null): string => (value === null ? '$0.00' : fullDollars(value));
const link = (text: string): string =>
  ` <a href="https://records.example/" onClick = "return showExitPopup();" target="_blank">${escapeHtml(text)}</a>`;

/** Every seventh tax deed of Hillsborough has its ZIP in the address, and no city line. */
export const isGlued = ({ countyFips, auctionType, aid }: AuctionOnDay): boolean =>
  countyFips === HILLSBOROUGH && auctionType === 'tax_deed_sale' && Number(aid) % 7 === 0;

function clerksAddress(day: WorldDay, item: AuctionOnDay): Pairs {
  if (!item.showsAddress) return [];
  const { address, city, zip } = day.property(item.propertyId);
  const street = escapeHtml(spellStreet(address, 'upper_words'));
  if (isGlued(item)) return [['Property Address:', `${street} ${zip}`]];
  const line = `${city.toUpperCase()}, ${item.countyFips === PASCO ? '' : 'FL- '}${zip}`;
  return [
    ['Property Address:', street],
    ['', escapeHtml(line)],
  ];
}

function clerksPairs(day: WorldDay, item: AuctionOnDay): Pairs {
  const isTaxDeed = item.auctionType === 'tax_deed_sale';
  const value = item.countyFips === PASCO ? 'Property App. Market Value:' : 'Assessed Value:';
  const sale: Pairs = isTaxDeed
    ? [
        ['Certificate #:', escapeHtml(item.certificate ?? '')],
        ['Opening Bid:', amount(item.openingBid)],
      ]
    : [['Final Judgment Amount:', amount(item.judgment)]];
  const bid = item.countyFips === PINELLAS ? 'Plaintiff Max<br>\nBid:' : 'Plaintiff Max Bid:';
  return [
    ['Auction Type:', isTaxDeed ? 'TAXDEED' : 'FORECLOSURE'],
    ['Case #:', link(item.caseNumber)],
    ...sale,
    ['Parcel ID:', link(item.parcel)],
    ...clerksAddress(day, item),
    ...(item.assessed === null ? [] : [[value, fullDollars(item.assessed)] as const]),
    ...(isTaxDeed ? [] : [[bid, item.maxBid === null ? 'Hidden' : fullDollars(item.maxBid)] as const]),
  ];
}

/** Rows of an item: the labels are td cells, and the bid's value has a mark of its own. */
const clerksRows = (day: WorldDay, item: AuctionOnDay): string =>
  clerksPairs(day, item)
    .map(([label, value]) => {
      const mark = label.startsWith('Plaintiff') ? 'AD_DTA ASTAT_MSGPB' : 'AD_DTA';
      const cell = `<td tabindex="0" class="AD_LBL" scope="row">${label}</td>`;
      return `<tr>${cell}<td tabindex="0" class="${mark}">${value}</td></tr>`;
    })
    .join('');

/** The platform's token table. A text that contains another comes before it. */
const TOKENS: readonly (readonly [token: string, text: string])[] = [
  ['@L', '/index.cfm?zaction=auction&zmethod=details&AID='],
  ['@J', 'p_back="NextCheck='],
  ['@K', 'style="Display:none"'],
  ['@A', '<div class="'],
  ['@C', ' class="'],
  ['@D', '<div>'],
  ['@B', '</div>'],
  ['@F', '</td><td'],
  ['@G', '</td></tr>'],
  ['@H', '<tr><td '],
  ['@E', 'AUCTION'],
  ['@I', 'table'],
];

/** Replace pieces of markup by their tokens. */
function compress(html: string): string {
  if (/@[A-Z]/u.test(html)) throw new Error('the markup contains text that looks like a token');
  return TOKENS.reduce((text, [token, meaning]) => text.replaceAll(meaning, token), html);
}

const NOT_SOLD = { C: '', D: '', SL: '', ST: '' };

/**
 * The status box of an item: A and B have its time or the word that replaced it, C and D the price it sold for, SL and
 * ST the buyer, P the opening bid.
 */
function renderSlot(item: AuctionOnDay) {
  const time = `${usDay(item.saleDate)} ${item.startsAt}`;
  const P = item.openingBid === null ? '$0.00' : fullDollars(item.openingBid);
  if (item.status === 'sold') {
    const D = item.soldFor === null ? '' : fullDollars(item.soldFor);
    return { A: 'Auction Sold', B: time, C: 'Amount', D, SL: 'Sold To', ST: '3rd Party Bidder', P };
  }
  const words = item.slotWords ?? (item.status === 'unsold' ? 'NO BID NO SALE' : null);
  return words === null ? { A: 'A', B: time, ...NOT_SOLD, P } : { A: 'B', B: words, ...NOT_SOLD, P };
}

/** The platform pads ZIPs with zeros to nine digits. */
function addressRows(day: WorldDay, item: AuctionOnDay): [string, string][] {
  const property = day.property(item.propertyId);
  return [
    ['Property Address:', spellStreet(property.address, 'upper_words')],
    ['', `${property.city.toUpperCase()} , ${property.zip}0000`],
  ];
}

function rows(day: WorldDay, item: AuctionOnDay): readonly (readonly [string, string])[] {
  const detailsUrl = `/index.cfm?zaction=auction&zmethod=details&AID=${item.aid}`;
  return [
    ['Case Status:', item.caseStatus],
    ['Case #:', `<a href="${detailsUrl}">${escapeHtml(item.caseNumber)} (${item.internalId})</a>`],
    ['Parcel ID:', escapeHtml(item.parcel)],
    ...addressRows(day, item).map(([label, text]): [string, string] => [label, escapeHtml(text)]),
    ['Appraised Value:', item.appraised === null ? '$0.00' : fullDollars(item.appraised)],
    ['Opening Bid:', item.openingBid === null ? '' : fullDollars(item.openingBid)],
    ['Deposit Requirement:', item.deposit === null ? '' : fullDollars(item.deposit)],
  ];
}

/** Ohio's sites have labels in th elements. */
const labelled = (pairs: readonly (readonly [string, string])[]): string =>
  pairs
    .map(([label, value]) => `<tr><th class="AD_LBL" scope="row">${label}</th><td class="AD_DTA">${value}</td></tr>`)
    .join('');

/** A status box, blank until the page's script fills it with the response to UPDATE. */
const BLANK_BOX =
  '<div class="AUCTION_STATS" tabindex="0">' +
  '<div class="ASTAT_MSGA ASTAT_LBL"></div><div class="ASTAT_MSGB Astat_DATA"></div>' +
  '<div class="ASTAT_MSGC ASTAT_LBL"></div> <div class="ASTAT_MSGD Astat_DATA"></div>' +
  '<div class="ASTAT_MSG_SOLDTO_Label ASTAT_LBL"></div><div class="ASTAT_MSG_SOLDTO_MSG Astat_DATA"></div></div>';

/** Markup of one item, before compression. */
function itemMarkup(day: WorldDay, item: AuctionOnDay): string {
  return (
    `<div id="AITEM_${item.aid}" aria-label="Auction Details" class="AUCTION_ITEM PREVIEW" aid="${item.aid}" rem="0" ` +
    `isset="0">${BLANK_BOX}<div class="AUCTION_DETAILS"><table class="ad_tab"><tbody>` +
    `${item.auctionType === 'sheriff_sale' ? labelled(rows(day, item)) : clerksRows(day, item)}` +
    '</tbody></table></div></div><div class="AUCTION_ITEM_SPACER">&nbsp;</div> '
  );
}

function saleType({ kind, round }: AuctionOnDay): string {
  if (kind === 'tax_foreclosure') return 'TAX FORECLOSURE';
  return `FORECLOSURE - ${round === 2 ? 'SECOND' : 'FIRST'} SALE`;
}

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
  const monthLink = (months: number, label: string): string => {
    const date = encodeURIComponent(`{ts '${dayText(monthStart(first, months))} 00:00:00'}`);
    return `<a class="CALNAV" href="/index.cfm?zaction=USER&amp;zmethod=CALENDAR&amp;selCalDate=${date}">${label}</a>`;
  };
  const month = `<span class="CALDATE">${wordedDay(first).replace(/ \d+,/u, '')}</span>`;
  const body = [
    `<div class="CALHEAD">${monthLink(-1, '&lt;')} ${month} ${monthLink(1, '&gt;')}</div>`,
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

type Value = (name: string) => string | undefined;

function load(day: WorldDay, site: SaleSite, request: SandboxRequest, value: Value): SandboxResponse {
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
function update(day: WorldDay, site: SaleSite, request: SandboxRequest, value: Value): SandboxResponse {
  const session = parseSession(request);
  const wanted = (value('ref') ?? '').split(',').filter(Boolean);
  const shown = session?.area && wanted.length <= PER_PAGE ? itemsShown(day, site, session, session.area) : [];
  const found = shown.filter(({ aid }) => wanted.includes(aid));
  const pages = (area: Area): number => (session ? pagesOf(itemsOf(day, site, session.saleDate, area)) : 0);
  const current = session?.area ? `page ${session.pages[session.area]} of ${pages(session.area)}` : '';
  const AITEM = found.map((item) => ({ AID: item.aid, ...renderSlot(item), SBH: item.status === 'sold', SP: false }));
  const flags = { RR: false, RW: false, RA: false, RC: false };
  const ADATA = { COUNT: AITEM.length, AITEM };
  return jsonAsHtml({ PC: current, WM: pages('W'), CM: pages('C'), ...flags, ADATA }, session);
}

function details(day: WorldDay, { fips, type }: SaleSite, aid: string | undefined): SandboxResponse | null {
  const item = byAid(day).get(aid ?? '');
  // Clerks show details to registered users only.
  if (type !== 'sheriff_sale' || item?.countyFips !== fips) return null;
  const cells = labelled([['Sale Type:', saleType(item)], ...rows(day, item)]);
  return page(
    htmlPage(
      'Auction Details',
      `<div class="AUCTION_DETAILS"><table class="ad_tab"><tbody>${cells}</tbody></table></div>\n` +
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
    const value: Value = (name) => values.get(name);
    const action = ['zaction', 'zmethod', 'fnc'].map((name) => value(name)?.toLowerCase() ?? '').join(' ');
    switch (action.trim()) {
      case 'user calendar':
        return calendar(day, site, value('selcaldate'));
      case 'auction preview':
        return preview(day, site, value('auctiondate'));
      case 'auction update load':
        return load(day, site, request, value);
      case 'auction update update':
        return update(day, site, request, value);
      case 'auction details':
        return details(day, site, value('aid'));
      default:
        return null;
    }
  };
}
