/**
 * Ohio Secretary of State: the month's new businesses, and the changes of existing ones, in report files: CSV with a
 * header despite their .TXT names, one file per kind of filing. On the second Saturday of a month each file is
 * replaced by the filings of the previous month under the same name. An unchanged file is therefore dated by the first
 * read of its content.
 *
 * The site is known to refuse programs (403, or a page for browsers). That is respected: the operator downloads the
 * files with a browser and drops them under their own names.
 */
import {
  type Candidate,
  defineSource,
  type DropFormat,
  type FetchContext,
  type Page,
  Quarantine,
  type SourceSpec,
  SourceUnavailable,
} from '../contract.ts';
import { checkColumns, streamCsv } from '../csv/csv.ts';
import { Amendment, Registration } from '../rows/register.ts';
import { candidate, date, optional, refuse, required, tidy } from '../values.ts';

const FOLDER = 'https://publicfiles.ohiosos.gov/free/OnlineBusinessReports';
const DOWNLOAD_PAGE = 'https://www.ohiosos.gov/businesses/business-reports/download-business-report/';

/** Kind of filing by report number. */
type Reports = Readonly<Record<string, string>>;

/** Columns that the publisher spells differently in some reports. */
const SPELLED: Readonly<Record<string, string>> = {
  'TRANSASCTION CODE DESCRIPTION': 'TRANSACTION CODE DESCRIPTION',
  'COUNTY NAME': 'COUNTY',
};

const addressOf = (number: string): string => `${FOLDER}/WI${number}R.TXT`;
const kindOf = (number: string): string => `report_${number}`;
const needsDownload = (why: string): string =>
  `${why}: needs operator download. Get the files from ${DOWNLOAD_PAGE} with a browser ` +
  'and put them into the drop folder under their own names';

/** Whether a file begins like a web page. */
const isWebPage = ({ bytes }: Page): boolean => /^\s*</u.test(new TextDecoder().decode(bytes.subarray(0, 200)));

/** @throws SourceUnavailable asking for a download if the site refuses, or sends a page for browsers */
async function fetchReport(ctx: FetchContext, number: string): Promise<Page> {
  let page: Page;
  try {
    page = await ctx.get(addressOf(number), {
      kind: kindOf(number),
      accept: 'text/plain, text/csv;q=0.9, */*;q=0.1',
      observed: 'content',
    });
  } catch (error) {
    if (!(error instanceof SourceUnavailable) || !['refused', 'challenge', 'robots'].includes(error.reason))
      throw error;
    throw new SourceUnavailable(error.reason, needsDownload(error.message), error.pageUrl, error.status);
  }
  if (isWebPage(page)) {
    throw new SourceUnavailable(
      'challenge',
      needsDownload('the site sent a web page instead of the report'),
      page.url,
      200,
    );
  }
  return page;
}

/** A line of a report. */
interface ReportLine<C extends string> {
  /** Number of the report, which states the kind of filing. */
  readonly report: string;
  /** Value of a column; null if blank, or if the line has not as many fields as the header. */
  readonly cell: (column: C) => string | null;
  /** The name of the business, which may be "NONE" or "UNKNOWN". Refuses a blank one. */
  readonly name: () => string;
  readonly raw: string;
  /** Refuse a line that has not as many fields as the header. */
  readonly check: () => void;
  /** Public address of the file, also for a file that the operator downloaded. */
  readonly sourceUrl: string;
}

