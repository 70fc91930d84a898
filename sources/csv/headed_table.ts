/**
 * Tables in files without a fixed layout, whose columns are found by their headings: text with any delimiter,
 * workbooks, web pages (also those named like a workbook) and lists of JSON objects. The operator's own map of
 * headings is in a file next to the list.
 */
import { z } from 'zod';
import { load } from 'cheerio/slim';
import { type Candidate, type Page, Quarantine } from '../contract.ts';
import { parseJson } from '../bodies.ts';
import { type Cell, readXlsx, type Sheet } from './xlsx.ts';
import { isObject, type JsonObject } from '../../lib/json.ts';
import { line, tidy } from '../values.ts';
import { readCsv } from './csv.ts';
import { isXls, readXls } from './xls.ts';

/** Name of the map's file, and of the page's context entry that holds its text. */
export const COLUMNS_FILE = 'columns.json';

/** A key of the map that is no heading but a value for all rows: {"=OH": "state"}. */
const FIXED_VALUE = /^=\s*(?=\S)/u;

/** The operator's entries in order; none without a map. @throws Quarantine malformed_page if one names no field */
function parseColumnMap<Field extends string>(
  names: readonly Field[],
  page: Page,
): (readonly [string, Field | null])[] {
  const own = page.context[COLUMNS_FILE];
  if (own === undefined) return [];
  const map = z.record(z.string(), z.enum(names).nullable()).safeParse(parseJson(own, COLUMNS_FILE, page.url));
  if (!map.success) {
    const heading = JSON.stringify(map.error.issues[0]?.path.join('.') ?? '');
    throw new Quarantine(
      'malformed_page',
      `${COLUMNS_FILE}: ${heading} is mapped to an unknown field, expected one of ${names.join(', ')}, or null`,
      page.url,
    );
  }
  return Object.entries(map.data) as [string, Field | null][];
}

/**
 * Field by normalized heading, the operator's own headings first; null for a column to ignore.
 * @throws Quarantine malformed_page if the map names an unknown field
 */
export function withColumnMap<Field extends string>(
  known: ReadonlyMap<string, Field | null>,
  names: readonly Field[],
  normalize: (heading: Cell | undefined) => string,
  page: Page,
): ReadonlyMap<string, Field | null> {
  const own = parseColumnMap(names, page)
    .filter(([heading]) => !FIXED_VALUE.test(heading))
    .map(([heading, field]) => [normalize(heading), field] as const);
  const fields = new Map<string, Field | null>(own);
  for (const [heading, field] of known) if (!fields.has(heading)) fields.set(heading, field);
  return fields;
}

/** Values that the operator states for all rows of a list, by field. @throws like withColumnMap */
export const fixedValues = <Field extends string>(names: readonly Field[], page: Page): ReadonlyMap<Field, string> =>
  new Map(
    parseColumnMap(names, page).flatMap(([key, field]) =>
      field !== null && FIXED_VALUE.test(key) ? [[field, key.replace(FIXED_VALUE, '')] as const] : [],
    ),
  );

/** One row of a sheet or CSV file. */
export interface TableRow {
  readonly cells: readonly Cell[];
  /** The row as the rejects table shows it. */
  readonly raw: string;
  /** Where it is in the file, for messages: "line 4" or "sheet Deals row 4". */
  readonly where: string;
  /** In a CSV file each row must have as many cells as the header: a missing cell would shift all that follow it. */
  readonly isFixedWidth: boolean;
  /** Name of its sheet, in a workbook. */
  readonly sheet?: string;
  /** Days are counted from 1904, in a workbook. */
  readonly isFrom1904?: boolean;
}

export interface HeadingRules<Field extends string> {
  /** Field by normalized heading, the best heading of a field first; null for a column to ignore. */
  readonly fields: ReadonlyMap<string, Field | null>;
  /** Fields of which the best heading counts if several columns name them. Default: none, which is refused. */
  readonly bestCounts?: ReadonlySet<Field>;
  normalize(heading: Cell | undefined): string;
  /** Fields that a heading row must name. */
  readonly needed: readonly Field[];
  /** Advice for the operator if two columns name the same field; the column map to write follows it. */
  readonly advice: string;
}

