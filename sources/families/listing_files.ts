/**
 * Listings in files that the operator holds: a broker's e-mailed list, an export of a CRM, the download of a
 * property portal. CSV or XLSX, dropped into the source's folder.
 *
 * A column is known by its heading. The map below holds the headings in common use; for a file with others the
 * operator puts a `columns.json` beside it, an object from heading to field, or to null for a column to leave out:
 *
 *   {"Ask": "list_price", "Doors": "units", "Broker's price opinion": null}
 *
 * The heading row is the first that names a city, a state, a ZIP and a price; title rows above it are passed over,
 * as are columns that mean nothing here. Two columns for one field are not guessed between.
 *
 * The portal layout has 27 columns, states neither units nor income, and may carry the sentence of the MLS as a line
 * of its own, bare, quoted or padded with commas, and blank filler rows: none of these is a row.
 */
import { z } from 'zod';
import { Quarantine, type Candidate, type Page } from '../contract.ts';
import { candidate, decimal, hundredths, optional, readCsv, refuse, required, tidy } from '../values.ts';
import { listingValues, shownStreet, standing, webUrl } from './listing_values.ts';
import { readXlsx, type Cell } from '../csv/xlsx.ts';

/** Headings by what they mean, compared without case, spaces and punctuation, and without what stands in brackets. */
const HEADINGS = {
  listing_id: [
    'MLS#',
    'MLS Number',
    'Listing ID',
    'Listing Number',
    'Listing #',
    'Listing Key',
    'ID',
    'Property ID',
    'Deal ID',
  ],
  issuer: ['Source', 'MLS', 'MLS Name'],
  listing_url: ['URL', 'Link', 'Listing URL', 'Web Page', 'Website'],
  street: ['Address', 'Street', 'Street Address', 'Property Address', 'Address 1'],
  city: ['City', 'Property City', 'Town'],
  state: ['State', 'State or Province', 'Property State', 'ST'],
  zip: ['ZIP', 'ZIP Code', 'ZIP or Postal Code', 'Postal Code', 'Property ZIP'],
  list_price: ['Price', 'List Price', 'Asking Price', 'Ask Price', 'Asking', 'Sale Price'],
  units: ['Units', 'Unit Count', 'Number of Units', '# of Units', '# Units', 'No. of Units', 'Total Units'],
  cap_rate: ['Cap Rate', 'Cap', 'Cap Rate %', 'Going-in Cap Rate'],
  noi: ['NOI', 'Net Operating Income'],
  year_built: ['Year Built', 'Built'],
  property_type: ['Property Type', 'Type', 'Property Subtype', 'Asset Class'],
  listed_on: ['List Date', 'Listed', 'Listed On', 'Date Listed', 'On Market Date', 'Listing Date'],
  sold_on: ['Sold Date', 'Closing Date', 'Close Date'],
  status: ['Status', 'Listing Status', 'Standard Status', 'Availability'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

type Field = keyof typeof HEADINGS;
const FIELDS = Object.keys(HEADINGS) as Field[];
const NEEDED: readonly Field[] = ['city', 'state', 'zip', 'list_price'];

/** Name of the operator's map of columns, and of the page's context that holds it. */
export const COLUMNS_FILE = 'columns.json';

const ColumnMap = z.record(z.string(), z.enum(FIELDS).nullable());

/** One row of a file, and how it reads in the rejects table. */
interface Line {
  readonly cells: readonly Cell[];
  readonly raw: string;
  readonly where: string;
  /** Every row must have as many cells as the headings: in a CSV file one cell less moves all after it. */
  readonly counted?: boolean;
}

/** Rows above the headings that a list may have: its title, a date, a blank line. */
const MOST_TITLE_ROWS = 20;

/** The portal's own notice, in whatever way its commas cut it into cells. */
const DISCLAIMER = /^in accordance with local mls rules/iu;

/** Types that are no rental building of several units. */
const OTHER_TYPE =
  /\b(?:single[- ]family|condo|co-?op|townho(?:use|me)|vacant land|land|lot|mobile|manufactured|parking|timeshare)\b/iu;

const plain = (heading: Cell | undefined): string =>
  String(heading ?? '')
    .replace(/\(.*?\)/gu, '')
    .toUpperCase()
    .replace(/[^A-Z0-9#]/gu, '');

/** Field by plain heading; null for a column to leave out. The operator's map outranks the usual headings. */
function meanings(page: Page): ReadonlyMap<string, Field | null> {
  const known = new Map<string, Field | null>(
    FIELDS.flatMap((field) => HEADINGS[field].map((heading) => [plain(heading), field] as const)),
  );
  const own = page.context[COLUMNS_FILE];
  if (own === undefined) return known;
  let json: unknown;
  try {
    json = JSON.parse(own);
  } catch (error) {
    throw new Quarantine(
      'malformed_page',
      `${COLUMNS_FILE} is not JSON: ${error instanceof Error ? error.message : String(error)}`,
      page.url,
    );
  }
  const map = ColumnMap.safeParse(json);
  if (!map.success) {
    const issue = map.error.issues[0];
    throw new Quarantine(
      'malformed_page',
      `${COLUMNS_FILE}: ${JSON.stringify(issue?.path.join('.') ?? '')} expected to be one of ${FIELDS.join(', ')}, or null`,
      page.url,
    );
  }
  for (const [heading, field] of Object.entries(map.data)) known.set(plain(heading), field);
  return known;
}

/** Column of each field in a row of headings, or null where it is none. */
function columnsOf(
  line: Line,
  known: ReadonlyMap<string, Field | null>,
  page: Page,
): ReadonlyMap<Field, number> | null {
  const columns = new Map<Field, number>();
  const twice: string[] = [];
  for (const [at, heading] of line.cells.entries()) {
    const field = known.get(plain(heading));
    if (field === undefined || field === null) continue;
    const before = columns.get(field);
    if (before !== undefined)
      twice.push(`${JSON.stringify(line.cells[before])} and ${JSON.stringify(heading)} both mean ${field}`);
    else columns.set(field, at);
  }
  if (NEEDED.some((field) => !columns.has(field))) return null;
  if (twice.length > 0)
    throw new Quarantine(
      'template_changed',
      `${line.where}: ${twice.join('; ')}: name one of them null in ${COLUMNS_FILE}`,
      page.url,
    );
  return columns;
}

function csvLines(page: Page): Line[] {
  const { header, rows } = readCsv(page.text('windows-1252'), page.url, { looseQuotes: true });
  return [
    { cells: header, raw: header.join(','), where: 'line 1', counted: true },
    ...rows.map(({ cells, raw, line }) => ({ cells, raw, where: `line ${line}`, counted: true })),
  ];
}

const sheetLines = (sheet: ReturnType<typeof readXlsx>[number]): Line[] =>
  sheet.rows.map((cells, at) => ({ cells, raw: JSON.stringify(cells), where: `sheet ${sheet.name} row ${at + 1}` }));

const filled = ({ cells }: Line): string[] =>
  cells.map((cell) => (typeof cell === 'boolean' ? String(cell) : tidy(cell))).filter((text) => text !== null);

/** A day as text; a workbook keeps it as a count of days from the end of 1899. */
const dayOf = (value: Cell | undefined): Cell | undefined =>
  typeof value === 'number' && value > 20_000 && value < 80_000
    ? new Date(Date.UTC(1899, 11, 30) + Math.floor(value) * 86_400_000).toISOString().slice(0, 10)
    : value;

/** A cap rate in percent. A workbook keeps 7.25 % as 0.0725: what is below a half and has no percent sign is a share. */
function capRate(value: Cell | undefined): Cell | undefined {
  const text = typeof value === 'boolean' ? null : optional(value);
  if (text === null || !/^0*\.\d+$/u.test(text) || Number(text) >= 0.5) return value;
  const size = hundredths(`${text}e2`);
  return size === null ? value : decimal(size);
}

/** What stands for the number of a listing that has none: its address. */
function addressId(at: (field: Field) => Cell | undefined): string {
  const street =
    shownStreet(at('street')) ??
    refuse('blank_listing_id', 'the row has neither a listing number nor a street address, expected one of them');
  return [street, required('city', at('city')), required('state', at('state')), required('zip', at('zip'))]
    .join(', ')
    .toUpperCase();
}

function rowOf(line: Line, columns: ReadonlyMap<Field, number>, page: Page): Candidate {
  const at = (field: Field): Cell | undefined => {
    const column = columns.get(field);
    return column === undefined ? null : line.cells[column];
  };
  const wordAt = (field: Field): string | null => {
    const cell = at(field);
    return typeof cell === 'boolean' ? null : optional(cell);
  };
  // A number is one of a kind for whoever gave it only.
  const number = wordAt('listing_id');
  const known = number === null ? null : [wordAt('issuer'), number].filter((part) => part !== null).join(' ');
  return candidate(
    line.raw,
    () => {
      const listing_id = known ?? addressId(at);
      const type = optional(at('property_type'));
      if (type !== null && OTHER_TYPE.test(type))
        refuse(
          'not_multifamily',
          `${line.where}: the property type is ${JSON.stringify(type)}, expected one of several units`,
        );
      return {
        values: listingValues({
          listing_id,
          listing_url: webUrl(at('listing_url'), page.url),
          street: at('street'),
          city: at('city'),
          state: at('state'),
          zip: at('zip'),
          list_price: at('list_price'),
          units: at('units'),
          cap_rate: capRate(at('cap_rate')),
          noi: at('noi'),
          year_built: at('year_built'),
          property_type: type,
          listed_on: dayOf(at('listed_on')),
          availability:
            optional(at('sold_on')) !== null ? 'sold' : columns.has('status') ? standing(at('status')) : 'for_sale',
        }),
      };
    },
    known === null ? undefined : { listing_id: known },
  );
}

/** Rows of one sheet, or null where it has no heading row. */
function rowsOf(lines: readonly Line[], known: ReadonlyMap<string, Field | null>, page: Page): Candidate[] | null {
  for (const [at, line] of lines.slice(0, MOST_TITLE_ROWS).entries()) {
    const columns = columnsOf(line, known, page);
    if (columns === null) continue;
    return lines
      .slice(at + 1)
      .filter((row) => {
        const texts = filled(row);
        return texts.length > 0 && !DISCLAIMER.test(texts[0] ?? '');
      })
      .map((row) =>
        row.counted && row.cells.length !== line.cells.length
          ? {
              reject: {
                reason: 'wrong_field_count',
                detail: `${row.where} has ${row.cells.length} cells, the headings are ${line.cells.length}`,
              },
              raw: row.raw,
            }
          : rowOf(row, columns, page),
      );
  }
  return null;
}

/** Listings of a dropped file: `kind` is csv or xlsx. Throws Quarantine where no row names the columns that are needed. */
export function parseListingFile(page: Page): Candidate[] {
  if (page.bytes.length === 0) throw new Quarantine('empty_body', 'the file is empty', page.url);
  const known = meanings(page);
  const tables = page.kind === 'csv' ? [csvLines(page)] : readXlsx(page.bytes, page.url).map(sheetLines);
  const read = tables.map((lines) => rowsOf(lines, known, page)).filter((rows) => rows !== null);
  if (read.length > 0) return read.flat();
  const first = tables.flat().find((line) => filled(line).length > 1)?.cells ?? [];
  throw new Quarantine(
    'missing_column',
    `no row has a heading for each of ${NEEDED.join(', ')}; the first row holds ${JSON.stringify(first)}. A ${COLUMNS_FILE} beside the file can name them`,
    page.url,
  );
}
