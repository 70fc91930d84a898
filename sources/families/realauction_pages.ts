/**
 * What the pages of a RealAuction site say, as plain data. Pure.
 *
 * The site sends its items compressed: twelve two-letter tokens stand for pieces of markup, and the page's
 * own script puts them back. The answer is JSON although it is served as text/html.
 */
import { load, type CheerioAPI } from 'cheerio/slim';
import { Quarantine, type Page } from '../contract.ts';
import { line } from '../values.ts';

/** The site's own table of tokens, as its script holds it. */
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

/** Put the markup back. @throws Quarantine("template_changed") where a token remains that the table does not know. */
export function expandTokens(compressed: string, pageUrl?: string): string {
  const html = compressed.replace(/@[A-L]/gu, (token) => TOKENS[token] ?? token);
  const unknown = /@[A-Z]/u.exec(html);
  if (unknown) {
    throw new Quarantine(
      'template_changed',
      `token ${unknown[0]} is not in the table, near ${JSON.stringify(html.slice(Math.max(0, unknown.index - 30), unknown.index + 30))}`,
      pageUrl,
    );
  }
  return html;
}

/** YYYY-MM-DD of a day printed as MM/DD/YYYY; null where it is printed otherwise. */
export function dayOf(printed: string | undefined): string | null {
  const match = /^\s*(\d{2})\/(\d{2})\/(\d{4})\b/u.exec(printed ?? '');
  return match ? `${match[3]}-${match[1]}-${match[2]}` : null;
}

/** The day in the head of a sale day's page, printed "12/07/2026" or "Monday December 7, 2026"; null where it has none that can be read. */
function dayInWords(text: string): string | null {
  const [, word = '', day = '', year = ''] = /\b([A-Z][a-z]{2})[a-z]*\.? (\d{1,2}), (\d{4})\b/u.exec(text) ?? [];
  const month = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'].indexOf(word) + 1;
  return month > 0
    ? `${year}-${String(month).padStart(2, '0')}-${day.padStart(2, '0')}`
    : dayOf(/\d{2}\/\d{2}\/\d{4}/u.exec(text)?.[0]);
}

/** Words of the status box of an item. */
export interface Slot {
  /** "Auction Starts", "Auction Status" or "Auction Sold". */
  readonly label: string | null;
  /** The time of the sale, or the word that replaced it. */
  readonly text: string | null;
  /** Amount as printed, once sold. */
  readonly amount: string | null;
}

/** A value with the label that stands before it; the city line has no label. */
export type Labelled = readonly (readonly [label: string, value: string])[];

export interface Item {
  readonly aid: string;
  readonly slot: Slot;
  readonly labelled: Labelled;
}

export interface SaleDay {
  readonly day: string;
  /** Items still to be sold, by the calendar. */
  readonly active: number;
  /** Items on the list, cancelled ones included, by the calendar. */
  readonly scheduled: number;
}

/** Areas of a sale day: waiting, closed or cancelled, and running while the sale is on. */
export type Area = 'W' | 'C' | 'R';

type Selection = ReturnType<CheerioAPI>;

/** The first number in the first element of a selection. */
const firstNumber = (selection: Selection): number | undefined => {
  const digits = /\d+/u.exec(selection.first().text())?.[0];
  return digits === undefined ? undefined : Number(digits);
};

/**
 * Sale days of a calendar page.
 * @param month YYYY-MM that was asked for
 * @throws Quarantine("template_changed") where it is no calendar, shows another month, or a sale day has no counts
 */
export function readCalendar(page: Page, month: string): SaleDay[] {
  const $ = load(page.text());
  const changed = (detail: string): never => {
    throw new Quarantine('template_changed', detail, page.url);
  };
  if ($('.CALBOX').length === 0) changed('no day of a calendar (.CALBOX) on the page');
  const days: SaleDay[] = [];
  let shown = 0;
  let ofMonth = 0;
  for (const element of $('.CALBOX[dayid]')) {
    const box = $(element);
    const printed = box.attr('dayid');
    const day =
      dayOf(printed) ?? changed(`a day of the calendar has the dayid ${JSON.stringify(printed)}, expected MM/DD/YYYY`);
    shown += 1;
    if (!day.startsWith(month)) continue;
    ofMonth += 1;
    const active = firstNumber(box.find('.CALACT'));
    const scheduled = firstNumber(box.find('.CALSCH'));
    if (active !== undefined && scheduled !== undefined) days.push({ day, active, scheduled });
    else if (active !== scheduled || box.is('.CALSELF, .CALSELT'))
      changed(`${day} is a sale day without its counts (.CALACT, .CALSCH)`);
  }
  if (shown > 0 && ofMonth === 0) changed(`the calendar shows no day of ${month}, which was asked for`);
  return days;
}

export interface Preview {
  /** Pages of each area, where the page says. */
  readonly pages: Readonly<Partial<Record<Area, number>>>;
}

/**
 * The page of a sale day, which binds that day to the session.
 * @throws Quarantine("template_changed") where it is another page or shows another day
 */
