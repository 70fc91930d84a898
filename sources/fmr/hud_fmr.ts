/** HUD Fair Market Rents by county, from the workbook in force on the run's day. */
import {
  type Candidate,
  defineSource,
  type FetchContext,
  type Page,
  SourceUnavailable,
  US_GOVERNMENT_WORK,
} from '../contract.ts';
import { FmrArea } from '../rows/fmr.ts';
import {
  areaName,
  checkCells,
  effectiveOn,
  HUD,
  listedYearOf,
  releasesOn,
  rent,
  rentTable,
  shortYear,
  withListOfYears,
  YEARS,
} from '../readers/hud_releases.ts';
import type { Cell } from '../csv/xlsx.ts';
import { checkColumns } from '../csv/csv.ts';
import { candidate, integer, line, refuse, required, state, tidy } from '../values.ts';

const HOME = `${HUD}/portal/datasets/fmr.html`;
/** A file name in HUD's form. */
const FILE = 'FY26_FMRs.xlsx';
/** The subdivision of a FIPS code that means the whole county. */
const WHOLE_COUNTY = '99999';

/**
 * The columns that are read, each under its heading since fiscal year 2024 and under those of 2019 to 2023, which
 * recorded files confirm. From 2019 to 2022 the headings are fips2010, metro_code and areaname; in 2023 State.
 */
const HEADINGS = {
  stusps: ['stusps', 'state_alpha'],
  state: ['state', 'State'],
  hud_area_code: ['hud_area_code', 'metro_code'],
  countyname: ['countyname'],
  county_town_name: ['county_town_name'],
  metro: ['metro'],
  hud_area_name: ['hud_area_name', 'areaname'],
  fips: ['fips', 'fips2010'],
  fmr_0: ['fmr_0'],
  fmr_1: ['fmr_1'],
  fmr_2: ['fmr_2'],
  fmr_3: ['fmr_3'],
  fmr_4: ['fmr_4'],
} as const;
type Column = keyof typeof HEADINGS;

/** Columns of 2019 to 2021 that are not read: parts of the FIPS code, survey figures, changes from last year. */
const UNREAD = [/^county$/u, /^cousub$/u, /^acs_20\d\d_2$/u, /^fmr_type$/u, /^fmr_(?:pct|dollar)_chg$/u];

/** The name of the population column has its census year: pop2010, pop2017, pop2020, pop2022, pop2023. */
const POPULATION = /^pop20\d\d$/u;

/** The heading of a column in this file. @throws Quarantine if a heading is missing or unknown */
function matchHeadings(header: readonly string[], pageUrl: string): (column: Column) => string {
  const headingOf = (column: Column): string => {
    const names: readonly [string, ...string[]] = HEADINGS[column];
    return names.find((name) => header.includes(name)) ?? names[0];
  };
  const columns = Object.keys(HEADINGS) as Column[];
  checkColumns(header, columns.map(headingOf), pageUrl, [POPULATION, ...UNREAD]);
  return headingOf;
}

