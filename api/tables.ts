/** The published tables that the server loads, each with its record. */
import type { RecordDefinition } from '../lib/record.ts';
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
