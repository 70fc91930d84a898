/** Tables of a day in SQLite, which evaluates the conditions and orders that portals and map servers take. */
import { DatabaseSync } from 'node:sqlite';

export type Cell = string | number | boolean | null | undefined;
export type Row = Readonly<Record<string, Cell>>;

/** A condition, an order, a column or a number of rows that a server refuses. */
export class BadQuery extends Error {}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const stored = (cell: Cell): string | number | null => (typeof cell === 'boolean' ? Number(cell) : (cell ?? null));

/** Selects rows by a condition and an order in SQL; without an order as they are. @throws BadQuery */
export type Select = (where?: string | null, order?: string | null) => Row[];

export function tableOf(rows: readonly Row[], columns: readonly string[]): Select {
  const database = new DatabaseSync(':memory:');
  const all = ['row at', ...columns].map(quoted);
  database.exec(`PRAGMA case_sensitive_like = true; CREATE TABLE rows (${all.join(', ')}); BEGIN`);
  const insert = database.prepare(`INSERT INTO rows VALUES (${all.map(() => '?').join(', ')})`);
  for (const [at, row] of rows.entries()) insert.run(at, ...columns.map((name) => stored(row[name])));
  database.exec('COMMIT');
  return (where, order) => {
    try {
      const sql = `SELECT "row at" AS at FROM rows WHERE ${where || 'true'} ORDER BY ${order || '1'}, 1`;
      const found = database.prepare(sql).all();
      return found.map(({ at }) => rows[Number(at)] ?? {});
    } catch (error) {
      throw new BadQuery(error instanceof Error ? error.message : String(error));
    }
  };
}

/** The names in a list with commas that a table has, in the table's spelling. @throws BadQuery for another name */
export const namesIn = (list: string, columns: readonly string[]): string[] =>
  list.split(',').map((text) => {
    const name = text.trim().replace(/^"(.+)"$/u, '$1');
    const known = columns.find((column) => column.toLowerCase() === name.toLowerCase());
    if (known === undefined) throw new BadQuery(`No such column: ${name}`);
    return known;
  });

/** A whole number of a query. @throws BadQuery */
export function wholeOf(value: unknown, byDefault: number): number {
  if (value === undefined || value === null || value === '') return byDefault;
  if (!/^\d+$/u.test(String(value))) throw new BadQuery(`Invalid number: ${String(value)}`);
  return Number(value);
}

/** Columns by name from a list with commas: `ward:int` has a type, and a name alone is a text. */
export const typedColumns = (list: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    list.split(', ').map((column) => {
      const [name = '', type = 'text'] = column.split(':');
      return [name, type];
    }),
  );

/** A row with these columns alone. */
export const picked = (row: Row, names: readonly string[]): Record<string, Cell> =>
  Object.fromEntries(names.map((name) => [name, row[name] ?? null]));
