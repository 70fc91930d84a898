/**
 * Stark County, Ohio: the Sheriff's own search of sales, `sheriffsales.starkcountyohio.gov/SearchSales.aspx`.
 * RealAuction has the same sales with amount and status; this page adds the defendant and the kind of sale, and still
 * works if RealAuction refuses.
 *
 * Known from public readers of the page: an ASP.NET WebForms page without login; a filter Sale Type of Foreclosure,
 * Delinquent Tax and Tax Certificate; results with case number, address, parcel, city, ZIP, defendant and type.
 * Assumed, and quarantined if wrong: results have the sale date, come by the form's button and are paged like such
 * grids, and the words of an empty result. The page states no status, so a sale that is only here has none.
 */
import { load, type CheerioAPI } from 'cheerio/slim';
import { completeRow, type RowOf } from '../../lib/record.ts';
import { type Candidate, defineSource, type FetchContext, type Page, Quarantine } from '../contract.ts';
import { Auction } from '../rows/auction.ts';
import { checkColumns } from '../csv/csv.ts';
import { candidate, date, line, optional, refuse, required, zip } from '../values.ts';
import { requireWholeHtml } from '../bodies.ts';

const SEARCH = 'https://sheriffsales.starkcountyohio.gov/SearchSales.aspx';
const FIPS = '39151';
/** Maximum number of pages, because a grid may link in a circle; no county has as many. */
const MAX_PAGES = 60;

/** A foreclosure may be of any lien; the two others are of tax liens (ORC 5721). */
const KINDS: Readonly<Record<string, RowOf<typeof Auction>['sale_kind']>> = {
  Foreclosure: 'unknown',
  'Delinquent Tax': 'tax_foreclosure',
  'Tax Certificate': 'tax_foreclosure',
};

const HEADINGS: Readonly<Record<string, string>> = {
  'case number': 'case',
  'case #': 'case',
  'case no': 'case',
  'case no.': 'case',
  case: 'case',
  'sale date': 'date',
  address: 'street',
  'property address': 'street',
  city: 'city',
  zip: 'zip',
  'zip code': 'zip',
  parcel: 'parcel',
  'parcel #': 'parcel',
  'parcel number': 'parcel',
  defendant: 'defendant',
  'sale type': 'type',
  type: 'type',
};
const NEEDED = ['case', 'date', 'street', 'city', 'zip', 'parcel', 'defendant', 'type'];

interface Form {
  /** Hidden fields, which a browser would send back. */
  readonly fields: Readonly<Record<string, string>>;
  readonly typeField: string;
  /** Values of the filter by label. */
  readonly types: ReadonlyMap<string, string>;
  readonly button: Readonly<Record<string, string>>;
}

const PAGER_LINK = 'a[href*="__doPostBack"]';

/** Text of each of the elements. */
const textsOf = ($: CheerioAPI, elements: ReturnType<CheerioAPI>): string[] =>
  elements.toArray().map((element) => line($(element).text()) ?? '');

function readForm(page: Page, $: CheerioAPI): Form {
  const fields = Object.fromEntries(
    $('form input[type=hidden][name]')
      .toArray()
      .map((input) => [$(input).attr('name') ?? '', $(input).attr('value') ?? '']),
  );
  const select = $('form select')
    .filter((_, element) => textsOf($, $(element).find('option')).includes('Delinquent Tax'))
    .first();
  const options = select.find('option');
  const labels = textsOf($, options);
  const types = new Map(options.toArray().map((option, index) => [labels[index] ?? '', $(option).attr('value') ?? '']));
  const button = $('form input[type=submit][name]').first();
  const missing = Object.keys(KINDS).filter((label) => !types.has(label));
  if (fields['__VIEWSTATE'] === undefined || missing.length > 0 || button.length === 0) {
    throw new Quarantine(
      'template_changed',
      `no search form with the sale types ${Object.keys(KINDS).join(', ')} on the page`,
      page.url,
    );
  }
  return {
    fields,
    typeField: select.attr('name') ?? '',
    types,
    button: { [button.attr('name') ?? '']: button.attr('value') ?? '' },
  };
}

/** The form fields of the grid's link to a page, or null if there is none. */
function linkTo($: CheerioAPI, number: number): Readonly<Record<string, string>> | null {
  for (const link of $(PAGER_LINK)) {
    const [, target, argument] = /__doPostBack\('([^']*)','([^']*)'\)/u.exec($(link).attr('href') ?? '') ?? [];
    if (target !== undefined && argument === `Page$${number}`)
      return { __EVENTTARGET: target, __EVENTARGUMENT: argument };
  }
  return null;
}

