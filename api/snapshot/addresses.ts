/** The normalized addresses of the records that a lookup compares, in one table with an index of streets. */
import { literal } from '../../lib/sql.ts';
import { TABLES } from '../../models/serving/tables.ts';

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
