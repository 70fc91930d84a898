/** Comparison of published rows with the true ones, by key. */
import { join } from 'node:path';
import { openDuck, rowsOf } from '../../lib/duck.ts';
import { literal } from '../../lib/sql.ts';

export interface Comparison {
  readonly what: string;
  /** Number of true rows. */
  readonly expected: number;
  /** Number of published rows. */
  readonly found: number;
  readonly missing: readonly string[];
  readonly unexpected: readonly string[];
  /** Rows with a different value, each with the field, the published and the true value. */
  readonly wrong: readonly string[];
}

export type Row = Readonly<Record<string, unknown>>;

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

/** Compare rows by key, and each field of the true row. */
export function compare(
  what: string,
  published: readonly Row[],
  keyOf: (row: Row) => string,
  truth: ReadonlyMap<string, Row>,
): Comparison {
  const found = new Map(published.map((row) => [keyOf(row), row]));
  const wrong: string[] = [];
  for (const [key, expected] of truth) {
    const row = found.get(key);
    if (!row) continue;
    const differences = Object.entries(expected)
      .filter(([field, value]) => (row[field] ?? null) !== value)
      .map(([field, value]) => `${field} is ${JSON.stringify(row[field] ?? null)}, expected ${JSON.stringify(value)}`);
    if (differences.length > 0) wrong.push(`${key}: ${differences.join('; ')}`);
  }
  return {
    what,
    expected: truth.size,
    found: found.size,
    missing: [...truth.keys()].filter((k) => !found.has(k)),
    unexpected: [...found.keys()].filter((k) => !truth.has(k)),
    wrong,
  };
}

export const isEqual = ({ missing, unexpected, wrong }: Comparison): boolean =>
  missing.length + unexpected.length + wrong.length === 0;

/** One line per comparison, and its first few differences. */
export function formatComparisons(comparisons: readonly Comparison[], maxDifferences = 3): string[] {
  const width = Math.max(...comparisons.map((c) => c.what.length));
  const count = (number: number): string => String(number).padStart(5);
  return comparisons.flatMap(({ what, expected, found, missing, unexpected, wrong }) => [
    `  ${what.padEnd(width)}  expected ${count(expected)}  found ${count(found)}  ` +
      `missing ${missing.length}  unexpected ${unexpected.length}  wrong ${wrong.length}`,
    ...[
      ...missing.map((key) => `missing ${key}`),
      ...unexpected.map((key) => `unexpected ${key}`),
      ...wrong.map((difference) => `wrong ${difference}`),
    ]
      .slice(0, maxDifferences)
      .map((line) => `      ${line}`),
  ]);
}
