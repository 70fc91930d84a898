/**
 * Rental vacancy of the 75 largest metropolitan areas by quarter, from the Housing Vacancy Survey of the Census Bureau:
 * Table 4 of the year, and its history of earlier years. The names of both files change with the year, so they are read
 * from the bureau's page of rates; public readers found them there in October 2026. No page and no workbook was
 * recorded: the layout of the tables is known from descriptions and quoted rows, and another one is refused.
 */
import {
  type Candidate,
  defineSource,
  type FetchContext,
  type Page,
  Quarantine,
  US_GOVERNMENT_WORK,
} from '../contract.ts';
import { type Cell, readXlsx, type Sheet } from '../csv/xlsx.ts';
import { AreaVacancy } from '../rows/benchmarks.ts';
import { candidate, decimal, hundredths, line, MADE_UP, refuse } from '../values.ts';

const QUARTER = /\b(first|second|third|fourth)\s+quarter\s+(\d{4})\b/iu;
const ORDINALS = ['first', 'second', 'third', 'fourth'];
const LAST_DAYS = ['03-31', '06-30', '09-30', '12-31'];
const MARGIN = /margin\s+of\s+error/iu;
const AREAS = /metropolitan/iu;
/** Column B. Figures are to the right of it. */
const AREA_AT = 1;
/** "Atlanta-Sandy Springs-Roswell, GA1......": the name, footnote numbers and dot leaders. */
const AREA = /^\**\s*(\p{L}[\p{L}\s.'’/-]*,\s*[A-Z]{2}(?:-[A-Z]{2})*)[\s.]*[\d,]*[\s.…]*$/u;

interface Quarter {
  readonly year: number;
  readonly quarter: number;
  readonly endsOn: string;
  readonly label: string;
  /** Column of the rate; that of the margin follows. */
  readonly at: number;
}

interface SheetRow {
  readonly cells: readonly Cell[];
  /** Number of the row in its sheet, from 1. */
  readonly number: number;
}

interface VacancyPage {
  readonly url: string;
  /** Day of the read: no later quarter has figures. */
  readonly readOn: string;
  /** First and last year of the table. */
  readonly years: readonly [first: number, last: number];
  readonly isMadeUp: boolean;
}

const textOf = (value: Cell | undefined): string | null => {
  if (typeof value === 'boolean') return String(value);
  return typeof value === 'object' && value !== null ? value.error : line(value);
};

const isHeading = ({ cells }: SheetRow): boolean =>
  cells.slice(AREA_AT + 1).some((value) => QUARTER.test(textOf(value) ?? ''));

/** @throws Quarantine if a quarter has no margin next to it, or column B does not name areas */
function parseQuarters({ cells, number }: SheetRow, sheet: string, pageUrl: string): Quarter[] {
  const texts = cells.map((value) => textOf(value) ?? '');
  const expect = (at: number, pattern: RegExp, expected: string): void => {
    const found = texts[at] ?? '';
    if (!pattern.test(found))
      throw new Quarantine(
        'template_changed',
        `sheet ${sheet} row ${number}: column ${at + 1} is headed ${JSON.stringify(found)}, expected ${expected}`,
        pageUrl,
      );
  };
  expect(AREA_AT, AREAS, '"Metropolitan Statistical Area"');
  return texts.flatMap((text, at): Quarter[] => {
    const [label, ordinal = '', year = ''] = QUARTER.exec(text) ?? [];
    if (label === undefined) return [];
    expect(at + 1, MARGIN, `"Margin of Error" after ${JSON.stringify(label)}`);
    const index = ORDINALS.indexOf(ordinal.toLowerCase());
    return [{ year: Number(year), quarter: index + 1, endsOn: `${year}-${LAST_DAYS[index] ?? ''}`, label, at }];
  });
}

/** The blocks of a sheet with their rows that have a figure: notes have none. @throws like quartersOf */
function findBlocks({ name, rows }: Sheet, pageUrl: string) {
  const numbered = rows.map((cells, index): SheetRow => ({ cells, number: index + 1 }));
  const headings = numbered.filter(isHeading);
  return headings.map((heading, index) => {
    const quarters = parseQuarters(heading, name, pageUrl);
    const end = headings[index + 1]?.number ?? Infinity;
    const hasFigure = ({ cells }: SheetRow): boolean =>
      quarters.some(({ at }) => textOf(cells[at]) !== null || textOf(cells[at + 1]) !== null);
    const isBelow = ({ number }: SheetRow): boolean => number > heading.number && number < end;
    return { quarters, rows: numbered.filter((row) => isBelow(row) && hasFigure(row)) };
  });
}

/** A share or a margin in percent; null if the cell is blank. */
function figure(field: 'vacancy' | 'margin', value: Cell | undefined, where: string): string | null {
  const text = textOf(value);
  if (text === null) return null;
  // The bureau's mark of a figure that rounds to zero.
  if (/^\(z\)$/iu.test(text)) return '0.00';
  const size = /^\d+(?:\.\d+)?$/u.test(text) ? hundredths(text) : null;
  if (size === null || size > 10_000n)
    return refuse(
      `bad_${field}`,
      `${field} of ${where} is ${JSON.stringify(value)}, expected a percentage from 0 to 100`,
    );
  return decimal(size);
}

function vacancy(page: VacancyPage, { cells }: SheetRow, quarter: Quarter): Candidate {
  const { year, quarter: number, endsOn, label, at } = quarter;
  const named = textOf(cells[AREA_AT]);
  const area = AREA.exec(named ?? '')?.[1];
  const where = `${area ?? String(named)}, ${label}`;
  return candidate(
    () => JSON.stringify([named, label, cells[at] ?? null, cells[at + 1] ?? null]),
    () => {
      if (area === undefined)
        return refuse('bad_area', `column B is ${JSON.stringify(named)}, expected an area such as "Akron, OH"`);
      if (endsOn > page.readOn)
        refuse('future_date', `${where} has a figure before the quarter is over, on ${page.readOn}`);
      return {
        values: {
          area_name: area,
          year,
          quarter: number,
          ends_on: endsOn,
          vacancy_pct: figure('vacancy', cells[at], where) ?? refuse('blank_vacancy', `${where} has no rate`),
          margin_pct: figure('margin', cells[at + 1], where),
          is_made_up: page.isMadeUp,
        },
      };
    },
    area === undefined ? undefined : { area_name: area, year: String(year), quarter: String(number) },
  );
}

/**
 * The rate of each area and quarter. A quarter in which no area has a figure is not published yet.
 * @throws Quarantine if no sheet has a heading, or one is not as expected or of a year outside of the table's
 */
export function parseVacancies(sheets: readonly Sheet[], page: VacancyPage): Candidate[] {
  const blocks = sheets.flatMap((sheet) => findBlocks(sheet, page.url));
  if (blocks.length === 0)
    throw new Quarantine(
      'template_changed',
      'no row names a quarter such as "First Quarter 2026" to the right of column B',
      page.url,
    );
  const [first, last] = page.years;
  const other = blocks.flatMap(({ quarters }) => quarters).find(({ year }) => year < first || year > last);
  if (other !== undefined)
    throw new Quarantine(
      'template_changed',
      `a heading names ${other.label}, expected ${first === last ? `quarters of ${first}` : `${first} to ${last}`}, ` +
        'as in the name of the table',
      page.url,
    );
  return blocks.flatMap(({ quarters, rows }) =>
    quarters
      .filter(({ at }) => rows.some(({ cells }) => textOf(cells[at]) !== null))
      .flatMap((quarter) => rows.map((row) => vacancy(page, row, quarter))),
  );
}

const SITE = 'https://www.census.gov';
const HOME = `${SITE}/housing/hvs/data/rates.html`;
/** Table 4 of one year (tab4_msa_26_rvr.xlsx), or of several (tab4b_msa_15_25_rvr.xlsx): first and last year. */
const TABLE = /["'/](tab4[a-z]?_msa_(?:(\d{2}|\d{4})_)?(\d{2}|\d{4})_rvr\.xlsx)["'\s>]/giu;
const YEAR_TABLE = 'tab4_msa_26_rvr.xlsx';
const HISTORY = 'tab4b_msa_15_25_rvr.xlsx';

interface Table {
  readonly name: string;
  readonly firstYear: number;
  readonly lastYear: number;
  readonly isHistory: boolean;
}

const fullYear = (digits: string): number => Number(digits.length === 2 ? `20${digits}` : digits);

/** Tables that a text names in quotation marks or a tag. */
const tablesIn = (text: string): Table[] =>
  [...text.matchAll(TABLE)].map(([, name = '', first, last = '']): Table => ({
    name,
    firstYear: fullYear(first ?? last),
    lastYear: fullYear(last),
    isHistory: first !== undefined,
  }));

/** The history that ends last, then the newest year's table. @throws Quarantine if the page names no table */
export function tablesOn(page: Page): string[] {
  const tables = tablesIn(page.text('windows-1252'));
  const newest = (isHistory: boolean): Table | undefined =>
    tables.filter((table) => table.isHistory === isHistory).sort((a, b) => b.lastYear - a.lastYear)[0];
  const [history, year] = [newest(true), newest(false)];
  if (year === undefined)
    throw new Quarantine('template_changed', `the page links to no table such as ${YEAR_TABLE}`, page.url);
  // Early in a year the table of the year before may still be the newest one, and is then in the history too.
  return [...(history ? [history.name] : []), year.name];
}

async function* workbooks(ctx: FetchContext): AsyncGenerator<Page> {
  const names = tablesOn(await ctx.get(HOME, { kind: 'index' }));
  for (const name of ctx.sampleRows === null ? names : names.slice(-1))
    yield await ctx.get(`${SITE}/housing/hvs/data/rates/${name}`, { kind: 'workbook', magic: 'PK', minBytes: 1000 });
}

/** @throws Quarantine also if a heading states a year that the table's name excludes: it would move every rate */
function parse(page: Page): readonly Candidate[] {
  const sheets = readXlsx(page.bytes, page.url);
  const isMadeUp = sheets.some(({ rows }) => rows.flat().some((value) => MADE_UP.test(String(value))));
  const [table] = tablesIn(`"${page.url.split('/').at(-1) ?? ''}"`);
  if (table === undefined)
    throw new Quarantine('template_changed', `the file has another name than a table such as ${YEAR_TABLE}`, page.url);
  const years = [table.firstYear, table.lastYear] as const;
  return parseVacancies(sheets, { url: page.url, readOn: page.observedAt.slice(0, 10), years, isMadeUp });
}

export default defineSource({
  name: 'census_hvs',
  family: 'benchmarks',
  title: 'Housing Vacancy Survey: rental vacancy by metropolitan area',
  home: HOME,
  terms: {
    basis: 'us_government_work',
    note: 'A work of the US government, in the public domain.',
    url: HOME,
    quote: US_GOVERNMENT_WORK,
    resale: 'allowed',
  },
  everyDays: 31,
  hosts: ['www.census.gov'],
  minIntervalMs: 5000,
  row: AreaVacancy,
  expect: {
    minRows: 50,
    maxRejectShare: 0.02,
    // The history may begin a year later.
    maxDropShare: 0.2,
    // A quarter is published within five weeks; a shutdown of the government has delayed one by months.
    newest: { column: 'ends_on', maxAgeDays: 200 },
  },
  drop: [
    {
      pattern: /^tab4[a-z]?_msa_[\d_]+_rvr\.xlsx$/u,
      file: YEAR_TABLE,
      kind: 'workbook',
      about: `Table 4 under its own name, such as ${YEAR_TABLE}, with its history, such as ${HISTORY} (${HOME}).`,
    },
  ],

  fetch: workbooks,
  parse,
});
