/**
 * Sales of counties on the RealAuction platform: of sheriffs in Ohio, `<county>.sheriffsaleauction.ohio.gov`, and in
 * Pennsylvania, `<county>.pa.realforeclose.com`; of clerks of court in Florida, `<county>.realforeclose.com` (mortgages
 * and other liens) and `<county>.realtaxdeed.com` (unpaid taxes).
 *
 * A read takes the calendar months around the run's day, and one session per sale day: the page of the day sets the
 * session's date, LOAD gives ten items at a time without their status, and UPDATE gives the statuses of the page loaded
 * last and the number of pages. A session without a date gives an empty list, so the items are checked against the
 * calendar's counts. A day that cannot be read does not affect the others.
 *
 * The calendar, LOAD and UPDATE are as recorded from Ohio's sites in July 2026, except that the recorded LOAD has no
 * status boxes and the recorded UPDATE no COUNT: both are as public code describes them.
 *
 * ORC 2329.153 provides one official site for all sheriffs of Ohio, with a host per county. Declared are the counties
 * whose host is public: Allen, Portage and Lawrence by their sheriffs, Jackson by its sheriff in a newspaper, the
 * others in public code (auctions/realauction.ts).
 *
 * Florida's items show their parcel, address and plaintiff's bid only weeks or minutes before the sale, so each day is
 * read again until then. Its items are as recorded in March and June 2026; its responses to UPDATE are assumed to be
 * those of Ohio.
 *
 * Of a page that a person saved in a browser and dropped it is assumed, as none was recorded: the site's script puts
 * the items of LOAD into #Area_W, #Area_C and #Area_R as they are, and the statuses of UPDATE into their boxes.
 */
import { load } from 'cheerio/slim';
import {
  type Candidate,
  defineSource,
  type DropFormat,
  type FetchContext,
  type JoinRates,
  type Page,
  Quarantine,
  type SourceSpec,
} from '../../contract.ts';
import { requireWholeHtml } from '../../bodies.ts';
import { named, SkippedPages } from '../list_pages.ts';
import { type Area, itemsIn, readCalendar, readSaleDayPage, type SaleDay } from './pages.ts';
import { type County, itemCandidates, parseItems, type State } from './rows.ts';
import { addDays, monthsBetween } from '../../days.ts';
import { Auction } from '../../rows/auction.ts';
import { DetailsReader, openSite, readSaleDay, type Site } from './sale_day.ts';

const AREAS: readonly Area[] = ['W', 'C', 'R'];

const SAVED_FORMATS: readonly DropFormat[] = [
  {
    pattern: /\.html?$/u,
    file: '2026-12-07_1.html',
    kind: 'saved_page',
    about: 'the page of a sale day, saved as a complete web page while it shows its sales',
  },
];

/** @throws Quarantine whose message names the file */
function readSaved(page: Page) {
  try {
    const { shown: saleDate, listed } = readSaleDayPage(page);
    if (saleDate === null)
      throw new Quarantine('template_changed', 'the page does not show the day of its sales', page.url);
    const html = page.text();
    requireWholeHtml(html, page.url);
    const $ = load(html);
    return {
      saleDate,
      /** Ids of all items of the day, as far as the page lists them. */
      listed,
      areas: AREAS.map((area) => ({ area, items: itemsIn($, $(`#Area_${area}`), page.url) })),
    };
  } catch (error) {
    throw named(page.context['file'] ?? '', error);
  }
}

/** Rows of a saved page. */
function parseSaved(county: County, page: Page): readonly Candidate[] {
  const { saleDate, areas } = readSaved(page);
  const [pageUrl, siteUrl] = [page.url, `https://${county.host}`];
  return areas.flatMap((list) =>
    itemCandidates(county, { ...list, saleDate, slots: {}, saleTypes: {}, pageUrl, siteUrl }),
  );
}

/** Refuse a day of which items are missing. @throws Quarantine naming the day and the items */
function checkSaved(pages: readonly Page[]): void {
  for (const [saleDate, ofDay] of Map.groupBy(pages.map(readSaved), (saved) => saved.saleDate)) {
    const found = new Set(ofDay.flatMap(({ areas }) => areas.flatMap(({ items }) => items.map(({ aid }) => aid))));
    const lost = new Set(ofDay.flatMap(({ listed }) => listed)).difference(found);
    if (lost.size > 0)
      throw new Quarantine(
        'count_mismatch',
        `the saved files of ${saleDate} hold ${found.size} sales and lack the items ${[...lost].join(', ')}: ` +
          'save them too',
      );
  }
}

