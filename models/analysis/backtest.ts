/** Runs backtest.sql over published snapshots: score decile against later outcomes. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openDuck, rowsOf } from '../../lib/duck.ts';
import { literal } from '../../lib/sql.ts';

export interface BacktestRow {
  readonly outcome: string;
  readonly days: number;
  /** 1 to 10, the lowest scores first; null for all deals. */
  readonly decile: number | null;
  /** Deals whose horizon the snapshots cover, and those of them with the outcome. */
  readonly n: number;
  readonly hits: number;
  readonly status: 'measured' | 'not enough history';
  /** Share and Wilson's 95 % interval in percent; null without enough history. */
  readonly share_pct: number | null;
  readonly low_pct: number | null;
  readonly high_pct: number | null;
}

const VIEWS = {
  deal_days: ['deals', 'id, deal_score, list_price, listing_status, distress_matches'],
  signal_days: ['signals', 'id, signal_state'],
  auction_days: ['auctions', 'id, sale_status'],
} as const;

/**
 * Back-test over snapshots.
 * @param days snapshot folders by day (YYYY-MM-DD); at least one
 */
export async function backtestOver(days: ReadonlyMap<string, string>): Promise<BacktestRow[]> {
  const duck = await openDuck();
  try {
    for (const [view, [name, columns]] of Object.entries(VIEWS)) {
      const selects = [...days].map(([day, folder]) => {
        const file = literal(join(folder, `${name}.parquet`));
        return `SELECT DATE ${literal(day)} AS as_of, ${columns} FROM read_parquet(${file})`;
      });
      await duck.connection.run(`CREATE VIEW ${view} AS ${selects.join(' UNION ALL ')}`);
    }
    const sql = await readFile(join(import.meta.dirname, 'backtest.sql'), 'utf8');
    return (await rowsOf(duck.connection, sql)) as unknown as BacktestRow[];
  } finally {
    duck.close();
  }
}
