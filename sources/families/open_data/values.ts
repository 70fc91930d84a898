/** Values that tables of open data portals have in common. */
import { date, optional } from '../../values.ts';
import type { Cells, Group } from './table.ts';

/** The days of a column, the earliest first. */
export const daysOf = (column: string, rows: Group): readonly string[] =>
  rows
    .map((row) => date(column, row[column]))
    .filter((day) => day !== null)
    .sort();

/** The texts of a column without repetition, in order; null if all are blank. */
export const textsOf = (column: string, rows: Group): string | null =>
  [...new Set(rows.map((row) => optional(row[column])).filter((text) => text !== null))].join('; ') || null;

/** The row with the latest day in a column; of equal ones, the last. */
export function latestOf(column: string, rows: Group): Cells {
  const day = (row: Cells): string => date(column, row[column]) ?? '';
  return rows.reduce((latest, row) => (day(row) >= day(latest) ? row : latest));
}
