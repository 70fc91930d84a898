/**
 * Listings in the operator's own files: a broker's e-mailed list, a CRM export, a property portal's download. CSV or
 * XLSX, dropped into the source's folder. Columns are found by their headings (headings.ts); for other headings the
 * operator adds a `columns.json` that maps each heading to a field, or to null to ignore the column:
 *
 *   {"Ask": "list_price", "Doors": "units", "Broker's price opinion": null}
 */
import { Quarantine, type Candidate, type Page } from '../../contract.ts';
import {
  candidateOf,
  cellReader,
  findTable,
  firstFilledRow,
  tablesOf,
  textsOf,
  type HeadedTable,
  type HeadingRules,
  type TableRow,
} from '../../csv/headed_table.ts';
import type { Cell } from '../../csv/xlsx.ts';
import { candidate, decimal, hundredths, optional, refuse, required } from '../../values.ts';
import { listingValues, shownStreet, availabilityOf, webUrl } from '../listing_values.ts';
import { COLUMNS_FILE } from '../../csv/column_map.ts';
import { fieldsByHeading, normalizeHeading, type ListingField } from './headings.ts';

const NEEDED: readonly ListingField[] = ['city', 'state', 'zip', 'list_price'];

/** A portal prints the MLS's notice as a line among the rows: bare, quoted or padded with commas. */
const DISCLAIMER = /^in accordance with local mls rules/iu;

/** Property types other than a rental building of several units. */
const OTHER_TYPE =
  /\b(?:single[- ]family|condo|co-?op|townho(?:use|me)|vacant land|land|lot|mobile|manufactured|parking|timeshare)\b/iu;

type CellOf = (field: ListingField) => Cell | undefined;

/** A day as text. A workbook stores it as the number of days since 30 December 1899. */
const dayOf = (value: Cell | undefined): Cell | undefined =>
  typeof value === 'number' && value > 20_000 && value < 80_000
    ? new Date(Date.UTC(1899, 11, 30) + Math.floor(value) * 86_400_000).toISOString().slice(0, 10)
    : value;

/** A cap rate in percent. A workbook stores 7.25 % as 0.0725: a value below 0.5 without a percent sign is a share. */
function capRate(value: Cell | undefined): Cell | undefined {
  const text = typeof value === 'boolean' ? null : optional(value);
  if (text === null || !/^0*\.\d+$/u.test(text) || Number(text) >= 0.5) return value;
  const size = hundredths(`${text}e2`);
  return size === null ? value : decimal(size);
}

/** The listing id if the file has none: its address. */
function addressId(cell: CellOf): string {
  const street =
    shownStreet(cell('street')) ??
    refuse('blank_listing_id', 'the row has neither a listing number nor a street address, expected one of them');
  const { city, state, zip } = { city: cell('city'), state: cell('state'), zip: cell('zip') };
  return [street, required('city', city), required('state', state), required('zip', zip)].join(', ').toUpperCase();
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

function rowCandidate(row: TableRow, table: HeadedTable<ListingField>, page: Page): Candidate {
  const cell = cellReader(row, table);
  const number = listingNumber(cell);
  return candidate(
    row.raw,
    () => {
      const listing_id = number ?? addressId(cell);
      const type = optional(cell('property_type'));
      if (type !== null && OTHER_TYPE.test(type))
        refuse(
          'not_multifamily',
          `${row.where}: the property type is ${JSON.stringify(type)}, expected one of several units`,
        );
      const status = table.columns.has('status') ? availabilityOf(cell('status')) : 'for_sale';
      return {
        values: listingValues({
          listing_id,
          listing_url: webUrl(cell('listing_url'), page.url),
          street: cell('street'),
          city: cell('city'),
          state: cell('state'),
          zip: cell('zip'),
          list_price: cell('list_price'),
          units: cell('units'),
          cap_rate: capRate(cell('cap_rate')),
          noi: cell('noi'),
          year_built: cell('year_built'),
          property_type: type,
          listed_on: dayOf(cell('listed_on')),
          availability: optional(cell('sold_on')) === null ? status : 'sold',
        }),
      };
    },
    number === null ? undefined : { listing_id: number },
  );
}

const isListing = (row: TableRow): boolean => {
  const [first] = textsOf(row);
  return first !== undefined && !DISCLAIMER.test(first);
};

/** Listings of a dropped file. @throws Quarantine missing_column if no row names the needed columns */
export function parseListingFile(page: Page): Candidate[] {
  if (page.bytes.length === 0) throw new Quarantine('empty_body', 'the file is empty', page.url);
  const rules: HeadingRules<ListingField> = {
    fields: fieldsByHeading(page),
    normalize: normalizeHeading,
    needed: NEEDED,
    advice: `Map one of them to null in ${COLUMNS_FILE}`,
  };
  const tables = tablesOf(page);
  const found = tables.map((rows) => findTable(rows, rules, page.url)).filter((table) => table !== null);
  if (found.length > 0)
    return found.flatMap((table) =>
      table.rows.filter(isListing).map((row) => candidateOf(row, table, (r) => rowCandidate(r, table, page))),
    );
  const first = JSON.stringify(firstFilledRow(tables));
  throw new Quarantine(
    'missing_column',
    `no row has a heading for each of ${NEEDED.join(', ')}; the first row is ${first}. ` +
      `Map your headings to these fields in a file ${COLUMNS_FILE} in the same folder`,
    page.url,
  );
}
