/** RealAuction's calendar, and the page of one sale day. Pure. */
import { load, type CheerioAPI } from 'cheerio/slim';
import { type Page, Quarantine } from '../../contract.ts';

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
export const listedIds = (text: string): string[] =>
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
