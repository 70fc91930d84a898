/** What a comparison reads: rows of a published snapshot in JSON form, and what the world says about them. */
import { join } from 'node:path';
import { openDuck, rowsOf } from '../../lib/duck.ts';
import { readJson } from '../../lib/files.ts';
import { rowsOfFiles } from '../../lib/stored_types.ts';
import { Manifest } from '../../models/manifest.ts';
import type { Row, TrueRow } from './compare.ts';
import type { CountyDebts } from './truth/debts.ts';
import type { Truth } from './truth/truth.ts';

/** Reads rows of a published table. */
export type ReadTable = (table: string, where?: string) => Promise<Row[]>;

/** Open a snapshot's folder, and close it after `use`. */
export async function withSnapshot<T>(folder: string, use: (read: ReadTable) => Promise<T>): Promise<T> {
  const { tables } = Manifest.parse(await readJson(join(folder, 'manifest.json')));
  const duck = await openDuck();
  try {
    return await use((table, where = 'true') => {
      const files = tables[table]?.files.map(({ file }) => join(folder, file)) ?? [];
      return rowsOf(duck.connection, `SELECT * FROM ${rowsOfFiles(files, ['id'])} WHERE ${where}`);
    });
  } finally {
    duck.close();
  }
}

export interface Facts {
  readonly read: ReadTable;
  readonly truth: Truth;
  /** Debts of Ohio's counties. */
  readonly counties: readonly CountyDebts[];
  /** Id of the property that has a parcel number, in any form in which pages print it. */
  readonly propertyOf: (countyFips: unknown, parcel: unknown) => string | undefined;
  /** The property of each listing that a site shows on the day of the snapshot, by source and id. */
  readonly forSale: ReadonlyMap<string, string>;
}

/** One kind of record: which published rows are compared with which true ones. */
export interface RecordTable {
  readonly record: string;
  readonly table: string;
  /** SQL condition of the rows that are compared. */
  readonly where?: string;
  /** Compared only if every snapshot since the first exists. */
  readonly needsAllReads?: boolean;
  /** Adds columns in the form of the truth, where instants are days already; null leaves the row out. */
  readonly prepare?: (row: Row, facts: Facts) => Row | null;
  readonly keyOf: (row: Row, facts: Facts) => string;
  /** @param published the prepared rows */
  readonly truth: (facts: Facts, published: readonly Row[]) => readonly TrueRow[] | Promise<readonly TrueRow[]>;
}

const INSTANTS = [
  'first_seen',
  'last_seen',
  'last_verified',
  'listing_first_seen',
  'version_first_seen',
  'version_last_seen',
] as const;

/** The row with its instants cut to days: the world knows the day of a read, not its time. */
export function withDays(row: Row): Row {
  const days = INSTANTS.flatMap((name) => {
    const value = row[name];
    return typeof value === 'string' ? [[name, value.slice(0, 10)] as const] : [];
  });
  return { ...row, ...Object.fromEntries(days) };
}

/** Declared assumptions by key, as the snapshot publishes them. */
export async function readAssumptions(read: ReadTable): Promise<(key: string) => string> {
  const values = new Map((await read('assumptions')).map((row) => [row['key'], String(row['value'])]));
  return (key) => {
    const value = values.get(key);
    if (value === undefined) throw new Error(`the snapshot has no assumption ${key}`);
    return value;
  };
}
