/** `make backtest`: score decile against what happened next, over all snapshots of a data folder. */
import { pipelineSettings, readSettings, SettingError } from '../../lib/settings.ts';
import { backtestOver, type BacktestRow } from '../../models/analysis/backtest.ts';
import { layoutOf, parseRunId, type Layout } from '../layout.ts';
import { say } from '../../lib/output.ts';
import { listSnapshots } from '../snapshots.ts';
import { table } from '../run/summary.ts';

export type { BacktestRow } from '../../models/analysis/backtest.ts';

/** Run models/analysis/backtest.sql over the last snapshot of each day. @throws SettingError where nothing is published */
export async function backtest(
  layout: Layout,
): Promise<{ readonly rows: BacktestRow[]; readonly days: readonly string[] }> {
  const last = new Map((await listSnapshots(layout)).map((runId) => [parseRunId(runId)?.asOf ?? '', runId]));
  if (last.size === 0) throw new SettingError(`nothing is published in ${layout.root} yet; start with make run`);
  return {
    rows: await backtestOver(new Map([...last].map(([day, runId]) => [day, layout.snapshot(runId)]))),
    days: [...last.keys()],
  };
}

/** What is printed: a table of the deciles that can be measured, and for the rest how many deals there are. */
export function linesOf({ rows, days }: Awaited<ReturnType<typeof backtest>>): string[] {
  const lines = [
    `${days.length} days of snapshots, ${days[0] ?? ''} to ${days.at(-1) ?? ''}. Each deal counts once, as first scored.`,
  ];
  for (const key of new Set(rows.map((r) => `${r.outcome} within ${r.days} days`))) {
    const mine = rows.filter((r) => `${r.outcome} within ${r.days} days` === key);
    const measured = mine.filter((r) => r.status === 'measured');
    const short = mine.filter((r) => r.status !== 'measured');
    lines.push('', key);
    const name = ({ decile }: BacktestRow): string => (decile === null ? 'all' : String(decile));
    if (measured.length > 0)
      lines.push(
        ...table(
          ['decile', 'n', 'happened', 'share %', '95 % interval'],
          measured.map((r) => [
            name(r),
            String(r.n),
            String(r.hits),
            String(r.share_pct),
            `${r.low_pct} to ${r.high_pct}`,
          ]),
        ),
      );
    if (short.length > 0)
      lines.push(
        `not enough history: ${short.map((r) => (r.decile === null ? `all deals n=${r.n}` : `decile ${r.decile} n=${r.n}`)).join(', ')}`,
      );
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
