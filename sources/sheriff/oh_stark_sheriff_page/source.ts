/**
 * Stark County, Ohio: the Sheriff's own search of sales, `sheriffsales.starkcountyohio.gov/SearchSales.aspx`. The same
 * sales stand on RealAuction, with their amounts and their status; this page adds the defendant and the kind of sale,
 * and is still there where RealAuction refuses.
 *
 * Known from public readers of the page: an ASP.NET WebForms page without login; a filter Sale Type of Foreclosure,
 * Delinquent Tax and Tax Certificate; results with case number, address, parcel, city, ZIP, defendant and type.
 * Assumed: that results carry the sale date, that they come by the form's button, paged as such grids are, and the
 * wording of a search without result. Where it is otherwise the page is quarantined.
 *
 * Columns are known by their headings. The page states no status, so a sale seen here alone has none.
 */
import { isTag, type AnyNode, type Element, type ParentNode } from 'domhandler';
import { getOuterHTML, textContent } from 'domutils';
import type { RowOf } from '../../../lib/record.ts';
import { defineSource, Quarantine, type Candidate, type FetchContext, type Page } from '../../contract.ts';
import { documentOf, finder } from '../../families/elements.ts';
import { SheriffSale } from '../../rows/sheriff_sale.ts';
import { candidate, checkColumns, date, line, optional, refuse, required, zip } from '../../values.ts';

const SEARCH = 'https://sheriffsales.starkcountyohio.gov/SearchSales.aspx';
const FIPS = '39151';
/** Far more than a county has. */
const MOST_PAGES = 60;

