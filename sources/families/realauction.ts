/**
 * Sheriff sales of Ohio counties on the RealAuction platform, `<county>.sheriffsaleauction.ohio.gov`.
 *
 * A read takes the calendar months around the run's day, and for each sale day a conversation of its own:
 * the page of the day binds the date to a session, LOAD then gives the items about ten at a time. A session
 * that was not bound gives an empty list that looks like a day without sales, so the items read are held
 * against the calendar's counts.
 *
 * The law (ORC 2329.153) has one official site for all sheriffs of the state, run by RealAuction with a host for each
 * county. Declared here are the counties whose host is named in public: Allen, Portage and Lawrence by their sheriffs,
 * Jackson by its sheriff in a newspaper, the others in public code. The remaining ones of the 88 are one line each,
 * once somebody has seen their host answer.
 *
 * Two things stand on other pages than the items: the sale type on each item's details, and, where the site
 * leaves the status box of an item blank for its script to fill, the status in the answer to UPDATE. They are
 * asked for first, and the items then once more in a fresh session, with what was found in the request's
 * context: a page in the archive can be parsed again with nothing but its own record. That costs some four
 * requests a sale day beside one for each item's details.
 */
import { defineSource, Quarantine, type FetchContext, type Page, type Session, type SourceSpec } from '../contract.ts';
import { addDays, monthsBetween } from '../days.ts';
import { SheriffSale } from '../rows/sheriff_sale.ts';
import {
  readCalendar,
  readDetails,
  readItems,
  readPreview,
  readSlots,
  valueOf,
  type Area,
  type Item,
  type SaleDay,
  type Slot,
} from './realauction_pages.ts';
import { parseItems, parseScraped, previewUrl, type County } from './realauction_rows.ts';

const DAYS_BACK = 7;
const DAYS_AHEAD = 75;
/** Far more than any sale day has; a site that always answers with something new must not be followed for ever. */
const MOST_PAGES = 100;

interface Loaded {
  readonly page: Page;
  readonly items: readonly Item[];
}

interface DayRead {
  readonly session: Session;
  /** Public page of the day. */
  readonly url: string;
  readonly loaded: readonly Loaded[];
  /** Items of the day, in the order first seen. */
  readonly aids: readonly string[];
  readonly closed: number;
}

/** The requests of one read of one county. */
function siteOf(county: County, ctx: FetchContext) {
  // The site's own script puts the time into each address, so that no answer comes from a cache.
  let tx = ctx.nowMs;
  const base = `https://${county.host}`;
  const index = (query: string): string => `${base}/index.cfm?${query}`;
  // The calendar needs no day bound, but a site may want its own cookies back before it shows it.
  const calendarSession = ctx.session();
  return {
    calendar: (month: string): Promise<Page> =>
      ctx.get(index(`zaction=USER&zmethod=CALENDAR&selCalDate=%7Bts%20%27${month}-01%2000%3A00%3A00%27%7D`), {
        kind: 'calendar',
        session: calendarSession,
      }),
    preview: (day: string, session: Session): Promise<Page> =>
      ctx.get(previewUrl(base, day), { kind: 'preview', session }),
    load: (area: Area, paging: string, session: Session, context: Readonly<Record<string, string>>): Promise<Page> =>
      ctx.get(index(`zaction=AUCTION&Zmethod=UPDATE&FNC=LOAD&AREA=${area}&${paging.replace('tx', `tx=${tx++}`)}`), {
        kind: 'items',
        session,
        context: { ...context, area },
      }),
    details: (aid: string, session: Session): Promise<Page | null> =>
      ctx.getIfExists(index(`zaction=auction&zmethod=details&AID=${aid}`), { kind: 'details', session }),
    slots: (aids: readonly string[], session: Session): Promise<Page | null> =>
      ctx.getIfExists(index(`zaction=AUCTION&ZMETHOD=UPDATE&FNC=UPDATE&ref=${aids.join(',')},&tx=${tx++}`), {
        kind: 'slots',
        session,
      }),
  };
}

type Site = ReturnType<typeof siteOf>;

/**
 * All items of a sale day, in a session of their own. Both ways of paging are known to work on some county's
 * site: by number up to the count the day's page gives, and forward until nothing new comes. The second is used
 * where the first has no count or brings nothing new.
 */
async function readDay(
  site: Site,
  ctx: FetchContext,
  day: SaleDay,
  context: Readonly<Record<string, string>> = {},
): Promise<DayRead> {
  const session = ctx.session();
  const page = await site.preview(day.day, session);
  const preview = readPreview(page, day.day);
  const loaded: Loaded[] = [];
  const aids = new Set<string>();
  let closed = 0;
  const take = async (area: Area, paging: string): Promise<boolean> => {
    const list = await site.load(area, paging, session, { ...context, saleDate: day.day });
    const items = readItems(list);
    const fresh = items.filter(({ aid }) => !aids.has(aid));
    for (const { aid } of fresh) aids.add(aid);
    if (area === 'C') closed += items.length;
    if (fresh.length > 0) loaded.push({ page: list, items });
    return fresh.length > 0;
  };
  // Items are only in the running area while the sale is on.
  const areas: Area[] = day.day === ctx.asOf ? ['W', 'C', 'R'] : ['W', 'C'];
  for (const area of areas) {
    if (area === 'R' && aids.size >= day.scheduled) continue;
    if (!(await take(area, 'PageDir=0&doR=1&tx&bypassPage=0'))) continue;
    const count = preview.pages[area];
    let forward = count === undefined;
    for (let number = 2; number <= Math.min(count ?? 1, MOST_PAGES) && !forward; number += 1) {
      forward = !(await take(area, `PageDir=0&doR=1&tx&bypassPage=${number}`));
    }
    for (let step = 0; forward && step < MOST_PAGES && aids.size < day.scheduled; step += 1) {
      forward = await take(area, 'PageDir=1&doR=0&tx&bypassPage=0');
    }
  }
  return { session, url: page.url, loaded, aids: [...aids], closed };
}

