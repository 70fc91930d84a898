/**
 * Listings in the operator's own files: a broker's e-mailed list, a CRM export, a property portal's download. Text,
 * workbook, web page or JSON (tables.ts). Columns are found by their headings (columns.ts); for other headings the
 * operator adds a `columns.json` that maps each heading to a field, or to null to ignore the column. A key that begins
 * with "=" is a value for all rows:
 *
 *   {"Ask": "list_price", "Doors": "units", "Broker's price opinion": null, "=OH": "state"}
 */
import { DAY_MS } from '../../../lib/time.ts';
import { type Candidate, type Page, Quarantine } from '../../contract.ts';
import {
  candidateOf,
  cellReader,
  COLUMNS_FILE,
  findTable,
  fixedValues,
  type HeadedTable,
  type HeadingRules,
  type TableRow,
  textsOf,
} from '../../csv/headed_table.ts';
import type { Cell } from '../../csv/xlsx.ts';
import { codeOfName } from '../../dropped_files.ts';
import { candidate, decimal, hundredths, joined, optional, published, refuse, required } from '../../values.ts';
import { type Availability, listingValues, parseAvailability, shownStreet, webUrl } from '../listing_values.ts';
import { agreedMix, MIX_COLUMNS, mixOfTypes, parseUnitMix, type UnitMix } from '../unit_mix.ts';
import {
  AMOUNTS,
  BEST_COUNTS,
  type CellOf,
  dollarsOfOne,
  FIELDS,
  fieldsByHeading,
  type ListingField,
  missingPlace,
  normalizeHeading,
  parsePlace,
  type Place,
  statesPlace,
  unknownHeadings,
  unreadUnit,
} from './columns.ts';
import { listingTables } from './tables.ts';

/** A portal prints the MLS's notice as a line among the rows: bare, quoted or padded with commas. */
const DISCLAIMER = /^in accordance with local mls rules/iu;

const TOTAL = /^(?:grand |sub)?-?totals?\b|^(?:average|avg|mean|median|count|sum)\b/iu;

/** A count of listings: "12 properties". */
const LISTING_COUNT = /^\d+ (?:listings|properties|results|records|rows)\b/iu;

const isBlank = (row: TableRow, column: number | undefined): boolean => {
  const value = column === undefined ? null : row.cells[column];
  return (
    value === null ||
    value === undefined ||
    (typeof value !== 'object' && typeof value !== 'boolean' && optional(value) === null)
  );
};

