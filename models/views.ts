/** Views of the published database: the questions that analysts ask first. They read published tables only. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface View {
  readonly name: string;
  readonly about: string;
  /** Tables that it reads. A column named like one of theirs has the same meaning; the first table wins. */
  readonly reads: readonly string[];
  /** Meaning of the other columns. */
  readonly columns: Readonly<Record<string, string>>;
  /** One SELECT without macros, which the published database does not have. */
  readonly sql: string;
}

const view = (name: string, facts: Omit<View, 'name' | 'sql'>): View => ({
  name,
  ...facts,
  sql: readFileSync(join(import.meta.dirname, 'views', `${name}.sql`), 'utf8').trim(),
});

export const VIEWS: readonly View[] = [
  view('deals_slim', {
    about: 'One row per deal for sale with its main columns, the best score first.',
    reads: ['deals'],
    columns: {
      cap_rate_claimed: 'The advertised cap rate, else the one that follows from a stated NOI. Unit: percent.',
    },
  }),
  view('deals_with_distress', {
    about:
      'One row per deal and public record. is_match: the record is of the property (distress_matches), not one that ' +
      'may be of another property (distress_candidates).',
    reads: ['deals'],
    columns: {
      deal_id: 'The deal.',
      is_match: 'True if the record belongs to the property; false if it may belong to another.',
      match_basis: 'Basis of the match, as in distress_matches and distress_candidates.',
      kind: 'Kind of the record.',
      record_id: 'Row of signals or auctions.',
      record_address: 'Address on the record.',
      parcel_id: 'Parcel number on the record.',
      amount: 'Amount owed or claimed. Unit: USD.',
      filed_on: 'Day on which the record began.',
      sale_date: 'Day of the sale.',
      last_seen: 'When the record was last read.',
    },
  }),
  view('price_history', {
    about: 'One row per listing and asking price, the first included.',
    reads: ['listing_history', 'deals'],
    columns: {
      price_before: 'Asking price before; null for the first. Unit: USD.',
      price_change: 'list_price less price_before. Unit: USD.',
      seen_from: 'When the price was first read.',
    },
  }),
];
