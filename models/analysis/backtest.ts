/** Runs the SQL of this folder over published snapshots: scores and cap rates on landmarks against later outcomes. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openDuck, rowsOf } from '../../lib/duck.ts';
import { literal } from '../../lib/sql.ts';
import { macrosSql } from '../index.ts';

/** A landmark of deals, an outcome, and the days within which it is counted. */
interface Followed {
  /** Days on the feed when the deals were scored; 0: their first score. */
  readonly landmark: number;
  readonly outcome: string;
  readonly days: number;
  /** Deals whose horizon the snapshots cover, and how many of them had the outcome. */
  readonly n: number;
  readonly hits: number;
  readonly status: 'measured' | 'not enough history';
}

export interface BacktestRow extends Followed {
  /** 1 to 10, the lowest scores first; null for all deals. */
  readonly decile: number | null;
  /** Share and Wilson's 95 % interval in percent; null without enough history. */
  readonly share_pct: number | null;
  readonly low_pct: number | null;
  readonly high_pct: number | null;
}

/** Rank-biserial correlation with the outcome, from -1 to 1, over the deals with an underwritten cap rate. */
export interface CorrelationRow extends Followed {
  /** What ranks the deals; difference: the correlation of the score less that of the cap rate. */
  readonly measure: 'score' | 'cap_rate' | 'difference';
  /** Correlation and 95 % interval; null without enough history. */
  readonly correlation: number | null;
  readonly low: number | null;
  readonly high: number | null;
}

export interface BacktestResult {
  readonly rows: readonly BacktestRow[];
  readonly correlations: readonly CorrelationRow[];
}

const VIEWS = {
  deal_days: [
    'deals',
    'id, deal_score, cap_rate_underwritten, days_on_feed, list_price, listing_status, distress_matches',
  ],
  signal_days: ['signals', 'id, signal_state'],
  auction_days: ['auctions', 'id, sale_status'],
} as const;

/** Tables in the order in which each reads the ones before, by the name of their SQL file. */
const TABLES = { scored_deals: 'scored_deals', outcome_days: 'outcomes', followed_deals: 'followed_deals' } as const;

const sqlOf = (name: string): Promise<string> => readFile(join(import.meta.dirname, `${name}.sql`), 'utf8');

/**
 * Back-test over snapshots.
 * @param days snapshot folders by day (YYYY-MM-DD); at least one
 */
export async function backtestOver(days: ReadonlyMap<string, string>): Promise<BacktestResult> {
  const duck = await openDuck();
  const { connection } = duck;
  try {
    await connection.run(macrosSql());
    for (const [view, [name, columns]] of Object.entries(VIEWS)) {
      const selects = [...days].map(([day, folder]) => {
        const file = literal(join(folder, `${name}.parquet`));
        return `SELECT DATE ${literal(day)} AS as_of, ${columns} FROM read_parquet(${file})`;
      });
      await connection.run(`CREATE VIEW ${view} AS ${selects.join(' UNION ALL ')}`);
    }
    for (const [table, file] of Object.entries(TABLES))
      await connection.run(`CREATE TABLE ${table} AS ${await sqlOf(file)}`);
    return {
      rows: (await rowsOf(connection, await sqlOf('backtest'))) as unknown as BacktestRow[],
      correlations: (await rowsOf(connection, await sqlOf('rank_correlation'))) as unknown as CorrelationRow[],
    };
  } finally {
    duck.close();
  }
}
