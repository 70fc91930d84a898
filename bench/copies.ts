/**
 * A world made many times as large: every staged row again, as another property, debt, sale or business in the same
 * city. What belongs together in the original belongs together in each copy, so that joins find what they find in it.
 */
import type { DuckDBConnection } from '@duckdb/node-api';
import type { Column } from '../lib/record.ts';
import { identifier, literal } from '../lib/sql.ts';

const STEP = 7;

/** Digits exchanged for others, in another order for each copy: a number keeps its form and is another number. */
function exchanged(copy: number): string {
  const digits = [...'0123456789'];
  // Fisher-Yates, driven by the number of the copy.
  for (let i = digits.length - 1, seed = copy * 2_654_435_761 % 4_294_967_296; i > 0; i -= 1, seed = (seed * STEP + 12_345) % 4_294_967_296) {
    const j = seed % (i + 1);
    [digits[i], digits[j]] = [digits[j] ?? '', digits[i] ?? ''];
  }
  return digits.join('');
}

/** How a column of the n-th copy differs, as SQL. */
const changes: Readonly<Record<string, (column: string, copy: number) => string>> = {
  // "912-914 8TH ST" becomes "103912-103914 8TH ST": house numbers only, so that both ends of a range move.
  street: (c, copy) => `regexp_replace(split_part(${c}, ' ', 1), '(\\d+)', '${copy + 100}\\1', 'g') || substr(${c}, length(split_part(${c}, ' ', 1)) + 1)`,
  parcel_raw: (c, copy) => `translate(${c}, '0123456789', ${literal(exchanged(copy))})`,
  listing_id: (c, copy) => `${c} || '-${copy}'`,
  listing_url: (c, copy) => `${c} || '?copy=${copy}'`,
  case_number: (c, copy) => `${c} || '-${copy}'`,
  item_id: (c, copy) => `${c} || '-${copy}'`,
  document_number: (c, copy) => `${c} || '-${copy}'`,
  charter_number: (c, copy) => `${c} || '-${copy}'`,
};

/**
 * Make a staged table `times` as large, in place. Rents and what else names no single thing stay as they are. The few
 * rows of copies that are the same as another by chance are left out.
 */
export async function enlarge(connection: DuckDBConnection, table: string, columns: readonly Column[], key: readonly string[], times: number): Promise<void> {
  if (times === 1 || !columns.some((c) => key.includes(c.name) && c.name in changes)) return;
  await connection.run(`CREATE TEMP TABLE original AS SELECT * FROM ${identifier(table)}`);
  for (let copy = 1; copy < times; copy += 1) {
    const changed = columns.filter((c) => c.name in changes).map((c) => `${changes[c.name]?.(identifier(c.name), copy)} AS ${identifier(c.name)}`);
    await connection.run(`INSERT INTO ${identifier(table)} SELECT * REPLACE (${changed.join(', ')}) FROM original`);
  }
  await connection.run('DROP TABLE original');
  const grain = ['source', ...key].map(identifier).join(', ');
  await connection.run(`CREATE OR REPLACE TABLE ${identifier(table)} AS SELECT * FROM ${identifier(table)} QUALIFY row_number() OVER (PARTITION BY ${grain} ORDER BY page_sha256, page_row) = 1`);
}
