/** `make backtest`: score decile against what happened next, over all snapshots of a data folder. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openDuck, rowsOf } from '../lib/duck.ts';
import { pipelineSettings, readSettings, SettingError } from '../lib/settings.ts';
import { literal } from '../lib/sql.ts';
import { layoutOf, parseRunId, type Layout } from './layout.ts';
import { say } from './output.ts';
import { listSnapshots } from './snapshots.ts';
import { table } from './summary.ts';

export interface BacktestRow {
  readonly outcome: string;
  readonly days: number;
  readonly decile: number;
  /** Deals whose horizon the snapshots cover, and those of them to which it happened. */
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

/** Run models/analysis/backtest.sql over the last snapshot of each day. @throws SettingError where nothing is published */
export async function backtest(layout: Layout): Promise<{ readonly rows: BacktestRow[]; readonly days: readonly string[] }> {
  const last = new Map((await listSnapshots(layout)).map((runId) => [parseRunId(runId)?.asOf ?? '', runId]));
  if (last.size === 0) throw new SettingError(`nothing is published in ${layout.root} yet; start with make run`);
  const duck = await openDuck();
  try {
    for (const [view, [name, columns]] of Object.entries(VIEWS)) {
      await duck.connection.run(`CREATE VIEW ${view} AS ${[...last].map(([day, runId]) =>
        `SELECT DATE ${literal(day)} AS as_of, ${columns} FROM read_parquet(${literal(join(layout.snapshot(runId), `${name}.parquet`))})`).join(' UNION ALL ')}`);
    }
    const sql = await readFile(join(import.meta.dirname, '../models/analysis/backtest.sql'), 'utf8');
    return { rows: await rowsOf(duck.connection, sql) as unknown as BacktestRow[], days: [...last.keys()] };
  } finally { duck.close(); }
}

/** What is printed: a table of the deciles that can be measured, and for the rest how many deals there are. */
export function linesOf({ rows, days }: Awaited<ReturnType<typeof backtest>>): string[] {
  const lines = [`${days.length} days of snapshots, ${days[0] ?? ''} to ${days.at(-1) ?? ''}. Each deal counts once, as first scored.`];
  for (const key of new Set(rows.map((r) => `${r.outcome} within ${r.days} days`))) {
    const mine = rows.filter((r) => `${r.outcome} within ${r.days} days` === key);
    const measured = mine.filter((r) => r.status === 'measured');
    const short = mine.filter((r) => r.status !== 'measured');
    lines.push('', key);
    if (measured.length > 0) lines.push(...table(['decile', 'n', 'share %', '95 % interval'], measured.map((r) => [String(r.decile), String(r.n), String(r.share_pct), `${r.low_pct} to ${r.high_pct}`])));
    if (short.length > 0) lines.push(`not enough history: ${short.map((r) => `decile ${r.decile} n=${r.n}`).join(', ')}`);
  }
  return lines;
}

if (import.meta.main) {
  try {
    for (const line of linesOf(await backtest(layoutOf(readSettings(pipelineSettings).DATA_DIR)))) say(line);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
