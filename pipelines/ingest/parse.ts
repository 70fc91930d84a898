/** The pages of a read, parsed and checked: small ones in memory, big CSV files in DuckDB. */
import type { Page, SourceSpec } from '../../sources/contract.ts';
import { isBulk, readInBulk, type BulkRead } from './bulk.ts';
import { parsePages, writeRows, type Unreadable } from './stage.ts';

/**
 * Parse all pages of a read and check every row. The result is to be closed.
 * @param target staged file that `write` will write
 * @throws Quarantine when a page is not what the adapter knows
 */
export async function readPages(
  target: string,
  spec: SourceSpec,
  pages: readonly Page[],
  unreadable: readonly Unreadable[],
  observedAt: string,
): Promise<BulkRead> {
  if (isBulk(spec, pages)) return readInBulk(target, spec, pages, unreadable, observedAt);
  const parsed = parsePages(spec, pages, unreadable, observedAt);
  return { ...parsed, write: (before) => writeRows(target, spec, parsed, before), close: () => Promise.resolve() };
}
