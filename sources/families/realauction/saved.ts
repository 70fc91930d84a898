/**
 * Pages of a sale day that a person saved in a browser and dropped: the day's page as the browser shows it, or the
 * responses to LOAD, each with its response to UPDATE. Pure. docs/adding-listings.md says how to save and name them.
 *
 * Assumed, as no saved page was recorded: the site's script puts the items of LOAD into #Area_W, #Area_C and #Area_R
 * as they are, and the statuses of UPDATE into their boxes.
 */
import { load } from 'cheerio/slim';
import { type Candidate, type DropFormat, type Page, Quarantine } from '../../contract.ts';
import { requireWholeHtml } from '../../xml.ts';
import { named } from '../skipped_pages.ts';
import { readSaleDayPage, type Area } from './calendar.ts';
import { itemsIn, readItems, readStatuses, type Item, type StatusAnswer } from './items.ts';
import { type County, itemCandidates } from './rows.ts';

const AREAS: Readonly<Record<string, Area>> = { waiting: 'W', closed: 'C', running: 'R' };
const LOAD_NAME = /^(\d{4}-\d{2}-\d{2})_(waiting|closed|running)_(\d+)_load\.json$/iu;

const updateNameOf = (file: string): string => file.replace(/_load\.json$/iu, '_update.json');

export const SAVED_FORMATS: readonly DropFormat[] = [
  {
    pattern: LOAD_NAME,
    file: '2026-12-07_waiting_1_load.json',
    kind: 'saved_items',
    about:
      'the response to LOAD for page 1 of the waiting sales of December 7, 2026 (or closed, or running), ' +
      'with the response to UPDATE that followed it in 2026-12-07_waiting_1_update.json',
    beside: updateNameOf,
  },
  {
    pattern: /\.html?$/u,
    file: '2026-12-07_1.html',
    kind: 'saved_page',
    about: 'the page of a sale day, saved as a complete web page while it shows its sales',
  },
];

/** The items of one area on a saved file. */
interface SavedList {
  readonly saleDate: string;
  readonly area: Area;
  readonly items: readonly Item[];
  /** Number of the page, and the response to UPDATE, of a response to LOAD. */
  readonly page?: number;
  readonly answer?: StatusAnswer;
}

interface SavedFile {
  readonly lists: readonly SavedList[];
  /** The day, and ids of all its items, of a day's page. */
  readonly day: { readonly saleDate: string; readonly listed: readonly string[] } | null;
}

function readSavedItems(page: Page, file: string): SavedFile {
  const [, saleDate = '', name = '', number = ''] = LOAD_NAME.exec(file) ?? [];
  const updateName = updateNameOf(file);
  const update = page.context[updateName];
  if (update === undefined)
    throw new Quarantine(
      'malformed_page',
      `the statuses of its sales are missing: save the response to UPDATE as ${updateName}`,
      page.url,
    );
  const items = readItems(page);
  const answer = readStatuses({ ...page, text: () => update });
  const lost = items.filter(({ aid }) => !(aid in answer.slots));
  if (lost.length > 0)
    throw new Quarantine(
      'count_mismatch',
      `${updateName} has ${items.length - lost.length} of its ${items.length} statuses: ` +
        'save the response to UPDATE that follows this page',
      page.url,
    );
  const area = AREAS[name.toLowerCase()] ?? 'W';
  return { lists: [{ saleDate, area, items, page: Number(number), answer }], day: null };
}

function readSavedPage(page: Page): SavedFile {
  const { shown: saleDate, listed } = readSaleDayPage(page);
  if (saleDate === null)
    throw new Quarantine('template_changed', 'the page does not show the day of its sales', page.url);
  const html = page.text();
  requireWholeHtml(html, page.url);
  const $ = load(html);
  const lists = Object.values(AREAS).map((area) => ({
    saleDate,
    area,
    items: itemsIn($, $(`#Area_${area}`), page.url),
  }));
  return { lists, day: { saleDate, listed } };
}

/** @throws Quarantine whose message names the file */
function readSaved(page: Page): SavedFile {
  const file = page.context['file'] ?? '';
  try {
    return page.kind === 'saved_items' ? readSavedItems(page, file) : readSavedPage(page);
  } catch (error) {
    throw named(file, error);
  }
}

/** Rows of a saved file. */
export const parseSaved = (county: County, page: Page): readonly Candidate[] =>
  readSaved(page).lists.flatMap(({ saleDate, area, items, answer }) =>
    itemCandidates(county, {
      items,
      saleDate,
      area,
      slots: answer?.slots ?? {},
      saleTypes: {},
      pageUrl: page.url,
      siteUrl: `https://${county.host}`,
    }),
  );

const AREA_WORDS = Object.entries(AREAS);

/** Pages of an area that the responses to UPDATE count, and that no saved file holds. */
function lostPages(lists: readonly SavedList[]): string[] {
  return AREA_WORDS.flatMap(([word, area]) => {
    const saved = new Set(lists.filter((list) => list.area === area).map(({ page }) => page));
    const count = Math.max(0, ...lists.map(({ answer }) => answer?.pages[area] ?? 0));
    const lost = Array.from({ length: count }, (_, index) => index + 1).filter((number) => !saved.has(number));
    return lost.map((number) => `page ${number} of ${count} of the ${word} sales`);
  });
}

/** Refuse a day of which pages are missing. @throws Quarantine naming the day and what to save */
export function checkSaved(pages: readonly Page[]): void {
  const files = pages.filter(({ kind }) => kind.startsWith('saved_')).map(readSaved);
  const lists = files.flatMap((file) => file.lists);
  const days = files.flatMap(({ day }) => day ?? []);
  for (const saleDate of new Set([...lists, ...days].map((each) => each.saleDate))) {
    const ofDay = lists.filter((list) => list.saleDate === saleDate);
    const found = new Set(ofDay.flatMap(({ items }) => items.map(({ aid }) => aid)));
    const listed = new Set(days.filter((day) => day.saleDate === saleDate).flatMap((day) => day.listed));
    const lost = [...listed].filter((aid) => !found.has(aid));
    const missing = listed.size === 0 ? lostPages(ofDay) : lost.length === 0 ? [] : [`the items ${lost.join(', ')}`];
    if (missing.length > 0)
      throw new Quarantine(
        'count_mismatch',
        `the saved files of ${saleDate} hold ${found.size} sales and lack ${missing.join(', ')}: save them too`,
      );
  }
}
