/** What moved since the snapshot before: counts for the run's summary, by comparing each mart with its previous self. */
import type { DuckDBConnection } from '@duckdb/node-api';
import { rowsOf } from '../../lib/duck.ts';

export interface Changes {
  readonly since: string;
  /** One line a kind of change that happened. */
  readonly lines: readonly string[];
}

const COUNTS: readonly (readonly [label: string, sql: string])[] = [
  ['deals new', 'SELECT count(*) AS n FROM deals d ANTI JOIN previous_deals p USING (id)'],
  [
    'price cuts',
    'SELECT count(*) AS n FROM deals d JOIN previous_deals p USING (id) WHERE d.list_price < p.list_price',
  ],
  [
    'price rises',
    'SELECT count(*) AS n FROM deals d JOIN previous_deals p USING (id) WHERE d.list_price > p.list_price',
  ],
  [
    'deals delisted',
    "SELECT count(*) AS n FROM deals d JOIN previous_deals p USING (id) WHERE d.listing_status = 'delisted' AND p.listing_status <> 'delisted'",
  ],
  [
    'deals relisted',
    "SELECT count(*) AS n FROM deals d JOIN previous_deals p USING (id) WHERE d.listing_status <> 'delisted' AND p.listing_status = 'delisted'",
  ],
  [
    'debts new',
    "SELECT count(*) AS n FROM signals s ANTI JOIN previous_signals p USING (id) WHERE s.signal_state = 'listed'",
  ],
  [
    'debts gone from their list',
    "SELECT count(*) AS n FROM signals s JOIN previous_signals p USING (id) WHERE s.signal_state = 'removed' AND p.signal_state = 'listed'",
  ],
  ['auctions new', 'SELECT count(*) AS n FROM auctions a ANTI JOIN previous_auctions p USING (id)'],
  [
    'auctions sold',
    "SELECT count(*) AS n FROM auctions a JOIN previous_auctions p USING (id) WHERE a.sale_status = 'sold' AND p.sale_status <> 'sold'",
  ],
  [
    'auctions called off',
    "SELECT count(*) AS n FROM auctions a JOIN previous_auctions p USING (id) WHERE a.sale_status IN ('cancelled', 'withdrawn', 'postponed') AND p.sale_status = 'scheduled'",
  ],
  ['leads new', 'SELECT count(*) AS n FROM leads l ANTI JOIN previous_leads p USING (id)'],
  ['leads gone', 'SELECT count(*) AS n FROM previous_leads p ANTI JOIN leads l USING (id)'],
  ['filings new', 'SELECT count(*) AS n FROM filings f ANTI JOIN previous_filings p USING (id)'],
  [
    'filings changed',
    'SELECT count(*) AS n FROM filings f JOIN previous_filings p USING (id) WHERE f.last_updated > p.last_updated',
  ],
];

/** Everything that is asked for them. */
export const CHANGES_SQL: readonly string[] = COUNTS.map(([, sql]) => sql);

/** Count the changes of a finished build against the previous snapshot named `since`. */
export async function changesSince(connection: DuckDBConnection, since: string): Promise<Changes> {
  const lines: string[] = [];
  for (const [label, sql] of COUNTS) {
    const n = Number((await rowsOf(connection, sql))[0]?.['n']);
    if (n > 0) lines.push(`${n.toLocaleString('en-US').padStart(6)}  ${label}`);
  }
  return { since, lines };
}