/** The list of a day is whole: all that the calendar counts, or, on a site that does not show its closed items, all active ones. */
const agrees = (day: SaleDay, read: DayRead): boolean =>
  read.aids.length === day.scheduled || (read.closed === 0 && read.aids.length > 0 && read.aids.length === day.active);

/** Read a day, and once more by a fresh calendar where it does not add up: the list changes while it is read. */
async function readWholeDay(
  site: Site,
  ctx: FetchContext,
  day: SaleDay,
  context?: Readonly<Record<string, string>>,
): Promise<DayRead> {
  const first = await readDay(site, ctx, day, context);
  if (agrees(day, first)) return first;
  const month = day.day.slice(0, 7);
  const again = readCalendar(await site.calendar(month), month).find((other) => other.day === day.day) ?? {
    ...day,
    active: 0,
    scheduled: 0,
  };
  const second = await readDay(site, ctx, again, context);
  if (agrees(again, second)) return second;
  throw new Quarantine(
    'count_mismatch',
    `${second.aids.length} items read for ${day.day}, the calendar counts ${again.scheduled} scheduled and ${again.active} active`,
    second.url,
  );
}

/** What the pages of items do not say of them, as JSON keyed by item, for the context of those pages. */
async function readAround(site: Site, read: DayRead, asking: { details: boolean }): Promise<Record<string, string>> {
  const slots: Record<string, Slot> = {};
  for (const { items } of read.loaded) {
    const blank = items.filter(({ slot }) => slot.text === null).map(({ aid }) => aid);
    const page = blank.length === 0 ? null : await site.slots(blank, read.session);
    if (page) Object.assign(slots, readSlots(page));
  }
  const saleTypes: Record<string, string> = {};
  for (const aid of read.aids) {
    if (!asking.details) break;
    const page = await site.details(aid, read.session);
    if (page === null) continue;
    const labelled = readDetails(page);
    // Where the details are for members only, one answer tells: the rest of the read does not ask again.
    if (labelled.length === 0) asking.details = false;
    const saleType = valueOf(labelled, 'Sale Type');
    if (saleType !== null) saleTypes[aid] = saleType;
  }
  const found = { slots, saleTypes };
  return Object.fromEntries(
    Object.entries(found)
      .filter(([, notes]) => Object.keys(notes).length > 0)
      .map(([key, notes]) => [key, JSON.stringify(notes)]),
  );
}

async function* fetchSales(county: County, ctx: FetchContext): AsyncGenerator<Page> {
  const site = siteOf(county, ctx);
  const from = addDays(ctx.asOf, -DAYS_BACK);
  const to = addDays(ctx.asOf, DAYS_AHEAD);
  const asking = { details: true };
  for (const month of monthsBetween(from, to)) {
    for (const day of readCalendar(await site.calendar(month), month)) {
      if (day.day < from || day.day > to || Math.max(day.active, day.scheduled) === 0) continue;
      let read = await readWholeDay(site, ctx, day);
      const context = await readAround(site, read, asking);
      if (Object.keys(context).length > 0) read = await readWholeDay(site, ctx, day, context);
      for (const { page } of read.loaded) yield page;
    }
  }
}

/** Declare a county of the platform. */
export function realAuction(declared: {
  readonly county: string;
  readonly fips: string;
  readonly host: string;
}): SourceSpec {
  const county: County = { name: declared.county, fips: declared.fips, state: 'OH', host: declared.host };
  const slug = county.name.toLowerCase().replaceAll(' ', '_');
  return defineSource({
    name: `oh_${slug}_sheriff`,
    family: 'sheriff',
    title: `${county.name} County, Ohio: sheriff sales`,
    home: `https://${county.host}/index.cfm?zaction=USER&zmethod=CALENDAR`,
    county: { fips: county.fips, name: `${county.name} County`, state: county.state },
    terms: {
      basis: 'public_record',
      note: 'Notices of sheriff sales are public record and shown without login; the terms of use of the platform were not obtained, so the operator must read them before a live run.',
    },
    everyDays: 1,
    hosts: [county.host],
    politeness: { minIntervalMs: 4000, concurrency: 1 },
    row: SheriffSale,
    // A county may have no sale in the window. A fifth of refusals is bearable because the calendar's counts
    // already guard the list, and files scraped by others lost the sale day wherever a status replaced the time.
    expect: { minRows: 0, maxRejectShare: 0.2, maxDropShare: 0.9 },
    drop: [
      {
        pattern: new RegExp(`^${slug}_realauction_scraped.*\\.json$`, 'u'),
        kind: 'scraped',
        about: 'sale days of this county as another project scraped them, a JSON array',
      },
    ],
    fetch: (ctx) => fetchSales(county, ctx),
    parse: (page) => (page.kind === 'scraped' ? parseScraped(county, page) : parseItems(county, page)),
  });
}