export interface HeadedTable<Field extends string> {
  readonly headings: TableRow;
  /** Column number by field. */
  readonly columns: ReadonlyMap<Field, number>;
  /** Rows below the headings. */
  readonly rows: readonly TableRow[];
}

/** How many rows may be above the headings: a title, a date, a blank line. */
const MAX_TITLE_ROWS = 20;

/** Rows of each table of a page: one for kind "csv", one per sheet for a workbook. */
export const tablesOf = async (page: Page): Promise<TableRow[][]> =>
  page.kind === 'csv' ? [csvRows(page.text('windows-1252'), page.url, ',')] : workbookRows(page);

/** Rows of each sheet of an old or new workbook. */
async function workbookRows({ bytes, url }: Page): Promise<TableRow[][]> {
  return (await sheetsOf({ bytes, url })).map(sheetRows);
}

/** Sheets of an old or new workbook. */
export const sheetsOf = async ({ bytes, url }: Pick<Page, 'bytes' | 'url'>): Promise<readonly Sheet[]> =>
  isXls(bytes) ? readXls(bytes, url) : readXlsx(bytes, url);

/** A cell as a spreadsheet writes it into CSV so that it stays a text: ="44102" or '44102. */
const withoutMark = (text: string): string => text.replace(/^="([^"]*)"$/u, '$1').replace(/^'(?=\d)/u, '');

export function csvRows(text: string, pageUrl: string, delimiter: string): TableRow[] {
  const { header, rows } = readCsv(text, pageUrl, { looseQuotes: true, delimiter });
  return [
    { cells: header, raw: header.join(','), where: 'line 1', isFixedWidth: true },
    ...rows.map(({ cells, raw, line: at }) => ({
      cells: cells.map(withoutMark),
      raw,
      where: `line ${at}`,
      isFixedWidth: true,
    })),
  ];
}

export const sheetRows = ({ name, rows, isFrom1904 = false }: Sheet): TableRow[] =>
  rows.map((cells, index) => ({
    cells,
    raw: JSON.stringify(cells),
    where: `sheet ${name} row ${index + 1}`,
    isFixedWidth: false,
    sheet: name,
    isFrom1904,
  }));

/** Column number of each field, or null if the row does not name all needed fields. */
function matchColumns<Field extends string>(
  row: TableRow,
  { fields, bestCounts, normalize, needed, advice }: HeadingRules<Field>,
  pageUrl: string,
): ReadonlyMap<Field, number> | null {
  const headings = row.cells.map(normalize);
  const order = [...fields.keys()];
  const named = Map.groupBy(headings.keys(), (index) => fields.get(headings[index] ?? '') ?? null);
  const columns = new Map<Field, number>();
  const duplicates: string[] = [];
  const choice: [string, Field | null][] = [];
  for (const [field, indices] of named) {
    if (field === null) continue;
    const best = bestCounts?.has(field)
      ? indices.toSorted((a, b) => order.indexOf(headings[a] ?? '') - order.indexOf(headings[b] ?? ''))
      : indices;
    columns.set(field, best[0] ?? 0);
    if (indices.length === 1 || bestCounts?.has(field)) continue;
    const texts = indices.map((index) => String(row.cells[index]));
    duplicates.push(`${texts.map((text) => JSON.stringify(text)).join(' and ')} both mean ${field}`);
    choice.push(...texts.map((text, at): [string, Field | null] => [text, at === 0 ? field : null]));
  }
  if (needed.some((field) => !columns.has(field))) return null;
  if (duplicates.length > 0)
    throw new Quarantine(
      'template_changed',
      `${row.where}: ${duplicates.join('; ')}. ${advice}: ${JSON.stringify(Object.fromEntries(choice))}`,
      pageUrl,
    );
  return columns;
}

