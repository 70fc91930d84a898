/**
 * The requests of one read of a RealAuction county site, and all items of one sale day with their statuses, checked
 * against the calendar's counts.
 */
import { type FetchContext, type Page, Quarantine, type Session } from '../../contract.ts';
import {
  type Area,
  readCalendar,
  readDetails,
  readItems,
  readPreview,
  readStatuses,
  type SaleDay,
  type Slot,
  type StatusAnswer,
  valueOf,
} from './pages.ts';
import { type County, hasDetails, parseItems, previewUrl } from './rows.ts';

/** How LOAD pages: 0, then the page numbers from 2, or forward from the page loaded last. */
const firstPage = 'PageDir=0&doR=1&tx&bypassPage=0';
const numberedPage = (number: number): string => `PageDir=0&doR=1&tx&bypassPage=${number}`;
const nextPage = 'PageDir=1&doR=0&tx&bypassPage=0';

interface LoadRequest {
  readonly area: Area;
  readonly paging: string;
  readonly session: Session;
  readonly context: Readonly<Record<string, string>>;
}

/** Most ids that one UPDATE answers. */
const MAX_STATUSES = 10;

export interface Site {
  /** A session with the site's cookies, which its front page sets. */
  open(): Promise<Session>;
  /** @param month YYYY-MM */
  calendar(month: string): Promise<Page>;
  /** The page of a sale day, which sets the session's date. */
  preview(day: string, session: Session): Promise<Page>;
  /** About ten items of an area, on the session's date. */
  load(request: LoadRequest): Promise<Page>;
  details(aid: string, session: Session): Promise<Page | null>;
  /** UPDATE: the status boxes of up to ten items of the page that this session loaded last, and the page counts. */
  statuses(aids: readonly string[], session: Session): Promise<Page>;
}

export function openSite(county: County, ctx: FetchContext): Site {
  // The site's own script adds the time to each address to bypass caches.
  let tx = ctx.nowMs;
  const base = `https://${county.host}`;
  const index = (query: string): string => `${base}/index.cfm?${query}`;
  const open = async (): Promise<Session> => {
    const session = ctx.session();
    await ctx.getIfExists(`${base}/`, { kind: 'home', session });
    return session;
  };
  let calendarSession: Session | undefined;
  return {
    open,
    calendar: async (month) => {
      // The calendar needs no date, but it needs the site's cookies.
      calendarSession ??= await open();
      return ctx.get(index(`zaction=USER&zmethod=CALENDAR&selCalDate=%7Bts%20%27${month}-01%2000%3A00%3A00%27%7D`), {
        kind: 'calendar',
        session: calendarSession,
      });
    },
    preview: (day, session) => ctx.get(previewUrl(base, day), { kind: 'preview', session }),
    load: ({ area, paging, session, context }) =>
      ctx.get(index(`zaction=AUCTION&Zmethod=UPDATE&FNC=LOAD&AREA=${area}&${paging.replace('tx', `tx=${tx++}`)}`), {
        kind: 'items',
        session,
        context: { ...context, area },
      }),
    details: (aid, session) =>
      ctx.getIfExists(index(`zaction=auction&zmethod=details&AID=${aid}`), { kind: 'details', session }),
    statuses: (aids, session) =>
      ctx.get(index(`zaction=AUCTION&ZMETHOD=UPDATE&FNC=UPDATE&ref=${aids.join(',')},&tx=${tx++}`), {
        kind: 'statuses',
        session,
      }),
  };
}

/** Reads details pages until one requires a login. */
export class DetailsReader {
  readonly #site: Site;
  #isPublic = true;

  constructor(site: Site) {
    this.#site = site;
  }

