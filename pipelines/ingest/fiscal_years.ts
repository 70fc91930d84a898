/** The fiscal years of a read, where its source has rows of fiscal years. */
import type { DuckDBConnection } from '@duckdb/node-api';
import { rowsOf } from '../../lib/duck.ts';
import type { SourceSpec } from '../../sources/contract.ts';
import type { ReadPage } from './read_page.ts';
import type { ReadRecord } from './reads.ts';

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