async function* fetchSales(ctx: FetchContext): AsyncGenerator<Page> {
  const session = ctx.session();
  const first = await ctx.get(SEARCH, { kind: 'search', session });
  const search = readForm(first, load(first.text()));
  for (const [type, value] of search.types) {
    if (!(type in KINDS)) continue;
    const submit = (from: Form, more: Readonly<Record<string, string>>, number: number): Promise<Page> =>
      ctx.get(SEARCH, {
        kind: 'results',
        session,
        context: { saleType: type, page: String(number) },
        form: { ...from.fields, [from.typeField]: value, ...more },
      });
    let page = await submit(search, search.button, 1);
    for (let number = 1; ; number += 1) {
      yield page;
      const $ = load(page.text());
      const next = linkTo($, number + 1);
      if (next === null) break;
      if (number === MAX_PAGES)
        throw new Quarantine('template_changed', `more than ${MAX_PAGES} pages of ${type} sales`, page.url);
      page = await submit(readForm(page, $), next, number + 1);
    }
  }
}

/** The heading row of the sales; null on a page that states that there are none. */
function findHead($: CheerioAPI, page: Page): ReturnType<CheerioAPI> | null {
  const head = $('tr')
    .filter((_, row) => textsOf($, $(row).children('th')).some((heading) => /^case\b/iu.test(heading)))
    .first();
  if (head.length > 0) return head;
  const body = $('body').first();
  const text = body.length > 0 ? body.text() : $.text();
  if (/\bno (?:records|sales|results)\b/iu.test(text)) return null;
  throw new Quarantine(
    'template_changed',
    'the page has neither a table of sales nor the words of an empty result',
    page.url,
  );
}

/** @param searched type of sale that the page was searched for */
function saleValues(
  cells: readonly string[],
  columns: readonly string[],
  searched: string,
): ReturnType<typeof completeRow> {
  const cell = (name: string): string | null => optional(cells[columns.indexOf(name)]);
  if (cells.length !== columns.length)
    refuse('wrong_field_count', `the row has ${cells.length} cells, expected ${columns.length}`);
  const type = required('sale_type', cell('type'));
  if (type !== searched)
    refuse(
      'other_sale_type',
      `the sale type is ${JSON.stringify(type)}, expected ${JSON.stringify(searched)} as searched`,
    );
  return completeRow(Auction, {
    county_fips: FIPS,
    county: 'Stark County, OH',
    auction_type: 'sheriff_sale',
    case_number: required('case_number', cell('case')),
    parcel_raw: cell('parcel'),
    street: cell('street'),
    city: cell('city'),
    state: 'OH',
    zip: zip('zip', cell('zip')),
    sale_date: required('sale_date', date('sale_date', cell('date'))),
    status: 'unknown',
    sale_type_raw: type,
    sale_kind: KINDS[searched] ?? 'unknown',
    defendant: cell('defendant'),
  });
}

function parse(page: Page): readonly Candidate[] {
  const searched = page.context['saleType'];
  if (searched === undefined)
    throw new Quarantine('malformed_page', "the page's context has no saleType, the type of the search", page.url);
  const html = page.text();
  requireWholeHtml(html, page.url);
  const $ = load(html);
  readForm(page, $);
  const head = findHead($, page);
  if (head === null) return [];
  const columns = textsOf($, head.children('th')).map((heading) => HEADINGS[heading.toLowerCase()] ?? heading);
  checkColumns(columns, NEEDED, page.url);
  // The grid's pager is a row of one cell, and may contain another table.
  const rows = head.nextAll('tr').not((_, row) => $(row).find(PAGER_LINK).length > 0);
  return rows.toArray().map((row) =>
    candidate(
      () => $.html(row),
      () => ({ values: saleValues(textsOf($, $(row).children('td')), columns, searched) }),
    ),
  );
}

export default defineSource({
  name: 'oh_stark_sheriff_page',
  family: 'auctions',
  title: "Stark County, Ohio: the Sheriff's own search of sales",
  home: SEARCH,
  county: { fips: FIPS, name: 'Stark County', state: 'OH' },
  covers: { kinds: ['sheriff_sale'] },
  terms: {
    basis: 'public_record',
    note:
      'Notices of sheriff sales are public record and the search is open to all; the terms of the site were not ' +
      'obtained.',
  },
  everyDays: 1,
  hosts: ['sheriffsales.starkcountyohio.gov'],
  minIntervalMs: 4000,
  row: Auction,
  expect: { minRows: 0, maxRejectShare: 0.1, maxDropShare: 0.9 },
  fetch: fetchSales,
  parse,
});
