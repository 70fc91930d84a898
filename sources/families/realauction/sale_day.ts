/** Reading all items of one sale day, checked against the calendar's counts. */
import { Quarantine, type FetchContext, type Page, type Session } from '../../contract.ts';
import { readCalendar, readPreview, type Area, type SaleDay } from './calendar.ts';
import { readItems, type Item } from './items.ts';
import { firstPage, nextPage, numberedPage, type Site } from './site.ts';

/** Ends a read of a site that keeps sending new items; no sale day has as many pages. */
const MAX_PAGES = 100;

export interface DayRead {
  readonly session: Session;
  /** Public page of the day. */
  readonly url: string;
  readonly loaded: readonly { readonly page: Page; readonly items: readonly Item[] }[];
  /** Ids of the day's items, in the order first seen. */
  readonly aids: readonly string[];
  /** Number of items in the closed area. */
  readonly closed: number;
}

/** Context entries for the pages of items. */
type ItemContext = Readonly<Record<string, string>>;

/**
 * Read all items of a sale day in a session of their own. County sites page in one of two ways: by number up to the
 * count on the day's page, or forward until no new item comes. The second is used if there is no count, or if a
 * numbered page has no new item.
 */
async function readOnce(site: Site, ctx: FetchContext, day: SaleDay, context: ItemContext): Promise<DayRead> {
  const session = ctx.session();
  const page = await site.preview(day.day, session);
  const pageCounts = readPreview(page, day.day);
  const loaded: { page: Page; items: readonly Item[] }[] = [];
  const aids = new Set<string>();
  let closed = 0;
  /** Load one page of items. @returns whether it had a new one */
  const load = async (area: Area, paging: string): Promise<boolean> => {
    const list = await site.load({ area, paging, session, context: { ...context, saleDate: day.day } });
    const items = readItems(list);
    const before = aids.size;
    for (const { aid } of items) aids.add(aid);
    if (area === 'C') closed += items.length;
    if (aids.size > before) loaded.push({ page: list, items });
    return aids.size > before;
  };
  // The running area has items only during the sale.
  const areas: Area[] = day.day === ctx.asOf ? ['W', 'C', 'R'] : ['W', 'C'];
  for (const area of areas) {
    if (area === 'R' && aids.size >= day.scheduled) continue;
    if (!(await load(area, firstPage))) continue;
    const count = pageCounts[area];
    let isForward = count === undefined;
    for (let number = 2; number <= Math.min(count ?? 1, MAX_PAGES) && !isForward; number += 1)
      isForward = !(await load(area, numberedPage(number)));
    for (let step = 0; isForward && step < MAX_PAGES && aids.size < day.scheduled; step += 1)
      isForward = await load(area, nextPage);
  }
  return { session, url: page.url, loaded, aids: [...aids], closed };
}

/** Whether the items are all that the calendar counts, or all active ones on a site that hides closed items. */
const isComplete = (day: SaleDay, read: DayRead): boolean =>
  read.aids.length === day.scheduled || (read.closed === 0 && read.aids.length > 0 && read.aids.length === day.active);

/**
 * Read all items of a sale day. The list may change during the read: if the counts differ, it is read once more with a
 * fresh calendar.
 * @throws Quarantine count_mismatch if the counts differ again
 */
export async function readSaleDay(
  site: Site,
  ctx: FetchContext,
  day: SaleDay,
  context: ItemContext = {},
): Promise<DayRead> {
  const first = await readOnce(site, ctx, day, context);
  if (isComplete(day, first)) return first;
  const month = day.day.slice(0, 7);
  const calendar = readCalendar(await site.calendar(month), month);
  const current = calendar.find((other) => other.day === day.day) ?? { ...day, active: 0, scheduled: 0 };
  const second = await readOnce(site, ctx, current, context);
  if (isComplete(current, second)) return second;
  throw new Quarantine(
    'count_mismatch',
    `${second.aids.length} items read for ${day.day}, ` +
      `the calendar counts ${current.scheduled} scheduled and ${current.active} active`,
    second.url,
  );
}