/** Lines of a report with exactly these columns, in any order. @throws Quarantine if it is not such a report */
function* readReport<C extends string>(page: Page, columns: readonly C[]): Generator<ReportLine<C>> {
  const number = /^report_(\d{4})$/u.exec(page.kind)?.[1];
  if (number === undefined) throw new Error(`kind is ${page.kind}, expected report_ and four digits`);
  if (isWebPage(page)) throw new Quarantine('malformed_page', 'the file is a web page, expected the report', page.url);
  const sourceUrl = page.url.startsWith('file:') ? addressOf(number) : page.url;
  let names: readonly string[] | undefined;
  for (const { cells, raw } of streamCsv(page, { looseQuotes: true })) {
    if (names === undefined) {
      names = reportColumns(cells, columns, page.url);
      continue;
    }
    const [found, width] = [names, names.length];
    const isWhole = cells.length === width;
    const at = (column: string): string | undefined => (isWhole ? cells[found.indexOf(column)] : undefined);
    yield {
      report: number,
      raw,
      sourceUrl,
      cell: (column) => optional(at(column)),
      name: () => tidy(at('BUSINESS NAME')) ?? refuse('blank_name', 'BUSINESS NAME is blank, expected a name'),
      check: () =>
        void (isWhole || refuse('wrong_field_count', `the line has ${cells.length} fields, expected ${width}`)),
    };
  }
  if (names === undefined) throw new Quarantine('empty_body', 'the CSV file has no header', page.url);
}

/** Columns of a header, spelled as an adapter knows them. @throws Quarantine if they are not the expected ones */
function reportColumns(header: readonly string[], expected: readonly string[], pageUrl: string): readonly string[] {
  const names = header.map((name) => name.trim().toUpperCase()).map((name) => SPELLED[name] ?? name);
  checkColumns(names, expected, pageUrl);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new Quarantine('template_changed', `the column ${twice} occurs twice`, pageUrl);
  return names;
}

/** The fields of a declaration that all sources of these reports share. */
const ohioReports = (
  reports: Reports,
): Pick<
  SourceSpec,
  'family' | 'home' | 'terms' | 'everyDays' | 'readEveryDays' | 'hosts' | 'minIntervalMs' | 'reads' | 'expect' | 'fetch'
> & { readonly drop: readonly DropFormat[] } => ({
  family: 'register',
  home: DOWNLOAD_PAGE,
  terms: {
    basis: 'public_record',
    note:
      'Filings are public record and the reports are published for download; the terms of the site were not ' +
      'obtained, and it is known to refuse programs, which is respected.',
    url: DOWNLOAD_PAGE,
  },
  // Five weeks between two second Saturdays at most, and one for the operator's download.
  everyDays: 42,
  readEveryDays: 7,
  hosts: ['publicfiles.ohiosos.gov'],
  minIntervalMs: 3000,
  // Each month's file replaces the last one; older filings stay.
  reads: 'increments',
  expect: { minRows: 1, maxRejectShare: 0.05, maxDropShare: 1 },
  drop: Object.entries(reports).map(([number, about]) => ({
    pattern: new RegExp(`^wi${number}r.*\\.txt$`, 'u'),
    file: `WI${number}R.TXT`,
    kind: kindOf(number),
    about: `WI${number}R.TXT, ${about}, as downloaded`,
  })),
  async *fetch(ctx) {
    for (const number of Object.keys(reports).sort()) yield await fetchReport(ctx, number);
  },
});

/** Each report holds one entity type. Reports from 0210 on are amendments. */
const NEW: Reports = {
  '0010': 'new foreign for-profit corporations',
  '0030': 'new foreign nonprofit corporations',
  '0040': 'new foreign professional associations',
  '0050': 'new domestic for-profit corporations',
  '0070': 'new domestic nonprofit corporations',
  '0080': 'new domestic professional associations',
  '0090': 'new foreign limited liability companies',
  '0100': 'new domestic limited liability companies',
  '0110': 'new foreign limited partnerships',
  '0120': 'new domestic limited partnerships',
};

const NEW_COLUMNS = (
  'DOCUMENT NUMBER,CHARTER NUMBER,EFFECTIVE DATE,BUSINESS NAME,CONSENT FLAG,TRANSACTION CODE DESCRIPTION,' +
  'FILING ADDRESS NAME,FILING ADDRESS 1,FILING ADDRESS 2,FILING CITY,FILING STATE,FILING ZIP,AGENT ADDRESS NAME,' +
  'AGENT ADDRESS 1,AGENT ADDRESS 2,AGENT CITY,AGENT STATE,AGENT ZIP,BUSINESS CITY,COUNTY,BUSINESS ASSOCIATE NAMES'
).split(',');

