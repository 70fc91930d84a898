/**
 * Listings in the operator's own files: a broker's e-mailed list, a CRM export, a property portal's download. Text,
 * workbook, web page or JSON (tables.ts). Columns are found by their headings (headings.ts); for other headings the
 * operator adds a `columns.json` that maps each heading to a field, or to null to ignore the column. A key that begins
 * with "=" is a value for all rows:
 *
 *   {"Ask": "list_price", "Doors": "units", "Broker's price opinion": null, "=OH": "state"}
 */
import { DAY_MS } from '../../../lib/time.ts';
import { type Candidate, type Page, Quarantine } from '../../contract.ts';
import { COLUMNS_FILE, fixedValues } from '../../csv/column_map.ts';
import {
  candidateOf,
  cellReader,
  findTable,
  type HeadedTable,
  type HeadingRules,
  type TableRow,
} from '../../csv/headed_table.ts';
import type { Cell } from '../../csv/xlsx.ts';
import { codeOfName } from '../../dropped_files.ts';
import { candidate, decimal, hundredths, joined, optional, refuse, required } from '../../values.ts';
import { listingValues, shownStreet, webUrl } from '../listing_values.ts';
import { agreedMix, MIX_COLUMNS, mixOfTypes, parseUnitMix, type UnitMix } from '../unit_mix.ts';
import { BEST_COUNTS, FIELDS, fieldsByHeading, type ListingField, normalizeHeading } from './headings.ts';
import { type CellOf, parsePlace, type Place, statesPlace } from './place.ts';
import { isListing } from './rows.ts';
import { availabilityOfRow, checkType } from './status.ts';
import { missingPlace, unknownHeadings } from './suggest.ts';
import { listingTables } from './tables.ts';

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
  const printed = typeof perUnit === 'boolean' ? null : optional(perUnit);
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

/** A day as text. A workbook stores it as the number of days since 30 December 1899. */
const dayOf = (value: Cell | undefined): Cell | undefined =>
  typeof value === 'number' && value > 20_000 && value < 80_000
    ? new Date(Date.UTC(1899, 11, 30) + Math.floor(value) * DAY_MS).toISOString().slice(0, 10)
    : value;

/** A cap rate in percent. A workbook stores 7.25 % as 0.0725: a value below 0.5 without a percent sign is a share. */
function capRate(value: Cell | undefined): Cell | undefined {
  const text = typeof value === 'boolean' ? null : optional(value);
  if (text === null || !/^0*\.\d+$/u.test(text) || Number(text) >= 0.5) return value;
  const size = hundredths(`${text}e2`);
  return size === null ? value : decimal(size);
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
    const value = cell(field);
    return typeof value === 'boolean' ? null : optional(value);
  };
  const number = textOf('listing_id');
  return number === null ? null : [textOf('issuer'), number].filter((part) => part !== null).join(' ');
}

type Fixed = ReadonlyMap<ListingField, string>;

/** A row's cells, and the operator's values where a cell is blank. */
function cellsOf(row: TableRow, table: HeadedTable<ListingField>, fixed: Fixed): CellOf {
  const cell = cellReader(row, table);
  return (field) => {
    const value = cell(field) ?? null;
    return value === null || value === '' ? (fixed.get(field) ?? value) : value;
  };
}

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
        cap_rate: capRate(cell('cap_rate')),
        noi: fullAmount(cell('noi')),
        annual_taxes: fullAmount(cell('annual_taxes')),
        year_built: cell('year_built'),
        property_type: type,
        listed_on: dayOf(cell('listed_on')),
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
  const tables = await listingTables(page);
  const found = headedTables(tables, rules, page.url);
  if (found.length === 0) throw unknownHeadings(tables, fields, page);
  for (const table of found) checkPlaces(table, fixed, page);
  for (const table of found) {
    const hasStatus = table.columns.has('status');
    for (const row of table.rows.filter((each) => isListing(each, table)))
      yield candidateOf(row, table, (each) => rowCandidate(each, cellsOf(each, table, fixed), hasStatus, page));
  }
}
