/**
 * Summit County, Ohio: the notice of delinquent taxes on its newspaper's site, an index and a page per section. The
 * Fiscal Office itself shows single parcels only.
 *
 * Known from public readers of these pages: the two addresses, and entries between bullets such as "6800261 784.14
 * GOMEZ ANA THE VANDALLIA HEIGHTS ...": parcel, amount, owner and legal description. Nothing separates the last two, so
 * neither is read. Assumed: a page ends with </html>. The notice is yearly and lists a parcel only in the year it is
 * certified.
 */
import { load } from 'cheerio/slim';
import { completeRow } from '../../lib/record.ts';
import { type Candidate, defineSource, type FetchContext, type Page, Quarantine } from '../contract.ts';
import { TaxParcel } from '../rows/tax_parcel.ts';
import { candidate, line, money, refuse } from '../values.ts';
import { requireWholeHtml } from '../bodies.ts';

const BASE = 'https://www.akronlegalnews.com';
const FIPS = '39153';
const DETAIL = /^\/notices\/delinquent_taxes_detail\/\d+$/u;
const ENTRY = /^(\d{7}) ([\d,]+\.\d{2}) (\S.*)$/u;
/** The start of a second entry: the bullet between them is missing. */
const SECOND_ENTRY = /\s\d{7} [\d,]+\.\d{2}(?:\s|$)/u;

/** Elements that a browser does not display. */
const HIDDEN = 'title, script, style, noscript';
/** Elements that end a word: a space follows their text. */
const BLOCKS = 'br, p, div, li, td, h1, h2, h3, h4, footer';

/** The text that a browser displays, with a space after each block and line break. */
function displayedText(html: string): string {
  const $ = load(html);
  $(HIDDEN).remove();
  $(BLOCKS).append(' ');
  return $.text();
}

/** The text of a page. @throws Quarantine if the page is empty or cut */
function extractText(page: Page): string {
  const html = page.text('windows-1252');
  if (!html.trim()) throw new Quarantine('empty_body', 'the page is empty', page.url);
  requireWholeHtml(html, page.url);
  return displayedText(html);
}

function parse(page: Page): readonly Candidate[] {
  const parts = extractText(page)
    .split(/[\u2022\u00b7]/u)
    .map((part) => line(part) ?? '');
  // Menus and footers have bullets too: only the parts from the first entry to the last count.
  const first = parts.findIndex((part) => ENTRY.test(part));
  const last = parts.findLastIndex((part) => ENTRY.test(part));
  if (first < 1)
    throw new Quarantine(
      'template_changed',
      'no text after a bullet begins with a parcel number of seven digits and an amount',
      page.url,
    );
  return parts
    .slice(first, last + 1)
    .filter(Boolean)
    .map((part) => candidate(part, () => ({ values: entryValues(part) })));
}

/** Values of one entry, which states parcel and amount only. */
function entryValues(entry: string): Readonly<Record<string, unknown>> {
  if (SECOND_ENTRY.test(entry))
    refuse('two_entries', `a bullet is missing between the entries ${JSON.stringify(entry.slice(0, 120))}`);
  const [, parcel, amount] = ENTRY.exec(entry) ?? [];
  if (parcel === undefined)
    return refuse(
      'bad_entry',
      `the entry is ${JSON.stringify(entry.slice(0, 60))}, expected a seven-digit parcel number, an amount and text`,
    );
  return completeRow(TaxParcel, {
    county_fips: FIPS,
    county: 'Summit County, OH',
    parcel_raw: parcel,
    amount: money('amount', amount),
    amount_basis: 'net',
  });
}

/** Addresses of the sections, in the order of the index. */
function sectionUrls(page: Page): readonly string[] {
  const $ = load(page.text('windows-1252'));
  const paths = $('a[href]')
    .toArray()
    .map((link) => $(link).attr('href') ?? '')
    .filter((href) => URL.canParse(href, page.url))
    .map((href) => new URL(href, page.url).pathname)
    .filter((path) => DETAIL.test(path));
  if (paths.length === 0)
    throw new Quarantine('template_changed', 'the index links to no section of the notice', page.url);
  return [...new Set(paths)].map((path) => new URL(path, BASE).href);
}

async function* fetchNotice(ctx: FetchContext): AsyncGenerator<Page> {
  const index = await ctx.get(`${BASE}/notices/delinquent_taxes`, { kind: 'index', accept: 'text/html' });
  for (const address of sectionUrls(index)) yield await ctx.get(address, { kind: 'section', accept: 'text/html' });
}

export default defineSource({
  name: 'oh_summit_tax',
  family: 'tax',
  title: 'Summit County tax delinquency (notice in the Akron Legal News)',
  home: `${BASE}/notices/delinquent_taxes`,
  county: { fips: FIPS, name: 'Summit County', state: 'OH' },
  terms: {
    basis: 'permission',
    note:
      "The list is a public record, but these pages are a newspaper's: its terms were not obtained, " +
      'and it must be asked for permission to read them by program.',
  },
  everyDays: 31,
  hosts: ['www.akronlegalnews.com'],
  minIntervalMs: 10_000,
  row: TaxParcel,
  contradictions: 'refused',
  expect: { minRows: 20, maxRejectShare: 0.05, maxDropShare: 0.6 },
  drop: [
    {
      pattern: /\.html?$/u,
      file: 'section-1.html',
      kind: 'section',
      about: 'The sections of the notice as a browser saves them, one file each; drop all of them.',
    },
  ],
  fetch: fetchNotice,
  parse,
});
