/**
 * A world made many times as large: every row of its inputs again, as another property, debt, sale or business in the same
 * city. What belongs together in the original belongs together in each copy, and what was seen of a thing before is what
 * was seen of its copy, so that joins find what they find in it.
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
  for (
    let i = digits.length - 1, seed = (copy * 2_654_435_761) % 4_294_967_296;
    i > 0;
    i -= 1, seed = (seed * STEP + 12_345) % 4_294_967_296
  ) {
    const j = seed % (i + 1);
    [digits[i], digits[j]] = [digits[j] ?? '', digits[i] ?? ''];
  }
  return digits.join('');
}

/** "912-914 8TH ST" becomes "103912-103914 8TH ST": house numbers only, so that both ends of a range move. */
const moved = (c: string): string =>
  `regexp_replace(split_part(${c}, ' ', 1), '(\\d+)', (copy + 100) || '\\1', 'g') || substr(${c}, length(split_part(${c}, ' ', 1)) + 1)`;
const renumbered = (c: string): string => `translate(${c}, '0123456789', digits)`;
const numbered = (c: string): string => `${c} || '-' || copy`;

/** How a column of a copy differs, as SQL over the columns copy and digits. */
const changes: Readonly<Record<string, (column: string) => string>> = {
  street: moved,
  mail_street: moved,
  address: moved,
  property_address: moved,
  parcel_raw: renumbered,
  parcel_id: renumbered,
  listing_id: numbered,
  listing_url: (c) => `${c} || '?copy=' || copy`,
  case_number: numbered,
  item_id: numbered,
  document_number: numbered,
  amendment_document: numbered,
  charter_number: numbered,
};

const PARTS = ['address_key', 'street_key', 'house_low', 'house_high', 'unit_key'];

interface Following {
  /** Address in comparable form, where the table has its parts or they name the row. */
  readonly address?: string;
  readonly replaced: Readonly<Record<string, string>>;
}

/** What follows from the changed columns of a published table, by the models' own macros. */
const following: Readonly<Record<string, Following>> = {
  listing_history: {
    address: 'listing_parts(street, units)',
    replaced: {
      deal_id:
        "uuid_of(CASE WHEN parts.address_key IS NOT NULL THEN 'deal|' || parts.address_key || '|' || zip ELSE 'listing|' || source || '|' || listing_id END)",
    },
  },
  signals: {
    address: 'address_parts(address)',
    replaced: {
      parcel_key: 'coalesce(parcel_key_of(county_fips, parcel_id), upper(parcel_id))',
      id: "uuid_of('tax_delinquent|' || county_fips || '|' || coalesce(parcel_key_of(county_fips, parcel_id), upper(parcel_id)))",
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

/** Add copies of a table's rows; the few that are the same as another by chance are left out. */
async function multiply(
  connection: DuckDBConnection,
  table: string,
  columns: readonly Column[],
  key: readonly string[],
  times: number,
  follows: Following,
): Promise<void> {
  const changed = columns.flatMap((c) =>
    c.name in changes ? [`${changes[c.name]?.(identifier(c.name))} AS ${identifier(c.name)}`] : [],
  );
  const replaced = Object.entries(follows.replaced).map(([column, sql]) => `${sql} AS ${identifier(column)}`);
  const replace = (list: readonly string[]): string => (list.length === 0 ? '' : ` REPLACE (${list.join(', ')})`);
  const copies = Array.from({ length: times - 1 }, (_, i) => `(${i + 1}, ${literal(exchanged(i + 1))})`).join(', ');
  await connection.run(`CREATE OR REPLACE TABLE ${identifier(table)} AS SELECT * FROM (
    SELECT * FROM ${identifier(table)}
    UNION ALL
    SELECT * EXCLUDE (copy, digits, parts)${replace(replaced)} FROM (
      SELECT *, ${follows.address ?? 'NULL'} AS parts FROM (
        SELECT *${replace(changed)} FROM ${identifier(table)} CROSS JOIN (VALUES ${copies}) AS copies(copy, digits)))
    ) QUALIFY row_number() OVER (PARTITION BY ${key.map(identifier).join(', ')} ORDER BY source, source_url) = 1`);
}

/** Make a staged table `times` as large, in place. Rents and what else names no single thing stay as they are. */
export async function enlarge(
  connection: DuckDBConnection,
  table: string,
  columns: readonly Column[],
  key: readonly string[],
  times: number,
): Promise<void> {
  if (times === 1 || !columns.some((c) => key.includes(c.name) && c.name in changes)) return;
  await multiply(connection, table, columns, ['source', ...key], times, { replaced: {} });
}

/** Make the published tables of the day before that models read `times` as large, in place. Needs the models' macros. */
export async function enlargePublished(
  connection: DuckDBConnection,
  models: readonly Model[],
  times: number,
): Promise<void> {
  for (const { name, contract } of models) {
    const follows = following[name];
    if (times === 1 || !contract.publish || follows === undefined) continue;
    await multiply(connection, `previous_${name}`, contract.record.columns, contract.record.key, times, follows);
  }
}
