/** `make backtest`: scores and cap rates on landmarks against later outcomes, over all snapshots of a data folder. */
import { print } from '../../lib/output.ts';
import { pipelineSettings, readSettings, SettingError } from '../../lib/settings.ts';
import {
  backtestOver,
  type BacktestResult,
  type BacktestRow,
  type CorrelationRow,
} from '../../models/analysis/backtest.ts';
import { runCli } from '../analyse/run_cli.ts';
import { table } from '../format.ts';
import { layoutOf, parseRunId, type Layout } from '../layout.ts';
import { holdForReading } from '../run/lock.ts';
import { listSnapshots } from '../snapshots.ts';

export interface Backtest extends BacktestResult {
  /** Days with a snapshot, in order. */
  readonly days: readonly string[];
}

/** Run models/analysis/ over the last snapshot of each day. @throws SettingError if nothing is published */
export async function backtest(layout: Layout): Promise<Backtest> {
  const lastOfDay = new Map((await listSnapshots(layout)).map((runId) => [parseRunId(runId)?.asOf ?? '', runId]));
  if (lastOfDay.size === 0) throw new SettingError(`Nothing is published in ${layout.root} yet. Start with make run.`);
  const folders = new Map([...lastOfDay].map(([day, runId]) => [day, layout.snapshot(runId)]));
  return { ...(await backtestOver(folders)), days: [...lastOfDay.keys()] };
}

const formatDecile = ({ decile }: BacktestRow): string => (decile === null ? 'all' : String(decile));
const formatLandmark = (landmark: number): string =>
  landmark === 0 ? 'as first scored' : `as scored on day ${landmark}`;

/** One outcome within one horizon: a table of the measured deciles, and the number of deals of the others. */
function formatOutcome(rows: readonly BacktestRow[]): string[] {
  const measured = rows.filter((row) => row.status === 'measured');
  const tooFew = rows.filter((row) => row.status !== 'measured' && row.n > 0);
  const cells = measured.map((rate) => [
    formatDecile(rate),
    String(rate.n),
    String(rate.hits),
    String(rate.share_pct),
    `${rate.low_pct} to ${rate.high_pct}`,
  ]);
  const counts = tooFew.map((rate) => `${rate.decile === null ? 'all deals' : `decile ${rate.decile}`} n=${rate.n}`);
  return [
    ...(cells.length === 0 ? [] : table(['decile', 'n', 'happened', 'share %', '95 % interval'], cells)),
    ...(counts.length === 0 ? [] : [`not enough history: ${counts.join(', ')}`]),
  ];
}

const decimals = (value: number | null): string => (value ?? 0).toFixed(2);
const formatCorrelation = (row: CorrelationRow | undefined): string =>
  row ? `${decimals(row.correlation)} (${decimals(row.low)} to ${decimals(row.high)})` : '';

/** The measured correlations of one landmark; empty without any. */
function formatCorrelations(rows: readonly CorrelationRow[]): string[] {
  const measured = rows.filter(({ status }) => status === 'measured');
  const cells = [...Map.groupBy(measured, ({ outcome, days }) => `${outcome} within ${days} days`)].map(
    ([name, of]) => [
      name,
      String(of[0]?.n ?? 0),
      String(of[0]?.hits ?? 0),
      ...(['score', 'cap_rate', 'difference'] as const).map((measure) =>
        formatCorrelation(of.find((row) => row.measure === measure)),
      ),
    ],
  );
  return cells.length === 0 ? [] : table(['outcome', 'n', 'happened', 'score', 'cap rate', 'difference'], cells);
}

export function formatBacktest({ rows, correlations, days }: Backtest): string[] {
  const period = `${days[0] ?? ''} to ${days.at(-1) ?? ''}`;
  const lines = [`${days.length} days of snapshots, ${period}. Each deal counts once for each landmark.`];
  for (const [landmark, of] of Map.groupBy(correlations, (correlation) => correlation.landmark)) {
    const measured = formatCorrelations(of);
    if (measured.length > 0)
      lines.push('', `rank correlation with the outcome, ${formatLandmark(landmark)}`, ...measured);
  }
  for (const [landmark, of] of Map.groupBy(rows, (row) => row.landmark)) {
    // A landmark that no deal has reached has no tables; the first score always has.
    if (landmark > 0 && of.every(({ n }) => n === 0)) continue;
    const outcomes = Map.groupBy(of, (rate) => `${rate.outcome} within ${rate.days} days, ${formatLandmark(landmark)}`);
    const followed = [...outcomes].filter(([, deciles]) => deciles.some(({ n }) => n > 0));
    for (const [outcome, deciles] of followed) lines.push('', outcome, ...formatOutcome(deciles));
    if (followed.length === 0) lines.push('', 'not enough history: no deal has been followed for 30 days');
  }
  return lines;
}

if (import.meta.main)
  await runCli(async () => {
    const layout = layoutOf(readSettings(pipelineSettings).DATA_DIR);
    const release = holdForReading(layout);
    for (const line of formatBacktest(await backtest(layout))) print(line);
    release();
    return 0;
  });