  /** Sale types by item, as far as the site shows them. */
  async saleTypes(aids: readonly string[], session: Session): Promise<Record<string, string>> {
    const saleTypes: Record<string, string> = {};
    for (const aid of aids) {
      if (!this.#isPublic) break;
      const page = await this.#site.details(aid, session);
      if (page === null) continue;
      const labelled = readDetails(page);
      if (labelled.length === 0) this.#isPublic = false;
      const saleType = valueOf(labelled, 'Sale Type');
      if (saleType !== null) saleTypes[aid] = saleType;
    }
    return saleTypes;
  }
}

/** Maximum number of pages, because a site may repeat items; no sale day has as many. */
const MAX_PAGES = 100;

const AREA_NAMES: Readonly<Record<Area, string>> = { W: 'waiting', C: 'closed', R: 'running' };

/** Inputs for the read of a sale day. */
interface DayReader {
  readonly county: County;
  readonly site: Site;
  readonly ctx: FetchContext;
  readonly details: DetailsReader;
}

/** A page of items, and the statuses that UPDATE gave right after it. */
interface LoadedPage {
  readonly area: Area;
  readonly page: Page;
  readonly aids: readonly string[];
  readonly slots: Readonly<Record<string, Slot>>;
}

interface DayRead {
  readonly session: Session;
  /** Public page of the day. */
  readonly url: string;
  /** Ids that the day's page lists; empty if it lists none. */
  readonly listed: readonly string[];
  readonly loaded: readonly LoadedPage[];
  readonly aids: ReadonlySet<string>;
  /** Number of items in the closed area. */
  readonly closed: number;
}

/**
 * Statuses of the items of the page that the session loaded last, and the page counts. UPDATE answers COUNT 0 for
 * items of any other page, without an error.
 * @throws Quarantine count_mismatch unless UPDATE answers every item
 */
async function fetchStatuses(
  site: Site,
  session: Session,
  aids: readonly string[],
  pageName: string,
): Promise<Pick<StatusAnswer, 'slots' | 'pages'>> {
  let slots: Readonly<Record<string, Slot>> = {};
  let pages: StatusAnswer['pages'] = {};
  for (let at = 0; at < aids.length; at += MAX_STATUSES) {
    const wanted = aids.slice(at, at + MAX_STATUSES);
    const page = await site.statuses(wanted, session);
    const answer = readStatuses(page);
    const answered = wanted.filter((aid) => aid in answer.slots).length;
    const count = answer.count ?? Object.keys(answer.slots).length;
    if (answered !== wanted.length || count !== wanted.length)
      throw new Quarantine(
        'count_mismatch',
        `UPDATE answered ${answered} of ${wanted.length} statuses of ${pageName} (COUNT ${count})`,
        page.url,
      );
    slots = { ...slots, ...answer.slots };
    pages = answer.pages;
  }
  return { slots, pages };
}

/**
 * Find all items of a sale day in a session of their own. UPDATE follows the LOAD of its page and states the number of
 * pages. County sites page in one of two ways: by number, or forward until no new item comes. The second is used if a
 * numbered page has no new item.
 */
async function findItems({ site, ctx }: DayReader, day: SaleDay): Promise<DayRead> {
  const session = await site.open();
  const page = await site.preview(day.day, session);
  const listed = readPreview(page, day.day);
  const loaded: LoadedPage[] = [];
  const aids = new Set<string>();
  let closed = 0;
  /** Load one page of items. @returns the page count of its area if stated; null if the page has no new item */
  const load = async (area: Area, paging: string): Promise<{ pages: number | undefined } | null> => {
    const items = await site.load({ area, paging, session, context: { saleDate: day.day } });
    const found = readItems(items).map(({ aid }) => aid);
    if (found.every((aid) => aids.has(aid))) return null;
    for (const aid of found) aids.add(aid);
    if (area === 'C') closed += found.length;
    const pageNumber = loaded.filter((other) => other.area === area).length + 1;
    const pageName = `page ${pageNumber} of the ${AREA_NAMES[area]} sales`;
    const { slots, pages } = await fetchStatuses(site, session, found, pageName);
    loaded.push({ area, page: items, aids: found, slots });
    return { pages: pages[area] };
  };
  // The running area has items only during the sale.
  const areas: Area[] = day.day === ctx.asOf ? ['W', 'C', 'R'] : ['W', 'C'];
  for (const area of areas) {
    if (area === 'R' && aids.size >= day.scheduled) continue;
    let last = await load(area, firstPage);
    let pagingTo = numberedPage;
    for (let number = 2; last !== null && number <= MAX_PAGES; number += 1) {
      if (last.pages === undefined ? aids.size >= day.scheduled : number > last.pages) break;
      last = await load(area, pagingTo(number));
      if (last !== null || pagingTo !== numberedPage) continue;
      pagingTo = () => nextPage;
      last = await load(area, nextPage);
    }
  }
  return { session, url: page.url, listed, loaded, aids, closed };
}

/** Whether the items are all that the calendar counts, or all active ones on a site that hides closed items. */
const isComplete = (day: SaleDay, { aids, closed }: DayRead): boolean =>
  aids.size === day.scheduled || (closed === 0 && aids.size > 0 && aids.size === day.active);

/** @throws Quarantine count_mismatch */
function checkComplete(day: SaleDay, read: DayRead): void {
  if (isComplete(day, read)) return;
  const lost = read.listed.filter((aid) => !read.aids.has(aid));
  throw new Quarantine(
    'count_mismatch',
    `${read.aids.size} items read for ${day.day}, the calendar counts ${day.scheduled} scheduled and ` +
      `${day.active} active${lost.length === 0 ? '' : `; not read: ${lost.join(', ')}`}`,
    read.url,
  );
}

/** The pages of items with their statuses and sale types in the context. */
async function withNotes(
  { county, ctx }: DayReader,
  read: DayRead,
  saleTypes: Readonly<Record<string, string>>,
): Promise<Page[]> {
  const pages: Page[] = [];
  for (const { page: bare, aids, slots } of read.loaded) {
    const types = Object.fromEntries(Object.entries(saleTypes).filter(([aid]) => aids.includes(aid)));
    const page = await ctx.withContext(bare, {
      slots: JSON.stringify(slots),
      ...(Object.keys(types).length === 0 ? {} : { saleTypes: JSON.stringify(types) }),
    });
    // An unknown label is a fault of this day, not of the county.
    parseItems(county, page);
    pages.push(page);
  }
  return pages;
}

async function readOnce(reader: DayReader, day: SaleDay): Promise<Page[]> {
  const read = await findItems(reader, day);
  checkComplete(day, read);
  const shown = [...read.aids].slice(0, reader.ctx.sampleRows ?? read.aids.size);
  const saleTypes = hasDetails(reader.county.state) ? await reader.details.saleTypes(shown, read.session) : {};
  return withNotes(reader, read, saleTypes);
}

/**
 * Pages with all items of a sale day. The list may change during the read: if the counts differ, it is read once more
 * with a fresh calendar.
 * @throws Quarantine count_mismatch if the counts differ again
 */
export async function readSaleDay(reader: DayReader, day: SaleDay): Promise<readonly Page[]> {
  try {
    return await readOnce(reader, day);
  } catch (error) {
    if (!(error instanceof Quarantine) || error.reason !== 'count_mismatch') throw error;
  }
  const month = day.day.slice(0, 7);
  const calendar = readCalendar(await reader.site.calendar(month), month);
  const current = calendar.find((other) => other.day === day.day) ?? { ...day, active: 0, scheduled: 0 };
  return readOnce(reader, current);
}