export function readPreview(page: Page, day: string): Preview {
  const $ = load(page.text());
  if ($('#Area_W').length === 0)
    throw new Quarantine(
      'template_changed',
      'no list of waiting items (#Area_W): not the page of a sale day',
      page.url,
    );
  const shown = dayInWords($('.BLHeaderDateDisplay').text());
  if (shown !== null && shown !== day) {
    throw new Quarantine('template_changed', `the page shows the sale of ${shown}, ${day} was asked for`, page.url);
  }
  const [waiting, closed] = [firstNumber($('#maxWA')), firstNumber($('#maxCA'))];
  return {
    pages: { ...(waiting === undefined ? {} : { W: waiting }), ...(closed === undefined ? {} : { C: closed }) },
  };
}

function json(page: Page): Readonly<Record<string, unknown>> {
  let body: unknown;
  try {
    body = JSON.parse(page.text());
  } catch {
    throw new Quarantine(
      'malformed_page',
      `expected JSON, found ${JSON.stringify(page.text().slice(0, 60))}`,
      page.url,
    );
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new Quarantine('malformed_page', 'expected a JSON object', page.url);
  return body as Readonly<Record<string, unknown>>;
}

/** Values with the labels before them, whether the label is a th, a td or a div. */
function labelledIn($: CheerioAPI, within: Selection): Labelled {
  const marked = within.find('.AD_DTA');
  const values = marked.length > 0 ? marked : within.find('tr > :nth-child(2)');
  return values.toArray().map((value) => {
    const label = line($(value).prev().filter('th, td, div').text()) ?? '';
    return [label.replace(/\s*:$/u, ''), line($(value).text()) ?? ''] as const;
  });
}

/** A value or an item inside another: a tag is missing. */
const NESTED = '.AD_DTA .AD_LBL, .AD_DTA .AD_DTA, .AUCTION_ITEM .AUCTION_ITEM';
const ANY_STATUS_BOX = '.ASTAT_MSGA, .ASTAT_MSGB, .ASTAT_MSGC, .ASTAT_MSGD';

/**
 * Items of an answer to LOAD; none where the area is empty, or where no day is bound to the session.
 * @throws Quarantine where it is not such an answer, or its list of ids disagrees with its items
 */
export function readItems(page: Page): Item[] {
  const { retHTML, rlist } = json(page);
  if (typeof retHTML !== 'string' || typeof rlist !== 'string') {
    throw new Quarantine('template_changed', 'the answer has no retHTML and rlist', page.url);
  }
  const $ = load(expandTokens(retHTML, page.url));
  const changed = (detail: string): never => {
    throw new Quarantine('template_changed', detail, page.url);
  };
  if ($(NESTED).length > 0) {
    changed('a value holds the label or the value after it: the markup of an item does not end where it should');
  }
  const items: Item[] = [];
  for (const element of $('.AUCTION_ITEM[aid]')) {
    const item = $(element);
    const aid = item.attr('aid') ?? '';
    const stats = item.find('.AUCTION_STATS').first();
    // A box that is there and blank is the script's to fill; without a box, a cancelled item would read as scheduled.
    const boxes = stats.find('.ASTAT_MSGA, .ASTAT_MSGB');
    if (boxes.length !== 2 || boxes.find(ANY_STATUS_BOX).length > 0)
      changed(`item ${aid} has no status box (.ASTAT_MSGA, .ASTAT_MSGB) that we know`);
    const textOf = (selector: string): string | null => line(stats.find(selector).first().text());
    items.push({
      aid,
      slot: { label: textOf('.ASTAT_MSGA'), text: textOf('.ASTAT_MSGB'), amount: textOf('.ASTAT_MSGD') },
      labelled: labelledIn($, item.find('.AUCTION_DETAILS').first()),
    });
  }
  const listed = rlist
    .split(',')
    .map((aid) => aid.trim())
    .filter(Boolean);
  const found = items.map((item) => item.aid);
  if (listed.length !== found.length || listed.some((aid) => !found.includes(aid))) {
    throw new Quarantine(
      'template_changed',
      `the list names the items ${listed.join(',') || 'none'}, the page holds ${found.join(',') || 'none'}`,
      page.url,
    );
  }
  return items;
}

/** Value of a label, null where it is blank or not there. */
export const valueOf = (labelled: Labelled, label: string): string | null =>
  labelled.find(([name]) => name.toLowerCase() === label.toLowerCase())?.[1] || null;

/** Labels of an item's details page; none where the site shows its door instead. */
export function readDetails(page: Page): Labelled {
  const $ = load(page.text());
  return labelledIn($, $.root()).filter(([label]) => label !== '');
}

/** Codes by which the status box is filled in; other labels come in full. */
const SLOT_LABELS: Readonly<Record<string, string>> = { A: 'Auction Starts', B: 'Auction Status' };

/**
 * Status boxes by item, from the call with which the page fills them in.
 * @throws Quarantine("template_changed") where it is not such an answer
 */
export function readSlots(page: Page): Record<string, Slot> {
  const { ADATA } = json(page);
  const list = typeof ADATA === 'object' && ADATA !== null && 'AITEM' in ADATA ? ADATA.AITEM : undefined;
  if (!Array.isArray(list)) throw new Quarantine('template_changed', 'the status answer has no ADATA.AITEM', page.url);
  return Object.fromEntries(
    list.map((entry: Readonly<Record<string, unknown>>) => {
      const label = line(entry['A']);
      return [
        line(entry['AID']) ?? '',
        { label: SLOT_LABELS[label ?? ''] ?? label, text: line(entry['B']), amount: line(entry['D']) },
      ];
    }),
  );
}
