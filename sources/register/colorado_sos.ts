/**
 * Colorado Secretary of State: business entities, dataset 4ykn-tg5h of the state's open data portal.
 * A first load reads the full CSV export, about 750 MB and 3,000,000 rows, as a stream (docs/going-live.md).
 * Later reads request the changed rows as JSON by SODA 2. Both become rows in `registration`.
 */
import { type Candidate, defineSource, type FetchContext, type Page, Quarantine } from '../contract.ts';
import { addDays } from '../days.ts';
import { sodaCount, sodaRows } from '../readers/open_data/socrata.ts';
import { Registration } from '../rows/register.ts';
import { checkColumns, streamCsv } from '../csv/csv.ts';
import { candidate, date, joined, optional, published, refuse, required, tidy } from '../values.ts';

const PORTAL = 'https://data.colorado.gov';
/** Rows of the dataset as JSON. */
const RESOURCE = '/resource/4ykn-tg5h.json';
const EXPORT = '/api/views/4ykn-tg5h/rows.csv?accessType=DOWNLOAD';
/** One and a half times the size of the export in 2026. */
const EXPORT_BYTES = 1_200_000_000;
const PAGE_ROWS = 1000;
/** An increment starts this many days before the last good read, as rows may be entered late. */
const OVERLAP_DAYS = 10;
/** The same for an increment by formation date alone. */
const WIDE_OVERLAP_DAYS = 60;
/** More rows than the office can change in OVERLAP_DAYS: it receives about 1,500 filings a day. */
const MAX_TOUCHED = 200_000;

const COLUMNS = (
  'entityid entityname principaladdress1 principaladdress2 principalcity principalstate principalzipcode ' +
  'principalcountry mailingaddress1 mailingaddress2 mailingcity mailingstate mailingzipcode mailingcountry ' +
  'entitystatus jurisdictonofformation entitytype agentfirstname agentmiddlename agentlastname agentsuffix ' +
  'agentorganizationname agentprincipaladdress1 agentprincipaladdress2 agentprincipalcity agentprincipalstate ' +
  'agentprincipalzipcode agentprincipalcountry agentmailingaddress1 agentmailingaddress2 agentmailingcity ' +
  'agentmailingstate agentmailingzipcode agentmailingcountry entityformdate'
).split(' ');

/** Some years' exports have a 36th column: the type in words. */
const SOMETIMES = ['entitytypeverbatim'];

type Cells = (column: string) => unknown;

const ADDRESS = 'address1 address2 city state zipcode'.split(' ');
const STREET = ADDRESS.map((part) => `agentprincipal${part}`);
const MAILING = ADDRESS.map((part) => `agentmailing${part}`);
const PERSON = ['agentfirstname', 'agentmiddlename', 'agentlastname', 'agentsuffix'];

/** The organization, or the person's names joined. */
const agentName = (cell: Cells): string | null =>
  optional(cell('agentorganizationname')) ?? optional(joined(PERSON.map((column) => cell(column))));

/** The agent's street address, or its mailing address where no street address is given: never a mix. */
function agentAddress(cell: Cells): Readonly<Record<string, string | null>> {
  const street = STREET.map((column) => optional(cell(column)));
  const used = street.every((part) => part === null) ? MAILING.map((column) => optional(cell(column))) : street;
  const [agent_addr1 = null, agent_addr2 = null, agent_city = null, agent_state = null, agent_zip = null] = used;
  return { agent_addr1, agent_addr2, agent_city, agent_state, agent_zip };
}

/** The site that shows an entity: the page's own, or the portal for an export that the operator downloaded. */
const siteOf = ({ url }: Page): string => (url.startsWith('file:') ? PORTAL : new URL(url).origin);

