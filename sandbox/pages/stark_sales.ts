/** Stark County's own search of its sheriff's sales: a WebForms page that sends its state back with each POST. */
import { page, type SandboxRequest, type SandboxResponse } from '../http.ts';
import { usDay } from '../world/days.ts';
import type { AuctionOnDay } from '../world/types.ts';
import type { WorldDay } from '../world/world.ts';
import { spellStreet } from '../world/streets.ts';
import { escapeHtml, htmlPage } from './html.ts';

const STARK = '39151';
const PER_PAGE = 3;
const TYPES = [
  ['F', 'Foreclosure'],
  ['D', 'Delinquent Tax'],
  ['T', 'Tax Certificate'],
] as const;
const FIELD = 'ctl00$MainContent$';
const HEADINGS = ['Case Number', 'Sale Date', 'Address', 'City', 'Zip', 'Parcel', 'Defendant', 'Sale Type'];

const typeOf = (item: AuctionOnDay): string => (item.kind === 'tax_foreclosure' ? 'D' : 'F');
const stateOf = (day: WorldDay, type: string): string => Buffer.from(`sandbox ${day.day} ${type}`).toString('base64');

function form(day: WorldDay, type: string, below: string): SandboxResponse {
  const options = TYPES.map(
    ([value, label]) => `<option value="${value}"${value === type ? ' selected="selected"' : ''}>${label}</option>`,
  ).join('');
  const hidden = {
    __EVENTTARGET: '',
    __EVENTARGUMENT: '',
    __VIEWSTATE: stateOf(day, type),
    __VIEWSTATEGENERATOR: '5A0C7E11',
    __EVENTVALIDATION: 'c2FuZGJveA==',
  };
  const inputs = Object.entries(hidden)
    .map(([name, value]) => `<input type="hidden" name="${name}" id="${name}" value="${value}" />`)
    .join('\n');
  return page(
    htmlPage(
      'Search Sales',
      `<form method="post" action="./SearchSales.aspx" id="form1">\n${inputs}\n` +
        `<label>Sale Type <select name="${FIELD}ddlSaleType">${options}</select></label>\n` +
        `<input type="submit" name="${FIELD}btnSearch" value="Search" />\n${below}\n</form>`,
    ),
    { 'cache-control': 'private' },
  );
}

function results(day: WorldDay, type: string, number: number): string {
  const found = day.auctions
    .filter((item) => item.countyFips === STARK && item.saleDate >= day.day && typeOf(item) === type)
    .sort((a, b) => (`${a.saleDate}${a.aid}` < `${b.saleDate}${b.aid}` ? -1 : 1));
  if (found.length === 0) return '<div id="MainContent_lblMessage">No records found.</div>';
  const label = TYPES.find(([value]) => value === type)?.[1] ?? '';
  const rows = found.slice((number - 1) * PER_PAGE, number * PER_PAGE).map((item) => {
    const property = day.property(item.propertyId);
    const cells = [
      item.caseNumber,
      usDay(item.saleDate),
      spellStreet(property.address, 'upper_words'),
      property.city.toUpperCase(),
      property.zip,
      property.parcel ?? '',
      item.defendant,
      label,
    ];
    return `<tr>${cells.map((cell) => `<td>${escapeHtml(cell)}</td>`).join('')}</tr>`;
  });
  const pages = Math.ceil(found.length / PER_PAGE);
  const links = Array.from({ length: pages }, (_, at) =>
    at + 1 === number
      ? `<span>${number}</span>`
      : `<a href="javascript:__doPostBack(&#39;${FIELD}gvSales&#39;,&#39;Page$${at + 1}&#39;)">${at + 1}</a>`,
  );
  const headings = HEADINGS.map((heading) => `<th scope="col">${heading}</th>`).join('');
  return (
    `<table id="MainContent_gvSales"><tr>${headings}</tr>\n${rows.join('\n')}\n` +
    `${pages > 1 ? `<tr class="pager"><td colspan="${HEADINGS.length}">${links.join(' ')}</td></tr>` : ''}</table>`
  );
}

/** The host's pages. A form without the state of the previous page is an error, as on the real site. */
export function starkSales(day: WorldDay, { path, method, form: sent }: SandboxRequest): SandboxResponse | null {
  if (path !== '/SearchSales.aspx') return null;
  if (method !== 'POST' || !sent) return form(day, 'F', '');
  const type = sent.get(`${FIELD}ddlSaleType`) ?? '';
  const known = TYPES.some(([value]) => sent.get('__VIEWSTATE') === stateOf(day, value));
  if (!known || !TYPES.some(([value]) => value === type))
    return page(htmlPage('Runtime Error', '<h1>Validation of viewstate MAC failed.</h1>'), {}, 500);
  const paged =
    sent.get('__EVENTTARGET') === `${FIELD}gvSales`
      ? Number(/^Page\$(\d+)$/u.exec(sent.get('__EVENTARGUMENT') ?? '')?.[1] ?? 1)
      : 1;
  return form(day, type, results(day, type, paged));
}
