/** Rows of a published snapshot, in JSON form. */
import { join } from 'node:path';
import { openDuck, rowsOf } from '../../lib/duck.ts';
import { literal } from '../../lib/sql.ts';
import type { Row } from './compare.ts';

/** Reads rows of a published table. */
export type ReadTable = (table: string, where?: string) => Promise<Row[]>;

/** Open a snapshot's folder, and close it after `use`. */
export async function withSnapshot<T>(folder: string, use: (read: ReadTable) => Promise<T>): Promise<T> {
  const duck = await openDuck();
  try {
    return await use((table, where = 'true') => {
      const file = literal(join(folder, `${table}.parquet`));
      return rowsOf(duck.connection, `SELECT * FROM read_parquet(${file}) WHERE ${where}`);
    });
  } finally {
    duck.close();
  }
}

const INSTANTS = ['first_seen', 'last_seen', 'last_verified', 'listing_first_seen', 'version_first_seen'] as const;

/** The row with its instants cut to days: the world knows the day of a read, not its time. */
export function withDays(row: Row): Row {
  const days = [...INSTANTS, 'version_last_seen'].flatMap((name) =>
    typeof row[name] === 'string' ? [[name, row[name].slice(0, 10)] as const] : [],
  );
  return { ...row, ...Object.fromEntries(days) };
}

/** The row with these columns parsed from JSON. */
export const withJson = (row: Row, ...columns: readonly string[]): Row => ({
  ...row,
  ...Object.fromEntries(columns.map((name) => [name, JSON.parse(String(row[name])) as unknown])),
});
