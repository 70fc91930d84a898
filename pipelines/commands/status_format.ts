/** Formats the health of a data folder for a screen. */
import { styleText } from 'node:util';
import { knownNetwork } from '../../lib/network.ts';
import { bytesShort, labeled, number, plural, wrapped } from '../format.ts';
import type { Sales } from '../operate/earnings.ts';
import type { DiskForecast } from '../operate/forecast.ts';
import type { Health, SnapshotHealth } from '../operate/health.ts';
import type { Cost } from '../operate/past_runs.ts';
import type { SourceHealth } from '../operate/source_health.ts';
import { formatSources, type Screen } from './status_sources.ts';

export type { Screen } from './status_sources.ts';

/** Tables without a count of their own on the screen. */
const UNCOUNTED = ['assumptions', 'sources', 'reports', 'property_keys', 'change_feeds'];

/** Width of the label of a line. */
const LABEL = 10;
/** Empty lines around the table of sources. */
const EMPTY_LINES = 2;

const formatCost = (cost: Cost): string =>
  `${plural(cost.requests, 'request')}, ${bytesShort(cost.bytes)} fetched, ${number(cost.seconds)} s`;

const formatSales = (sales: Sales): string => `$${sales.usd} (${plural(sales.calls, 'call')})`;

function formatSnapshot(health: SnapshotHealth): string[] {
  const files = health.damage.length === 0 ? 'all file hashes match' : 'DAMAGED';
  const warnings = health.warnings.map((warning) => `${warning.audit} ${warning.rows} rows`).join(', ');
  const rows = Object.entries(health.rows).filter(([name]) => !UNCOUNTED.includes(name));
  return [
    `Snapshot  ${health.run_id} (${health.data_clock}), as of ${health.as_of}, ${health.age_days} d old, assumptions ` +
      `${health.assumption_set_id}; ${files}`,
    `Audits    ${health.audits_passed} blocking passed${warnings === '' ? ', no warnings' : `; warnings: ${warnings}`}`,
    `Rows      ${rows.map(([name, n]) => `${name} ${number(n)}`).join(', ')}`,
  ];
}

function formatLastRun(run: NonNullable<Health['last_run']>): string {
  const outcome = run.published ? 'published' : `NOT PUBLISHED (${run.blocked.join(', ')})`;
  return `Last run  ${run.run_id}, ${outcome}: ${formatCost(run.cost)}`;
}

function formatQueue(queue: NonNullable<Health['queue']>): string {
  const names = queue.workers.length === 0 ? '' : ` (${queue.workers.join(', ')})`;
  const hosts = plural(queue.hosts_being_read, 'host');
  return `Queue     ${plural(queue.workers.length, 'worker')}${names}, reading ${hosts}`;
}

const formatStore = ({ place, current, runs }: NonNullable<Health['store']>): string =>
  `Store     ${place}: ${current === null ? 'nothing published yet' : `${current} is current`}, ${plural(runs, 'run')}`;

const MONEY = {
  test: 'in test money, ',
  real: '',
  unknown: '(test money, if PAYMENTS is sandbox for the server) ',
} as const;

function formatEarnings({ money, day, month, all, by_network }: NonNullable<Health['earned']>): string {
  const networks = Object.entries(by_network).map(
    ([name, sales]) => `${knownNetwork(name)?.title ?? name} ${formatSales(sales)}`,
  );
  const ofNetworks = networks.length < 2 ? '' : `, of which ${networks.join(', ')}`;
  const sales = `last 24 hours ${formatSales(day)}, last 30 days ${formatSales(month)}, in all ${formatSales(all)}`;
  return `Earned    ${MONEY[money ?? 'unknown']}${sales}${ofNetworks}`;
}

function formatForecast({
  growth_in_30_days: growth,
  free,
  full_on: fullOn,
  is_pruned: isPruned,
}: DiskForecast): string {
  const change = `${growth < 0 ? '-' : '+'}${bytesShort(Math.abs(growth))} in 30 days`;
  const pruning = isPruned ? 'pruned every day' : 'not pruned: no schedule is installed';
  const end = fullOn === null ? 'enough for more than a year' : `full on ${fullOn}`;
  return `Forecast  ${change} (${pruning}); ${bytesShort(free)} free, ${end}`;
}

/** Runs, queue, cost, disk and earnings. */
function formatOperation(health: Health): string[] {
  const { last_run: run, running, queue, store, month, disk, forecast, backup, earned } = health;
  const sizes = Object.entries(disk).map(([name, n]) => `${name} ${bytesShort(n)}`);
  return [
    ...(run ? [formatLastRun(run)] : []),
    ...(running === null ? [] : [`Now       a run is in progress (process ${running})`]),
    ...(queue ? [formatQueue(queue)] : []),
    ...(store ? [formatStore(store)] : []),
    ...(run
      ? [`Cost      last 30 days, ${number(month.runs)} runs: ${formatCost(month)}`, `Disk      ${sizes.join(', ')}`]
      : []),
    ...(forecast ? [formatForecast(forecast)] : []),
    ...(backup ? [`Backup    ${backup.at.slice(0, 10)} in ${backup.folder}`] : []),
    ...(earned ? [formatEarnings(earned)] : []),
  ];
}

function formatGroupCounts(sources: readonly SourceHealth[]): string {
  const count = (group: SourceHealth['group']): number => sources.filter((source) => source.group === group).length;
  const [waiting, outOfSeason] = [count('waiting'), count('out_of_season')];
  const waitingText = waiting === 0 ? '' : `, ${waiting} waiting for the operator`;
  const seasonText = outOfSeason === 0 ? '' : `, ${outOfSeason} out of season`;
  return `${count('fresh')} fresh, ${count('late')} late, ${count('broken')} broken${waitingText}${seasonText}`;
}

/** The whole screen, as lines. */
export function formatHealth(health: Health, screen: Screen = {}): string[] {
  const { snapshot, sources, troubles } = health;
  const color = health.level === 'critical' ? 'red' : 'yellow';
  const highlight = (line: string): string => (screen.hasColor === true ? styleText(color, line) : line);
  const isOfSource = ({ kind }: Health['troubles'][number]): boolean => kind.startsWith('source_');
  const { columns = Number.POSITIVE_INFINITY } = screen;
  const fit = (line: string): string[] => labeled(line.slice(0, LABEL), line.slice(LABEL), columns);
  const above = [
    ...(snapshot ? formatSnapshot(snapshot) : []).flatMap(fit),
    ...formatOperation(health).flatMap(fit),
    ...troubles
      .filter((trouble) => !isOfSource(trouble))
      .flatMap((trouble) => fit(`Problem   ${trouble.message}. See ${trouble.runbook}`).map(highlight)),
  ];
  const pages = [...new Set(troubles.filter(isOfSource).map((trouble) => trouble.runbook))];
  const below = [
    ...(sources.length > 0 ? wrapped(formatGroupCounts(sources), columns) : []),
    ...(pages.length > 0 ? wrapped(`Runbook: ${pages.join(', ')}`, columns).map(highlight) : []),
    ...(snapshot?.data_clock === 'sandbox' ? wrapped(snapshot.notice, columns) : []),
  ];
  if (sources.length === 0) return [...above, ...below];
  const otherLines = above.length + EMPTY_LINES + 1 + below.length;
  return [...above, '', ...formatSources(sources, screen, otherLines), '', ...below];
}
