/** Which fields a diff compares and which it shows. */
import type { DuckDBConnection } from '@duckdb/node-api';
import { rowsOf } from '../../../lib/duck.ts';

/** Fields that a diff compares with ALL=1 only: those that the change feed does not compare. The macros exist. */
export async function fieldsThatMove(connection: DuckDBConnection): Promise<ReadonlySet<string>> {
  const rows = await rowsOf(connection, 'SELECT unnest(fields_that_move()) AS field');
  return new Set(rows.map((row) => String(row['field'])));
}

/** Fields by which people recognize a row, in addition to its key. */
export const LABELS: Readonly<Record<string, readonly string[]>> = {
  deals: ['address', 'city'],
  leads: ['lead_type', 'address', 'county'],
  signals: ['county', 'parcel_id'],
  auctions: ['county', 'case_number', 'sale_date'],
  filings: ['business_name'],
  owners: ['owner_name', 'county'],
};

/** Tables that follow from other tables. Compared with ALL=1 only. */
export const DERIVED_TABLES: ReadonlySet<string> = new Set([
  'reports',
  'property_keys',
  'coverage',
  'changes',
  'change_feeds',
]);