/** Plain foreclosures may be of any lien; the two others are of tax liens (ORC 5721). */
const KINDS: Readonly<Record<string, RowOf<typeof SheriffSale>['sale_kind']>> = {
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
const pagerLink = finder('a[href*="__doPostBack"]');
const NEEDED = ['case', 'date', 'street', 'city', 'zip', 'parcel', 'defendant', 'type'];

interface Form {
  /** Fields as the page would send them back. */
  readonly fields: Readonly<Record<string, string>>;
  readonly typeField: string;
  /** Value of the filter by its label. */
  readonly types: ReadonlyMap<string, string>;
  readonly button: Readonly<Record<string, string>>;
}

const hiddenFields = finder('form input[type=hidden][name]');
const choices = finder('form select');
const options = finder('option');
const submit = finder('form input[type=submit][name]');
const shown = (element: Element): string => line(textContent(element)) ?? '';

const bodyOf = finder('body');
const tableRows = finder('tr');
const childrenOf = (node: ParentNode, name: string): Element[] =>
  node.children.filter((child) => isTag(child)).filter((child) => child.name === name);

function readForm(page: Page, document: AnyNode): Form {
  const fields = Object.fromEntries(
    hiddenFields.all(document).map(({ attribs }) => [attribs['name'] ?? '', attribs['value'] ?? '']),
  );
  const select = choices
    .all(document)
    .find((element) => options.all(element).some((option) => shown(option) === 'Delinquent Tax'));
  const types = new Map(
    (select === undefined ? [] : options.all(select)).map((option) => [shown(option), option.attribs['value'] ?? '']),
  );
  const button = submit.first(document);
  const missing = Object.keys(KINDS).filter((label) => !types.has(label));
  if (fields['__VIEWSTATE'] === undefined || missing.length > 0 || button === null) {
    throw new Quarantine(
      'template_changed',
      `no search form with the sale types ${Object.keys(KINDS).join(', ')} on the page`,
      page.url,
    );
  }
  return {
    fields,
    typeField: select?.attribs['name'] ?? '',
    types,
    button: { [button.attribs['name'] ?? '']: button.attribs['value'] ?? '' },
  };
}

/** What the grid's link to a page posts back: its target and argument. */
function linkTo(document: AnyNode, number: number): Readonly<Record<string, string>> | null {
  for (const { attribs } of pagerLink.all(document)) {
    const [, target, argument] = /__doPostBack\('([^']*)','([^']*)'\)/u.exec(attribs['href'] ?? '') ?? [];
    if (target !== undefined && argument === `Page$${number}`)
      return { __EVENTTARGET: target, __EVENTARGUMENT: argument };
  }
  return null;
}

async function* fetchSales(ctx: FetchContext): AsyncGenerator<Page> {
  const session = ctx.session();
  const first = await ctx.get(SEARCH, { kind: 'search', session });
  const search = readForm(first, documentOf(first.text()));
  for (const [type, value] of search.types) {
    if (!(type in KINDS)) continue;
    const send = (from: Form, more: Readonly<Record<string, string>>, number: number): Promise<Page> =>
      ctx.get(SEARCH, {
        kind: 'results',
        session,
        context: { saleType: type, page: String(number) },
        form: { ...from.fields, [from.typeField]: value, ...more },
      });
    let page = await send(search, search.button, 1);
    for (let number = 1; ; number += 1) {
      yield page;
      const document = documentOf(page.text());
      const next = linkTo(document, number + 1);
      if (next === null) break;
      if (number === MOST_PAGES)
        throw new Quarantine('template_changed', `more than ${MOST_PAGES} pages of ${type} sales`, page.url);
      page = await send(readForm(page, document), next, number + 1);
    }
  }
}

function parse(page: Page): readonly Candidate[] {
  const asked = page.context['saleType'];
  if (asked === undefined)
    throw new Quarantine('malformed_page', 'the page came without the sale type that was searched for', page.url);
  const html = page.text();
  if (!/<\/html>\s*$/iu.test(html))
    throw new Quarantine('truncated_download', 'the page does not end with </html>', page.url);
  const document = documentOf(html);
  readForm(page, document);
  const head = tableRows
    .all(document)
    .find((row) => childrenOf(row, 'th').some((cell) => /^case\b/iu.test(shown(cell))));
  if (head === undefined) {
    if (/\bno (?:records|sales|results)\b/iu.test(textContent(bodyOf.first(document) ?? document))) return [];
    throw new Quarantine('template_changed', 'neither a table of sales nor a word that there are none', page.url);
  }
  const columns = childrenOf(head, 'th').map((cell) => HEADINGS[shown(cell).toLowerCase()] ?? shown(cell));
  checkColumns(columns, NEEDED, page.url);
  const beside = childrenOf(head.parent ?? head, 'tr');
  // The grid's pager is a row of one cell, and may hold a table of its own.
  const rows = beside.slice(beside.indexOf(head) + 1).filter((row) => pagerLink.first(row) === null);
  return rows.map((row) => {
    const cells = childrenOf(row, 'td').map(shown);
    const cell = (name: string): string | null => optional(cells[columns.indexOf(name)]);
    const [number, parcel] = [cell('case'), cell('parcel')];
    return candidate(
      () => getOuterHTML(row),
      () => {
        if (cells.length !== columns.length)
          refuse('wrong_field_count', `the row has ${cells.length} cells, expected ${columns.length}`);
        const type = required('sale_type', cell('type'));
        if (type !== asked)
          refuse(
            'other_sale_type',
            `the sale type is ${JSON.stringify(type)}, ${JSON.stringify(asked)} was searched for`,
          );
        return {
          values: {
            county_fips: FIPS,
            county: 'Stark County, OH',
            item_id: null,
            case_number: required('case_number', number),
            parcel_raw: parcel,
            street: cell('street'),
            city: cell('city'),
            state: 'OH',
            zip: zip('zip', cell('zip')),
            sale_date: date('sale_date', required('sale_date', cell('date'))),
            status: 'unknown',
            case_status_raw: null,
            slot_raw: null,
            sale_type_raw: type,
            sale_kind: KINDS[asked] ?? 'unknown',
            sale_round: null,
            appraised_value: null,
            opening_bid: null,
            deposit: null,
            sold_amount: null,
            plaintiff: null,
            defendant: cell('defendant'),
          },
        };
      },
    );
  });
}

export default defineSource({
  name: 'oh_stark_sheriff_page',
  family: 'sheriff',
  title: "Stark County, Ohio: the Sheriff's own search of sales",
  home: SEARCH,
  county: { fips: FIPS, name: 'Stark County', state: 'OH' },
  terms: {
    basis: 'public_record',
    note: 'Notices of sheriff sales are public record and the search is open to all; the terms of the site were not obtained, so the operator must read them before a live run.',
  },
  everyDays: 1,
  hosts: ['sheriffsales.starkcountyohio.gov'],
  politeness: { minIntervalMs: 4000, concurrency: 1 },
  row: SheriffSale,
  expect: { minRows: 0, maxRejectShare: 0.1, maxDropShare: 0.9 },
  fetch: fetchSales,
  parse,
});
