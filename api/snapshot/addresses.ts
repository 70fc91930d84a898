/** Street addresses in normalized form, by the macros that normalized the rows (models/macros/address_parts.sql). */
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { literal } from '../../lib/sql.ts';
import { TABLES } from '../../models/serving/tables.ts';

/** Rows of a query on a snapshot. */
interface Rows {
  rows(sql: string, params?: readonly string[]): Promise<Record<string, unknown>[]>;
}

export const ADDRESSED_TABLES = ['deals', 'signals', 'auctions'] as const;
export type AddressedTable = (typeof ADDRESSED_TABLES)[number];

/** Columns of the records that a lookup compares. */
const COLUMNS = [
  'id',
  'address_key',
  'street_key',
  'house_low',
  'house_high',
  'unit_key',
  'city',
  'state',
  'zip',
  'city_basis',
  'county_fips',
  'parcel_key',
  'signal_state',
];

/** The column of a table, or null if the table has none of that name. */
const columnOrNull = (table: AddressedTable, name: string): string =>
  TABLES[table].columns.some((column) => column.name === name) ? name : `CAST(NULL AS VARCHAR) AS ${name}`;

const selectOf = (table: AddressedTable): string =>
  `SELECT ${literal(table)} AS table_name, rowid AS record_row,
    ${COLUMNS.map((name) => columnOrNull(table, name)).join(', ')},
    ${table === 'deals' ? 'CAST(NULL AS VARCHAR)' : 'letters_and_digits(parcel_id)'} AS parcel_letters
  FROM ${table}
  WHERE address_key IS NOT NULL${table === 'deals' ? '' : ' OR parcel_id IS NOT NULL'}`;

/** Statements that create the table. Column record_row is the rowid of the record in its own table. */
export const addressKeysSql = (): readonly string[] => [
  `CREATE TABLE memory.main.address_keys AS ${ADDRESSED_TABLES.map(selectOf).join(' UNION ALL ')}`,
  'CREATE INDEX address_keys_by_street ON memory.main.address_keys (street_key)',
];

/** The normalized parts of a street address. */
export interface AddressParts {
  readonly address_key: string;
  readonly street_key: string;
  readonly house_low: number | null;
  readonly house_high: number | null;
  readonly unit_key: string | null;
}

/** Parts of a street address, or null if it has no house number. */
export type Normalize = (street: string) => Promise<AddressParts | null>;

/** It reads no table and passes a column, not the parameter, to the macros, so that DuckDB caches its plan. */
const SQL = `WITH
  typed AS (SELECT CAST($1 AS VARCHAR) AS street),
  lines AS (SELECT first_address_of(street) AS line FROM typed)
  SELECT parts.address_key, parts.street_key, parts.house_low, parts.house_high, parts.unit_key
  FROM parts_of_lines('lines')`;

const Parts = z.object({
  address_key: z.string(),
  street_key: z.string(),
  house_low: z.int().nullable(),
  house_high: z.int().nullable(),
  unit_key: z.string().nullable(),
});
const Row = z.union([Parts, z.object({ address_key: z.null() }).transform(() => null)]);

/** Streets cached: a request normalizes its street once in `check` and once in `handle`. */
const MAX_CACHED = 1_000;

export function addressNormalizer(database: Rows): Normalize {
  const cache = new LRUCache<string, Promise<AddressParts | null>>({ max: MAX_CACHED });
  return (street) => {
    let parts = cache.get(street);
    if (!parts) {
      parts = database.rows(SQL, [street]).then(([row]) => Row.parse(row));
      cache.set(street, parts);
      // A failure is not cached.
      parts.catch(() => {
        cache.delete(street);
      });
    }
    return parts;
  };
}
