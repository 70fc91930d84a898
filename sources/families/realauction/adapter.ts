/**
 * Sheriff sales of Ohio counties on the RealAuction platform, `<county>.sheriffsaleauction.ohio.gov`.
 *
 * A read takes the calendar months around the run's day, and one session per sale day: the page of the day sets the
 * session's date, then LOAD gives about ten items at a time. A session without a date gives an empty list, so the items
 * are checked against the calendar's counts.
 *
 * ORC 2329.153 provides one official site for all sheriffs of Ohio, with a host per county. Declared are the counties
 * whose host is public: Allen, Portage and Lawrence by their sheriffs, Jackson by its sheriff in a newspaper, the
 * others in public code. Each further county is one line, once its host has been seen to respond.
 */
import { defineSource, type FetchContext, type Page, type SourceSpec } from '../../contract.ts';
import { addDays, monthsBetween } from '../../days.ts';
import { SheriffSale } from '../../rows/sheriff_sale.ts';
import { readCalendar } from './calendar.ts';
import { readDetails, readSlots, valueOf, type Slot } from './items.ts';
import { parseItems, type County } from './rows.ts';
import { readSaleDay, type DayRead } from './sale_day.ts';
import { parseScraped } from './scraped.ts';
import { openSite, type Site } from './site.ts';

const DAYS_BACK = 7;
const DAYS_AHEAD = 75;

/** Texts of blank status boxes, which the site's script would fill. */
async function readBlankSlots(site: Site, read: DayRead): Promise<Record<string, Slot>> {
  const slots: Record<string, Slot> = {};
  for (const { items } of read.loaded) {
    const blank = items.filter(({ slot }) => slot.text === null).map(({ aid }) => aid);
    const page = blank.length === 0 ? null : await site.slots(blank, read.session);
    if (page) Object.assign(slots, readSlots(page));
  }
  return slots;
}

/** Reads sale types from the items' details pages, until one shows that the site requires a login for them. */
class DetailsReader {
  #isPublic = true;

  async saleTypes(site: Site, read: DayRead): Promise<Record<string, string>> {
    const saleTypes: Record<string, string> = {};
    for (const aid of read.aids) {
      if (!this.#isPublic) break;
      const page = await site.details(aid, read.session);
      if (page === null) continue;
      const labelled = readDetails(page);
      if (labelled.length === 0) this.#isPublic = false;
      const saleType = valueOf(labelled, 'Sale Type');
      if (saleType !== null) saleTypes[aid] = saleType;
    }
    return saleTypes;
  }
}

/**
 * Pages of items. Blank status boxes and sale types are on other pages: those are read first, and the items once more
 * with the result in their context, so that an archived page can be parsed again from its own record.
 */
async function* fetchSales(county: County, ctx: FetchContext): AsyncGenerator<Page> {
  const site = openSite(county, ctx);
  const from = addDays(ctx.asOf, -DAYS_BACK);
  const to = addDays(ctx.asOf, DAYS_AHEAD);
  const details = new DetailsReader();
  for (const month of monthsBetween(from, to)) {
    for (const day of readCalendar(await site.calendar(month), month)) {
      if (day.day < from || day.day > to || Math.max(day.active, day.scheduled) === 0) continue;
      let read = await readSaleDay(site, ctx, day);
      const notes = { slots: await readBlankSlots(site, read), saleTypes: await details.saleTypes(site, read) };
      const context = Object.fromEntries(
        Object.entries(notes)
          .filter(([, byItem]) => Object.keys(byItem).length > 0)
          .map(([key, byItem]) => [key, JSON.stringify(byItem)]),
      );
      if (Object.keys(context).length > 0) read = await readSaleDay(site, ctx, day, context);
      for (const { page } of read.loaded) yield page;
    }
  }
}

/** An adapter for one county of the platform. */
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
      note:
        'Notices of sheriff sales are public record and shown without login; the terms of use of the platform were ' +
        'not obtained, so the operator must read them before a live run.',
    },
    everyDays: 1,
    hosts: [county.host],
    politeness: { minIntervalMs: 4000, concurrency: 1 },
    row: SheriffSale,
    // A county may have no sale in the window. The calendar's counts already guard the list, so a fifth of rejects is
    // accepted: scraped files lose the sale day if a status replaced the time.
    expect: { minRows: 0, maxRejectShare: 0.2, maxDropShare: 0.9 },
    drop: [
      {
        pattern: new RegExp(`^${slug}_realauction_scraped.*\\.json$`, 'u'),
        file: `${slug}_realauction_scraped.json`,
        kind: 'scraped',
        about: 'sale days of this county as another project scraped them, a JSON array',
      },
    ],
    fetch: (ctx) => fetchSales(county, ctx),
    parse: (page) => (page.kind === 'scraped' ? parseScraped(county, page) : parseItems(county, page)),
  });
}
