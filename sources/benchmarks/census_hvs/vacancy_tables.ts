/**
 * Tables of a Housing Vacancy Survey workbook: blocks of a heading row, which names quarters and margins, and below it
 * a row for each metropolitan area, with its name in column B. The history has a block for each year. The layout is
 * known from the descriptions and quoted rows of public readers; no workbook was recorded. A table with another layout
 * is refused.
 */
import { Quarantine, type Candidate } from '../../contract.ts';
import type { Cell, Sheet } from '../../csv/xlsx.ts';
import { candidate, decimal, hundredths, line, refuse } from '../../values.ts';

const QUARTER = /\b(first|second|third|fourth)\s+quarter\s+(\d{4})\b/iu;
const ORDINALS = ['first', 'second', 'third', 'fourth'];
const LAST_DAYS = ['03-31', '06-30', '09-30', '12-31'];
const MARGIN = /margin\s+of\s+error/iu;
const AREAS = /metropolitan/iu;
/** Column B. Figures are to the right of it. */
const AREA_AT = 1;
/** "Atlanta-Sandy Springs-Roswell, GA1......": the name, footnote numbers and dot leaders. */
const AREA = /^\**\s*(\p{L}[\p{L}\s.'’/-]*,\s*[A-Z]{2}(?:-[A-Z]{2})*)\s*[\d,]*[\s.…]*$/u;

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

interface Block {
  readonly quarters: readonly Quarter[];
  readonly rows: readonly SheetRow[];
}

export interface VacancyPage {
  readonly url: string;
  /** Day of the read: no later quarter has figures. */
  readonly readOn: string;
  /** First and last year of the table. */
  readonly years: readonly [first: number, last: number];
  readonly isMadeUp: boolean;
}

const textOf = (value: Cell | undefined): string | null => (typeof value === 'boolean' ? String(value) : line(value));

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
function findBlocks({ name, rows }: Sheet, pageUrl: string): Block[] {
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
