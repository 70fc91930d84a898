/** `make status`: freshness of sources, problems, the current snapshot, costs and disk, as a screen or as JSON. */
import { loadSources } from '../../sources/index.ts';
import { bytesShort, number, plural, printLines, table } from '../format.ts';
import type { Layout } from '../layout.ts';
import { checkHealth, type Cost, type Health, type HealthOptions, type SnapshotHealth } from '../operate/health.ts';
import { formatOutdated, type SourceHealth } from '../operate/problems.ts';
import { formatTables } from '../run/summary.ts';

/** Exit status for monitors: 0 ok, 1 look into a warning, 2 nothing new is published or the data cannot be trusted. */
export const EXIT: Readonly<Record<Health['level'], number>> = { ok: 0, warning: 1, critical: 2 };

export interface StatusOptions extends HealthOptions {
  readonly json?: boolean;
  /** List the sources that need nobody one by one. Default: one row per family. */
  readonly all?: boolean;
}

/** Print the status of a data folder. @returns the exit status */
export async function status(
  layout: Layout,
  options: StatusOptions = {},
  print: (lines: readonly string[]) => void = printLines,
): Promise<number> {
  const health = await checkHealth(layout, await loadSources(), options);
  const lines = options.json === true ? [JSON.stringify(health, null, 1)] : formatHealth(health, options.all);
  print(lines);
  return EXIT[health.level];
}

const formatCost = (cost: Cost): string =>
  `${plural(cost.requests, 'request')}, ${bytesShort(cost.bytes)} fetched, ${number(cost.seconds)} s`;

function formatSnapshot(health: SnapshotHealth): string[] {
  const files = health.damage.length === 0 ? 'all file hashes match' : 'DAMAGED';
  const warnings = health.warnings.map((warning) => `${warning.audit} ${warning.rows} rows`).join(', ');
  return [
    `Snapshot  ${health.run_id} (${health.data_clock}), as of ${health.as_of}, ${health.age_days} d old, assumptions ` +
      `${health.assumption_set_id}; ${files}`,
    `Audits    ${health.audits_passed} passed${warnings === '' ? ', no warnings' : `; warnings: ${warnings}`}`,
    `Rows      ${formatTables(health.rows)}`,
  ];
}

function formatLastRun(run: NonNullable<Health['last_run']>): string {
  const outcome = run.published ? 'published' : `NOT PUBLISHED (${run.blocked.join(', ')})`;
  return `Last run  ${run.run_id}, ${outcome}: ${formatCost(run.cost)}`;
}

function formatQueue(queue: NonNullable<Health['queue']>): string {
  const names = queue.workers.length === 0 ? '' : ` (${queue.workers.join(', ')})`;
  const hosts = plural(queue.hosts_being_read, 'host');
  const failed = queue.hosts_failed === 0 ? '' : `, ${queue.hosts_failed} failed in all attempts`;
  return `Queue     ${plural(queue.workers.length, 'worker')}${names}, reading ${hosts}${failed}`;
}

const formatStore = ({ place, current, runs }: NonNullable<Health['store']>): string =>
  `Store     ${place}: ${current === null ? 'nothing published yet' : `${current} is current`}, ${plural(runs, 'run')}`;

function formatAlert({ at, event, troubles, failure }: NonNullable<Health['alert']>): string {
  const what = troubles.length === 1 ? (troubles[0] ?? '') : plural(troubles.length, 'problem');
  const outcome = failure === null ? 'delivered' : 'NOT DELIVERED';
  return `Alert     ${at.slice(0, 16).replace('T', ' ')} UTC, ${event}: ${what}; ${outcome}`;
}

/** Runs, queue, cost and disk. */
function formatOperation(health: Health): string[] {
  const { last_run: run, running, queue, store, month, disk, free, backup } = health;
  const sizes = Object.entries(disk)
    .map(([name, n]) => `${name} ${bytesShort(n)}`)
    .join(', ');
  return [
    ...(run ? [formatLastRun(run)] : []),
    ...(health.stopped === null ? [] : [`Stopped   ${health.stopped}, by you; the next run of its day continues it`]),
    ...(running === null ? [] : [`Now       a run is in progress (process ${running})`]),
    ...(queue ? [formatQueue(queue)] : []),
    ...(store ? [formatStore(store)] : []),
    ...(run
      ? [
          `Cost      last 30 days, ${number(month.runs)} runs: ${formatCost(month)}`,
          `Disk      ${sizes}; ${free === null ? 'unknown' : bytesShort(free)} free`,
        ]
      : []),
    ...(health.alert === null ? [] : [formatAlert(health.alert)]),
    ...(backup ? [`Backup    ${backup.at.slice(0, 10)} in ${backup.folder}`] : []),
  ];
}

