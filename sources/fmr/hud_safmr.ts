/**
 * HUD Small Area Fair Market Rents: rents by ZIP, of the release in force on the run's day. Column and file names are
 * from third parties. A year may have no ZIP file: the read is then good without rows, provided that the site's own
 * list names none either.
 */
import {
  type Candidate,
  defineSource,
  type FetchContext,
  type Page,
  Quarantine,
  US_GOVERNMENT_WORK,
} from '../contract.ts';
import { FmrZip } from '../rows/fmr.ts';
import {
  areaName,
  checkCells,
  effectiveOn,
  HUD,
  listedYearOf,
  releaseIn,
  releasesOn,
  rent,
  rentTable,
  shortYear,
  withListOfYears,
  YEARS,
} from '../readers/hud_releases.ts';
import type { Cell } from '../csv/xlsx.ts';
import { checkColumns } from '../csv/csv.ts';
import { candidate, required, refuse, tidy, zip } from '../values.ts';

const ROOMS = [0, 1, 2, 3, 4] as const;

// Line breaks in column names are read as spaces.
const ZIP = 'ZIP Code';
const CODE = 'HUD Area Code';
const rentColumn = (rooms: number): string => `SAFMR ${rooms}BR`;
const AREA_NAME = /^HUD (?:Metro )?Fair Market Rent Area Name$/u;
/** Columns that may be present and are not read. */
const UNREAD = [/^SAFMR [0-4]BR ?- ?(?:90|110)% Payment Standard$/u];
/** A file name in HUD's form. */
const FILE = 'fy2026_safmrs_revised.xlsx';

/**
 * A ZIP with the leading zeros that it loses as a number, as in the workbooks of 2021, 2023 and 2024. A CSV export does
 * not tell numbers from text.
 */
function digitsOf(value: Cell, isCsv: boolean): string | null {
  const digits = tidy(value);
  const isNumber = typeof value === 'number' || (isCsv && /^\d{3,4}$/u.test(digits ?? ''));
  return isNumber ? (digits ?? '').padStart(5, '0') : digits;
}

const INDEX = `${HUD}/portal/datasets/fmr/smallarea/index.html`;

/** The site's list of ZIP files, which has no rows. @throws Quarantine if it names a file in force on the day */
function checkIndex(page: Page): readonly Candidate[] {
  const html = page.text('windows-1252');
  if (!/Small Area/iu.test(html))
    throw new Quarantine('template_changed', 'the list of small-area rents does not mention small areas', page.url);
  const inForce = releasesOn(page.observedAt.slice(0, 10));
  for (const [link = ''] of html.matchAll(/[\w-]*safmrs[\w-]*\.xlsx/giu)) {
    const named = releaseIn(link);
    if (named && inForce.some((row) => row.fiscalYear === named.fiscalYear && row.revision === named.revision)) {
      throw new Quarantine(
        'template_changed',
        `the site lists ${link}, but none of the known addresses has it`,
        page.url,
      );
    }
  }
  return [];
}

function parse(page: Page): readonly Candidate[] {
  if (page.kind === YEARS) return [];
  if (page.kind === 'index') return checkIndex(page);
  const table = rentTable(page, FILE);
  const { release, header, rows } = table;
  // Falls back to one of its names, so that checkColumns names it as missing.
  const name = header.find((column) => AREA_NAME.test(column)) ?? 'HUD Fair Market Rent Area Name';
  checkColumns(header, [ZIP, CODE, name, ...ROOMS.map(rentColumn)], page.url, UNREAD);
  const { fiscalYear, revision } = release;

  return rows.map((cells) => {
    const at = (column: string): Cell => cells[header.indexOf(column)] ?? null;
    const digits = digitsOf(at(ZIP), table.isFixedWidth);
    const code = tidy(at(CODE));
    const key =
      code !== null && digits !== null && /^\d{5}$/u.test(digits)
        ? { zip: digits, hud_area_code: code, fiscal_year: String(fiscalYear), revision }
        : undefined;
    return candidate(
      JSON.stringify(cells),
      () => {
        checkCells(table, cells);
        return {
          values: {
            zip: zip('ZIP Code', digits) ?? refuse('blank_zip', 'ZIP Code is blank'),
            hud_area_code: required('hud_area_code', code),
            hud_area_name: areaName(at(name)),
            ...Object.fromEntries(
              ROOMS.map((rooms) => [`rent_${rooms}`, rent(`rent_${rooms}`, at(rentColumn(rooms)))]),
            ),
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

/** The ZIP file of the newest release in force, under either of HUD's names; else the site's own list of them. */
async function* rentPages(ctx: FetchContext): AsyncGenerator<Page> {
  for (const { fiscalYear, revision } of releasesOn(ctx.asOf)) {
    const suffix = `safmrs${revision === 'revised' ? '_revised' : ''}.xlsx`;
    for (const name of [`fy${fiscalYear}_${suffix}`, `FY${shortYear(fiscalYear)}_${suffix}`]) {
      const page = await ctx.getIfExists(`${HUD}/portal/datasets/fmr/fmr${fiscalYear}/${name}`, {
        kind: 'safmr',
        magic: 'PK',
        minBytes: 4000,
      });
      if (page) {
        yield page;
        return;
      }
    }
  }
  yield await ctx.get(INDEX, { kind: 'index' });
}

export default defineSource({
  name: 'hud_safmr',
  family: 'fmr',
  title: 'HUD Small Area Fair Market Rents',
  home: INDEX,
  terms: {
    basis: 'us_government_work',
    note: 'A work of the US government.',
    url: INDEX,
    quote: US_GOVERNMENT_WORK,
    resale: 'allowed',
  },
  everyDays: 7,
  hosts: ['www.huduser.gov'],
  minIntervalMs: 5000,
  row: FmrZip,
  // A year without a ZIP file is valid, but a drop from 51,000 rows to none is an error (maxDropShare).
  expect: { minRows: 0, maxRejectShare: 0.01, maxDropShare: 0.05 },
  drop: [
    {
      pattern: /^fy(?:20)?\d\d_safmrs(?:_rev(?:ised)?)?\.(?:xlsx|csv)$/u,
      file: FILE,
      kind: 'safmr',
      about:
        'The ZIP workbook under its HUD name, such as fy2026_safmrs_revised.xlsx, or its CSV export: ' +
        'the name states the year and the release.',
    },
    {
      pattern: /^index\.html?$/u,
      file: 'index.html',
      kind: YEARS,
      about: `HUD's page of all years (${INDEX}), saved next to a file: it tells whether a newer year is published.`,
    },
  ],

  listedFiscalYear: listedYearOf('SAFMRs'),
  /** The rents, then the site's list of files if the rents are of an older year. */
  fetch: (ctx) => withListOfYears(ctx, rentPages(ctx), INDEX),
  parse,
});