function* registrations(page: Page): Generator<Candidate> {
  for (const line of readReport(page, NEW_COLUMNS)) {
    const { report, cell, raw, sourceUrl } = line;
    const documentNumber = cell('DOCUMENT NUMBER');
    yield candidate(
      raw,
      () => {
        line.check();
        return {
          values: {
            register: 'ohio_sos',
            document_number: required('document_number', documentNumber),
            charter_number: cell('CHARTER NUMBER'),
            business_name_raw: line.name(),
            filing_date: date('effective_date', required('effective_date', cell('EFFECTIVE DATE'))),
            entity_type_raw: cell('TRANSACTION CODE DESCRIPTION'),
            entity_type_file: report,
            entity_status_raw: null,
            jurisdiction_raw: null,
            agent_name: cell('AGENT ADDRESS NAME'),
            agent_addr1: cell('AGENT ADDRESS 1'),
            agent_addr2: cell('AGENT ADDRESS 2'),
            agent_city: cell('AGENT CITY'),
            agent_state: cell('AGENT STATE'),
            agent_zip: cell('AGENT ZIP'),
            business_city: cell('BUSINESS CITY'),
            business_state: null,
            business_zip: null,
            business_county: cell('COUNTY'),
          },
          sourceUrl,
        };
      },
      documentNumber === null ? undefined : { register: 'ohio_sos', document_number: documentNumber },
    );
  }
}

const CHANGES: Reports = {
  '0210': 'mergers',
  '0220': 'dissolutions',
  '0230': 'cancellations by the Secretary of State',
  '0240': 'reinstatements',
  '0250': 'amendments',
};
const KINDS: Readonly<Record<string, string>> = {
  '0210': 'merger',
  '0220': 'dissolution',
  '0230': 'cancellation',
  '0240': 'reinstatement',
  '0250': 'amendment',
};

/** The publisher spells two of these differently here: TRANSASCTION CODE DESCRIPTION and COUNTY NAME. */
const CHANGE_COLUMNS = (
  'DOCUMENT NUMBER,CHARTER NUMBER,EFFECTIVE DATE,BUSINESS NAME,TRANSACTION CODE DESCRIPTION,FILING ADDRESS NAME,' +
  'FILING ADDRESS 1,FILING ADDRESS 2,FILING CITY,FILING STATE,FILING ZIP,BUSINESS CITY,COUNTY'
).split(',');

function* amendments(page: Page): Generator<Candidate> {
  for (const line of readReport(page, CHANGE_COLUMNS)) {
    const { report, cell, raw, sourceUrl } = line;
    const documentNumber = cell('DOCUMENT NUMBER');
    const charterNumber = cell('CHARTER NUMBER');
    yield candidate(
      raw,
      () => {
        line.check();
        return {
          values: {
            register: 'ohio_sos',
            document_number: required('document_number', documentNumber),
            charter_number: required('charter_number', charterNumber),
            kind: KINDS[report],
            effective_date: date('effective_date', required('effective_date', cell('EFFECTIVE DATE'))),
            business_name_raw: line.name(),
            transaction_raw: cell('TRANSACTION CODE DESCRIPTION'),
            filer_name: cell('FILING ADDRESS NAME'),
            filer_addr1: cell('FILING ADDRESS 1'),
            filer_addr2: cell('FILING ADDRESS 2'),
            filer_city: cell('FILING CITY'),
            filer_state: cell('FILING STATE'),
            filer_zip: cell('FILING ZIP'),
            business_city: cell('BUSINESS CITY'),
            business_county: cell('COUNTY'),
          },
          sourceUrl,
        };
      },
      documentNumber === null || charterNumber === null
        ? undefined
        : { register: 'ohio_sos', document_number: documentNumber, charter_number: charterNumber },
    );
  }
}

export default [
  defineSource({
    ...ohioReports(NEW),
    name: 'ohio_sos',
    title: 'Ohio Secretary of State: new businesses of the month',
    row: Registration,
    parse: registrations,
  }),
  defineSource({
    ...ohioReports(CHANGES),
    name: 'ohio_sos_amendments',
    title: 'Ohio Secretary of State: mergers, dissolutions, cancellations, reinstatements and amendments of the month',
    row: Amendment,
    parse: amendments,
  }),
];
