/** Tables in CSV files and workbooks without a fixed layout: columns are found by their headings. */
import { Quarantine, type Candidate, type Page } from '../contract.ts';
import { tidy } from '../values.ts';
import { readCsv } from './csv.ts';
import { isXls, readXls } from './xls.ts';
import { readXlsx, type Cell, type Sheet } from './xlsx.ts';

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
export async function workbookRows({ bytes, url }: Page): Promise<TableRow[][]> {
  const sheets = isXls(bytes) ? await readXls(bytes, url) : readXlsx(bytes, url);
  return sheets.map(sheetRows);
}

export function csvRows(text: string, pageUrl: string, delimiter: string): TableRow[] {
  const { header, rows } = readCsv(text, pageUrl, { looseQuotes: true, delimiter });
  return [
    { cells: header, raw: header.join(','), where: 'line 1', isFixedWidth: true },
    ...rows.map(({ cells, raw, line }) => ({ cells, raw, where: `line ${line}`, isFixedWidth: true })),
  ];
}

const sheetRows = ({ name, rows }: Sheet): TableRow[] =>
  rows.map((cells, index) => ({
    cells,
    raw: JSON.stringify(cells),
    where: `sheet ${name} row ${index + 1}`,
    isFixedWidth: false,
    sheet: name,
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

/** Texts of a row's cells, blank ones left out. */
export const textsOf = ({ cells }: TableRow): string[] =>
  cells.map((cell) => (typeof cell === 'boolean' ? String(cell) : tidy(cell))).filter((text) => text !== null);

/** Cells of the first row with two texts or more, for the message that no heading row was found. */
export const firstFilledRow = (tables: readonly (readonly TableRow[])[]): readonly Cell[] =>
  tables.flat().find((row) => textsOf(row).length > 1)?.cells ?? [];
