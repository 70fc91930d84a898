/** `make backtest`: score decile against later outcomes, over all snapshots of a data folder. */
import { messageOf } from '../../lib/errors.ts';
import { print } from '../../lib/output.ts';
import { pipelineSettings, readSettings, SettingError } from '../../lib/settings.ts';
import { backtestOver, type BacktestRow } from '../../models/analysis/backtest.ts';
import { table } from '../format.ts';
import { layoutOf, parseRunId, type Layout } from '../layout.ts';
import { listSnapshots } from '../snapshots.ts';

export type { BacktestRow } from '../../models/analysis/backtest.ts';

export interface Backtest {
  readonly rows: readonly BacktestRow[];
  /** Days with a snapshot, in order. */
  readonly days: readonly string[];
}

/** Run models/analysis/backtest.sql over the last snapshot of each day. @throws SettingError if nothing is published */
export async function backtest(layout: Layout): Promise<Backtest> {
  const lastOfDay = new Map((await listSnapshots(layout)).map((runId) => [parseRunId(runId)?.asOf ?? '', runId]));
  if (lastOfDay.size === 0) throw new SettingError(`Nothing is published in ${layout.root} yet. Start with make run.`);
  const folders = new Map([...lastOfDay].map(([day, runId]) => [day, layout.snapshot(runId)]));
  return { rows: await backtestOver(folders), days: [...lastOfDay.keys()] };
}

const formatDecile = ({ decile }: BacktestRow): string => (decile === null ? 'all' : String(decile));

/** One outcome within one horizon: a table of the measured deciles, and the number of deals of the others. */
function formatOutcome(rows: readonly BacktestRow[]): string[] {
  const measured = rows.filter((r) => r.status === 'measured');
  const tooFew = rows.filter((r) => r.status !== 'measured');
  const cells = measured.map((r) => [
    formatDecile(r),
    String(r.n),
    String(r.hits),
    String(r.share_pct),
    `${r.low_pct} to ${r.high_pct}`,
  ]);
  const counts = tooFew.map((r) => `${r.decile === null ? 'all deals' : `decile ${r.decile}`} n=${r.n}`);
  return [
    ...(cells.length === 0 ? [] : table(['decile', 'n', 'happened', 'share %', '95 % interval'], cells)),
    ...(counts.length === 0 ? [] : [`not enough history: ${counts.join(', ')}`]),
  ];
}

export function formatBacktest({ rows, days }: Backtest): string[] {
  const period = `${days[0] ?? ''} to ${days.at(-1) ?? ''}`;
  const lines = [`${days.length} days of snapshots, ${period}. Each deal counts once, as first scored.`];
  const outcomes = Map.groupBy(rows, (r) => `${r.outcome} within ${r.days} days`);
  for (const [outcome, of] of outcomes) lines.push('', outcome, ...formatOutcome(of));
  return lines;
}

if (import.meta.main) {
  try {
    const { DATA_DIR } = readSettings(pipelineSettings);
    for (const line of formatBacktest(await backtest(layoutOf(DATA_DIR)))) print(line);
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n`);
    process.exitCode = 1;
  }
}
