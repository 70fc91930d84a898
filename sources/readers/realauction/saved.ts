/**
 * Pages of sale days that a person saved in a browser and dropped, as the browser shows them. Pure.
 *
 * Assumed, as no saved page was recorded: the site's script puts the items of LOAD into #Area_W, #Area_C and #Area_R
 * as they are, and the statuses of UPDATE into their boxes.
 */
import { load } from 'cheerio/slim';
import { type Candidate, type DropFormat, type Page, Quarantine } from '../../contract.ts';
import { requireWholeHtml } from '../../xml.ts';
import { named } from '../skipped_pages.ts';
import { readSaleDayPage, type Area } from './calendar.ts';
import { itemsIn, type Item } from './items.ts';
import { type County, itemCandidates } from './rows.ts';

const AREAS: readonly Area[] = ['W', 'C', 'R'];

export const SAVED_FORMATS: readonly DropFormat[] = [
  {
    pattern: /\.html?$/u,
    file: '2026-12-07_1.html',
    kind: 'saved_page',
    about: 'the page of a sale day, saved as a complete web page while it shows its sales',
  },
];

interface SavedDay {
  readonly saleDate: string;
  /** Ids of all items of the day, as far as the page lists them. */
  readonly listed: readonly string[];
  readonly areas: readonly { readonly area: Area; readonly items: readonly Item[] }[];
}

/** @throws Quarantine whose message names the file */
function readSaved(page: Page): SavedDay {
  try {
    const { shown: saleDate, listed } = readSaleDayPage(page);
    if (saleDate === null)
      throw new Quarantine('template_changed', 'the page does not show the day of its sales', page.url);
    const html = page.text();
    requireWholeHtml(html, page.url);
    const $ = load(html);
    return {
      saleDate,
      listed,
      areas: AREAS.map((area) => ({ area, items: itemsIn($, $(`#Area_${area}`), page.url) })),
    };
  } catch (error) {
    throw named(page.context['file'] ?? '', error);
  }
}

/** Rows of a saved page. */
export function parseSaved(county: County, page: Page): readonly Candidate[] {
  const { saleDate, areas } = readSaved(page);
  const [pageUrl, siteUrl] = [page.url, `https://${county.host}`];
  return areas.flatMap((list) =>
    itemCandidates(county, { ...list, saleDate, slots: {}, saleTypes: {}, pageUrl, siteUrl }),
  );
}

/** Refuse a day of which items are missing. @throws Quarantine naming the day and the items */
export function checkSaved(pages: readonly Page[]): void {
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
