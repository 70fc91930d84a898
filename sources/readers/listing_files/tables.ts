/** The tables in a listing file. Its bytes decide what it is: an MLS may name a web page or a text file "list.xls". */
import { type Candidate, type Page, Quarantine } from '../../contract.ts';
import {
  csvRows,
  detectDelimiter,
  htmlTables,
  jsonRows,
  sheetRows,
  sheetsOf,
  type TableRow,
  textsOf,
} from '../../csv/headed_table.ts';
import type { Sheet } from '../../csv/xlsx.ts';
import { isXls } from '../../csv/xls.ts';
import { utf16Of } from '../../fetch/page.ts';

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

/** What a file holds: its tables, and a reject for each part that its author hides. */
export interface ListingTables {
  readonly tables: readonly (readonly TableRow[])[];
  readonly leftOut: readonly Candidate[];
}

/** The shown rows and columns of a sheet. Old lists are kept in hidden sheets, sold buildings in hidden rows. */
function shownRows(sheet: Sheet): ListingTables {
  const { name, hidden } = sheet;
  const rows = sheetRows(sheet);
  if (hidden === undefined) return { tables: [rows], leftOut: [] };
  const filled = rows.filter((row) => textsOf(row).length > 0);
  const reject = (reason: string, what: string, raw: string): Candidate => ({
    reject: { reason, detail: `${what} is hidden, so it is left out; show it in the workbook if it is for sale` },
    raw,
  });
  if (hidden.isSheet) {
    const what = `sheet ${name} with ${filled.length} rows`;
    return { tables: [], leftOut: filled.length === 0 ? [] : [reject('hidden_sheet', what, name)] };
  }
  const columns = [...hidden.columns].flatMap((column) => {
    const top = filled.find(({ cells }) => typeof cells[column] === 'string')?.cells[column];
    return top === undefined
      ? []
      : [reject('hidden_column', `sheet ${name}: column ${JSON.stringify(top)}`, String(top))];
  });
  const shown = rows.map((row, index) =>
    hidden.rows.has(index)
      ? { ...row, cells: [] }
      : { ...row, cells: row.cells.map((cell, column) => (hidden.columns.has(column) ? null : cell)) },
  );
  const hiddenRows = filled.filter((row) => hidden.rows.has(rows.indexOf(row)));
  return {
    tables: [shown],
    leftOut: [...columns, ...hiddenRows.map((row) => reject('hidden_row', row.where, row.raw))],
  };
}

/**
 * Rows of each table of the file.
 * @throws Quarantine malformed_page with advice to the operator if the file is of a kind that cannot be read
 */
export async function listingTables(page: Page): Promise<ListingTables> {
  const { bytes, url } = page;
  if (startsWith(bytes, ZIP_ARCHIVE) || isXls(bytes)) {
    const sheets = (await sheetsOf(page)).map(shownRows);
    return { tables: sheets.flatMap(({ tables }) => tables), leftOut: sheets.flatMap(({ leftOut }) => leftOut) };
  }
  if (startsWith(bytes, PDF))
    throw new Quarantine('malformed_page', `this is a PDF, which has no cells to read. ${ASK_FOR_TABLE}`, url);
  const text = decodeText(page);
  const inText = (): TableRow[][] => {
    if (page.kind === 'json') return [jsonRows(text, url)];
    return /^\s*<(?:!|\?|[a-z])/iu.test(text) ? htmlTables(text, url) : [csvRows(text, url, detectDelimiter(text))];
  };
  return { tables: inText(), leftOut: [] };
}
