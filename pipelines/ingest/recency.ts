/** How recent the rows of a read are: its newest row, and its fiscal years, where the source must have recent ones. */
import type { DuckDBConnection } from '@duckdb/node-api';
import { rowsOf } from '../../lib/duck.ts';
import { identifier } from '../../lib/sql.ts';
import type { DegradedReason } from '../../models/marts/sources.ts';
import type { SourceSpec } from '../../sources/contract.ts';
import { daysBetween } from '../clock.ts';
import type { ReadPage, ReadRecord } from './reads.ts';

/** Reason of a source that is degraded because it has none. */
export const NO_RECENT_ROWS: DegradedReason = 'no_recent_rows';

/** Day of the newest row in the table `fresh`. */
export async function findNewestDay(connection: DuckDBConnection, spec: SourceSpec): Promise<ReadRecord['newest']> {
  const { newest } = spec.expect;
  if (!newest) return undefined;
  const given = newest.given === undefined ? '' : `FILTER (${identifier(newest.given)} IS NOT NULL)`;
  const [row] = await rowsOf(
    connection,
    `SELECT CAST(max(${identifier(newest.column)}) ${given} AS VARCHAR) AS newest FROM fresh HAVING count(*) > 0`,
  );
  return row && { on: typeof row['newest'] === 'string' ? row['newest'] : null };
}

/** Why a good read has no recent rows; null if it has. */
export function withoutRecentRows(
  { expect }: Pick<SourceSpec, 'expect'>,
  { newest, observed_at: observedAt }: Pick<ReadRecord, 'newest' | 'observed_at'>,
): string | null {
  if (!expect.newest || !newest) return null;
  if (newest.on === null) return 'no row has a figure';
  const age = daysBetween(newest.on, observedAt);
  if (age <= expect.newest.maxAgeDays) return null;
  return (
    `the newest row is of ${newest.on}, ${age} days before it was read; ` +
    `at most ${expect.newest.maxAgeDays} days expected`
  );
}

/** Years of the rows in the table `fresh`, and the newest year on the source's own lists with the day of the list. */
export async function findFiscalYears(
  connection: DuckDBConnection,
  spec: SourceSpec,
  pages: readonly ReadPage[],
): Promise<ReadRecord['fiscal_years']> {
  if (!spec.listedFiscalYear) return undefined;
  const rows = await rowsOf(connection, 'SELECT DISTINCT fiscal_year FROM fresh ORDER BY fiscal_year');
  const lists: { readonly year: number; readonly on: string }[] = [];
  for (const page of pages) {
    const year = spec.listedFiscalYear(await page.open());
    if (year !== null) lists.push({ year, on: page.observedAt.slice(0, 10) });
  }
  const [listed = null] = lists.sort((a, b) => b.year - a.year || (a.on < b.on ? 1 : -1));
  return { rows: rows.map((row) => Number(row['fiscal_year'])), listed };
}