function parse(page: Page): readonly Candidate[] {
  if (page.kind === YEARS) return [];
  const table = rentTable(page, FILE);
  const { release, header, rows } = table;
  const headingOf = matchHeadings(header, page.url);
  const at = (cells: readonly Cell[], name: Column): Cell => cells[header.indexOf(headingOf(name))] ?? null;
  const populationAt = header.findIndex((name) => POPULATION.test(name));
  const { fiscalYear, revision } = release;

  return rows.map((cells) => {
    const fips = tidy(at(cells, 'fips')) ?? '';
    const key = /^\d{10}$/u.test(fips) ? { fips, fiscal_year: String(fiscalYear), revision } : undefined;
    return candidate(
      JSON.stringify(cells),
      () => {
        checkCells(table, cells);
        if (!key) refuse('bad_fips', `fips is ${JSON.stringify(fips)}, expected ten digits`);
        // Until 2023 the state is a number without its leading zero.
        if (tidy(at(cells, 'state'))?.padStart(2, '0') !== fips.slice(0, 2))
          refuse('fips_mismatch', `state is ${JSON.stringify(at(cells, 'state'))}, fips is ${fips}`);
        const metro = integer('metro', at(cells, 'metro'));
        if (metro !== 0 && metro !== 1)
          return refuse('bad_metro', `metro is ${JSON.stringify(at(cells, 'metro'))}, expected 0 or 1`);
        const county = required('countyname', at(cells, 'countyname'));
        const town = line(at(cells, 'county_town_name'));
        return {
          values: {
            fips,
            county_fips: fips.slice(0, 5),
            state: state('stusps', required('stusps', at(cells, 'stusps'))),
            county_name: county,
            // Until 2021 the row of a whole county repeats the county's name here.
            town_name: fips.endsWith(WHOLE_COUNTY) && town === county ? null : town,
            hud_area_code: required('hud_area_code', at(cells, 'hud_area_code')),
            hud_area_name: areaName(at(cells, 'hud_area_name')),
            is_metro: metro === 1,
            population: populationAt < 0 ? null : integer('population', cells[populationAt]),
            fmr_0: rent('fmr_0', at(cells, 'fmr_0')),
            fmr_1: rent('fmr_1', at(cells, 'fmr_1')),
            fmr_2: rent('fmr_2', at(cells, 'fmr_2')),
            fmr_3: rent('fmr_3', at(cells, 'fmr_3')),
            fmr_4: rent('fmr_4', at(cells, 'fmr_4')),
            fiscal_year: fiscalYear,
            effective_on: effectiveOn(release),
            revision,
          },
        };
      },
      key,
    );
  });
}

/** The workbook of the newest release in force that HUD has posted. */
async function* workbookPage(ctx: FetchContext): AsyncGenerator<Page> {
  const tried: string[] = [];
  for (const { fiscalYear, revision } of releasesOn(ctx.asOf)) {
    const suffix = revision === 'revised' ? '_revised' : '';
    const url = `${HUD}/portal/datasets/fmr/fmr${fiscalYear}/FY${shortYear(fiscalYear)}_FMRs${suffix}.xlsx`;
    tried.push(url);
    const page = await ctx.getIfExists(url, { kind: 'workbook', magic: 'PK', minBytes: 4000 });
    if (page) {
      yield page;
      return;
    }
  }
  throw new SourceUnavailable('not_found', `HUD has posted none of ${tried.join(', ')}`, tried[0] ?? HUD, 404);
}

export default defineSource({
  name: 'hud_fmr',
  family: 'fmr',
  title: 'HUD Fair Market Rents',
  home: HOME,
  terms: {
    basis: 'us_government_work',
    note: 'A work of the US government.',
    url: HOME,
    quote: US_GOVERNMENT_WORK,
    resale: 'allowed',
  },
  everyDays: 7,
  hosts: ['www.huduser.gov'],
  minIntervalMs: 5000,
  row: FmrArea,
  expect: { minRows: 100, maxRejectShare: 0.01, maxDropShare: 0.05 },
  drop: [
    {
      pattern: /^fy\d\d_fmrs(?:_revised)?\.(?:xlsx|csv)$/u,
      file: FILE,
      kind: 'workbook',
      about:
        `The county workbook under its HUD name, such as ${FILE}, or its CSV export: ` +
        'the name states the year and the release.',
    },
    {
      pattern: /^fmr\.html?$/u,
      file: 'fmr.html',
      kind: YEARS,
      about: `HUD's page of all years (${HOME}), saved next to a workbook: it tells whether a newer year is published.`,
    },
  ],

  listedFiscalYear: listedYearOf('FMRs'),
  /** The workbook, then the list of years if the rents are older. */
  fetch: (ctx) => withListOfYears(ctx, workbookPage(ctx), HOME),
  parse,
});
