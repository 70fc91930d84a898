/**
 * Colorado's register of entities on its open data portal, and Ohio's: report files of new entities and of
 * amendments, replaced under the same names each second Saturday.
 */
import { sodaPortal } from './soda.ts';
import { httpDate, page, respond, type SandboxRequest, type SandboxResponse, withValidators } from '../http.ts';
import { usDay } from '../world/days.ts';
import { OHIO_AMENDMENTS, OHIO_REPORTS, type OhioAddress, type OhioAmendment, type OhioFiling } from '../world/ohio.ts';
import { Draw } from '../world/random.ts';
import type { WorldDay } from '../world/world.ts';
import { csvField, htmlPage, perDay, windows1252 } from './parts.ts';

export const COLORADO_COLUMNS: readonly string[] = (
  'entityid entityname principaladdress1 principaladdress2 principalcity principalstate principalzipcode ' +
  'principalcountry mailingaddress1 mailingaddress2 mailingcity mailingstate mailingzipcode mailingcountry ' +
  'entitystatus jurisdictonofformation entitytype agentfirstname agentmiddlename agentlastname agentsuffix ' +
  'agentorganizationname agentprincipaladdress1 agentprincipaladdress2 agentprincipalcity agentprincipalstate ' +
  'agentprincipalzipcode agentprincipalcountry agentmailingaddress1 agentmailingaddress2 agentmailingcity ' +
  'agentmailingstate agentmailingzipcode agentmailingcountry entityformdate'
).split(' ');

export const colorado = sodaPortal([
  {
    id: '4ykn-tg5h',
    name: 'Business Entities in Colorado',
    columns: COLORADO_COLUMNS.join(', ').replace(/entityformdate$/u, 'entityformdate:calendar_date'),
    rows: (day) => day.colorado.map(({ row, updatedOn }) => ({ ...row, ':updated_at': `${updatedOn}T05:10:00.000Z` })),
    changesAt: '05:10:00',
  },
]);

const HEADER = (
  'DOCUMENT NUMBER,CHARTER NUMBER,EFFECTIVE DATE,BUSINESS NAME,CONSENT FLAG,TRANSACTION CODE DESCRIPTION,FILING ' +
  'ADDRESS NAME,FILING ADDRESS 1,FILING ADDRESS 2,FILING CITY,FILING STATE,FILING ZIP,AGENT ADDRESS NAME,AGENT ' +
  'ADDRESS 1,AGENT ADDRESS 2,AGENT CITY,AGENT STATE,AGENT ZIP,BUSINESS CITY,COUNTY,BUSINESS ASSOCIATE NAMES'
).split(',');

/** As the office prints it, including its spelling. */
const AMENDMENT_HEADER = (
  'DOCUMENT NUMBER,CHARTER NUMBER,EFFECTIVE DATE,BUSINESS NAME,TRANSASCTION CODE DESCRIPTION,FILING ADDRESS ' +
  'NAME,FILING ADDRESS 1,FILING ADDRESS 2,FILING CITY,FILING STATE,FILING ZIP,BUSINESS CITY,COUNTY NAME'
).split(',');

const addressCells = (address: OhioAddress | null): string[] =>
  address === null
    ? ['', '', '', '', '', '']
    : [address.name, address.line1, address.line2, address.city, address.state, address.zip];

function line(seed: number, filing: OhioFiling): string {
  const draw = new Draw(seed, 'line', filing.documentNumber);
  const fields = [
    filing.documentNumber,
    filing.charterNumber,
    usDay(filing.effectiveDate),
    filing.businessName ?? '',
    filing.consent,
    filing.transaction,
    ...addressCells(filing.filer),
    ...addressCells(filing.agent),
    filing.businessCity,
    filing.county,
    filing.associates.join('|'),
  ];
  // The office sometimes pads a field.
  const padded = draw.chance(0.02) ? draw.int(0, fields.length - 1) : -1;
  return fields.map((field, at) => csvField(at === padded ? `${field}   ` : field)).join(',');
}

const amendmentLine = (one: OhioAmendment): string =>
  [
    one.documentNumber,
    one.charterNumber,
    usDay(one.effectiveDate),
    one.businessName ?? '',
    one.transaction,
    ...addressCells(one.filer),
    one.businessCity,
    one.county,
  ]
    .map(csvField)
    .join(',');

const byReport = perDay((day) => Map.groupBy(day.ohio.filings, ({ report }) => report));

function reportFile(day: WorldDay, number: string): SandboxResponse {
  const isAmendment = OHIO_AMENDMENTS.some((report) => report.number === number);
  const lines = isAmendment
    ? [AMENDMENT_HEADER.join(','), ...day.ohio.amendments.filter(({ report }) => report === number).map(amendmentLine)]
    : [HEADER.join(','), ...(byReport(day).get(number) ?? []).map((filing) => line(day.world.options.seed, filing))];
  return withValidators(
    respond(windows1252([...lines, ''].join('\r\n')), 'text/plain', { 'accept-ranges': 'bytes' }),
    httpDate(day.ohio.releasedOn, '10:00:03'),
  );
}

/** The host of the files. */
export function ohioFiles(day: WorldDay, request: SandboxRequest): SandboxResponse | null {
  const number = /^\/free\/OnlineBusinessReports\/WI(\d{4})R\.TXT$/iu.exec(request.path)?.[1];
  return [...OHIO_REPORTS, ...OHIO_AMENDMENTS].some((report) => report.number === number) && number !== undefined
    ? reportFile(day, number)
    : null;
}

/** The web page that links to them. */
export function ohioSite(day: WorldDay, request: SandboxRequest): SandboxResponse | null {
  if (request.path !== '/businesses/business-reports/download-business-report/') return null;
  const host = request.publicHost.replace(/^www\.ohiosos\.gov/u, 'publicfiles.ohiosos.gov');
  const links = [...OHIO_REPORTS, ...OHIO_AMENDMENTS].map(
    ({ number, transaction }) =>
      `<li><a href="https://${host}/free/OnlineBusinessReports/WI${number}R.TXT">${transaction}</a></li>`,
  );
  const body = [
    '<h1>New business reports</h1>',
    `<p>Filings of ${day.ohio.month}, made on ${usDay(day.ohio.releasedOn)}</p>`,
    '<ul>',
    ...links,
    '</ul>',
  ].join('\n');
  return page(htmlPage('Download business reports', body));
}
