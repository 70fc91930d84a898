/** The published tables that the server loads, each with its record. */
import type { Column, RecordDefinition } from '../lib/record.ts';
import assumptions from '../models/marts/assumptions.ts';
import auctions from '../models/marts/auctions.ts';
import deals from '../models/marts/deals.ts';
import filings from '../models/marts/filings.ts';
import leads from '../models/marts/leads.ts';
import listingHistory from '../models/marts/listing_history.ts';
import reports from '../models/marts/reports.ts';
import signals from '../models/marts/signals.ts';
import sources from '../models/marts/sources.ts';

export const TABLES = {
  deals: deals.record,
  signals: signals.record,
  auctions: auctions.record,
  leads: leads.record,
  filings: filings.record,
  sources: sources.record,
  assumptions: assumptions.record,
  reports: reports.record,
  listing_history: listingHistory.record,
} satisfies Record<string, RecordDefinition>;

export type TableName = keyof typeof TABLES;

/** Tables that older snapshots do not have. Without one of the others nothing is served from a snapshot. */
export const ADDED_LATER: ReadonlySet<TableName> = new Set(['reports', 'listing_history']);

/**
 * Columns by which single rows are looked up. An index over the millions of a register, or the hundreds of thousands of
 * leads, takes as long to make as their rows take to read: what looks no row up, or one row a sale, goes without.
 */
export const INDEXES: readonly (readonly [table: TableName, column: string, unique: 'UNIQUE' | ''])[] = [
  ['deals', 'id', 'UNIQUE'], ['signals', 'id', 'UNIQUE'], ['auctions', 'id', 'UNIQUE'], ['reports', 'id', 'UNIQUE'], ['listing_history', 'deal_id', ''],
];

/**
 * Tables whose whole records are held as lines (api/lines.ts), and the columns that SQL, filters and lookups ask for,
 * which alone are held as a table. Another column is found by nobody who asks in SQL.
 */
export const COLUMNS_ASKED = {
  deals: [
    'id', 'address', 'city', 'state', 'zip', 'listing_url', 'list_price', 'units', 'price_per_unit', 'cap_rate', 'cap_rate_source', 'noi', 'noi_source', 'noi_underwritten',
    'cap_rate_underwritten', 'cap_gap_pct', 'underwrite_reliability', 'dscr_status', 'deal_score', 'rental_status', 'offer_status', 'last_verified', 'listing_status', 'rent_area_name',
    'address_key', 'street_key', 'house_low', 'house_high', 'unit_key', 'distress_matches',
  ],
  signals: [
    'id', 'signal_type', 'signal_state', 'county', 'amount', 'has_address', 'city', 'state', 'zip', 'last_seen',
    'parcel_id', 'parcel_key', 'address_key', 'street_key', 'house_low', 'house_high', 'unit_key',
  ],
  auctions: [
    'id', 'sale_status', 'sale_date', 'county', 'appraised_value', 'city', 'state', 'zip', 'last_seen',
    'parcel_id', 'parcel_key', 'address_key', 'street_key', 'house_low', 'house_high', 'unit_key',
  ],
  leads: ['id', 'lead_type', 'lead_score', 'county', 'last_verified', 'sale_date'],
  filings: [
    'id', 'source_state', 'entity_type', 'business_name', 'registered_agent_name', 'registered_agent_status', 'business_city', 'filing_date', 'first_seen', 'last_seen',
  ],
} as const satisfies Partial<Record<TableName, readonly string[]>>;

/** A table whose records are sold whole, one by one or in lists. */
export type ListedTable = keyof typeof COLUMNS_ASKED;

/** Columns of a table as they are held in the database. */
export const heldColumns = (name: TableName): readonly Column[] => {
  const asked: ReadonlySet<string> | null = isListed(name) ? new Set(COLUMNS_ASKED[name]) : null;
  return TABLES[name].columns.filter((c) => asked?.has(c.name) ?? true);
};

export const isListed = (name: TableName): name is ListedTable => Object.hasOwn(COLUMNS_ASKED, name);
