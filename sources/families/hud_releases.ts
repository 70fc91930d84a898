/** What HUD's yearly files of rents have in common: which release is in force on a day, what a file's name says, and its table. */
import { Quarantine, type Page } from '../contract.ts';
import { line, money, readCsv, refuse } from '../values.ts';
import { readXlsx, type Cell } from '../csv/xlsx.ts';

export const HUD = 'https://www.huduser.gov';

/** Days on which mid-year revisions took effect, from the Federal Register notice that announced each. */
const REVISED_ON: ReadonlyMap<number, string> = new Map([
  [2025, '2025-04-28'], // 90 FR 14158
  [2026, '2026-05-21'], // 91 FR 21301
]);

export interface Release {
  readonly fiscalYear: number;
  readonly revision: 'original' | 'revised';
}

/** HUD fiscal year in force on a day: rents of year N take effect on 1 October of N-1. */
export function fiscalYearOn(day: string): number {
  return Number(day.slice(0, 4)) + (day.slice(5) >= '10-01' ? 1 : 0);
}

/** Day a release took effect. A revision whose notice is not listed here is taken from the start of its year. */
export function effectiveOn({ fiscalYear, revision }: Release): string {
  return (revision === 'revised' ? REVISED_ON.get(fiscalYear) : undefined) ?? `${fiscalYear - 1}-10-01`;
}

/** The releases that may stand on a day, the one to prefer first: a revision only from the day it takes effect. */
export function releasesOn(day: string): Release[] {
  const inForce = fiscalYearOn(day);
  return [inForce, inForce - 1]
    .flatMap((fiscalYear) => (['revised', 'original'] as const).map((revision) => ({ fiscalYear, revision })))
    .filter((release) => effectiveOn(release) <= day);
}

/** Last two digits of a fiscal year, as file names have them. */
export const shortYear = (fiscalYear: number): string => String(fiscalYear % 100).padStart(2, '0');

/** The release that a name states, such as FY26_FMRs_revised or fy2026_safmrs; null where it states none. */
export function releaseIn(name: string): Release | null {
  const match = /\bFY(?:20)?(\d\d)_(?:FMRs|SAFMRs|ERAP_\w+?)(_rev(?:ised)?)?(?=\.|\b)/iu.exec(name);
  return match ? { fiscalYear: 2000 + Number(match[1]), revision: match[2] ? 'revised' : 'original' } : null;
}

export interface RentTable {
  readonly from: Release;
  /** Name of the sheet, or of the file where it is a CSV. */
  readonly name: string;
  /** Column names, line breaks inside them made spaces. */
  readonly header: readonly string[];
  /** Rows that hold anything. */
  readonly rows: readonly (readonly Cell[])[];
  /** Whether every row has a cell for every column; a workbook leaves out those that are empty at the end. */
  readonly padded: boolean;
}

/**
 * The table of a workbook or of its CSV export, and its release. The file's name decides; a sheet named after the
 * file must not contradict its year.
 * Throws Quarantine where neither says a year, they contradict each other, or there is no table.
 */
export function rentTable(page: Page): RentTable {
  const file = decodeURIComponent(new URL(page.url).pathname.split('/').at(-1) ?? '');
  const byFile = releaseIn(file);
  let name = file;
  let table: readonly (readonly Cell[])[];
  let padded = false;
  if (page.bytes[0] === 0x50 && page.bytes[1] === 0x4b) {
    const sheets = readXlsx(page.bytes, page.url);
    const sheet = sheets.find((s) => releaseIn(s.name)) ?? sheets[0];
    if (!sheet) throw new Quarantine('malformed_page', 'the workbook has no sheet', page.url);
    ({ name, rows: table } = sheet);
  } else if (/\.csv$/iu.test(file)) {
    const csv = readCsv(page.text('windows-1252'), page.url);
    table = [csv.header, ...csv.rows.map((row) => row.cells)];
    padded = true;
  } else if (page.bytes.length === 0) {
    throw new Quarantine('empty_body', 'the file is empty', page.url);
  } else {
    throw new Quarantine(
      'malformed_page',
      `the file starts with ${JSON.stringify(Buffer.from(page.bytes.subarray(0, 12)).toString('latin1'))}, which is no workbook`,
      page.url,
    );
  }
  const bySheet = releaseIn(name);
  const from = byFile ?? bySheet;
  if (!from)
    throw new Quarantine(
      'template_changed',
      `neither the file's name nor the sheet's (${name}) says which fiscal year it holds`,
      page.url,
    );
  if (bySheet && bySheet.fiscalYear !== from.fiscalYear) {
    throw new Quarantine(
      'template_changed',
      `the file is of fiscal year ${from.fiscalYear}, its sheet is named ${name}`,
      page.url,
    );
  }
  const [top = [], ...rows] = table;
  const header = top.map((title) => line(title) ?? '');
  if (!header.some(Boolean)) throw new Quarantine('empty_body', `${name} is empty`, page.url);
  return {
    from,
    name,
    header,
    padded,
    rows: rows.filter((cells) => cells.some((value) => value !== null && line(String(value)) !== null)),
  };
}

/** Refuse a row whose cells have slipped out of their columns. */
export function checkCells({ header, padded }: RentTable, cells: readonly Cell[]): void {
  if (padded ? cells.length !== header.length : cells.length > header.length) {
    refuse(
      'wrong_field_count',
      `the row has ${cells.length} cells, expected ${padded ? '' : 'at most '}${header.length}`,
    );
  }
}

/** A monthly rent, which HUD never publishes as nothing. */
export function rent(field: string, value: unknown): string {
  const amount = money(field, value);
  return amount !== null && !/^(?:-|0\.00$)/u.test(amount)
    ? amount
    : refuse(`bad_${field}`, `${field} is ${JSON.stringify(value)}, expected a rent above zero`);
}
