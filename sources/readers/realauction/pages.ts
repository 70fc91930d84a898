/**
 * RealAuction's pages: the calendar, the page of one sale day, the responses to LOAD and UPDATE, and an item's details.
 * Pure.
 */
import { type CheerioAPI, load } from 'cheerio/slim';
import { type Page, Quarantine } from '../../contract.ts';
import { isObject, type JsonObject } from '../../../lib/json.ts';
import { parseJson } from '../../bodies.ts';
import { line } from '../../values.ts';

export interface SaleDay {
  readonly day: string;
  /** Number of items still to be sold. */
  readonly active: number;
  /** Number of items on the list, including canceled ones. */
  readonly scheduled: number;
}

/** Areas of a sale day: waiting, closed or canceled, and running during the sale. */
export type Area = 'W' | 'C' | 'R';

/** Ids of a comma-separated list. */
const listedIds = (text: string): string[] =>
  text
    .split(',')
    .map((aid) => aid.trim())
    .filter(Boolean);

/** YYYY-MM-DD of a day printed as MM/DD/YYYY, or null. */
export function dayOf(printed: string | undefined): string | null {
  const match = /^\s*(\d{2})\/(\d{2})\/(\d{4})\b/u.exec(printed ?? '');
  return match ? `${match[3]}-${match[1]}-${match[2]}` : null;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** YYYY-MM-DD of a day in a text, such as "12/07/2026" or "Monday December 7, 2026", or null. */
function dayInText(text: string): string | null {
  const [, name = '', day = '', year = ''] = /\b([A-Z][a-z]{2})[a-z]*\.? (\d{1,2}), (\d{4})\b/u.exec(text) ?? [];
  const month = MONTHS.indexOf(name) + 1;
  return month > 0
    ? `${year}-${String(month).padStart(2, '0')}-${day.padStart(2, '0')}`
    : dayOf(/\d{2}\/\d{2}\/\d{4}/u.exec(text)?.[0]);
}

/** The sum of the first number in each element of a selection: a day may have sales of two kinds. */
function sumOf($: CheerioAPI, selection: ReturnType<CheerioAPI>): number | undefined {
  const numbers = selection.toArray().flatMap((element) => /\d+/u.exec($(element).text())?.[0] ?? []);
  return numbers.length === 0 ? undefined : numbers.reduce((sum, digits) => sum + Number(digits), 0);
}

/**
 * Sale days of a calendar page.
 * @param month YYYY-MM as requested
 * @throws Quarantine template_changed if it is not a calendar, shows another month, or a sale day has no counts
 */
export function readCalendar(page: Page, month: string): SaleDay[] {
  const $ = load(page.text());
  const changed = (detail: string): never => {
    throw new Quarantine('template_changed', detail, page.url);
  };
  if ($('.CALBOX').length === 0) changed('the page has no calendar day (.CALBOX)');
  const days: SaleDay[] = [];
  let boxes = 0;
  let boxesOfMonth = 0;
  for (const element of $('.CALBOX[dayid]')) {
    const box = $(element);
    const printed = box.attr('dayid');
    const day =
      dayOf(printed) ?? changed(`a calendar day has the dayid ${JSON.stringify(printed)}, expected MM/DD/YYYY`);
    boxes += 1;
    if (!day.startsWith(month)) continue;
    boxesOfMonth += 1;
    const active = sumOf($, box.find('.CALACT'));
    const scheduled = sumOf($, box.find('.CALSCH'));
    if (active !== undefined && scheduled !== undefined) days.push({ day, active, scheduled });
    else if (active !== scheduled || box.is('.CALSELF, .CALSELT'))
      changed(`the sale day ${day} has no counts (.CALACT, .CALSCH)`);
  }
  if (boxes > 0 && boxesOfMonth === 0) changed(`the calendar shows no day of ${month}, as requested`);
  return days;
}

/**
 * The page of a sale day, which sets the session's date: ids of the day's items, as far as the page lists them. Its
 * page counts (#maxWA, #maxCA) are empty until the site's script fills them from the responses to UPDATE.
 * @throws Quarantine template_changed if it is another page or shows another day
 */
export function readPreview(page: Page, day: string): readonly string[] {
  const { shown, listed } = readSaleDayPage(page);
  if (shown !== null && shown !== day)
    throw new Quarantine('template_changed', `the page shows the sale of ${shown}, expected ${day}`, page.url);
  return listed;
}

/**
 * The day that a sale-day page shows, and the ids in its #ALB element.
 * @throws Quarantine template_changed if it is another page
 */
export function readSaleDayPage(page: Page): { readonly shown: string | null; readonly listed: readonly string[] } {
  const $ = load(page.text());
  if ($('#Area_W').length === 0)
    throw new Quarantine('template_changed', 'the page of the sale day has no list of items (#Area_W)', page.url);
  return {
    shown: dayInText($('.BLHeaderDateDisplay').text()),
    listed: listedIds($('#ALB').text()),
  };
}

/** The token table of the site's script. */
const TOKENS: Readonly<Record<string, string>> = {
  '@A': '<div class="',
  '@B': '</div>',
  '@C': ' class="',
  '@D': '<div>',
  '@E': 'AUCTION',
  '@F': '</td><td',
  '@G': '</td></tr>',
  '@H': '<tr><td ',
  '@I': 'table',
  '@J': 'p_back="NextCheck=',
  '@K': 'style="Display:none"',
  '@L': '/index.cfm?zaction=auction&zmethod=details&AID=',
};

/** Expand the tokens. @throws Quarantine template_changed if an unknown token remains */
export function expandTokens(compressed: string, pageUrl?: string): string {
  const html = compressed.replace(/@[A-L]/gu, (token) => TOKENS[token] ?? token);
  const unknown = /@[A-Z]/u.exec(html);
  if (unknown === null) return html;
  const near = JSON.stringify(html.slice(Math.max(0, unknown.index - 30), unknown.index + 30));
  throw new Quarantine('template_changed', `unknown token ${unknown[0]} near ${near}`, pageUrl);
}

/** The status box of an item, which the site calls its time slot. */
export interface Slot {
  /** "Auction Starts", "Auction Status" or "Auction Sold". */
  readonly label: string | null;
  /** The time of the sale, or the word that replaced it. */
  readonly text: string | null;
  /** Amount as printed, once sold. */
  readonly amount: string | null;
}

/** Values with the label before each; the city line has no label. */
export type Labelled = readonly (readonly [label: string, value: string])[];

export interface Item {
  readonly aid: string;
  readonly slot: Slot;
  readonly labelled: Labelled;
}

/** The JSON object of a response, which the site serves as text/html. */
function jsonOf(page: Page): JsonObject {
  const body = parseJson(page.text(), 'the response', page.url);
  if (!isObject(body)) throw new Quarantine('malformed_page', 'the response is not a JSON object', page.url);
  return body;
}

/** Values with the labels before them; a label is a th, a td or a div. */
function labelledIn($: CheerioAPI, within: ReturnType<CheerioAPI>): Labelled {
  within.find('br').replaceWith(' ');
  // Some counties mark their cells, others have plain table cells; unmarked rows may appear among marked ones.
  const values = within.find('.AD_DTA, tr:not(:has(.AD_DTA)) > :nth-child(2)');
  return values.toArray().map((value) => {
    const label = line($(value).prev().filter('th, td, div').text()) ?? '';
    return [label.replace(/\s*:$/u, ''), line($(value).text()) ?? ''] as const;
  });
}

/** A value or an item inside another: a closing tag is missing. */
const NESTED = '.AD_DTA .AD_LBL, .AD_DTA .AD_DTA, .AUCTION_ITEM .AUCTION_ITEM';
const STATUS_BOXES = '.ASTAT_MSGA, .ASTAT_MSGB, .ASTAT_MSGC, .ASTAT_MSGD';

/**
 * Items in an area of a sale day's page.
 * @throws Quarantine template_changed if an item is not as expected
 */
export function itemsIn($: CheerioAPI, area: ReturnType<CheerioAPI>, pageUrl: string): Item[] {
  const changed = (detail: string): never => {
    throw new Quarantine('template_changed', detail, pageUrl);
  };
  if (area.find(NESTED).length > 0) changed('a value contains the next label or value: a closing tag is missing');
  const items: Item[] = [];
  for (const element of area.find('.AUCTION_ITEM[aid]')) {
    const item = $(element);
    const aid = item.attr('aid') ?? '';
    const stats = item.find('.AUCTION_STATS').first();
    // LOAD leaves the box blank, and UPDATE fills it. An item without a box has no status of its own.
    const boxes = stats.find('.ASTAT_MSGA, .ASTAT_MSGB');
    if (stats.length > 0 && (boxes.length !== 2 || boxes.find(STATUS_BOXES).length > 0))
      changed(`item ${aid} has no known status box (.ASTAT_MSGA, .ASTAT_MSGB)`);
    const textOf = (selector: string): string | null => line(stats.find(selector).first().text());
    items.push({
      aid,
      slot: { label: textOf('.ASTAT_MSGA'), text: textOf('.ASTAT_MSGB'), amount: textOf('.ASTAT_MSGD') },
      labelled: labelledIn($, item.find('.AUCTION_DETAILS').first()),
    });
  }
  return items;
}

/** Items by the bytes of their page: its ids are needed when it is fetched, its rows when it is parsed. */
const itemsOf = new WeakMap<Uint8Array, readonly Item[]>();

/**
 * Items of a response to LOAD; none if the area is empty, or if the session has no date.
 * @throws Quarantine if it is not such a response, or its list of ids differs from its items
 */
export function readItems(page: Page): readonly Item[] {
  const items = itemsOf.get(page.bytes) ?? parseItemsOf(page);
  itemsOf.set(page.bytes, items);
  return items;
}

function parseItemsOf(page: Page): readonly Item[] {
  const { retHTML, rlist } = jsonOf(page);
  const changed = (detail: string): never => {
    throw new Quarantine('template_changed', detail, page.url);
  };
  if (typeof retHTML !== 'string' || typeof rlist !== 'string') return changed('the response has no retHTML and rlist');
  const $ = load(expandTokens(retHTML, page.url));
  const items = itemsIn($, $.root(), page.url);
  const listed = listedIds(rlist);
  const found = items.map((item) => item.aid);
  if (listed.length !== found.length || listed.some((aid) => !found.includes(aid)))
    changed(`rlist names the items ${listed.join(',') || 'none'}, the page holds ${found.join(',') || 'none'}`);
  return items;
}

/** Value of a label, or null if it is blank or missing. */
export const valueOf = (labelled: Labelled, label: string): string | null =>
  labelled.find(([name]) => name.toLowerCase() === label.toLowerCase())?.[1] || null;

/** Labeled values of an item's details page; none if the site shows a login page instead. */
export function readDetails(page: Page): Labelled {
  const $ = load(page.text());
  return labelledIn($, $.root()).filter(([label]) => label !== '');
}

/** Codes of two labels of the status box; other labels are written in full. */
const SLOT_LABELS: Readonly<Record<string, string>> = { A: 'Auction Starts', B: 'Auction Status' };

/** The response to UPDATE. */
export interface StatusAnswer {
  /** Status boxes by item. */
  readonly slots: Readonly<Record<string, Slot>>;
  /** COUNT: the number of items answered, if stated. */
  readonly count: number | undefined;
  /** WM and CM: the number of list pages of the waiting and the closed area, if stated. */
  readonly pages: Readonly<Partial<Record<Area, number>>>;
}

/** A count that the site states as a number or as digits. */
function statedCount(value: unknown): number | undefined {
  const count = typeof value === 'string' && /^\d+$/u.test(value) ? Number(value) : value;
  return typeof count === 'number' && Number.isInteger(count) && count >= 0 ? count : undefined;
}

/**
 * Status boxes of the items of the page loaded last, with which the site's script fills the blank boxes and the page
 * counts. Items of another page are left out of the response without a word.
 * @throws Quarantine template_changed if it is not such a response
 */
export function readStatuses(page: Page): StatusAnswer {
  const { ADATA, WM, CM } = jsonOf(page);
  const list = isObject(ADATA) ? (ADATA['AITEM'] ?? (statedCount(ADATA['COUNT']) === 0 ? [] : undefined)) : undefined;
  if (!Array.isArray(list)) throw new Quarantine('template_changed', 'the response has no ADATA.AITEM', page.url);
  const slots = Object.fromEntries(
    list.filter(isObject).map((entry: JsonObject): [string, Slot] => {
      const label = line(entry['A']);
      return [
        line(entry['AID']) ?? '',
        { label: SLOT_LABELS[label ?? ''] ?? label, text: line(entry['B']), amount: line(entry['D']) },
      ];
    }),
  );
  const [waiting, closed] = [statedCount(WM), statedCount(CM)];
  return {
    slots,
    count: isObject(ADATA) ? statedCount(ADATA['COUNT']) : undefined,
    pages: { ...(waiting === undefined ? {} : { W: waiting }), ...(closed === undefined ? {} : { C: closed }) },
  };
}
