/**
 * The census bureau's page of vacancy rates and Table 4 of the Housing Vacancy Survey, for the twenty metros: the table
 * of the year and the history, of which only the year before is shown.
 */
import { httpDate, page, respond, withValidators, type SandboxRequest, type SandboxResponse } from '../http.ts';
import type { WorldDay } from '../world/world.ts';
import { madeUpVacancy, publishedUpTo, SURVEYED_AREAS } from '../world/vacancies.ts';
import { htmlPage } from './html.ts';
import { perDay } from './per_day.ts';
import { workbook, type Cell } from './xlsx.ts';

const RATES = '/housing/hvs/data/rates';
const YEAR = 2026;
const YEAR_TABLE = `${RATES}/tab4_msa_${YEAR % 100}_rvr.xlsx`;
const HISTORY = `${RATES}/tab4b_msa_15_${(YEAR - 1) % 100}_rvr.xlsx`;
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const QUARTERS = ['First', 'Second', 'Third', 'Fourth'];
const NAME_WIDTH = 60;
/** Areas with a footnote on their former name have its number after the state. */
const FOOTNOTES: Readonly<Record<string, number>> = {
  'Atlanta-Sandy Springs-Roswell, GA': 1,
  'Memphis, TN-MS-AR': 14,
};

/** The name with its footnote and dot leaders. */
const printedArea = (area: string): string => `${area}${FOOTNOTES[area] ?? ''}`.padEnd(NAME_WIDTH, '.');

/** @param published number of quarters with figures */
function rowsOf(seed: number, year: number, published: number): Cell[][] {
  const areas = SURVEYED_AREAS.map((area, at): Cell[] => [
    at % 7 === 3 ? '*' : null,
    printedArea(area),
    ...QUARTERS.flatMap((_, index): Cell[] => {
      if (index >= published) return [null, null];
      const { rate, margin } = madeUpVacancy(seed, area, year, index + 1);
      return [rate / 10, margin / 10];
    }),
  ]);
  return [
    ['Table 4. Rental Vacancy Rates for the 75 Largest Metropolitan Statistical Areas: sandbox, made-up figures'],
    [],
    [],
    [
      null,
      'Metropolitan Statistical Area',
      ...QUARTERS.flatMap((quarter) => [`${quarter} Quarter\n${year}`, 'Margin of Error*']),
    ],
    [],
    [],
    [],
    ...areas,
    [],
    [1, 'Formerly titled Atlanta-Sandy Springs-Alpharetta, GA.'],
    [14, 'Formerly titled Memphis, TN-AR-MS.'],
  ];
}

/** The table of a year, made when its newest quarter was published. */
const tableOf = (year: number): ((day: WorldDay) => SandboxResponse) =>
  perDay(({ day, world }) => {
    const published = publishedUpTo(year, day);
    const made = published.at(-1) ?? `${year}-01-01`;
    const rows = rowsOf(world.options.seed, year, published.length);
    const bytes = workbook([{ name: 'Table 4', rows }], made, 'Sandbox: made-up figures, not of the census');
    return withValidators(respond(bytes, XLSX), httpDate(made, '10:00:00'));
  });
const yearTable = tableOf(YEAR);
const history = tableOf(YEAR - 1);

export function vacancyTables(day: WorldDay, { path }: SandboxRequest): SandboxResponse | null {
  switch (path) {
    case `${RATES}.html`:
      return page(
        htmlPage(
          'Housing Vacancies and Homeownership: rates',
          `<h1>Rates</h1>\n<a href="${YEAR_TABLE}">Table 4</a>\n<a href="${HISTORY}">Table 4b, history</a>`,
        ),
      );
    case YEAR_TABLE:
      return yearTable(day);
    case HISTORY:
      return history(day);
    default:
      return null;
  }
}