function formatGroupCounts(sources: readonly SourceHealth[]): string {
  const count = (group: SourceHealth['group']): number => sources.filter((source) => source.group === group).length;
  const [waiting, outOfSeason] = [count('waiting'), count('out_of_season')];
  const waitingText = waiting === 0 ? '' : `, ${waiting} waiting for the operator`;
  const seasonText = outOfSeason === 0 ? '' : `, ${outOfSeason} out of season`;
  return `${count('fresh')} fresh, ${count('late')} late, ${count('broken')} broken${waitingText}${seasonText}`;
}

/** A strip per source: 90 days, the last one today. */
const formatHistory = (history: Health['history']): string[] =>
  table(['source', 'last 90 days, today last: = read, x failed, . not read'], Object.entries(history));

/** The whole screen, as lines; problems that are not of a source come first. */
export function formatHealth(health: Health, all = false): string[] {
  const { snapshot, sources, troubles } = health;
  const isOfSource = ({ kind }: Health['troubles'][number]): boolean => kind.startsWith('source_');
  const pages = [...new Set(troubles.filter(isOfSource).map((trouble) => trouble.runbook))];
  return [
    ...(snapshot ? formatSnapshot(snapshot) : []),
    ...formatOperation(health),
    ...troubles
      .filter((trouble) => !isOfSource(trouble))
      .map((trouble) => `Problem   ${trouble.message}. See ${trouble.runbook}`),
    ...(sources.length === 0 ? [] : ['', ...formatSources(sources, all)]),
    ...(all ? ['', ...formatHistory(health.history)] : []),
    ...(sources.length === 0 ? [] : ['', formatGroupCounts(sources)]),
    ...sources.flatMap(({ source, news }) => (news === null ? [] : [`New       ${source}: ${news}`])),
    ...(pages.length > 0 ? [`Runbook: ${pages.join(', ')}`] : []),
    ...(snapshot?.data_clock === 'sandbox' ? [snapshot.notice] : []),
  ];
}

const GROUPS = ['late', 'broken', 'waiting', 'out_of_season', 'fresh'] as const;
/** Groups that need nobody, as printed in the row of a family. */
const QUIET = { out_of_season: 'out of season', fresh: 'fresh' } as const;
const HEADER = [
  'source',
  'state',
  'last success',
  'age',
  'every',
  'rows',
  'rejected',
  'not read',
  'next due',
  'reason',
];

/** Why the latest read failed, or why its rows are outdated. */
function reasonOf(health: SourceHealth): string {
  if (health.reason !== null) return `${health.reason}: ${health.detail ?? ''}`;
  return health.outdated_reason === null ? '' : `${health.outdated_reason}: ${formatOutdated(health) ?? ''}`;
}

const sourceRow = (health: SourceHealth): string[] => [
  health.source,
  health.state,
  health.last_good_at?.slice(0, 10) ?? 'never',
  health.age_days === null ? '-' : `${health.age_days} d`,
  `${health.every_days} d`,
  number(health.rows),
  number(health.rows_rejected),
  health.uncounted === null ? '-' : number(health.uncounted),
  health.next_due ?? '-',
  reasonOf(health),
];

const earliest = (days: readonly (string | null)[]): string | undefined => days.filter((day) => day !== null).sort()[0];

/** Rows not read by the counts of the sites that state one; unknown if none does. */
function uncountedOf(members: readonly SourceHealth[]): string {
  const counts = members.flatMap(({ uncounted }) => (uncounted === null ? [] : [uncounted]));
  return counts.length === 0 ? '-' : number(counts.reduce((sum, n) => sum + n, 0));
}

/** Sources of one family and group as one row. */
const familyRow = (group: keyof typeof QUIET, family: string, members: readonly SourceHealth[]): string[] => [
  `${family} (${members.length})`,
  QUIET[group],
  earliest(members.map((member) => member.last_good_at))?.slice(0, 10) ?? 'never',
  group === 'fresh' ? `${Math.max(...members.map((member) => member.age_days ?? 0))} d` : '-',
  `${Math.max(...members.map((member) => member.every_days))} d`,
  number(members.reduce((sum, s) => sum + s.rows, 0)),
  number(members.reduce((sum, s) => sum + s.rows_rejected, 0)),
  uncountedOf(members),
  earliest(members.map((member) => member.next_due)) ?? '-',
];

/** The sources as a table, late and broken ones first. */
export function formatSources(sources: readonly SourceHealth[], all: boolean): string[] {
  const rows = GROUPS.flatMap((group) => {
    const members = sources.filter((source) => source.group === group);
    if (all || group === 'late' || group === 'broken' || group === 'waiting') return members.map(sourceRow);
    const families = [...Map.groupBy(members, (source) => source.family)];
    return families.map(([family, own]) => familyRow(group, family, own));
  });
  return [...table(HEADER, rows), ...(all ? [] : ['(fresh sources are grouped by family; ALL=1 lists each)'])];
}
