/**
 * HUD Small Area Fair Market Rents: rents by ZIP, the release in force on the day of the run.
 *
 * Column names and file names are as third parties state them, the layout of the emergency rental assistance file
 * as in the file of fiscal year 2024. A year may be without a ZIP file: then the site's own list of such files is read
 * and must name none either, and the source is good without rows.
 */
import { defineSource, Quarantine, type Candidate, type Page } from '../../contract.ts';
import { FmrZip } from '../../rows/fmr_zip.ts';
import { HUD_TOKEN, zipPages, zipsOfArea } from '../../families/hud_api.ts';
import {
  checkCells,
  effectiveOn,
  HUD,
  releaseIn,
  releasesOn,
  rent,
  rentTable,
  shortYear,
} from '../../families/hud_releases.ts';
import type { Cell } from '../../csv/xlsx.ts';
import { candidate, checkColumns, required, refuse, tidy, zip } from '../../values.ts';

const ROOMS = [0, 1, 2, 3, 4] as const;

interface Layout {
  readonly basis: 'zip' | 'greater_of_zip_and_area';
  readonly code: RegExp;
  readonly rent: (rooms: number) => string;
  /** Columns that are known and not read. */
  readonly unread: readonly RegExp[];
}

/** By kind of page. Line breaks inside column names are spaces here. */
const LAYOUTS: Readonly<Record<string, Layout>> = {
  safmr: {
    basis: 'zip',
    code: /^HUD Area Code$/u,
    rent: (rooms) => `SAFMR ${rooms}BR`,
    unread: [/^SAFMR [0-4]BR ?- ?(?:90|110)% Payment Standard$/u],
  },
  // Landlords were paid up to the greater of the two rents, so a ZIP below its area shows the area's rent here.
  erap: {
    basis: 'greater_of_zip_and_area',
    code: /^CBSASub\d\d$/u,
    rent: (rooms) => `erap_fmr_br${rooms}`,
    unread: [],
  },
};

const AREA_NAME = /^HUD (?:Metro )?Fair Market Rent Area Name$/u;
const ZIP = 'ZIP Code';

/** A ZIP, which a spreadsheet may hold as a number without its leading zeros. */
const zipOf = (value: Cell): string =>
  zip('ZIP Code', typeof value === 'number' ? String(value).padStart(5, '0') : value) ??
  refuse('blank_zip', 'ZIP Code is blank');

const INDEX = `${HUD}/portal/datasets/fmr/smallarea/index.html`;

/** The site's list of ZIP files is a page without rows. Throws Quarantine where it names a file that stands on the day. */
function checkIndex(page: Page): readonly Candidate[] {
  const html = page.text('windows-1252');
  if (!/Small Area/iu.test(html))
    throw new Quarantine('template_changed', 'the list of small-area rents does not speak of small areas', page.url);
  const standing = releasesOn(page.observedAt.slice(0, 10));
  for (const [link = ''] of html.matchAll(/[\w-]*safmrs[\w-]*\.xlsx/giu)) {
    const named = releaseIn(link);
    if (named && standing.some((r) => r.fiscalYear === named.fiscalYear && r.revision === named.revision)) {
      throw new Quarantine(
        'template_changed',
        `the site lists ${link}, which is not at any address known here`,
        page.url,
      );
    }
  }
  return [];
}

function parse(page: Page): readonly Candidate[] {
  if (page.kind === 'index') return checkIndex(page);
  if (page.kind === 'zipdata') return zipsOfArea(page);
  const layout = LAYOUTS[page.kind];
  if (!layout) throw new Error(`hud_safmr has no page of the kind ${page.kind}`);
  const table = rentTable(page);
  const { from, header, rows } = table;
  // The first of each pattern, or the pattern itself so that the message names what is missing.
  const named = (pattern: RegExp): string => header.find((name) => pattern.test(name)) ?? pattern.source;
  const columns = { code: named(layout.code), name: named(AREA_NAME) };
  checkColumns(header, [ZIP, columns.code, columns.name, ...ROOMS.map(layout.rent)], page.url, layout.unread);
  const { fiscalYear, revision } = from;

  return rows.map((cells) => {
    const at = (name: string): Cell => cells[header.indexOf(name)] ?? null;
    const digits = typeof at(ZIP) === 'number' ? String(at(ZIP)).padStart(5, '0') : tidy(at(ZIP));
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
            zip: zipOf(at(ZIP)),
            hud_area_code: required('hud_area_code', code),
            hud_area_name: tidy(at(columns.name)) ?? refuse('blank_hud_area_name', 'hud_area_name is blank'),
            ...Object.fromEntries(
              ROOMS.map((rooms) => [`rent_${rooms}`, rent(`rent_${rooms}`, at(layout.rent(rooms)))]),
            ),
            fiscal_year: fiscalYear,
            effective_on: effectiveOn(from),
            revision,
            basis: layout.basis,
          },
        };
      },
      key,
    );
  });
}

export default defineSource({
  name: 'hud_safmr',
  family: 'fmr',
  title: 'HUD Small Area Fair Market Rents',
  home: INDEX,
  terms: {
    basis: 'us_government_work',
    note: 'A work of the US government; the terms of the site itself were not obtained, so the operator should read them.',
    url: INDEX,
  },
  everyDays: 7,
  hosts: ['www.huduser.gov'],
  secrets: [HUD_TOKEN],
  politeness: { minIntervalMs: 5000, concurrency: 1 },
  row: FmrZip,
  // A year without a ZIP file is no fault; one that had 51,000 rows and has none is.
  expect: { minRows: 0, maxRejectShare: 0.01, maxDropShare: 0.05 },
  drop: [
    {
      pattern: /^fy(?:20)?\d\d_safmrs(?:_rev(?:ised)?)?\.(?:xlsx|csv)$/u,
      kind: 'safmr',
      about:
        'The ZIP workbook under the name HUD gives it, such as fy2026_safmrs_revised.xlsx, or its CSV export: the name says which year and release it is.',
    },
    {
      pattern: /^fy(?:20)?\d\d_erap_\w+\.(?:xlsx|csv)$/u,
      kind: 'erap',
      about:
        'The ZIP rents for emergency rental assistance, such as FY24_ERAP_SAFMR_by_zip.csv: the greater of the rents of the ZIP and its area.',
    },
  ],

  /** The ZIP file of the newest release in force, by either of the names HUD has given such files; else the API's ZIPs, which are of fewer areas. */
  async *fetch(ctx) {
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
    const token = ctx.secret(HUD_TOKEN);
    let pages = 0;
    if (token !== undefined) {
      for await (const page of zipPages(ctx, token)) {
        pages += 1;
        yield page;
      }
    }
    if (pages === 0) yield await ctx.get(INDEX, { kind: 'index' });
  },
  parse,
});
