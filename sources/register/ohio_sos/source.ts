/** Ohio Secretary of State: the month's new businesses, ten report files whose names never change. */
import { defineSource, Quarantine, SourceUnavailable, type Candidate, type FetchContext, type Page } from '../../contract.ts';
import { Registration } from '../../rows/registration.ts';
import { candidate, checkColumns, date, optional, readCsv, refuse, required, tidy } from '../../values.ts';

const FOLDER = 'https://publicfiles.ohiosos.gov/free/OnlineBusinessReports';
const DOWNLOAD_PAGE = 'https://www.ohiosos.gov/businesses/business-reports/download-business-report/';

/** Reports of new entities; the number fixes the entity type. The amendment reports (0210 and on) have other columns. */
const REPORTS: Readonly<Record<string, string>> = {
  '0010': 'foreign for-profit corporations', '0030': 'foreign nonprofit corporations', '0040': 'foreign professional associations',
  '0050': 'domestic for-profit corporations', '0070': 'domestic nonprofit corporations', '0080': 'domestic professional associations',
  '0090': 'foreign limited liability companies', '0100': 'domestic limited liability companies',
  '0110': 'foreign limited partnerships', '0120': 'domestic limited partnerships',
};

const COLUMNS = [
  'DOCUMENT NUMBER', 'CHARTER NUMBER', 'EFFECTIVE DATE', 'BUSINESS NAME', 'CONSENT FLAG', 'TRANSACTION CODE DESCRIPTION',
  'FILING ADDRESS NAME', 'FILING ADDRESS 1', 'FILING ADDRESS 2', 'FILING CITY', 'FILING STATE', 'FILING ZIP',
  'AGENT ADDRESS NAME', 'AGENT ADDRESS 1', 'AGENT ADDRESS 2', 'AGENT CITY', 'AGENT STATE', 'AGENT ZIP',
  'BUSINESS CITY', 'COUNTY', 'BUSINESS ASSOCIATE NAMES',
] as const;

/** Names the publisher spells otherwise in its other reports, so that a file which does so here is still read. */
const SPELLED: Readonly<Record<string, string>> = { 'TRANSASCTION CODE DESCRIPTION': 'TRANSACTION CODE DESCRIPTION', 'COUNTY NAME': 'COUNTY' };

const addressOf = (number: string): string => `${FOLDER}/WI${number}R.TXT`;
const kindOf = (number: string): string => `report_${number}`;
const needsDownload = (why: string): string =>
  `${why}: needs operator download, as a browser gets the files from ${DOWNLOAD_PAGE}; put them into the drop folder under their own names`;

/** A site that turns programs away answers with a refusal, or with a page meant for a browser. */
async function report(ctx: FetchContext, number: string): Promise<Page> {
  const url = addressOf(number);
  let page: Page;
  try {
    page = await ctx.get(url, { kind: kindOf(number), accept: 'text/plain, text/csv;q=0.9, */*;q=0.1' });
  } catch (error) {
    if (!(error instanceof SourceUnavailable) || !['refused', 'challenge', 'robots'].includes(error.reason)) throw error;
    throw new SourceUnavailable(error.reason, needsDownload(error.message), error.pageUrl, error.status);
  }
  if (/^\s*</u.test(page.text('windows-1252').slice(0, 200))) {
    throw new SourceUnavailable('challenge', needsDownload('a web page came instead of the report'), page.url, 200);
  }
  return page;
}

function parse(page: Page): readonly Candidate[] {
  const number = /^report_(\d{4})$/u.exec(page.kind)?.[1];
  if (number === undefined) throw new Error(`a page of kind ${page.kind} is not a report`);
  const text = page.text('windows-1252');
  if (/^\s*</u.test(text)) throw new Quarantine('malformed_page', 'a web page instead of the report', page.url);
  const { header, rows } = readCsv(text, page.url, { looseQuotes: true });
  const names = header.map((name) => SPELLED[name.toUpperCase()] ?? name.toUpperCase());
  checkColumns(names, COLUMNS, page.url);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new Quarantine('template_changed', `the column ${twice} comes twice`, page.url);

  // A file that the operator downloaded came from there too.
  const sourceUrl = page.url.startsWith('file:') ? addressOf(number) : page.url;
  return rows.map(({ cells, raw }) => {
    const cell = (name: (typeof COLUMNS)[number]): string | null => optional(cells[names.indexOf(name)]);
    const whole = cells.length === names.length;
    const documentNumber = whole ? cell('DOCUMENT NUMBER') : null;
    return candidate(raw, () => {
      if (!whole) refuse('wrong_field_count', `the line has ${cells.length} fields, expected ${names.length}`);
      return {
        values: {
          register: 'ohio_sos',
          document_number: required('document_number', documentNumber),
          charter_number: cell('CHARTER NUMBER'),
          // As published: a business may well be called "NONE" or "UNKNOWN".
          business_name_raw: tidy(cells[names.indexOf('BUSINESS NAME')]) ?? refuse('blank_name', 'BUSINESS NAME is blank, expected a name'),
          filing_date: date('effective_date', required('effective_date', cell('EFFECTIVE DATE'))),
          entity_type_raw: cell('TRANSACTION CODE DESCRIPTION'),
          entity_type_file: number,
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
    }, documentNumber === null ? undefined : { register: 'ohio_sos', document_number: documentNumber });
  });
}

export default defineSource({
  name: 'ohio_sos',
  family: 'register',
  title: 'Ohio Secretary of State: new businesses of the month',
  home: DOWNLOAD_PAGE,
  terms: {
    basis: 'public_record',
    note: 'Filings are public record and the reports are published for download; the terms of the site were not obtained, and it is known to refuse programs, which is respected.',
    url: DOWNLOAD_PAGE,
  },
  // The files are made anew on the second Saturday of a month.
  everyDays: 7,
  hosts: ['publicfiles.ohiosos.gov'],
  politeness: { minIntervalMs: 3000, concurrency: 1 },
  row: Registration,
  // Each month's file takes the place of the last one; older filings stay as they were read.
  reads: 'increments',
  expect: { minRows: 1, maxRejectShare: 0.05, maxDropShare: 1 },
  drop: Object.entries(REPORTS).map(([number, about]) => ({
    pattern: new RegExp(`^wi${number}r.*\\.txt$`, 'u'),
    kind: kindOf(number),
    about: `WI${number}R.TXT, new ${about}, as downloaded`,
  })),
  async *fetch(ctx) {
    for (const number of Object.keys(REPORTS).sort()) yield await report(ctx, number);
  },
  parse,
});
