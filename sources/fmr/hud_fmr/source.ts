/** HUD Fair Market Rents from the yearly county workbook, the release in force on the day of the run. */
import { defineSource, Quarantine, SourceUnavailable, type Candidate, type Page } from '../../contract.ts';
import { FmrArea } from '../../rows/fmr_area.ts';
import { readXlsx, type Cell, type Sheet } from '../../families/xlsx.ts';
import { candidate, checkColumns, integer, line, money, refuse, required, state, tidy } from '../../values.ts';

const HOST = 'https://www.huduser.gov';

const COLUMNS = [
  'stusps', 'state', 'hud_area_code', 'countyname', 'county_town_name', 'metro', 'hud_area_name', 'fips',
  'fmr_0', 'fmr_1', 'fmr_2', 'fmr_3', 'fmr_4',
] as const;

/** The population column carries its census year: pop2020, pop2022, pop2023. */
const POPULATION = /^pop20\d\d$/u;

/** Days on which revisions took effect, from the Federal Register notice that announced each (FY2026: 91 FR 21301). */
const REVISED_ON: ReadonlyMap<number, string> = new Map([[2026, '2026-05-21']]);

/** HUD fiscal year in force on a day: rents of year N take effect on 1 October of N-1. */
export function fiscalYearOn(day: string): number {
  return Number(day.slice(0, 4)) + (day.slice(5) >= '10-01' ? 1 : 0);
}

interface Release {
  readonly fiscalYear: number;
  readonly revision: 'original' | 'revised';
}

/** "FY26_FMRs_revised" as a release, wherever it stands in a name. */
function release(name: string): Release | null {
  const match = /\bFY(\d\d)_FMRs(_revised)?/iu.exec(name);
  return match ? { fiscalYear: 2000 + Number(match[1]), revision: match[2] ? 'revised' : 'original' } : null;
}

/** The sheet of rents and its release. The file's name decides; the sheet, named after the file, must not contradict its year. */
function rentsOf(page: Page): { sheet: Sheet; from: Release } {
  const sheets = readXlsx(page.bytes, page.url);
  const sheet = sheets.find((s) => release(s.name)) ?? sheets[0];
  if (!sheet) throw new Quarantine('malformed_page', 'the workbook has no sheet', page.url);
  const bySheet = release(sheet.name);
  const byFile = release(new URL(page.url).pathname.split('/').at(-1) ?? '');
  const from = byFile ?? bySheet;
  if (!from) throw new Quarantine('template_changed', `neither the file's name nor the sheet's (${sheet.name}) says which fiscal year it holds`, page.url);
  if (bySheet && bySheet.fiscalYear !== from.fiscalYear) {
    throw new Quarantine('template_changed', `the file is of fiscal year ${from.fiscalYear}, its sheet is named ${sheet.name}`, page.url);
  }
  return { sheet, from };
}

/** A rent, which HUD never publishes as nothing. */
function rent(field: string, value: Cell | undefined): string {
  const amount = money(field, value);
  return amount !== null && !/^(?:-|0\.00$)/u.test(amount) ? amount : refuse(`bad_${field}`, `${field} is ${JSON.stringify(value)}, expected a rent above zero`);
}

