/**
 * Files that Montgomery County's Treasurer posts: zipped CSV in Windows-1252, headers and values padded with spaces,
 * some records broken over two lines. A page per kind of file links to them, with backslashes and without quotes.
 */
import { load } from 'cheerio/slim';
import { type FetchContext, type Page, Quarantine } from '../contract.ts';
import type { CsvRow } from '../csv/csv.ts';
import { unzipStart } from '../csv/zip.ts';
import { cents, decimal, divide, refuse, TAXABLE_SHARE, tidy } from '../values.ts';

const BASE = 'https://go.mcohio.org';
export const FIPS = '39113';
export const COUNTY = 'Montgomery County, OH';

/** Fields that the declarations of both files share. */
export const MONTGOMERY_FILE = {
  // The page that lists the kinds of files.
  home: `${BASE}/applications/treasurer/search/filedownloads.cfm`,
  county: { fips: FIPS, name: 'Montgomery County', state: 'OH' },
  terms: {
    basis: 'public_record',
    note: 'The Treasurer posts the file for download; terms of use were not found.',
  },
  everyDays: 7,
  hosts: ['go.mcohio.org'],
  minIntervalMs: 5000,
} as const;

/**
 * Fourteen characters: district, six of the book, a space or a letter, four of the lot: "R72 08110 0087",
 * "R72 08201A0005", "R72317117 0016". Typed lists put a space before a book of six digits, or leave one out.
 */
const PARCEL = /^[A-Z]\d\d ?\d{5,6}[ A-Z]?\d{4}$/u;

type Row = Pick<CsvRow, 'cells' | 'line'>;

/** The natural key of a row, if its parcel number can be read. */
export function keyOf(printed: string | undefined): Readonly<Record<string, string>> | undefined {
  const parcel = tidy(printed) ?? '';
  return PARCEL.test(parcel) ? { county_fips: FIPS, parcel_raw: parcel } : undefined;
}

/** The parcel number of a row. */
export function parseParcel(printed: string | undefined, line: number): string {
  const parcel = tidy(printed);
  if (parcel !== null && PARCEL.test(parcel)) return parcel;
  const found = JSON.stringify(printed);
  return refuse('bad_parcel', `line ${line}: the parcel number is ${found}, expected one such as "R72 08110 0087"`);
}

export function checkLength(row: Row, expected: number): void {
  if (row.cells.length !== expected)
    refuse('wrong_field_count', `line ${row.line} has a field count of ${row.cells.length}, expected ${expected}`);
}

/** Market value on the roll; computed from the taxable value if the roll omits it. */
export function marketValue(total: unknown, taxable: unknown): string | null {
  const stated = cents('ASMTTOTAL', total, { zeroIsUnknown: true });
  if (stated !== null) return decimal(stated);
  const share = cents('TAXABLETOTAL', taxable, { zeroIsUnknown: true });
  return share === null ? null : decimal(divide(share, TAXABLE_SHARE));
}

/** A kind of posted file. */
export interface PostedFile {
  /** Code of the kind on the Treasurer's site. */
  readonly code: string;
  /** Its file names, with the day in one group: YYYYMMDD. */
  readonly name: RegExp;
  /** A file name to name in messages. */
  readonly example: string;
}

/** Address of the newest file that a page links to, posted by `day`. */
function newestFile(page: Page, { name, example }: PostedFile, day: string): string {
  const $ = load(page.text('windows-1252'));
  const posted = $('a[href]')
    .toArray()
    .map((link) => ($(link).attr('href') ?? '').replaceAll('\\', '/'))
    .filter((href) => URL.canParse(href, page.url))
    .map((href) => new URL(href, page.url).pathname)
    .map((path) => ({ path, on: name.exec(path.slice(path.lastIndexOf('/') + 1))?.[1] }))
    .filter((file): file is { path: string; on: string } => file.on !== undefined && file.on <= day.replaceAll('-', ''))
    .sort((a, b) => (a.on < b.on ? 1 : -1));
  const newest = posted[0];
  if (!newest) throw new Quarantine('template_changed', `the page links to no ${example} posted by ${day}`, page.url);
  return new URL(newest.path, BASE).href;
}

/** Kind of a page that holds only the start of an archive, which a probe requests. */
export const ARCHIVE_START = 'zip_start';
/** Enough for a few thousand rows of the tax roll, a twentieth of which is delinquent. */
const START_BYTES = 256 * 1024;

/** The CSV text at the start of an archive, up to the last complete line. @throws Quarantine as `unzipStart` */
export function startOfCsv({ bytes, url }: Page): Uint8Array {
  const csv = unzipStart(bytes, url, (name) => /\.csv$/iu.test(name));
  return csv.subarray(0, csv.lastIndexOf(0x0a) + 1);
}

/** Get the newest file of a kind; in a probe, only its start. */
export async function fetchNewest(ctx: FetchContext, file: PostedFile, maxBytes?: number): Promise<Page> {
  const posted = await ctx.get(`${BASE}/applications/treasurer/search/fdpopup.cfm?dtype=${file.code}`, {
    kind: 'files',
    accept: 'text/html',
  });
  const url = newestFile(posted, file, ctx.asOf);
  const options = { magic: 'PK', minBytes: 500 };
  if (ctx.sampleRows !== null) return ctx.get(url, { ...options, kind: ARCHIVE_START, firstBytes: START_BYTES });
  return ctx.get(url, { ...options, kind: 'zip', ...(maxBytes === undefined ? {} : { maxBytes }) });
}
