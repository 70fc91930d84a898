/** A snapshot with a result for every route, and texts that are hard to encode. */
import { rowsOfTable, type Row } from '../api/support/snapshot_fixtures.ts';
import type { TableName } from '../../models/serving/tables.ts';

const TEXTS = ['100% City', "O'Fallon", 'a\\b', '=1+1', '"', 'São Paulo', '<script>', 'Straße, Nord', '日本', '_'];
const text = (i: number): string => TEXTS[i % TEXTS.length] ?? '';

export const everyTable = (): Partial<Record<TableName, readonly Row[]>> => ({
  deals: rowsOfTable('deals', 60, (i) => ({ city: text(i), cap_rate: '9.00', dscr: '1.20', deal_score: i % 50 })),
  reports: rowsOfTable('reports', 60),
  listing_history: rowsOfTable('listing_history', 60),
  signals: rowsOfTable('signals', 60, (i) => ({ county: `${text(i)} County, OH` })),
  auctions: rowsOfTable('auctions', 60, (i) => ({ county: `${text(i)} County, OH` })),
  leads: rowsOfTable('leads', 60, (i) => ({ county: `${text(i)} County, OH`, lead_score: i })),
  filings: rowsOfTable('filings', 60, (i) => ({
    business_name: text(i),
    first_seen: `2026-11-${i % 2 ? '20' : '12'}T12:00:00Z`,
    ...(i % 3 ? {} : { source: 'colorado_sos', source_state: 'CO' }),
  })),
  assumptions: rowsOfTable('assumptions', 3),
});