const DAYS_BACK = 7;
const DAYS_AHEAD = 75;

/** Sale days with items in the calendars around the run's day. */
async function saleDays(site: Site, asOf: string): Promise<SaleDay[]> {
  const [from, to] = [addDays(asOf, -DAYS_BACK), addDays(asOf, DAYS_AHEAD)];
  const days: SaleDay[] = [];
  for (const month of monthsBetween(from, to)) {
    const calendar = readCalendar(await site.calendar(month), month);
    const inWindow = calendar.filter(({ day }) => day >= from && day <= to);
    days.push(...inWindow.filter(({ active, scheduled }) => Math.max(active, scheduled) > 0));
  }
  return days;
}

/** Pages of items. A sale day that cannot be read is reported, and its last good rows stay. */
async function* fetchSales(county: County, ctx: FetchContext): AsyncGenerator<Page> {
  const site = openSite(county, ctx);
  const reader = { county, site, ctx, details: new DetailsReader(site) };
  const found = await saleDays(site, ctx.asOf);
  // A probe reads the day with the fewest sales.
  const days = ctx.sampleRows === null ? found : found.toSorted((a, b) => a.scheduled - b.scheduled).slice(0, 1);
  const skipped = new SkippedPages(ctx, days.length);
  ctx.states(days.reduce((items, { scheduled }) => items + scheduled, 0));
  for (const day of days) {
    let pages: readonly Page[];
    try {
      pages = await readSaleDay(reader, day);
    } catch (error) {
      skipped.skip(
        { county_fips: county.fips, sale_date: day.day },
        named(`the sale of ${day.day} is unreadable`, error),
      );
      continue;
    }
    skipped.read();
    yield* pages;
  }
}

const JOINS: Readonly<Record<State, JoinRates>> = {
  OH: { address: 0.6, zip: 0.6 },
  FL: { address: 0.4, zip: 0.4 },
  PA: { address: 0.6, zip: 0.6 },
};

const STATES: Readonly<Record<State, string>> = { OH: 'Ohio', FL: 'Florida', PA: 'Pennsylvania' };

/** The sales of a site: the end of the source's name, the sales in words, and their kind. */
const SITES = {
  sheriff: { sales: 'sheriff sales', type: 'sheriff_sale' },
  foreclosure: { sales: 'foreclosure sales', type: 'foreclosure_sale' },
  tax_deed: { sales: 'tax deed sales', type: 'tax_deed_sale' },
} as const;

/** A line of auctions/realauction.ts. */
export interface DeclaredCounty {
  readonly county: string;
  readonly fips: string;
  readonly host: string;
  /** Default OH. */
  readonly state?: State;
  /** The usual kind of its sales: each item states its own. Default: sheriff. */
  readonly site?: keyof typeof SITES;
}

/** An adapter for one county of the platform. */
export function realAuction(declared: DeclaredCounty): SourceSpec {
  const { state = 'OH', site = 'sheriff' } = declared;
  const county: County = { name: declared.county, fips: declared.fips, state, host: declared.host };
  const slug = county.name.toLowerCase().replaceAll(' ', '_');
  const { sales, type } = SITES[site];
  return defineSource({
    name: `${state.toLowerCase()}_${slug}_${site}`,
    family: 'auctions',
    title: `${county.name} County, ${STATES[state]}: ${sales}`,
    home: `https://${county.host}/index.cfm?zaction=USER&zmethod=CALENDAR`,
    county: { fips: county.fips, name: `${county.name} County`, state },
    covers: { kinds: [type] },
    terms: {
      basis: 'public_record',
      note:
        `Notices of ${sales} are public record and shown without login; the terms of use of the platform were ` +
        'not obtained.',
    },
    everyDays: 1,
    hosts: [county.host],
    minIntervalMs: 4000,
    row: Auction,
    // A county may have no sale in the window. The calendar's counts already guard the list.
    // In Florida a third of the sales had no address in March 2026, in Duval nearly half.
    expect: { minRows: 0, maxRejectShare: 0.2, maxDropShare: 0.9, joins: JOINS[state] },
    drop: SAVED_FORMATS,
    checkDrop: checkSaved,
    fetch: (ctx) => fetchSales(county, ctx),
    parse: (page) => (page.kind === 'saved_page' ? parseSaved(county, page) : parseItems(county, page)),
  });
}