/** One entity, from the export or from the JSON. @param origin site that shows the entity */
function registration(cell: Cells, raw: string, origin: string): Candidate {
  const id = published(cell('entityid'));
  return candidate(
    raw,
    () => {
      if (id === null || !/^\d{11}$/u.test(id))
        return refuse('bad_entityid', `entityid is ${JSON.stringify(cell('entityid'))}, expected eleven digits`);
      return {
        values: {
          register: 'colorado_sos',
          document_number: id,
          charter_number: null,
          // Not `optional`: a business may be named "None" or "Unknown".
          business_name_raw:
            tidy(cell('entityname')) ?? refuse('blank_name', `entityname is blank for entity ${id}, expected a name`),
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
    },
    id === null ? undefined : { register: 'colorado_sos', document_number: id },
  );
}

/** The JSON omits the keys of empty cells, so only an unknown key shows that the layout changed. */
function parseJson(page: Page): readonly Candidate[] {
  const rows = sodaRows(page);
  const origin = siteOf(page);
  checkColumns([...new Set(rows.flatMap(Object.keys))].sort(), [], page.url, [...COLUMNS, ...SOMETIMES]);
  return rows.map((row) => registration((column) => row[column], JSON.stringify(row), origin));
}

/** The CSV export, record by record. */
function* parseExport(page: Page): Generator<Candidate> {
  let width: number | undefined;
  let positions: ReadonlyMap<string, number> = new Map();
  const origin = siteOf(page);
  for (const { cells, raw } of streamCsv(page)) {
    if (width === undefined) {
      const names = cells.map((name) => name.trim().toLowerCase());
      checkColumns(names, COLUMNS, page.url, SOMETIMES);
      width = names.length;
      positions = new Map(COLUMNS.map((column) => [column, names.indexOf(column)]));
    } else if (cells.length === width) {
      yield registration((column) => cells[positions.get(column) ?? -1], raw, origin);
    } else {
      const detail = `the line has ${cells.length} fields, expected ${width}`;
      yield { reject: { reason: 'wrong_field_count', detail }, raw };
    }
  }
  if (width === undefined) throw new Quarantine('empty_body', 'the CSV file has no header', page.url);
}

const soda = (where: string, rest: string): string =>
  `${PORTAL}${RESOURCE}?$where=${encodeURIComponent(where)}&${rest}`;

/**
 * The SODA condition for rows that are new or changed since the last good read.
 * `:updated_at` also finds a name or a standing that changed years after formation. The portal does not document
 * whether its daily update touches unchanged rows. If it touches too many, the formation date alone selects rows.
 */
async function incrementSince(ctx: FetchContext, lastGoodOn: string): Promise<string> {
  const formedSince = (days: number): string => `entityformdate >= '${addDays(lastGoodOn, -days)}T00:00:00.000'`;
  const updatedSince = `:updated_at >= '${addDays(lastGoodOn, -OVERLAP_DAYS)}T00:00:00.000Z'`;
  const touched = `${updatedSince} OR ${formedSince(OVERLAP_DAYS)}`;
  const page = await ctx.get(soda(touched, '$select=count(*) AS total'), { kind: 'count', accept: 'application/json' });
  const rows = sodaCount(page);
  if (rows > MAX_TOUCHED) return formedSince(WIDE_OVERLAP_DAYS);
  ctx.states(rows);
  return touched;
}

export default defineSource({
  name: 'colorado_sos',
  family: 'register',
  title: 'Colorado Secretary of State: business entities',
  home: `${PORTAL}/Business/Business-Entities-in-Colorado/4ykn-tg5h`,
  terms: {
    basis: 'open_data',
    note:
      'Published by the state as open data; names of agents are public record, ' +
      'for which the operator should set a policy of retention.',
    url: `${PORTAL}/Business/Business-Entities-in-Colorado/4ykn-tg5h`,
  },
  everyDays: 1,
  hosts: ['data.colorado.gov'],
  row: Registration,
  reads: 'increments',
  expect: { minRows: 1, maxRejectShare: 0.02, maxDropShare: 1 },
  drop: [
    {
      pattern: /^business[-_]entities[-_]in[-_]colorado.*\.csv$/u,
      file: 'Business_Entities_in_Colorado.csv',
      kind: 'export',
      about:
        'the full CSV export of the dataset, downloaded on the day of the run, ' +
        'with 35 columns or with entitytypeverbatim as a 36th',
    },
  ],

  async *fetch(ctx) {
    if (ctx.lastGoodOn === null) {
      yield await ctx.get(`${PORTAL}${EXPORT}`, { kind: 'export', accept: 'text/csv', maxBytes: EXPORT_BYTES });
      return;
    }
    const since = await incrementSince(ctx, ctx.lastGoodOn);
    const pageRows = ctx.sampleRows ?? PAGE_ROWS;
    for (let after: string | null = null; ;) {
      const where: string = after === null ? since : `(${since}) AND entityid > '${after}'`;
      const page = await ctx.get(soda(where, `$order=entityid&$limit=${pageRows}`), {
        kind: 'rows',
        accept: 'application/json',
      });
      const rows = sodaRows(page);
      yield page;
      if (rows.length < pageRows) return;
      const last = rows.at(-1)?.['entityid'];
      // Paging is by key: an offset is slow on this portal, and rows move between pages.
      if (typeof last !== 'string' || !/^\d+$/u.test(last) || (after !== null && last <= after)) {
        throw new Quarantine(
          'template_changed',
          `the last row of a full page has the entityid ${JSON.stringify(last)}, ` +
            `expected one after ${after ?? 'the first'}`,
          page.url,
        );
      }
      after = last;
    }
  },
  parse: (page) => (page.kind === 'export' ? parseExport(page) : parseJson(page)),
});
