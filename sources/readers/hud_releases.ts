/**
 * HUD's yearly rent files: the release in force on a day, the release that a file name states, and the table in a file.
 */
import { type FetchContext, type Page, Quarantine, SourceUnavailable } from '../contract.ts';
import { readCsv } from '../csv/csv.ts';
import { type Cell, readXlsx } from '../csv/xlsx.ts';
import { fiscalYearOn } from '../days.ts';
import { line, money, refuse, tidy } from '../values.ts';

export const HUD = 'https://www.huduser.gov';

/** Effective days of mid-year revisions, from the Federal Register notice of each. */
const REVISED_ON: ReadonlyMap<number, string> = new Map([
  [2025, '2025-04-28'], // 90 FR 14158
  [2026, '2026-05-21'], // 91 FR 21301
]);

interface Release {
  readonly fiscalYear: number;
  readonly revision: 'original' | 'revised';
}

/** Day on which a release took effect. A revision that is not listed here counts from the start of its year. */
export function effectiveOn({ fiscalYear, revision }: Release): string {
  return (revision === 'revised' ? REVISED_ON.get(fiscalYear) : undefined) ?? `${fiscalYear - 1}-10-01`;
}

/** The releases in force on a day, preferred first. A revision counts only from the day it takes effect. */
export function releasesOn(day: string): Release[] {
  const inForce = fiscalYearOn(day);
  return [inForce, inForce - 1]
    .flatMap((fiscalYear) => (['revised', 'original'] as const).map((revision) => ({ fiscalYear, revision })))
    .filter((release) => effectiveOn(release) <= day);
}

/** Last two digits of a fiscal year, as in file names. */
export const shortYear = (fiscalYear: number): string => String(fiscalYear % 100).padStart(2, '0');

/** The release that a name states, such as FY26_FMRs_revised or fy2026_safmrs; null if it states none. */
export function releaseIn(name: string): Release | null {
  const match = /\bFY(?:20)?(\d\d)_(?:FMRs|SAFMRs)(_rev(?:ised)?)?(?=\.|\b)/iu.exec(name);
  return match ? { fiscalYear: 2000 + Number(match[1]), revision: match[2] ? 'revised' : 'original' } : null;
}

interface RentTable {
  readonly release: Release;
  /** Name of the sheet, or of the CSV file. */
  readonly name: string;
  /** Column names, with spaces for line breaks. */
  readonly header: readonly string[];
  /** Rows that are not blank. */
  readonly rows: readonly (readonly Cell[])[];
  /** Whether every row has a cell for every column; a workbook omits empty cells at the end of a row. */
  readonly isFixedWidth: boolean;
}

/** The cells of a workbook's rent sheet, or of a CSV file. */
function readTable(page: Page, file: string) {
  if (page.bytes[0] === 0x50 && page.bytes[1] === 0x4b) {
    const sheets = readXlsx(page.bytes, page.url);
    const sheet = sheets.find((source) => releaseIn(source.name)) ?? sheets[0];
    if (!sheet) throw new Quarantine('malformed_page', 'the workbook has no sheet', page.url);
    return { name: sheet.name, table: sheet.rows, isFixedWidth: false };
  }
  if (/\.csv$/iu.test(file)) {
    const csv = readCsv(page.text('windows-1252'), page.url);
    return { name: file, table: [csv.header, ...csv.rows.map((row) => row.cells)], isFixedWidth: true };
  }
  if (page.bytes.length === 0) throw new Quarantine('empty_body', 'the file is empty', page.url);
  const start = JSON.stringify(Buffer.from(page.bytes.subarray(0, 12)).toString('latin1'));
  throw new Quarantine('malformed_page', `the file starts with ${start}, expected an Excel workbook`, page.url);
}

/** The release of a file. Its name takes precedence; its sheet must not state another year. */
function detectRelease(file: string, sheet: string, example: string, pageUrl: string): Release {
  const bySheet = releaseIn(sheet);
  const release = releaseIn(file) ?? bySheet;
  if (!release)
    throw new Quarantine(
      'template_changed',
      `neither the file name nor the sheet name (${sheet}) states the fiscal year. ` +
        `Give the file its HUD name, such as ${example}`,
      pageUrl,
    );
  if (bySheet && bySheet.fiscalYear !== release.fiscalYear)
    throw new Quarantine(
      'template_changed',
      `the file name states fiscal year ${release.fiscalYear}, its sheet is named ${sheet}. ` +
        `Give the file its HUD name, such as ${example}`,
      pageUrl,
    );
  return release;
}