/** Two heading rows as one: of the two texts of a column and of both together, the one that means a field. */
function joinedHeadings<Field extends string>(
  upper: TableRow,
  lower: TableRow,
  { fields, normalize }: HeadingRules<Field>,
): TableRow {
  const width = Math.max(upper.cells.length, lower.cells.length);
  const cells = Array.from({ length: width }, (_, column): Cell => {
    const [above, below] = [upper.cells[column] ?? '', lower.cells[column] ?? ''];
    const texts = [`${above} ${below}`.trim(), below, above];
    return texts.find((text) => fields.has(normalize(text))) ?? texts[0] ?? null;
  });
  return { ...lower, cells, raw: `${upper.raw}\n${lower.raw}`, where: `${upper.where} and ${lower.where}` };
}

/** A row below a heading row that may be its second line: it has no figure, so it is no row of data. */
const isSecondLine = (row: TableRow | undefined): row is TableRow =>
  row !== undefined && !row.cells.some((cell) => (typeof cell !== 'string' ? cell !== null : /\d/u.test(cell)));

/**
 * The table below the first heading row, or below two rows that together are a heading row. Null if there is neither.
 * @throws Quarantine template_changed if two columns name the same field
 */
export function findTable<Field extends string>(
  rows: readonly TableRow[],
  rules: HeadingRules<Field>,
  pageUrl: string,
): HeadedTable<Field> | null {
  const top = rows.slice(0, MAX_TITLE_ROWS);
  /** The table below the row `index` and the one above it, as one heading row. */
  const belowTwo = (index: number): HeadedTable<Field> | null => {
    const [upper, lower] = [rows[index - 1], rows[index]];
    if (upper === undefined || lower === undefined) return null;
    const headings = joinedHeadings(upper, lower, rules);
    const columns = matchColumns(headings, rules, pageUrl);
    return columns === null ? null : { headings, columns, rows: rows.slice(index + 1) };
  };
  for (const [index, headings] of top.entries()) {
    const columns = matchColumns(headings, rules, pageUrl);
    if (columns === null) continue;
    const two = isSecondLine(rows[index + 1]) ? belowTwo(index + 1) : null;
    return two !== null && two.columns.size > columns.size ? two : { headings, columns, rows: rows.slice(index + 1) };
  }
  for (const index of top.keys()) {
    const two = belowTwo(index);
    if (two !== null) return two;
  }
  return null;
}

/** The candidate of a row, or a reject if cells are missing or extra. */
export function candidateOf<Field extends string>(
  row: TableRow,
  { headings }: HeadedTable<Field>,
  build: (row: TableRow) => Candidate,
): Candidate {
  const width = headings.cells.length;
  if (!row.isFixedWidth || row.cells.length === width) return build(row);
  const detail = `${row.where} has ${row.cells.length} cells, expected ${width} as in the heading row`;
  return { reject: { reason: 'wrong_field_count', detail }, raw: row.raw };
}

/** Reads a row's cell by field; null if the table has no such column. */
export const cellReader =
  <Field extends string>(row: TableRow, { columns }: HeadedTable<Field>) =>
  (field: Field): Cell | undefined => {
    const column = columns.get(field);
    return column === undefined ? null : row.cells[column];
  };

/** Text of a cell; null if it is blank. */
const textOfCell = (cell: Cell): string | null =>
  typeof cell === 'object' && cell !== null ? cell.error : typeof cell === 'boolean' ? String(cell) : tidy(cell);

/** Texts of a row's cells, blank ones left out. */
export const textsOf = ({ cells }: TableRow): string[] => cells.map(textOfCell).filter((text) => text !== null);

/** Cells of the first row with two texts or more, for the message that no heading row was found. */
export const firstFilledRow = (tables: readonly (readonly TableRow[])[]): readonly Cell[] =>
  tables.flat().find((row) => textsOf(row).length > 1)?.cells ?? [];

const DELIMITERS = [',', '\t', ';', '|'] as const;
type Delimiter = (typeof DELIMITERS)[number];

/** Length of the part of a file to inspect. */
const LOOKED_AT = 50_000;

/**
 * The delimiter that the largest number of lines has equally often, outside of quotes; of two such delimiters, the more
 * frequent one. Commas in addresses and amounts vary from line to line. A comma if the text has none.
 */
