/** Colorado Secretary of State: business entities, dataset 4ykn-tg5h of the state's open data portal. */
import { defineSource, Quarantine, type Candidate, type Page } from '../../contract.ts';
import { addDays } from '../../days.ts';
import { Registration } from '../../rows/registration.ts';
import { candidate, checkColumns, date, optional, readCsv, refuse, required, tidy } from '../../values.ts';

const PORTAL = 'https://data.colorado.gov';
const RESOURCE = '/resource/4ykn-tg5h.json';
const PAGE_ROWS = 1000;
/** A first load goes back a year. */
const FIRST_LOAD_DAYS = 365;
/** Later loads reach back over what they have, for filings entered late and corrections. */
const OVERLAP_DAYS = 10;

const COLUMNS = [
  'entityid', 'entityname', 'principaladdress1', 'principaladdress2', 'principalcity', 'principalstate', 'principalzipcode', 'principalcountry',
  'mailingaddress1', 'mailingaddress2', 'mailingcity', 'mailingstate', 'mailingzipcode', 'mailingcountry',
  'entitystatus', 'jurisdictonofformation', 'entitytype',
  'agentfirstname', 'agentmiddlename', 'agentlastname', 'agentsuffix', 'agentorganizationname',
  'agentprincipaladdress1', 'agentprincipaladdress2', 'agentprincipalcity', 'agentprincipalstate', 'agentprincipalzipcode', 'agentprincipalcountry',
  'agentmailingaddress1', 'agentmailingaddress2', 'agentmailingcity', 'agentmailingstate', 'agentmailingzipcode', 'agentmailingcountry',
  'entityformdate',
] as const;
type Column = (typeof COLUMNS)[number];

/** The type in words, which exports of some years have as a 36th column. */
const SOMETIMES = ['entitytypeverbatim'];

type Cells = (column: Column) => unknown;

/** The organization, or the person's names joined. */
function agentName(cell: Cells): string | null {
  const person = (['agentfirstname', 'agentmiddlename', 'agentlastname', 'agentsuffix'] as const)
    .map((column) => optional(cell(column))).filter((part) => part !== null).join(' ');
  return optional(cell('agentorganizationname')) ?? optional(person);
}

/** The agent's street address, or where none is given the mailing address: never a mix of the two. */
function agentAddress(cell: Cells): Record<string, string | null> {
  const read = (which: 'agentprincipal' | 'agentmailing'): Record<string, string | null> => ({
    agent_addr1: optional(cell(`${which}address1`)), agent_addr2: optional(cell(`${which}address2`)), agent_city: optional(cell(`${which}city`)),
    agent_state: optional(cell(`${which}state`)), agent_zip: optional(cell(`${which}zipcode`)),
  });
  const street = read('agentprincipal');
  return Object.values(street).some((value) => value !== null) ? street : read('agentmailing');
}

function registration(cell: Cells, raw: string, origin: string): Candidate {
  const id = optional(cell('entityid'));
  return candidate(raw, () => {
    if (id === null || !/^\d{11}$/u.test(id)) return refuse('bad_entityid', `entityid is ${JSON.stringify(id)}, expected eleven digits`);
    return {
      values: {
        register: 'colorado_sos',
        document_number: id,
        charter_number: null,
        // As published: a business may well be called "None" or "Unknown".
        business_name_raw: tidy(cell('entityname')) ?? refuse('blank_name', `entityname is blank for entity ${id}, expected a name`),
        filing_date: date('entityformdate', required('entityformdate', cell('entityformdate') ?? null)),
        entity_type_raw: optional(cell('entitytype')),
        entity_type_file: null,
        entity_status_raw: optional(cell('entitystatus')),
        jurisdiction_raw: optional(cell('jurisdictonofformation')),
        agent_name: agentName(cell),
        ...agentAddress(cell),
        business_city: optional(cell('principalcity')),
        business_state: optional(cell('principalstate')),
        business_zip: optional(cell('principalzipcode')),
        business_county: null,
      },
      sourceUrl: `${origin}${RESOURCE}?entityid=${id}`,
    };
  }, id === null ? undefined : { register: 'colorado_sos', document_number: id });
}

