/** Which rows below the headings are listings: not notes, totals, footers or the headings once more. */
import { textsOf, type HeadedTable, type TableRow } from '../../csv/headed_table.ts';
import { optional } from '../../values.ts';
import { normalizeHeading, type ListingField } from './headings.ts';

/** A portal prints the MLS's notice as a line among the rows: bare, quoted or padded with commas. */
const DISCLAIMER = /^in accordance with local mls rules/iu;

const TOTAL = /^(?:grand |sub)?-?totals?\b|^(?:average|avg|mean|median|count|sum)\b/iu;

/** A count of listings: "12 properties". */
const LISTING_COUNT = /^\d+ (?:listings|properties|results|records|rows)\b/iu;

const isBlank = (row: TableRow, column: number | undefined): boolean => {
  const value = column === undefined ? null : row.cells[column];
  return typeof value !== 'boolean' && optional(value) === null;
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

export function isListing(row: TableRow, { headings, columns }: HeadedTable<ListingField>): boolean {
  const texts = textsOf(row);
  return texts.length > 0 && !isNote(texts) && !isTotal(row, texts, columns) && !isHeadings(row, headings);
}