/** A row with one text that does not begin with a number: a cut row begins with its number or its house number. */
const isNote = ([first = '', ...others]: readonly string[]): boolean =>
  DISCLAIMER.test(first) || (others.length === 0 && (!/^[#\d]/u.test(first) || LISTING_COUNT.test(first)));

/** A row of sums has the word in its first cell with a text, and no street, city or ZIP. */
function isTotal(row: TableRow, [first = '']: readonly string[], columns: ReadonlyMap<ListingField, number>): boolean {
  const street = columns.get('street');
  const hasStreet = street !== undefined && !isBlank(row, street) && String(row.cells[street]).trim() !== first;
  return TOTAL.test(first) && !hasStreet && isBlank(row, columns.get('zip')) && isBlank(row, columns.get('city'));
}

const isHeadings = (row: TableRow, headings: TableRow): boolean => {
  const texts = row.cells.map(normalizeHeading);
  return texts.join('|') === headings.cells.map(normalizeHeading).join('|');
};

function isListing(row: TableRow, { headings, columns }: HeadedTable<ListingField>): boolean {
  const texts = textsOf(row);
  return texts.length > 0 && !isNote(texts) && !isTotal(row, texts, columns) && !isHeadings(row, headings);
}

/** Words and codes of portals and MLSs that are not in the words of websites. Codes are those of Flexmls in Arizona. */
const STATUS: ReadonlyMap<string, Availability> = new Map([
  ['ON-MARKET', 'for_sale'],
  ['ON MARKET', 'for_sale'],
  ['A', 'for_sale'],
  ['ACT', 'for_sale'],
  ['P', 'under_contract'],
  ['PND', 'under_contract'],
  ['U', 'under_contract'],
  ['C', 'sold'],
  ['SLD', 'sold'],
]);

/** Availability by the name of a workbook's sheet, for a list without a column of the status. */
const SHEET: readonly (readonly [name: RegExp, availability: Availability])[] = [
  [/\b(?:sold|closed)\b/iu, 'sold'],
  [/\b(?:pending|under contract|in escrow)\b/iu, 'under_contract'],
];

function availabilityOfRow(cell: CellOf, { sheet = '' }: TableRow, hasStatus: boolean): Availability {
  if (optional(cell('sold_on')) !== null) return 'sold';
  const status = optional(cell('status'));
  // A price paid beside "Active" is that of an earlier sale.
  if (status === null && optional(cell('sold_price')) !== null) return 'sold';
  if (!hasStatus) return SHEET.find(([name]) => name.test(sheet))?.[1] ?? 'for_sale';
  return STATUS.get(status?.toUpperCase() ?? '') ?? parseAvailability(status);
}

/** Property types other than a rental building of several units. */
const OTHER_TYPE =
  /\b(?:single[- ]family|condo|co-?op|townho(?:use|me)|vacant land|land|lot|mobile|manufactured|parking|timeshare)\b/iu;

/** Commercial types in a portal's list of all types, unless a rental type is named too ("Multifamily, Retail"). */
const COMMERCIAL =
  /\b(?:office|retail|industrial|hospitality|hotel|motel|warehouse|self[- ]storage|restaurant|special purpose)\b/iu;
const RENTAL = /\b(?:multi[- ]?family|apartments?|duplex|triplex|fourplex|quadruplex|mixed[- ]use)\b/iu;

/** @throws Refusal not_multifamily */
function checkType(type: string | null, where: string): void {
  if (type === null || !(OTHER_TYPE.test(type) || (COMMERCIAL.test(type) && !RENTAL.test(type)))) return;
  refuse('not_multifamily', `${where}: the property type is ${JSON.stringify(type)}, expected one of several units`);
}

/** "$1.25M" and "950K". Three digits before an M may mean thousands ("$950M"), so they stay as they are. */
const SHORT = /^\$?\s*(?:(\d{1,2}(?:\.\d{1,6})?)\s*(?:m|mm|mil|million)|(\d{1,4}(?:\.\d{1,3})?)\s*(?:k|thousand))$/iu;

/** An amount written short, in dollars. Any other value as it is. */
function fullAmount(value: Cell | undefined): Cell | undefined {
  if (typeof value !== 'string') return value;
  const [, millions, thousands] = SHORT.exec(value.trim()) ?? [];
  const figure = millions === undefined ? `${thousands}e3` : `${millions}e6`;
  const size = millions === undefined && thousands === undefined ? null : hundredths(figure);
  return size === null ? value : decimal(size);
}

/** The price; null for "Unpriced", as Crexi prints it. */
const askingPrice = (value: Cell | undefined): Cell | undefined =>
  typeof value === 'string' && /^\W*un-?priced\W*$/iu.test(value) ? null : fullAmount(value);

const COUNT = /^(\d[\d,]*)\s*-?\s*(?:units?|unit building|apartments?|apts?|doors?|du)\.?$/iu;

/** "8 units" as "8". Any other value as it is. */
const unitCount = (value: Cell | undefined): Cell | undefined =>
  typeof value === 'string' ? (COUNT.exec(value.trim())?.[1] ?? value) : value;

/** Cents by which a price per unit in whole dollars is rounded at most. */
const ROUNDING = 50n;

/** Number of units from the price and the printed price per unit; null if it is not a whole number or not printed. */
function unitsOfPrice(price: string | null, perUnit: Cell | undefined): number | null {
  const printed = published(perUnit);
  if (price === null || printed === null || !/^\$?[\d,]+(?:\.\d+)?$/u.test(printed)) return null;
  const [total, each] = [hundredths(price), hundredths(printed.replace(/[$,]/gu, ''))];
  if (total === null || each === null || total <= 0n || each <= 0n) return null;
  const count = (2n * total + each) / (2n * each);
  const rest = total - count * each;
  return count > 0n && (rest < 0n ? -rest : rest) <= count * ROUNDING ? Number(count) : null;
}

/** Fields that a heading row names, the best set first: the places may be in the column of the city or the street. */
const NEEDED: readonly (readonly ListingField[])[] = [
  ['city', 'state', 'zip', 'list_price'],
  ['city', 'list_price'],
  ['street', 'list_price'],
  ['whole_address', 'list_price'],
];

/** A day as text. A workbook stores it as the number of days since 30 December 1899, or since 1904. */
function dayOf(value: Cell | undefined, { isFrom1904 = false }: TableRow): Cell | undefined {
  if (typeof value !== 'number' || value < 20_000 || value > 80_000) return value;
  const firstMs = isFrom1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, 30);
  return new Date(firstMs + Math.floor(value) * DAY_MS).toISOString().slice(0, 10);
}

/** The listing id if the file has none: its address, or its page where the address is hidden. */
function ownId({ street, city, state, zip }: Place, listingUrl: string | null): string {
  const shown = shownStreet(street);
  if (shown === null)
    return (
      listingUrl ??
      refuse('blank_listing_id', 'the row has neither a listing number nor a street address, expected one of them')
    );
  return [shown, required('city', city), required('state', state), required('zip', zip)].join(', ').toUpperCase();
}

/** The id with the code of the broker's folder in front, because two brokers may use the same number. */
function idInFolder(id: string, { context }: Page): string {
  const { folder } = context;
  return folder === undefined ? id : `${codeOfName(folder)}/${id}`;
}

/** The listing number with its issuer, because two issuers may use the same number. */
function listingNumber(cell: CellOf): string | null {
  const textOf = (field: ListingField): string | null => {
    return published(cell(field));
  };
  const number = textOf('listing_id');
  return number === null ? null : [textOf('issuer'), number].filter((part) => part !== null).join(' ');
}

type Fixed = ReadonlyMap<ListingField, string>;

/** An amount in dollars whose heading says "in thousands" or "in millions". */
function inDollars(value: Cell, times: number): Cell {
  if (times === 1 || (typeof value !== 'number' && typeof value !== 'string')) return value;
  const size = hundredths(typeof value === 'number' ? value : value.replace(/[$,]/gu, ''));
  return size === null ? value : decimal(size * BigInt(times));
}

/** A row's cells, and the operator's values where a cell is blank. */
function cellsOf(row: TableRow, table: HeadedTable<ListingField>, fixed: Fixed): CellOf {
  const cell = cellReader(row, table);
  return (field) => {
    const value = cell(field) ?? null;
    if (value === null || value === '') return fixed.get(field) ?? value;
    const column = table.columns.get(field);
    return AMOUNTS.has(field) && column !== undefined
      ? inDollars(value, dollarsOfOne(table.headings.cells[column]))
      : value;
  };
}

/** A reject for each column of a figure that no other column has, not read because of the unit in its heading. */
const unreadColumns = ({ headings, columns }: HeadedTable<ListingField>): readonly Candidate[] =>
  headings.cells.flatMap((heading) => {
    const unread = unreadUnit(heading);
    if (unread === null || columns.has(unread.field)) return [];
    const detail = `column ${JSON.stringify(heading)} is ${unread.unit}, which is not read as ${unread.field}`;
    return [{ reject: { reason: 'unread_column', detail }, raw: String(heading) }];
  });

/** The mix by the columns that count each type, and by the column with its text. */
const unitMixOf = (cell: CellOf): UnitMix | null =>
  agreedMix(
    mixOfTypes(MIX_COLUMNS.map((column, bedrooms) => ({ bedrooms, count: cell(column) }))),
    parseUnitMix(cell('unit_mix')),
  );

function rowCandidate(row: TableRow, cell: CellOf, hasStatus: boolean, page: Page): Candidate {
  const number = listingNumber(cell);
  return candidate(
    row.raw,
    () => {
      const type = joined([cell('property_type'), cell('property_subtype')], ', ');
      checkType(type, row.where);
      const place = parsePlace(cell, row.where);
      const ownUrl = optional(cell('listing_url'));
      const values = listingValues({
        ...place,
        listing_id: idInFolder(number ?? ownId(place, ownUrl), page),
        listing_url: webUrl(ownUrl, page.url),
        list_price: askingPrice(cell('list_price')),
        units: unitCount(cell('units')),
        unit_mix: unitMixOf(cell),
        cap_rate: cell('cap_rate'),
        noi: fullAmount(cell('noi')),
        annual_taxes: fullAmount(cell('annual_taxes')),
        year_built: cell('year_built'),
        property_type: type,
        listed_on: dayOf(cell('listed_on'), row),
        off_market_on: dayOf(cell('sold_on'), row),
        availability: availabilityOfRow(cell, row, hasStatus),
      });
      const price = values['list_price'];
      const units = values['units'] ?? unitsOfPrice(typeof price === 'string' ? price : null, cell('price_per_unit'));
      return { values: { ...values, units } };
    },
    number === null ? undefined : { listing_id: idInFolder(number, page) },
  );
}

/** Tables of the file with the best set of headings that one of them has. */
function headedTables(
  tables: readonly (readonly TableRow[])[],
  rules: Omit<HeadingRules<ListingField>, 'needed'>,
  pageUrl: string,
): HeadedTable<ListingField>[] {
  for (const needed of NEEDED) {
    const found = tables
      .map((rows) => findTable(rows, { ...rules, needed }, pageUrl))
      .filter((table) => table !== null);
    if (found.length > 0) return found;
  }
  return [];
}

/** @throws Quarantine missing_column if neither a column nor the operator nor an address states a part of the place */
function checkPlaces(table: HeadedTable<ListingField>, fixed: Fixed, page: Page): void {
  const missing = (['city', 'state', 'zip'] as const).filter((field) => !table.columns.has(field) && !fixed.has(field));
  if (missing.length === 0) return;
  const isFound = table.rows.some((row) => statesPlace(cellsOf(row, table, fixed), missing));
  if (!isFound && table.rows.length > 0) throw missingPlace(table.headings, missing, page);
}

/**
 * Listings of a dropped file.
 * @throws Quarantine missing_column or template_changed with the map to write if the headings are unclear
 */
export async function* parseListingFile(page: Page): AsyncGenerator<Candidate> {
  if (page.bytes.length === 0) throw new Quarantine('empty_body', 'the file is empty', page.url);
  const fields = fieldsByHeading(page);
  const fixed = fixedValues(FIELDS, page);
  const rules = {
    fields,
    bestCounts: BEST_COUNTS,
    normalize: normalizeHeading,
    advice: `Put a file ${COLUMNS_FILE} next to the list with this text, and correct it if another column is right`,
  };
  const { tables, leftOut } = await listingTables(page);
  const found = headedTables(tables, rules, page.url);
  if (found.length === 0) throw unknownHeadings(tables, fields, page);
  for (const table of found) checkPlaces(table, fixed, page);
  yield* leftOut;
  for (const table of found) {
    yield* unreadColumns(table);
    const hasStatus = table.columns.has('status');
    for (const row of table.rows.filter((each) => isListing(each, table)))
      yield candidateOf(row, table, (each) => rowCandidate(each, cellsOf(each, table, fixed), hasStatus, page));
  }
}
