/** Runs a query and formats its result, for people and for programs. */
import type { DuckDBConnection } from '@duckdb/node-api';
import { messageOf } from '../../lib/errors.ts';
import { table } from '../format.ts';

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

function formatCell(value: unknown, width: number): string {
  const raw = value === null ? '·' : typeof value === 'object' ? JSON.stringify(value) : String(value);
  // A line break would break the table.
  const text = raw.replaceAll(/\s*\n\s*/gu, ' ');
  return text.length > width ? `${text.slice(0, width - 1)}…` : text;
}

const plural = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`;

const formatCount = ({ rows, hasMore }: QueryResult): string =>
  hasMore ? `the first ${rows.length} rows; there are more` : plural(rows.length, 'row');

/** One line per value, row after row. */
export function formatRecords(result: QueryResult): string[] {
  const width = Math.max(0, ...result.columns.map((c) => c.length));
  const records = result.rows.flatMap((row, i) => [
    `-- row ${i + 1}`,
    ...result.columns.map((c, n) => `  ${c.padEnd(width)}  ${formatCell(row[n], Infinity)}`),
  ]);
  return [...records, formatCount(result)];
}

/** Widths of the columns that fit into `screenWidth`. */
function columnWidths(
  columns: readonly string[],
  cells: readonly (readonly string[])[],
  screenWidth: number,
): number[] {
  const needed = columns.map((column, n) => Math.max(column.length, ...cells.map((row) => row[n]?.length ?? 0)));
  const widths = needed.map((width, n) => Math.min(width, Math.max(WIDEST_CELL, columns[n]?.length ?? 0)));
  let used = 0;
  let fitting = 0;
  for (const width of widths) {
    used += 2 + width;
    if (used > screenWidth && fitting > 0) break;
    fitting += 1;
  }
  if (fitting < widths.length || screenWidth === Infinity) return widths.slice(0, fitting);
  // Give free space to the columns that were cut, from the last one.
  let free = screenWidth - used;
  for (let n = fitting - 1; n >= 0 && free > 0; n -= 1) {
    const width = widths[n] ?? 0;
    const more = Math.max(0, Math.min((needed[n] ?? 0) - width, free));
    widths[n] = width + more;
    free -= more;
  }
  return widths;
}

/**
 * A table. Columns that do not fit are named below it.
 * @param screenWidth width in characters
 */
export function formatTable(result: QueryResult, screenWidth = Infinity): string[] {
  if (result.columns.length === 0) return [formatCount(result)];
  const cells = result.rows.map((row) => row.map((value) => formatCell(value, Infinity)));
  const widths = columnWidths(result.columns, cells, screenWidth);
  const hidden = result.columns.slice(widths.length);
  const lines = table(
    result.columns.slice(0, widths.length),
    cells.map((row) => widths.map((width, n) => formatCell(row[n] ?? '', width))),
  );
  lines.push(formatCount(result));
  if (hidden.length > 0)
    lines.push(
      `${plural(hidden.length, 'more column')} (${formatCell(hidden.join(', '), 80)}): .x prints one line per value`,
    );
  return lines;
}

function csvCell(value: unknown): string {
  const text = value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value);
  return /[",\r\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Lines of a format for programs. */
export function formatLines({ columns, rows }: QueryResult, format: 'csv' | 'json'): string[] {
  if (format === 'csv') return [columns.map(csvCell).join(','), ...rows.map((row) => row.map(csvCell).join(','))];
  return rows.map((row) => JSON.stringify(Object.fromEntries(columns.map((c, n) => [c, row[n] ?? null]))));
}

/** DuckDB's words for access that a snapshot does not allow. */
const FORBIDDEN = new RegExp(
  [
    'read-only',
    'Cannot execute statement of type',
    'External file access',
    'has been locked',
    'file system operations are disabled',
  ].join('|'),
  'iu',
);

/** DuckDB's message about an error, without its internal prefix; the position in the statement stays. */
export function queryErrorText(error: unknown): string {
  const message = messageOf(error);
  if (/INTERRUPT/u.test(message)) return 'stopped';
  if (FORBIDDEN.test(message)) return `Not allowed: the snapshot is read-only. ${message.split('\n')[0] ?? ''}`;
  return message.replace(/^Failed to \w+ statements: /u, '').trim();
}
