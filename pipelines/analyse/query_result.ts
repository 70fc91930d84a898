/** Runs a query and formats its result, for people and for programs. */
import type { DuckDBConnection } from '@duckdb/node-api';
import { plural, table, wrapped } from '../format.ts';

export interface QueryResult {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
  /** Whether the query has more rows than these. */
  readonly hasMore: boolean;
}

/**
 * Run a statement and take at most `maxRows` of its rows. The result is computed whole, so that a late error throws.
 */
export async function runQuery(connection: DuckDBConnection, sql: string, maxRows: number): Promise<QueryResult> {
  const reader = await connection.runAndReadUntil(sql, maxRows + 1);
  const rows = reader.getRowsJson();
  return { columns: reader.columnNames(), rows: rows.slice(0, maxRows), hasMore: rows.length > maxRows };
}

const WIDEST_CELL = 60;
/** Number of columns to name that do not fit. */
const NAMES_SHOWN = 8;
/** Least width of a column whose cells wrap. */
const MIN_WRAPPED = 16;
/** What to do about columns that do not fit. */
const CSV_HINT = 'FORMAT=csv prints all';

function formatCell(value: unknown, width: number): string {
  const raw = value === null ? '·' : typeof value === 'object' ? JSON.stringify(value) : String(value);
  // A line break would break the table.
  const text = raw.replaceAll(/\s*\n\s*/gu, ' ');
  return text.length > width ? `${text.slice(0, width - 1)}…` : text;
}

const formatCount = ({ rows, hasMore }: QueryResult): string =>
  hasMore ? `the first ${rows.length} rows; there are more` : plural(rows.length, 'row');

/** The first names of a list, and the number of the others. */
const namesOf = (names: readonly string[]): string =>
  names.length <= NAMES_SHOWN
    ? names.join(', ')
    : `${names.slice(0, NAMES_SHOWN).join(', ')} and ${names.length - NAMES_SHOWN} others`;

/** Length of the longest word of a cell. */
const longestWord = (text: string): number => Math.max(...text.split(' ').map((word) => word.length));

/** Narrow the widest columns, whose cells wrap between words, until all fit; null if they cannot. */
function wrappedWidths(
  least: readonly number[],
  needed: readonly number[],
  screenWidth: number,
): readonly number[] | null {
  const widths = [...needed];
  let excess = widths.reduce((sum, width) => sum + 2 + width, 0) - screenWidth;
  while (excess > 0) {
    const spare = widths.map((width, index) => width - (least[index] ?? 0));
    const widest = Math.max(...widths.filter((_, index) => (spare[index] ?? 0) > 0));
    if (!Number.isFinite(widest)) return null;
    widths[widths.findIndex((width, index) => width === widest && (spare[index] ?? 0) > 0)] = widest - 1;
    excess -= 1;
  }
  return widths;
}

/** Widths of the columns that fit into `screenWidth`. */
function columnWidths(
  columns: readonly string[],
  cells: readonly (readonly string[])[],
  screenWidth: number,
): readonly number[] {
  const needed = columns.map((column, index) =>
    Math.max(column.length, ...cells.map((row) => row[index]?.length ?? 0)),
  );
  const widths = needed.map((width, index) => Math.min(width, Math.max(WIDEST_CELL, columns[index]?.length ?? 0)));
  const least = columns.map((column, index) =>
    Math.min(
      widths[index] ?? 0,
      Math.max(column.length, MIN_WRAPPED, ...cells.map((row) => longestWord(row[index] ?? ''))),
    ),
  );
  let fitted: readonly number[] | null = null;
  for (let fitting = widths.length; fitting > 1 && fitted === null; fitting -= 1)
    fitted = wrappedWidths(least.slice(0, fitting), widths.slice(0, fitting), screenWidth);
  if (fitted === null) return widths.slice(0, 1);
  if (fitted.length < widths.length || screenWidth === Infinity) return fitted;
  return withFreeSpace(fitted, needed, screenWidth);
}

/** Give free space to the columns that were cut, from the last one. */
function withFreeSpace(fitted: readonly number[], needed: readonly number[], screenWidth: number): readonly number[] {
  const widths = [...fitted];
  let free = screenWidth - widths.reduce((sum, width) => sum + 2 + width, 0);
  for (let n = widths.length - 1; n >= 0 && free > 0; n -= 1) {
    const width = widths[n] ?? 0;
    const more = Math.max(0, Math.min((needed[n] ?? 0) - width, free));
    widths[n] = width + more;
    free -= more;
  }
  return widths;
}

/** A row as lines of a table: a cell that does not fit continues on the line below. */
function linesOfRow(row: readonly string[], widths: readonly number[]): string[][] {
  const parts = widths.map((width, index) => {
    const text = row[index] ?? '';
    return text.length > WIDEST_CELL ? [formatCell(text, width)] : wrapped(text, width);
  });
  const height = Math.max(...parts.map((lines) => lines.length));
  return Array.from({ length: height }, (_, index) => parts.map((lines) => lines[index] ?? ''));
}

/**
 * A table. Long cells wrap between words; columns that do not fit even so are named below it.
 * @param screenWidth width in characters
 */
export function formatTable(result: QueryResult, screenWidth = Infinity): string[] {
  if (result.columns.length === 0) return [formatCount(result)];
  const cells = result.rows.map((row) => row.map((value) => formatCell(value, Infinity)));
  const widths = columnWidths(result.columns, cells, screenWidth);
  const hidden = result.columns.slice(widths.length);
  const lines = table(
    result.columns.slice(0, widths.length),
    cells.flatMap((row) => linesOfRow(row, widths)),
  );
  lines.push(formatCount(result));
  if (hidden.length > 0)
    lines.push(...wrapped(`${plural(hidden.length, 'more column')} (${namesOf(hidden)}): ${CSV_HINT}`, screenWidth));
  return lines;
}

function csvCell(value: unknown): string {
  const text = value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value);
  return /[",\r\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Lines of a format for programs. */
export function formatLines({ columns, rows }: QueryResult, format: 'csv' | 'json'): string[] {
  if (format === 'csv') return [columns.map(csvCell).join(','), ...rows.map((row) => row.map(csvCell).join(','))];
  return rows.map((row) =>
    JSON.stringify(Object.fromEntries(columns.map((column, index) => [column, row[index] ?? null]))),
  );
}
