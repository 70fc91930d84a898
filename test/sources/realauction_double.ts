/**
 * A stand-in for one county's auction site, answering in memory as the recorded ones do: PREVIEW binds a day to the
 * session and leaves its page counts empty, LOAD gives ten items a page with blank status boxes, UPDATE states the
 * page counts and the statuses of the page loaded last, and of no other. Each quirk that only some of the real sites
 * have is a switch.
 */
import { createHash } from 'node:crypto';
import assert from 'node:assert/strict';
import {
  type FetchContext,
  type GetOptions,
  type Page,
  Quarantine,
  SourceUnavailable,
} from '../../sources/contract.ts';
import { Auction } from '../../sources/rows/auction.ts';
import { candidatesOf, sourceNamed } from './parsed.ts';

export interface DoubleItem {
  readonly aid: string;
  readonly area: 'W' | 'C';
  readonly slot: string;
  readonly saleType?: string;
  /** Case number with the internal id, as the site prints it. */
  readonly caseNumber?: string;
}

export interface DoubleDay {
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

export interface DoubleSite extends DoubleDay {
  /** Sale days besides this one. */
  readonly more?: readonly DoubleDay[];
  /** How pages after the first are given. */
  readonly paging: 'by number' | 'forward only';
  /** Items of a LOAD; ten unless told. */
  readonly perPage?: number;
  /** Whether UPDATE says how many pages there are. */
  readonly saysPageCount: boolean;
  /** Fill the status boxes of LOAD. */
  readonly filledBoxes?: boolean;
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
function compressed(item: DoubleItem, site: DoubleSite, day: DoubleDay): string {
  const row = (label: string, value: string): string =>
    `<tr><th@CAD_LBL" scope="row">${label}</th><td@CAD_DTA">${value}@G`;
  const slot = site.filledBoxes ? item.slot : '';
  return (
    `<div id="AITEM_${item.aid}" aria-label="Auction Details" @C@E_ITEM PREVIEW" aid="${item.aid}" rem="0" isset="0">` +
    `@A@E_STATS" tabindex="0">@AASTAT_MSGA ASTAT_LBL">${slot && 'Auction Starts'}@B` +
    `@AASTAT_MSGB Astat_DATA">${slot}@B@AASTAT_MSGC ASTAT_LBL">@B @AASTAT_MSGD Astat_DATA">@B` +
    '@AASTAT_MSG_SOLDTO_Label ASTAT_LBL">@B@AASTAT_MSG_SOLDTO_MSG Astat_DATA">@B@B' +
    '@A@E_DETAILS"><@I@Cad_tab" summary=""><tbody>' +
    row('Case Status:', 'ACTIVE') +
    row('Case #:', item.caseNumber ?? `CV26${item.aid} (${item.aid})`) +
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
  const retHTML = shown.map((item) => compressed(item, site, day)).join('');
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

function details(site: DoubleSite, days: readonly DoubleDay[], aid: string | null): string | null {
  if (site.membersOnly) return '<html><body><form id="LogIn">User Name</form></body></html>';
  const item = days.flatMap(({ items }) => items).find((each) => each.aid === aid);
  return item
    ? `<table><tr><td class="AD_LBL">Sale Type:</td><td class="AD_DTA">${item.saleType ?? ''}</td></tr></table>`
    : null;
}

export interface Double {
  readonly ctx: FetchContext;
  /** Queries of the requests, without the timestamps. */
  readonly asked: readonly string[];
  readonly unreadable: readonly { readonly key: Readonly<Record<string, string>>; readonly error: unknown }[];
}

/** @returns a context whose requests the site answers, and what it was asked */
export function doubleContext(site: DoubleSite, asOf: string): Double {
  const asked: string[] = [];
  const unreadable: { key: Readonly<Record<string, string>>; error: unknown }[] = [];
  const sessions = new Map<string, Bound>();
  const days = [site, ...(site.more ?? [])];

  const answer = (url: URL, options: GetOptions): string | null => {
    const q = url.searchParams;
    const session = sessions.get(options.session?.id ?? '');
    if (url.pathname === '/') return '<div id="splashMenuBottom"></div>';
    if (!session) return null;
    if (q.get('zmethod') === 'CALENDAR') return calendar(days, q.get('selCalDate') ?? '');
    if (q.get('Zmethod') === 'PREVIEW') {
      const day = days.find((each) => printedDay(each) === q.get('AUCTIONDATE')) ?? site;
      session.day = site.forgetful ? undefined : day;
      return preview(site, day);
    }
    if (q.get('FNC') === 'LOAD') return load(site, session, q);
    if (q.get('FNC') === 'UPDATE') return update(site, session, q);
    return q.get('zmethod') === 'details' ? details(site, days, q.get('AID')) : null;
  };

  const getIfExists = async (url: string, options: GetOptions): Promise<Page | null> => {
    asked.push(url.replace(/^.*index\.cfm\?/u, '').replace(/&tx=\d+/u, ''));
    const body = answer(new URL(url), options);
    return body === null
      ? null
      : {
          kind: options.kind,
          url,
          context: options.context ?? {},
          bytes: Buffer.from(body),
          sha256: createHash('sha256').update(body).digest('hex'),
          contentType: 'text/html;charset=UTF-8',
          observedAt: `${asOf}T12:00:00Z`,
          text: () => body,
        };
  };
  const ctx: FetchContext = {
    asOf,
    nowMs: Date.parse(`${asOf}T12:00:00Z`),
    lastGoodOn: null,
    sampleRows: null,
    session() {
      const id = String(sessions.size + 1);
      sessions.set(id, { day: undefined, at: {}, shown: [], number: 0, loads: 0 });
      return { id };
    },
    async get(url, options) {
      const page = await getIfExists(url, options);
      if (!page) throw new SourceUnavailable('not_found', '404', url, 404);
      return page;
    },
    getIfExists,
    states: () => undefined,
    describes: () => undefined,
    withContext: async (page, context) => ({ ...page, context: { ...page.context, ...context } }),
    secret: () => undefined,
    unreadable(key, error) {
      unreadable.push({ key, error });
    },
  };
  return { ctx, asked, unreadable };
}

const cuyahoga = sourceNamed('oh_cuyahoga_sheriff');

export const TODAY = '2026-11-20';
export const DAY = '2026-12-07';
export const AT_NINE = '12/07/2026 09:00 AM ET';

export const items = (count: number, area: 'W' | 'C' = 'W', from = 50_000): DoubleItem[] =>
  Array.from({ length: count }, (_, index) => ({
    aid: String(from + index),
    area,
    slot: area === 'W' ? AT_NINE : 'Withdrawn',
    saleType: 'FORECLOSURE - FIRST SALE',
  }));

/** An item with its time on another day. */
export const onDay =
  (day: string) =>
  (item: DoubleItem): DoubleItem => ({ ...item, slot: `${day} 09:00 AM ET` });

export const SITE: DoubleSite = { day: DAY, items: items(23), paging: 'by number', saysPageCount: true };

type Rows = Readonly<Record<string, unknown>>[];

export async function read(
  site: DoubleSite,
): Promise<{ rows: Rows; pages: Page[] } & Pick<Double, 'asked' | 'unreadable'>> {
  const { ctx, asked, unreadable } = doubleContext(site, TODAY);
  const pages: Page[] = [];
  for await (const page of cuyahoga.fetch?.(ctx) ?? []) pages.push(page);
  const candidates = await candidatesOf(cuyahoga, pages);
  const rows = candidates.map((candidate) => {
    assert.ok('values' in candidate, JSON.stringify(candidate));
    return Auction.schema.parse(candidate.values);
  });
  return { rows, pages, asked, unreadable };
}

export const aidsOf = (rows: readonly Readonly<Record<string, unknown>>[]): string[] =>
  [...new Set(rows.map((row) => String(row['item_id'])))].sort();
export const quarantined =
  (reason: string) =>
  (error: unknown): boolean =>
    error instanceof Quarantine && error.reason === reason;
