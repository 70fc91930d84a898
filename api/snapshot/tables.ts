/** The published tables that the server reads, each with its record. */
import type { Column, RecordDefinition } from '../../lib/record.ts';
import assumptions from '../../models/marts/assumptions.ts';
import auctions from '../../models/marts/auctions.ts';
import changeFeeds from '../../models/marts/change_feeds.ts';
import changes from '../../models/marts/changes.ts';
import coverage from '../../models/marts/coverage.ts';
import deals from '../../models/marts/deals.ts';
import filings from '../../models/marts/filings.ts';
import leads from '../../models/marts/leads.ts';
import listingHistory from '../../models/marts/listing_history.ts';
import owners from '../../models/marts/owners.ts';
import propertyKeys from '../../models/marts/property_keys.ts';
import reports from '../../models/marts/reports.ts';
import signals from '../../models/marts/signals.ts';
import sources from '../../models/marts/sources.ts';

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
  property_keys: propertyKeys.record,
  owners: owners.record,
  coverage: coverage.record,
  changes: changes.record,
  change_feeds: changeFeeds.record,
} satisfies Record<string, RecordDefinition>;

export type TableName = keyof typeof TABLES;

export const TABLE_NAMES = Object.keys(TABLES) as readonly TableName[];

/** The column of a table. @throws Error if the table has no column of that name */
export function columnOf(table: TableName, name: string): Column {
  const column = TABLES[table].columns.find((one) => one.name === name);
  if (!column) throw new Error(`${table} has no column ${name}`);
  return column;
}
