/** The published tables that the server loads, each with its record. */
import type { RecordDefinition } from '../lib/record.ts';
import assumptions from '../models/marts/assumptions.ts';
import auctions from '../models/marts/auctions.ts';
import deals from '../models/marts/deals.ts';
import filings from '../models/marts/filings.ts';
import leads from '../models/marts/leads.ts';
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
} satisfies Record<string, RecordDefinition>;

export type TableName = keyof typeof TABLES;

/** Columns by which rows are looked up or ranked. */
export const INDEXES: readonly (readonly [table: TableName, column: string])[] = [
  ['deals', 'id'], ['signals', 'id'], ['auctions', 'id'], ['leads', 'id'], ['filings', 'id'],
];