function parse(page: Page): readonly Candidate[] {
  const { sheet, from } = rentsOf(page);
  const [top = [], ...rows] = sheet.rows;
  const header = top.map((name) => line(name) ?? '');
  if (!header.some(Boolean)) throw new Quarantine('empty_body', `sheet ${sheet.name} is empty`, page.url);
  checkColumns(header, COLUMNS, page.url, [POPULATION]);
  const at = (cells: readonly Cell[], name: (typeof COLUMNS)[number]): Cell => cells[header.indexOf(name)] ?? null;
  const populationAt = header.findIndex((name) => POPULATION.test(name));
  const effectiveOn = (from.revision === 'revised' ? REVISED_ON.get(from.fiscalYear) : undefined) ?? `${from.fiscalYear - 1}-10-01`;

  return rows.filter((cells) => cells.some((value) => tidy(value) !== null)).map((cells) => {
    const fips = tidy(at(cells, 'fips')) ?? '';
    const key = /^\d{10}$/u.test(fips) ? { fips, fiscal_year: String(from.fiscalYear) } : undefined;
    return candidate(JSON.stringify(cells), () => {
      if (!key) refuse('bad_fips', `fips is ${JSON.stringify(fips)}, expected ten digits`);
      if (at(cells, 'state') !== fips.slice(0, 2)) refuse('fips_mismatch', `state is ${JSON.stringify(at(cells, 'state'))}, fips is ${fips}`);
      const metro = integer('metro', at(cells, 'metro'));
      if (metro !== 0 && metro !== 1) return refuse('bad_metro', `metro is ${JSON.stringify(at(cells, 'metro'))}, expected 0 or 1`);
      return {
        values: {
          fips,
          county_fips: fips.slice(0, 5),
          state: state('stusps', required('stusps', at(cells, 'stusps'))),
          county_name: required('countyname', at(cells, 'countyname')),
          town_name: line(at(cells, 'county_town_name')),
          hud_area_code: required('hud_area_code', at(cells, 'hud_area_code')),
          // Trimmed but not collapsed: names such as "Cincinnati, OH-KY-IN  HUD Metro FMR Area" are kept as HUD writes them.
          hud_area_name: tidy(at(cells, 'hud_area_name')) ?? refuse('blank_hud_area_name', 'hud_area_name is blank'),
          is_metro: metro === 1,
          population: populationAt < 0 ? null : integer('population', cells[populationAt]),
          fmr_0: rent('fmr_0', at(cells, 'fmr_0')),
          fmr_1: rent('fmr_1', at(cells, 'fmr_1')),
          fmr_2: rent('fmr_2', at(cells, 'fmr_2')),
          fmr_3: rent('fmr_3', at(cells, 'fmr_3')),
          fmr_4: rent('fmr_4', at(cells, 'fmr_4')),
          fiscal_year: from.fiscalYear,
          effective_on: effectiveOn,
          revision: from.revision,
        },
      };
    }, key);
  });
}

export default defineSource({
  name: 'hud_fmr',
  family: 'fmr',
  title: 'HUD Fair Market Rents',
  home: `${HOST}/portal/datasets/fmr.html`,
  terms: {
    basis: 'us_government_work',
    note: 'A work of the US government; the terms of the site itself were not obtained, so the operator should read them.',
    url: 'https://www.huduser.gov/portal/datasets/fmr.html',
  },
  everyDays: 7,
  hosts: ['www.huduser.gov'],
  politeness: { minIntervalMs: 5000, concurrency: 1 },
  row: FmrArea,
  expect: { minRows: 100, maxRejectShare: 0.01, maxDropShare: 0.05 },
  drop: [{
    pattern: /^fy\d\d_fmrs(?:_revised)?\.xlsx$/u,
    kind: 'workbook',
    about: 'The county workbook under the name HUD gives it, such as FY26_FMRs.xlsx: the name says which year and release it is.',
  }],

  /** The revision of the year in force, else its original, else the same of the year before. */
  async *fetch(ctx) {
    const inForce = fiscalYearOn(ctx.asOf);
    const tried: string[] = [];
    for (const fiscalYear of [inForce, inForce - 1]) {
      for (const suffix of ['_revised', '']) {
        const url = `${HOST}/portal/datasets/fmr/fmr${fiscalYear}/FY${String(fiscalYear % 100).padStart(2, '0')}_FMRs${suffix}.xlsx`;
        tried.push(url);
        const page = await ctx.getIfExists(url, { kind: 'workbook', magic: 'PK', minBytes: 4000 });
        if (page) {
          yield page;
          return;
        }
      }
    }
    throw new SourceUnavailable('not_found', `none of ${tried.join(', ')} is posted`, tried[0] ?? HOST, 404);
  },
  parse,
});
