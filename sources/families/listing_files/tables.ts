/** The tables in a listing file. Its bytes decide what it is: an MLS may name a web page or a text file "list.xls". */
import { type Page, Quarantine } from '../../contract.ts';
import { csvRows, detectDelimiter, htmlTables, jsonRows, type TableRow, workbookRows } from '../../csv/headed_table.ts';
import { isXls } from '../../csv/xls.ts';
import { utf16Of } from '../../fetch/http/decode.ts';

const ZIP_ARCHIVE = [0x50, 0x4b, 0x03, 0x04];

/** Advice on what to request from a broker. */
export const ASK_FOR_TABLE =
  'Ask the broker for the list as an Excel workbook or CSV file, with one column each for street, city, state, ZIP ' +
  'and price';

const PDF = [0x25, 0x50, 0x44, 0x46];

const startsWith = (bytes: Uint8Array, start: readonly number[]): boolean =>
  start.every((byte, index) => bytes[index] === byte);

/** Text in UTF-8, UTF-16 or Windows-1252, without a byte order mark. @throws Quarantine malformed_page */
function decodeText(page: Page): string {
  const encoding = utf16Of(page.bytes);
  if (encoding === null) return page.text('windows-1252');
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(page.bytes);
  } catch {
    throw new Quarantine('malformed_page', 'the file is neither text nor a complete workbook', page.url);
  }
}

/**
 * Rows of each table of the file.
 * @throws Quarantine malformed_page with advice to the operator if the file is of a kind that cannot be read
 */
export async function listingTables(page: Page): Promise<TableRow[][]> {
  const { bytes, url } = page;
  if (startsWith(bytes, ZIP_ARCHIVE) || isXls(bytes)) return workbookRows(page);
  if (startsWith(bytes, PDF))
    throw new Quarantine('malformed_page', `this is a PDF, which has no cells to read. ${ASK_FOR_TABLE}`, url);
  const text = decodeText(page);
  if (page.kind === 'json') return [jsonRows(text, url)];
  return /^\s*<(?:!|\?|[a-z])/iu.test(text) ? htmlTables(text, url) : [csvRows(text, url, detectDelimiter(text))];
}
