/** Counts what changed since the previous snapshot, for the summary of a run. */
import type { DuckDBConnection } from '@duckdb/node-api';
import { rowsOf } from '../../../lib/duck.ts';

export interface Changes {
  readonly since: string;
  /** Each kind of change that happened, with its number. */
  readonly counts: readonly { readonly label: string; readonly n: number }[];
}

/** Rows of a table that are not in the previous snapshot, or the reverse. */
const added = (table: string, condition = 'true', key = 'id'): string =>
  `SELECT count(*) AS n FROM ${table} AS today ANTI JOIN previous_${table} AS before USING (${key}) WHERE ${condition}`;
const removed = (table: string): string =>
  `SELECT count(*) AS n FROM previous_${table} AS before ANTI JOIN ${table} AS today USING (id)`;
/** Rows of both snapshots that meet a condition over `today` and `before`. */
const changed = (table: string, condition: string, key = 'id'): string =>
  `SELECT count(*) AS n FROM ${table} AS today JOIN previous_${table} AS before USING (${key}) WHERE ${condition}`;

/** Debts of older snapshots have other ids. A parcel has one debt, and may have records of other kinds. */
const DEBT_KEY = 'signal_type, county_fips, parcel_key';
const IS_DEBT = "today.signal_type = 'tax_delinquent'";
const IS_LISTED = "today.signal_state = 'listed'";
const IS_GONE = "today.signal_state = 'removed' AND before.signal_state = 'listed'";

const COUNTS: readonly (readonly [label: string, sql: string])[] = [
  ['deals new', added('deals')],
  ['price cuts', changed('deals', 'today.list_price < before.list_price')],
  ['price rises', changed('deals', 'today.list_price > before.list_price')],
  ['deals delisted', changed('deals', "today.listing_status = 'delisted' AND before.listing_status <> 'delisted'")],
  ['deals relisted', changed('deals', "today.listing_status <> 'delisted' AND before.listing_status = 'delisted'")],
  ['debts new', added('signals', `${IS_LISTED} AND ${IS_DEBT}`, DEBT_KEY)],
  ['debts gone from their list', changed('signals', `${IS_GONE} AND ${IS_DEBT}`, DEBT_KEY)],
  ['other records new', added('signals', `${IS_LISTED} AND NOT (${IS_DEBT})`)],
  ['other records gone from their list', changed('signals', `${IS_GONE} AND NOT (${IS_DEBT})`)],
  ['auctions new', added('auctions')],
  ['auctions sold', changed('auctions', "today.sale_status = 'sold' AND before.sale_status <> 'sold'")],
  [
    'auctions called off',
    changed(
      'auctions',
      "today.sale_status IN ('cancelled', 'withdrawn', 'postponed') AND before.sale_status = 'scheduled'",
    ),
  ],
  ['leads new', added('leads')],
  ['leads gone', removed('leads')],
  [
    'filings new',
    `SELECT coalesce(sum(filings), 0) - (SELECT coalesce(sum(filings), 0) FROM previous_registers) AS n FROM registers`,
  ],
  // Of the rows of today's reads: another one was last updated before it was last seen.
  ['filings changed', "SELECT count(*) AS n FROM filings WHERE change_kind = 'changed' AND last_updated = last_seen"],
];

/** All queries of this file, to find out which previous tables they read. */
export const CHANGES_SQL: readonly string[] = COUNTS.map(([, sql]) => sql);

/** Count the changes of a finished build since the previous snapshot `since`. */
export async function changesSince(connection: DuckDBConnection, since: string): Promise<Changes> {
  const counts = COUNTS.map(([, sql], index) => `(${sql}) AS change_${index}`);
  const [row] = await rowsOf(connection, `SELECT ${counts.join(', ')}`);
  const counted = COUNTS.map(([label], index) => ({ label, n: Number(row?.[`change_${index}`]) }));
  return { since, counts: counted.filter(({ n }) => n > 0) };
}
