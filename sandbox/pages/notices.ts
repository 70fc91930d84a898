/**
 * Summit County's newspaper: the notice of delinquent taxes, a page per city or township. Bullets separate the
 * entries; nothing separates owner and legal description.
 *
 * Stark County's own search of its sheriff's sales: a WebForms page that sends its state back with each POST.
 *
 * Lists that offices post as CSV files: Florida's advertised tax certificates, and Memphis's coming tax sales.
 */
import { page, respond, type SandboxRequest, type SandboxResponse, type SitePages } from '../http.ts';
import type { WorldDay } from '../world/world.ts';
import { csvField, escapeHtml, fullDollars, htmlPage } from './parts.ts';
import { usDay } from '../world/days.ts';
import type { AuctionOnDay } from '../world/types.ts';
import { spellStreet } from '../world/streets.ts';

const INDEX = '/notices/delinquent_taxes';
const DETAIL = '/notices/delinquent_taxes_detail';
/** Number of the first section's page. */
const FIRST = 411;

const footer =
  '<div class="footer">Home &middot; Public Notices &middot; Subscribe<br>' +
  'Copyright The Akron Legal News (sandbox copy)</div>';

const sections = (day: WorldDay): string[] => [...new Set(day.printedDebts.map(({ section }) => section))];

/** The site's pages. */
export function summitNotices(day: WorldDay, request: SandboxRequest): SandboxResponse | null {
  if (request.path === '/robots.txt') return respond('User-agent: *\nDisallow: /subscribe/\n', 'text/plain');
  if (request.path === INDEX) {
    const links = sections(day).map(
      (name, at) => `<li><a href="${DETAIL}/${FIRST + at}">${escapeHtml(name.toUpperCase())}</a></li>`,
    );
    return page(
      htmlPage('Delinquent Taxes', `<h1>Delinquent Tax Notices</h1>\n<ul>\n${links.join('\n')}\n</ul>\n${footer}`),
    );
  }
  const section = sections(day)[Number(new RegExp(`^${DETAIL}/(\\d+)$`, 'u').exec(request.path)?.[1]) - FIRST];
  if (section === undefined) return null;
  const entries = day.printedDebts
    .filter((debt) => debt.section === section)
    .map(({ parcel, amount, owner, legal }) =>
      escapeHtml(`${parcel} ${fullDollars(amount).slice(1)} ${owner} ${legal}`),
    );
  const body = [
    `<h1>${escapeHtml(section.toUpperCase())}</h1>`,
    '<p>Notice is hereby given of the lands on which taxes remain unpaid.</p>',
    `<div class="notice">&bull; ${entries.join(' &bull; ')}</div>`,
    footer,
  ].join('\n');
  return page(htmlPage(`Delinquent Taxes: ${section}`, body));
}

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

const CSV = 'text/csv; charset=utf-8';
const csv = (rows: readonly (readonly string[])[]): string =>
  rows.map((cells) => `${cells.map(csvField).join(',')}\r\n`).join('');

/** Counties by the name in their address. */
const COUNTIES: Readonly<Record<string, string>> = {
  duval: '12031',
  hillsborough: '12057',
  pasco: '12101',
  pinellas: '12103',
};

/** The id that the page gives to a visit, and that the file's address repeats. */
const UNIQUE_ID = 'S4NDB0X';

/** The list of a county. The world advertises it once, in April; it stays the same. */
function certificates(day: WorldDay, fips: string): string {
  const rows = day.distress.filter(({ kind, countyFips }) => kind === 'tax_lien' && countyFips === fips);
  return csv([
    ['Account No.', 'Face Amount', 'Homestead'],
    ...rows.map((row) => [
      row.number,
      (row.amount ?? '0.00').replace(/\B(?=(\d{3})+\.)/gu, ','),
      day.property(row.propertyId).owner.occupies ? '1' : '',
    ]),
  ]);
}

export const lienHub: SitePages = (day, { path, query }) => {
  const [, county = ''] = /^\/county\/([a-z-]+)\/certsale\/main$/u.exec(path) ?? [];
  const fips = COUNTIES[county];
  if (fips === undefined) return null;
  if (query.get('use_this') === 'download_advertised_list')
    return query.get('unique_id') === UNIQUE_ID ? respond(certificates(day, fips), CSV) : null;
  const file = `/county/${county}/certsale/main?unique_id=${UNIQUE_ID}&amp;use_this=download_advertised_list`;
  return page(htmlPage('Certificate Sale', `<a href="${file}">Download advertised list</a>`));
};

const SHELBY = '47157';

/** Parcels of sales to come. A street has no suffix, and a sale has a code instead of its day. */
function taxSales(day: WorldDay): string {
  const items = day.auctions.filter(
    ({ countyFips, status, saleDate }) => countyFips === SHELBY && status === 'scheduled' && saleDate >= day.day,
  );
  return csv([
    ['ParcelID', 'Alt_Parcel', 'Street Number', 'Street Name', 'Tax Sale', 'Register GIS'],
    ...items.map(({ parcel, propertyId, caseNumber }) => {
      const { low, pre, name } = day.property(propertyId).address;
      return [
        parcel,
        `${parcel.replaceAll(' ', '')}0`,
        String(low),
        pre === null ? name : `${pre} ${name}`,
        `TS${caseNumber}`,
        `http://gis.register.shelby.tn.us/?parcelid=${encodeURIComponent(parcel)}`,
      ];
    }),
  ]);
}

export const shelbyTaxSales: SitePages = (day, { path }) =>
  path === '/TaxSaleExtract.csv' ? respond(taxSales(day), CSV) : null;
