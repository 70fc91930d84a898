/** Tables in CSV files and workbooks without a fixed layout: columns are found by their headings. */
import { Quarantine, type Candidate, type Page } from '../contract.ts';
import { tidy } from '../values.ts';
import { readCsv } from './csv.ts';
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
}

export interface HeadingRules<Field extends string> {
  /** Field by normalized heading; null for a column to ignore. */
  readonly fields: ReadonlyMap<string, Field | null>;
  normalize(heading: Cell | undefined): string;
  /** Fields that a heading row must name. */
  readonly needed: readonly Field[];
  /** What the operator can do if two columns name the same field. */
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
export const tablesOf = (page: Page): TableRow[][] =>
  page.kind === 'csv' ? [csvRows(page)] : readXlsx(page.bytes, page.url).map(sheetRows);

function csvRows(page: Page): TableRow[] {
  const { header, rows } = readCsv(page.text('windows-1252'), page.url, { looseQuotes: true });
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
  }));

/** Column number of each field, or null if the row does not name all needed fields. */
function columnsOf<Field extends string>(
  row: TableRow,
  { fields, normalize, needed, advice }: HeadingRules<Field>,
  pageUrl: string,
): ReadonlyMap<Field, number> | null {
  const columns = new Map<Field, number>();
  const duplicates: string[] = [];
  for (const [index, heading] of row.cells.entries()) {
    const field = fields.get(normalize(heading));
    if (field === undefined || field === null) continue;
    const earlier = columns.get(field);
    if (earlier === undefined) columns.set(field, index);
    else duplicates.push(`${JSON.stringify(row.cells[earlier])} and ${JSON.stringify(heading)} both mean ${field}`);
  }
  if (needed.some((field) => !columns.has(field))) return null;
  if (duplicates.length > 0)
    throw new Quarantine('template_changed', `${row.where}: ${duplicates.join('; ')}. ${advice}`, pageUrl);
  return columns;
}

/**
 * The table below the first heading row, or null if no row is one.
 * @throws Quarantine template_changed if two columns name the same field
 */
export function findTable<Field extends string>(
  rows: readonly TableRow[],
  rules: HeadingRules<Field>,
  pageUrl: string,
): HeadedTable<Field> | null {
  for (const [index, headings] of rows.slice(0, MAX_TITLE_ROWS).entries()) {
    const columns = columnsOf(headings, rules, pageUrl);
    if (columns !== null) return { headings, columns, rows: rows.slice(index + 1) };
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