/**
 * The rents of a workbook or CSV file, and their release.
 * @param example a valid file name, for messages
 * @throws Quarantine if the names state no fiscal year or different ones, or there is no table
 */
export function rentTable(page: Page, example: string): RentTable {
  const file = decodeURIComponent(new URL(page.url).pathname.split('/').at(-1) ?? '');
  const { name, table, isFixedWidth } = readTable(page, file);
  const release = detectRelease(file, name, example, page.url);
  const [top = [], ...rows] = table;
  const header = top.map((title) => line(title) ?? '');
  if (!header.some(Boolean)) throw new Quarantine('empty_body', `${name} is empty`, page.url);
  return {
    release,
    name,
    header,
    isFixedWidth,
    rows: rows.filter((cells) => cells.some((value) => value !== null && line(String(value)) !== null)),
  };
}

/** Refuse a row with missing or extra cells. */
export function checkCells({ header, isFixedWidth }: RentTable, cells: readonly Cell[]): void {
  const isWrong = isFixedWidth ? cells.length !== header.length : cells.length > header.length;
  const expected = isFixedWidth ? header.length : `at most ${header.length}`;
  if (isWrong) refuse('wrong_field_count', `the row has ${cells.length} cells, expected ${expected}`);
}

/**
 * The name of a HUD area. A line break inside it is read as a space, but two spaces stay as published, such as
 * "Cincinnati, OH-KY-IN  HUD Metro FMR Area".
 */
export function areaName(value: unknown): string {
  const name = tidy(value)?.replace(/[ \t]*[\r\n]+[ \t]*/gu, ' ');
  return name ?? refuse('blank_hud_area_name', 'hud_area_name is blank');
}

/** A monthly rent. HUD never publishes a rent of zero. */
export function rent(field: string, value: unknown): string {
  const amount = money(field, value);
  return amount !== null && !/^(?:-|0\.00$)/u.test(amount)
    ? amount
    : refuse(`bad_${field}`, `${field} is ${JSON.stringify(value)}, expected a rent above zero`);
}

// HUD's own list of fiscal years is read if the rents are of an older year than the day's. It shows whether HUD has
// published a newer year that could not be read. The list's layout is not confirmed by recorded bytes, so only the
// names of rent files in it are read.

/** Kind of the page with the list. It has no rows. */
export const YEARS = 'years';

/** The pages of rents, then the list of years if their newest year is older than the day's. */
export async function* withListOfYears(
  ctx: FetchContext,
  pages: AsyncIterable<Page>,
  listUrl: string,
): AsyncGenerator<Page> {
  const years: number[] = [];
  for await (const page of pages) {
    years.push(...yearOf(page));
    yield page;
  }
  if (years.length === 0 || Math.max(...years) >= fiscalYearOn(ctx.asOf)) return;
  const list = await listOfYears(ctx, listUrl);
  if (list) yield list;
}

/** For a kind of rent file: the newest year that a page lists, or null if it is no list or names no such file. */
export const listedYearOf =
  (kind: 'FMRs' | 'SAFMRs') =>
  (page: Page): number | null => {
    if (page.kind !== YEARS) return null;
    const names = page.text('windows-1252').match(new RegExp(`\\bFY(?:20)?\\d\\d_${kind}[\\w-]*(?=\\.)`, 'giu')) ?? [];
    const years = names.flatMap((name) => releaseIn(name)?.fiscalYear ?? []);
    return years.length === 0 ? null : Math.max(...years);
  };

/** The year that the workbook's address states, if it states one. */
const yearOf = ({ url }: Page): readonly number[] => [releaseIn(url)?.fiscalYear ?? []].flat();

/** The list; null if it cannot be read, which is no reason to refuse the rents. */
async function listOfYears(ctx: FetchContext, url: string): Promise<Page | null> {
  try {
    return await ctx.getIfExists(url, { kind: YEARS });
  } catch (error) {
    if (error instanceof SourceUnavailable || error instanceof Quarantine) return null;
    throw error;
  }
}
