/**
 * Report files of the Ohio Secretary of State: CSV with a header despite their .TXT names, one file per kind of filing.
 * On the second Saturday of a month each file is replaced by the filings of the previous month under the same name. An
 * unchanged file is therefore dated by the first read of its content.
 *
 * The site is known to refuse programs (403, or a page for browsers). That is respected: the operator downloads the
 * files with a browser and drops them under their own names.
 */
import {
  type DropFormat,
  type FetchContext,
  type Page,
  Quarantine,
  type SourceSpec,
  SourceUnavailable,
} from '../contract.ts';
import { checkColumns, streamCsv } from '../csv/csv.ts';
import { optional } from '../values.ts';

const FOLDER = 'https://publicfiles.ohiosos.gov/free/OnlineBusinessReports';
const DOWNLOAD_PAGE = 'https://www.ohiosos.gov/businesses/business-reports/download-business-report/';

/** Kind of filing by report number. */
export type Reports = Readonly<Record<string, string>>;

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
export interface ReportLine<C extends string> {
  /** Number of the report, which states the kind of filing. */
  readonly report: string;
  /** Value of a column; null if blank, or if the line has not as many fields as the header. */
  readonly cell: (column: C) => string | null;
  /** The same as published, for names that may be a word for "no value". */
  readonly published: (column: C) => string | undefined;
  readonly raw: string;
  /** Message if the line has not as many fields as the header. */
  readonly wrongLength: string | null;
  /** Public address of the file, also for a file that the operator downloaded. */
  readonly sourceUrl: string;
}

/** Lines of a report with exactly these columns, in any order. @throws Quarantine if it is not such a report */
export function* readReport<C extends string>(page: Page, columns: readonly C[]): Generator<ReportLine<C>> {
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
    const published = (column: C): string | undefined =>
      cells.length === width ? cells[found.indexOf(column)] : undefined;
    yield {
      report: number,
      raw,
      sourceUrl,
      published,
      cell: (column) => optional(published(column)),
      wrongLength: cells.length === width ? null : `the line has ${cells.length} fields, expected ${width}`,
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
export const ohioReports = (
  reports: Reports,
): Pick<
  SourceSpec,
  'family' | 'home' | 'terms' | 'everyDays' | 'readEveryDays' | 'hosts' | 'politeness' | 'reads' | 'expect' | 'fetch'
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
  politeness: { minIntervalMs: 3000, concurrency: 1 },
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
