/**
 * What the pages of a RealAuction site say, as plain data. Pure.
 *
 * The site sends its items compressed: twelve two-letter tokens stand for pieces of markup, and the page's
 * own script puts them back. The answer is JSON although it is served as text/html.
 */
import { is } from 'css-select';
import type { AnyNode, Element } from 'domhandler';
import { prevElementSibling, textContent } from 'domutils';
import { Quarantine, type Page } from '../contract.ts';
import { line } from '../values.ts';
import { documentOf, finder } from './elements.ts';

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

const [calendarBoxes, calendarDays] = [finder('.CALBOX'), finder('.CALBOX[dayid]')];
const [activeCount, scheduledCount] = [finder('.CALACT'), finder('.CALSCH')];

/**
 * Sale days of a calendar page.
 * @param month YYYY-MM that was asked for
 * @throws Quarantine("template_changed") where it is no calendar, shows another month, or a sale day has no counts
 */
export function readCalendar(page: Page, month: string): SaleDay[] {
  const document = documentOf(page.text());
  const changed = (detail: string): never => {
    throw new Quarantine('template_changed', detail, page.url);
  };
  if (calendarBoxes.first(document) === null) changed('no day of a calendar (.CALBOX) on the page');
  const days: SaleDay[] = [];
  let shown = 0;
  let ofMonth = 0;
  for (const box of calendarDays.all(document)) {
    const printed = box.attribs['dayid'];
    const day =
      dayOf(printed) ?? changed(`a day of the calendar has the dayid ${JSON.stringify(printed)}, expected MM/DD/YYYY`);
    shown += 1;
    if (!day.startsWith(month)) continue;
    ofMonth += 1;
    const counts = [activeCount.first(box), scheduledCount.first(box)].map((found) =>
      found === null ? undefined : /\d+/u.exec(textContent(found))?.[0],
    );
    const [active, scheduled] = counts;
    if (active !== undefined && scheduled !== undefined)
      days.push({ day, active: Number(active), scheduled: Number(scheduled) });
    else if (active !== scheduled || is(box, '.CALSELF, .CALSELT'))
      changed(`${day} is a sale day without its counts (.CALACT, .CALSCH)`);
  }
  if (shown > 0 && ofMonth === 0) changed(`the calendar shows no day of ${month}, which was asked for`);
  return days;
}

export interface Preview {
  /** Pages of each area, where the page says. */
  readonly pages: Readonly<Partial<Record<Area, number>>>;
}

const [waiting, dayHeads] = [finder('#Area_W'), finder('.BLHeaderDateDisplay')];
const pageCounts = { W: finder('#maxWA'), C: finder('#maxCA') } as const;

/**
 * The page of a sale day, which binds that day to the session.
 * @throws Quarantine("template_changed") where it is another page or shows another day
 */
export function readPreview(page: Page, day: string): Preview {
  const document = documentOf(page.text());
  if (waiting.first(document) === null)
    throw new Quarantine(
      'template_changed',
      'no list of waiting items (#Area_W): not the page of a sale day',
      page.url,
    );
  const shown = dayInWords(textContent(dayHeads.all(document)));
  if (shown !== null && shown !== day) {
    throw new Quarantine('template_changed', `the page shows the sale of ${shown}, ${day} was asked for`, page.url);
  }
  const pages: Partial<Record<Area, number>> = {};
  for (const area of ['W', 'C'] as const) {
    const shownPages = pageCounts[area].first(document);
    const count = shownPages === null ? undefined : /\d+/u.exec(textContent(shownPages))?.[0];
    if (count !== undefined) pages[area] = Number(count);
  }
  return { pages };
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

const marked = finder('.AD_DTA');
const secondCells = finder('tr > :nth-child(2)');

/** Text of the label before a value: the cell or box beside it. */
function labelBefore(value: Element): string {
  const label = prevElementSibling(value);
  return label !== null && ['th', 'td', 'div'].includes(label.name) ? (line(textContent(label)) ?? '') : '';
}

/** Values with the labels before them, whether the label is a th, a td or a div. */
function labelledIn(within: AnyNode): Labelled {
  const cells = marked.all(within);
  return (cells.length > 0 ? cells : secondCells.all(within)).map(
    (cell) => [labelBefore(cell).replace(/\s*:$/u, ''), line(textContent(cell)) ?? ''] as const,
  );
}

const nested = finder('.AD_DTA .AD_LBL, .AD_DTA .AD_DTA, .AUCTION_ITEM .AUCTION_ITEM');
const auctionItems = finder('.AUCTION_ITEM[aid]');
const statsOf = finder('.AUCTION_STATS');
const boxOf = { A: finder('.ASTAT_MSGA'), B: finder('.ASTAT_MSGB'), D: finder('.ASTAT_MSGD') } as const;
const leadingBoxes = finder('.ASTAT_MSGA, .ASTAT_MSGB');
const anyBox = finder('.ASTAT_MSGA, .ASTAT_MSGB, .ASTAT_MSGC, .ASTAT_MSGD');
const detailsOf = finder('.AUCTION_DETAILS');

/**
 * Items of an answer to LOAD; none where the area is empty, or where no day is bound to the session.
 * @throws Quarantine where it is not such an answer, or its list of ids disagrees with its items
 */
export function readItems(page: Page): Item[] {
  const { retHTML, rlist } = json(page);
  if (typeof retHTML !== 'string' || typeof rlist !== 'string') {
    throw new Quarantine('template_changed', 'the answer has no retHTML and rlist', page.url);
  }
  const document = documentOf(expandTokens(retHTML, page.url));
  const changed = (detail: string): never => {
    throw new Quarantine('template_changed', detail, page.url);
  };
  if (nested.first(document) !== null) {
    changed('a value holds the label or the value after it: the markup of an item does not end where it should');
  }
  const items = auctionItems.all(document).map((item): Item => {
    const aid = item.attribs['aid'] ?? '';
    const stats = statsOf.first(item);
    const stat = (name: keyof typeof boxOf): string | null => {
      const box = stats === null ? null : boxOf[name].first(stats);
      return box === null ? null : line(textContent(box));
    };
    // A box that is there and blank is the script's to fill; without a box, a cancelled item would read as scheduled.
    const boxes = stats === null ? [] : leadingBoxes.all(stats);
    if (boxes.length !== 2 || boxes.some((box) => anyBox.first(box) !== null))
      changed(`item ${aid} has no status box (.ASTAT_MSGA, .ASTAT_MSGB) that we know`);
    const details = detailsOf.first(item);
    return {
      aid,
      slot: { label: stat('A'), text: stat('B'), amount: stat('D') },
      labelled: details === null ? [] : labelledIn(details),
    };
  });
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
  return labelledIn(documentOf(page.text())).filter(([label]) => label !== '');
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
