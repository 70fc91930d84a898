/** Answers of queries for people and for programs. */
import type { DuckDBConnection } from '@duckdb/node-api';
import { table } from '../run/summary.ts';

export interface Answered {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
  /** There are rows beyond these. */
  readonly more: boolean;
}

/** Run a statement and take no more than so many of its rows. */
export async function answer(connection: DuckDBConnection, sql: string, mostRows: number): Promise<Answered> {
  const reader = await connection.streamAndReadUntil(sql, mostRows + 1);
  const rows = reader.getRowsJson();
  return { columns: reader.columnNames(), rows: rows.slice(0, mostRows), more: rows.length > mostRows };
}

const WIDEST_CELL = 60;
const cell = (v: unknown, widest: number): string => {
  // A line break would break the table.
  const text = (v === null ? '·' : typeof v === 'object' ? JSON.stringify(v) : String(v)).replaceAll(/\s*\n\s*/gu, ' ');
  return text.length > widest ? `${text.slice(0, widest - 1)}…` : text;
};
const count = ({ rows, more }: Answered): string =>
  more ? `the first ${rows.length} rows; there are more` : `${rows.length} row${rows.length === 1 ? '' : 's'}`;

/** A row under another, each value on a line of its own. */
export function upright(a: Answered): string[] {
  const widest = Math.max(0, ...a.columns.map((c) => c.length));
  return [
    ...a.rows.flatMap((row, i) => [
      `-- row ${i + 1}`,
      ...a.columns.map((c, n) => `  ${c.padEnd(widest)}  ${cell(row[n], Infinity)}`),
    ]),
    count(a),
  ];
}

/**
 * As a table. Columns that do not fit are named rather than broken.
 * @param width of the screen in characters
 */
export function asTable(a: Answered, width = Infinity): string[] {
  if (a.columns.length === 0) return [count(a)];
  const whole = a.rows.map((row) => row.map((v) => cell(v, Infinity)));
  const widths = a.columns.map((column, n) =>
    Math.min(Math.max(column.length, ...whole.map((row) => row[n]?.length ?? 0)), Math.max(WIDEST_CELL, column.length)),
  );
  let used = 0;
  let fitting = 0;
  for (const w of widths) {
    used += 2 + w;
    if (used > width && fitting > 0) break;
    fitting += 1;
  }
  // Room that is left goes to the columns that were cut, the last first.
  let room = fitting < widths.length || width === Infinity ? 0 : width - used;
  for (let n = fitting - 1; n >= 0 && room > 0; n -= 1) {
    const wanted = Math.max(0, ...whole.map((row) => row[n]?.length ?? 0)) - (widths[n] ?? 0);
    const more = Math.max(0, Math.min(wanted, room));
    widths[n] = (widths[n] ?? 0) + more;
    room -= more;
  }
  const hidden = a.columns.slice(fitting);
  return [
    ...table(
      a.columns.slice(0, fitting),
      whole.map((row) => row.slice(0, fitting).map((text, n) => cell(text, widths[n] ?? WIDEST_CELL))),
    ),
    count(a),
    ...(hidden.length > 0
      ? [
          `${hidden.length} more column${hidden.length === 1 ? '' : 's'} (${cell(hidden.join(', '), 80)}): .x shows the rows upright`,
        ]
      : []),
  ];
}

const csvCell = (v: unknown): string => {
  const text = v === null ? '' : typeof v === 'object' ? JSON.stringify(v) : String(v);
  return /[",\r\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** Lines of a format that programs read. */
export function asLines(a: Answered, format: 'csv' | 'json'): string[] {
  if (format === 'csv') return [a.columns.map(csvCell).join(','), ...a.rows.map((row) => row.map(csvCell).join(','))];
  return a.rows.map((row) => JSON.stringify(Object.fromEntries(a.columns.map((c, n) => [c, row[n] ?? null]))));
}

/** What DuckDB says of a mistake, without what only its authors want to know; the place in the statement stays. */
export function readable(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  if (/INTERRUPT/u.test(message)) return 'stopped';
  if (
    /read-only|Cannot execute statement of type|External file access|has been locked|file system operations are disabled/iu.test(
      message,
    )
  )
    return `not here: the snapshot is read-only and alone (${message.split('\n')[0] ?? ''})`;
  return message.replace(/^Failed to \w+ statements: /u, '').trim();
}
