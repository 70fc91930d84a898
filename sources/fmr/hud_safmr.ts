/**
 * HUD Small Area Fair Market Rents: rents by ZIP, of the release in force on the run's day. Column and file names are
 * from third parties; the layout of the emergency rental assistance file is that of fiscal year 2024. A year may have
 * no ZIP file: the read is then good without rows, provided that the site's own list names none either.
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

/** A column whose name changes from year to year, with one such name for messages. */
interface NamedColumn {
  readonly pattern: RegExp;
  readonly example: string;
}

interface Layout {
  readonly basis: 'zip' | 'greater_of_zip_and_area';
  /** Column of the area's code. */
  readonly code: NamedColumn;
  /** A file name in HUD's form. */
  readonly file: string;
  readonly rent: (rooms: number) => string;
  /** Columns that may be present and are not read. */
  readonly unread: readonly RegExp[];
}

/** By kind of page. Line breaks in column names are read as spaces. */
const LAYOUTS: Readonly<Record<string, Layout>> = {
  safmr: {
    basis: 'zip',
    code: { pattern: /^HUD Area Code$/u, example: 'HUD Area Code' },
    file: 'fy2026_safmrs_revised.xlsx',
    rent: (rooms) => `SAFMR ${rooms}BR`,
    unread: [/^SAFMR [0-4]BR ?- ?(?:90|110)% Payment Standard$/u],
  },
  // The program paid up to the greater of the two rents, so a ZIP below its area has the area's rent.
  erap: {
    basis: 'greater_of_zip_and_area',
    code: { pattern: /^CBSASub\d\d$/u, example: 'CBSASub24' },
    file: 'FY24_ERAP_SAFMR_by_zip.csv',
    rent: (rooms) => `erap_fmr_br${rooms}`,
    unread: [],
  },
};

const AREA_NAME: NamedColumn = {
  pattern: /^HUD (?:Metro )?Fair Market Rent Area Name$/u,
  example: 'HUD Fair Market Rent Area Name',
};
const ZIP = 'ZIP Code';

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
  const layout = LAYOUTS[page.kind];
  if (!layout) throw new Error(`hud_safmr has no page of kind ${page.kind}`);
  const table = rentTable(page, layout.file);
  const { release, header, rows } = table;
  // Falls back to the example, so that checkColumns names it as missing.
  const named = ({ pattern, example }: NamedColumn): string => header.find((name) => pattern.test(name)) ?? example;
  const columns = { code: named(layout.code), name: named(AREA_NAME) };
  checkColumns(header, [ZIP, columns.code, columns.name, ...ROOMS.map(layout.rent)], page.url, layout.unread);
  const { fiscalYear, revision } = release;

  return rows.map((cells) => {
    const at = (name: string): Cell => cells[header.indexOf(name)] ?? null;
    const digits = digitsOf(at(ZIP), table.isFixedWidth);
    const code = tidy(at(columns.code));
    const key =
      code !== null && digits !== null && /^\d{5}$/u.test(digits)
        ? { zip: digits, hud_area_code: code, fiscal_year: String(fiscalYear), revision, basis: layout.basis }
        : undefined;
    return candidate(
      JSON.stringify(cells),
      () => {
        checkCells(table, cells);
        return {
          values: {
            zip: zip('ZIP Code', digits) ?? refuse('blank_zip', 'ZIP Code is blank'),
            hud_area_code: required('hud_area_code', code),
            hud_area_name: areaName(at(columns.name)),
            ...Object.fromEntries(
              ROOMS.map((rooms) => [`rent_${rooms}`, rent(`rent_${rooms}`, at(layout.rent(rooms)))]),
            ),
            fiscal_year: fiscalYear,
            effective_on: effectiveOn(release),
            revision,
            basis: layout.basis,
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
  politeness: { minIntervalMs: 5000, concurrency: 1 },
  row: FmrZip,
  // A year without a ZIP file is valid, but a drop from 51,000 rows to none is an error (maxDropShare).
  expect: { minRows: 0, maxRejectShare: 0.01, maxDropShare: 0.05 },
  drop: [
    {
      pattern: /^fy(?:20)?\d\d_safmrs(?:_rev(?:ised)?)?\.(?:xlsx|csv)$/u,
      file: 'fy2026_safmrs_revised.xlsx',
      kind: 'safmr',
      about:
        'The ZIP workbook under its HUD name, such as fy2026_safmrs_revised.xlsx, or its CSV export: ' +
        'the name states the year and the release.',
    },
    {
      pattern: /^fy(?:20)?\d\d_erap_\w+\.(?:xlsx|csv)$/u,
      file: 'FY24_ERAP_SAFMR_by_zip.csv',
      kind: 'erap',
      about:
        'The ZIP rents for emergency rental assistance, such as FY24_ERAP_SAFMR_by_zip.csv: ' +
        'the greater of the rents of the ZIP and its area.',
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
