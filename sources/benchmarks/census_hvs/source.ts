/**
 * Rental vacancy of the 75 largest metropolitan areas by quarter, from the Housing Vacancy Survey of the Census Bureau:
 * Table 4 of the year, and its history of earlier years. The names of both files change with the year, so they are read
 * from the bureau's page of rates; public readers found them there in October 2026. No page and no workbook was
 * recorded.
 */
import { defineSource, Quarantine, type Candidate, type FetchContext, type Page } from '../../contract.ts';
import { readXlsx } from '../../csv/xlsx.ts';
import { MADE_UP } from '../../families/survey_rates.ts';
import { AreaVacancy } from '../../rows/area_vacancy.ts';
import { parseVacancies } from './vacancy_tables.ts';

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
    note:
      'A work of the US government; the terms of the site itself were not obtained, ' +
      'so the operator should read them.',
    url: HOME,
  },
  everyDays: 31,
  hosts: ['www.census.gov'],
  politeness: { minIntervalMs: 5000, concurrency: 1 },
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
