/**
 * A world made many times as large: every staged row again, as another property, debt, sale or business in the same
 * city. What belongs together in the original belongs together in each copy, so that joins find what they find in it.
 */
import type { DuckDBConnection } from '@duckdb/node-api';
import type { Column } from '../lib/record.ts';
import { identifier, literal } from '../lib/sql.ts';
import type { Model } from '../models/index.ts';

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

/** "912-914 8TH ST" becomes "103912-103914 8TH ST": house numbers only, so that both ends of a range move. */
const moved = (c: string, copy: number): string =>
  `regexp_replace(split_part(${c}, ' ', 1), '(\\d+)', '${copy + 100}\\1', 'g') || substr(${c}, length(split_part(${c}, ' ', 1)) + 1)`;
const renumbered = (c: string, copy: number): string => `translate(${c}, '0123456789', ${literal(exchanged(copy))})`;
const numbered = (c: string, copy: number): string => `${c} || '-${copy}'`;

/** How a column of the n-th copy differs, as SQL. */
const changes: Readonly<Record<string, (column: string, copy: number) => string>> = {
  street: moved,
  mail_street: moved,
  address: moved,
  property_address: moved,
  parcel_raw: renumbered,
  parcel_id: renumbered,
  listing_id: numbered,
  listing_url: (c, copy) => `${c} || '?copy=${copy}'`,
  case_number: numbered,
  item_id: numbered,
  document_number: numbered,
  amendment_document: numbered,
  charter_number: numbered,
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

const PARTS = ['address_key', 'street_key', 'house_low', 'house_high', 'unit_key'];

/** What follows from the changed columns of a published table, by the models' own macros. */
const following: Readonly<Record<string, {
  /** Address in comparable form, where the table has its parts or they name the row. */
  readonly address?: string;
  readonly replaced: Readonly<Record<string, string>>;
}>> = {
  listing_history: {
    address: 'listing_parts(street, units)',
    replaced: { deal_id: "uuid_of(CASE WHEN parts.address_key IS NOT NULL THEN 'deal|' || parts.address_key || '|' || zip ELSE 'listing|' || source || '|' || listing_id END)" },
  },
  signals: {
    address: 'address_parts(address)',
    replaced: {
      parcel_key: 'coalesce(parcel_key_of(county_fips, parcel_id), upper(parcel_id))', id: "uuid_of('tax_delinquent|' || county_fips || '|' || coalesce(parcel_key_of(county_fips, parcel_id), upper(parcel_id)))",
      ...Object.fromEntries(PARTS.map((part) => [part, `parts.${part}`])),
    },
  },
  auctions: {
    address: 'address_parts(property_address)',
    replaced: {
      parcel_key: 'parcel_key_of(county_fips, parcel_id)',
      id: `uuid_of('sheriff_sale|' || county_fips || '|' || regexp_replace(upper(case_number), '[^A-Z0-9]', '', 'g') || '|' || coalesce(parcel_key_of(county_fips, parcel_id), '') || '|' || sale_date)`,
      ...Object.fromEntries(PARTS.map((part) => [part, `parts.${part}`])),
    },
  },
  filings: { replaced: { id: "uuid_of('filing|' || source || '|' || document_number)" } },
};

/**
 * Make the published tables of the day before `times` as large, in place, each copy about the things that `enlarge` makes
 * of the staged rows: what was seen of a thing before stays what was seen of it. Needs the models' macros.
 */
export async function enlargePublished(connection: DuckDBConnection, models: readonly Model[], times: number): Promise<void> {
  for (const { name, contract } of models) {
    const follows = following[name];
    if (times === 1 || !contract.publish || follows === undefined) continue;
    const table = identifier(`previous_${name}`);
    await connection.run(`CREATE TEMP TABLE original AS SELECT * FROM ${table}`);
    const replaced = Object.entries(follows.replaced).map(([column, sql]) => `${sql} AS ${identifier(column)}`).join(', ');
    for (let copy = 1; copy < times; copy += 1) {
      const changed = contract.record.columns.filter((c) => c.name in changes).map((c) => `${changes[c.name]?.(identifier(c.name), copy)} AS ${identifier(c.name)}`);
      await connection.run(`INSERT INTO ${table} SELECT * EXCLUDE (parts) REPLACE (${replaced}) FROM (
        SELECT *, ${follows.address ?? 'NULL'} AS parts FROM (SELECT * REPLACE (${changed.join(', ')}) FROM original))`);
    }
    await connection.run('DROP TABLE original');
    const grain = contract.record.key.map(identifier).join(', ');
    await connection.run(`CREATE OR REPLACE TABLE ${table} AS SELECT * FROM ${table} QUALIFY row_number() OVER (PARTITION BY ${grain} ORDER BY page_sha256, page_row) = 1`);
  }
}