function rowsOf(page: Page): readonly Readonly<Record<string, unknown>>[] {
  let body: unknown;
  try {
    body = JSON.parse(page.text());
  } catch {
    throw new Quarantine('malformed_page', `expected a JSON array of rows, found ${JSON.stringify(page.text().slice(0, 60))}`, page.url);
  }
  if (!Array.isArray(body) || body.some((row) => typeof row !== 'object' || row === null || Array.isArray(row))) {
    throw new Quarantine('malformed_page', `expected a JSON array of rows, found ${JSON.stringify(body).slice(0, 120)}`, page.url);
  }
  return body as readonly Readonly<Record<string, unknown>>[];
}

/** The JSON leaves out the keys of empty cells, so only a key too many tells of a changed layout. */
function parseJson(page: Page): readonly Candidate[] {
  const rows = rowsOf(page);
  const { origin } = new URL(page.url);
  checkColumns([...new Set(rows.flatMap(Object.keys))].sort(), [], page.url, [...COLUMNS, ...SOMETIMES]);
  return rows.map((row) => registration((column) => row[column], JSON.stringify(row), origin));
}

function parseExport(page: Page): readonly Candidate[] {
  const { header, rows } = readCsv(page.text('windows-1252'), page.url);
  const names = header.map((name) => name.toLowerCase());
  checkColumns(names, COLUMNS, page.url, SOMETIMES);
  return rows.map(({ cells, raw }) => {
    if (cells.length !== names.length) {
      return { reject: { reason: 'wrong_field_count', detail: `the line has ${cells.length} fields, expected ${names.length}` }, raw };
    }
    return registration((column) => cells[names.indexOf(column)], raw, PORTAL);
  });
}

export default defineSource({
  name: 'colorado_sos',
  family: 'register',
  title: 'Colorado Secretary of State: business entities',
  home: `${PORTAL}/Business/Business-Entities-in-Colorado/4ykn-tg5h`,
  terms: {
    basis: 'open_data',
    note: 'Published by the state as open data; names of agents are public record, for which the operator should set a policy of retention.',
    url: `${PORTAL}/Business/Business-Entities-in-Colorado/4ykn-tg5h`,
  },
  everyDays: 1,
  hosts: ['data.colorado.gov'],
  politeness: { minIntervalMs: 1000, concurrency: 1 },
  row: Registration,
  reads: 'increments',
  expect: { minRows: 1, maxRejectShare: 0.02, maxDropShare: 1 },
  drop: [{
    pattern: /^business[-_]entities[-_]in[-_]colorado.*\.csv$/u,
    kind: 'export',
    about: 'the full CSV export of the dataset, with 35 columns or with entitytypeverbatim as a 36th',
  }],

  /** Entities formed since a day, page by page in the order of their ids: an offset is slow here, and not stable. */
  async *fetch(ctx) {
    const since = ctx.lastGoodOn === null ? addDays(ctx.asOf, -FIRST_LOAD_DAYS) : addDays(ctx.lastGoodOn, -OVERLAP_DAYS);
    for (let after: string | null = null; ;) {
      const where: string = [`entityformdate >= '${since}T00:00:00.000'`, ...(after === null ? [] : [`entityid > '${after}'`])].join(' AND ');
      const page = await ctx.get(`${PORTAL}${RESOURCE}?$where=${encodeURIComponent(where)}&$order=entityid&$limit=${PAGE_ROWS}`,
        { kind: 'rows', accept: 'application/json' });
      const rows = rowsOf(page);
      yield page;
      if (rows.length < PAGE_ROWS) return;
      const last = rows.at(-1)?.['entityid'];
      if (typeof last !== 'string' || !/^\d+$/u.test(last) || (after !== null && last <= after)) {
        throw new Quarantine('template_changed', `the last row of a full page has the entityid ${JSON.stringify(last)}, expected one after ${after ?? 'the first'}`, page.url);
      }
      after = last;
    }
  },
  parse: (page) => (page.kind === 'export' ? parseExport(page) : parseJson(page)),
});