export function detectDelimiter(text: string): Delimiter {
  const lines = text
    .slice(0, LOOKED_AT)
    .replace(/"[^"]*"/gu, '')
    .split(/\r?\n|\r/u)
    .filter((each) => each.trim() !== '');
  const scored = DELIMITERS.map((delimiter) => {
    const counts = lines.map((each) => each.split(delimiter).length - 1).filter((count) => count > 0);
    const [most] = [...Map.groupBy(counts, (count) => count)]
      .map(([count, same]) => ({ count, lines: same.length }))
      .sort((a, b) => b.lines - a.lines || b.count - a.count);
    return { delimiter, lines: most?.lines ?? 0, count: most?.count ?? 0 };
  });
  return scored.sort((a, b) => b.lines - a.lines || b.count - a.count)[0]?.delimiter ?? ',';
}

/** The widest cell that is padded with blank cells. */
const MAX_SPAN = 200;

/**
 * Rows of each table, those of nested tables only in their own. A cell over several columns is followed by blank ones.
 * A row that a cell of an earlier row reaches into is too short, so it is refused.
 * @throws Quarantine truncated_download if a table does not end
 */
export function htmlTables(html: string, pageUrl: string): TableRow[][] {
  if ((html.match(/<table\b/giu) ?? []).length > (html.match(/<\/table\s*>/giu) ?? []).length)
    throw new Quarantine('truncated_download', 'a table on the page is truncated: its end is missing', pageUrl);
  const $ = load(html.replace(/<br\s*\/?>/giu, '\n'));
  return $('table')
    .toArray()
    .map((table, at) =>
      $(table)
        .find('tr')
        .toArray()
        .filter((row) => $(row).closest('table').is(table))
        .map((row, index) => {
          const cells = $(row)
            .children('th, td')
            .toArray()
            .flatMap((cell) => {
              const span = Math.min(Number($(cell).attr('colspan') ?? 1) || 1, MAX_SPAN);
              const text = $(cell).text().trim();
              return [text, ...Array.from({ length: span - 1 }, () => '')];
            });
          const where = `table ${at + 1} row ${index + 1}`;
          return { cells, raw: cells.map((cell) => line(cell) ?? '').join(' | '), where, isFixedWidth: true };
        }),
    );
}

/** Maximum depth at which lists are found: {"data": {"listings": [...]}}. */
const MAX_DEPTH = 4;

/** The longest list of objects in a document. */
function longestList(value: unknown, depth = 0): readonly JsonObject[] {
  if (depth > MAX_DEPTH) return [];
  if (Array.isArray(value)) return value.filter(isObject);
  if (!isObject(value)) return [];
  return Object.values(value)
    .map((inner) => longestList(inner, depth + 1))
    .reduce((longest, list) => (list.length > longest.length ? list : longest), []);
}

/** Texts, numbers and booleans of an object by their path: "address.city". Lists are left out. */
function collectLeaves(object: JsonObject, path = ''): [string, Cell][] {
  return Object.entries(object).flatMap(([key, value]): [string, Cell][] => {
    const name = path === '' ? key : `${path}.${key}`;
    if (isObject(value)) return collectLeaves(value, name);
    if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
      return [[name, value]];
    return [];
  });
}

/**
 * The names of all objects as the heading row, then one row for each object. A nested value is named by the last part
 * of its path where that is unique.
 * @throws Quarantine malformed_page if the text is not JSON
 */
export function jsonRows(text: string, pageUrl: string): TableRow[] {
  const list = longestList(parseJson(text, 'the file', pageUrl));
  if (list.length === 0) throw new Quarantine('missing_column', 'the JSON file holds no list of objects', pageUrl);
  const objects = list.map((object) => new Map(collectLeaves(object)));
  const paths = [...new Set(objects.flatMap((object) => [...object.keys()]))];
  const lastPart = (path: string): string => path.split('.').at(-1) ?? path;
  const byLastPart = Map.groupBy(paths, lastPart);
  const names = paths.map((path) => (byLastPart.get(lastPart(path))?.length === 1 ? lastPart(path) : path));
  return [
    { cells: names, raw: names.join(','), where: 'the names of the items', isFixedWidth: true },
    ...objects.map((object, index) => ({
      cells: paths.map((path) => object.get(path) ?? null),
      raw: JSON.stringify(list[index]),
      where: `item ${index + 1}`,
      isFixedWidth: true,
    })),
  ];
}
