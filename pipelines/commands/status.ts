/** `make status`: freshness of sources, problems, the current snapshot, costs and disk, as a screen or as JSON. */
import { styleText } from 'node:util';
import { loadSources } from '../../sources/index.ts';
import { bytesShort, labeled, number, plural, table, wrapped } from '../format.ts';
import type { Layout } from '../layout.ts';
import { checkHealth, type Cost, type Health, type HealthOptions, type SnapshotHealth } from '../operate/health.ts';
import { formatOutdated, type SourceHealth } from '../operate/problems.ts';

/** Exit status for monitors: 0 ok, 1 look into a warning, 2 nothing new is published or the data cannot be trusted. */
export const EXIT: Readonly<Record<Health['level'], number>> = { ok: 0, warning: 1, critical: 2 };

export interface Screen {
  /** Lines of the screen; sources that need nobody become one row per family if there are more. Default: unlimited. */
  readonly lines?: number;
  /** Columns of the screen; the table leaves out columns that do not fit. Default: unlimited. */
  readonly columns?: number;
  readonly hasColor?: boolean;
  /** Adds the history of each source. */
  readonly hasHistory?: boolean;
}

export interface StatusOptions extends Screen, HealthOptions {
  readonly json?: boolean;
}

/** Print the status of a data folder. @returns the exit status */
export async function status(
  layout: Layout,
  print: (line: string) => void,
  options: StatusOptions = {},
): Promise<number> {
  const health = await checkHealth(layout, await loadSources(), options);
  const lines = options.json === true ? [JSON.stringify(health, null, 1)] : formatHealth(health, options);
  for (const line of lines) print(line);
  return EXIT[health.level];
}

/** Tables without a count of their own on the screen. */
const UNCOUNTED = [
  'assumptions',
  'sources',
  'reports',
  'property_keys',
  'change_feeds',
  'metro_days',
  'places',
  'endings',
];

/** Width of the label of a line. */
const LABEL = 10;
/** Empty lines around the table of sources. */
const EMPTY_LINES = 2;

const formatCost = (cost: Cost): string =>
  `${plural(cost.requests, 'request')}, ${bytesShort(cost.bytes)} fetched, ${number(cost.seconds)} s`;

function formatSnapshot(health: SnapshotHealth): string[] {
  const files = health.damage.length === 0 ? 'all file hashes match' : 'DAMAGED';
  const warnings = health.warnings.map((warning) => `${warning.audit} ${warning.rows} rows`).join(', ');
  const rows = Object.entries(health.rows).filter(([name]) => !UNCOUNTED.includes(name));
  return [
    `Snapshot  ${health.run_id} (${health.data_clock}), as of ${health.as_of}, ${health.age_days} d old, assumptions ` +
      `${health.assumption_set_id}; ${files}`,
    `Audits    ${health.audits_passed} passed${warnings === '' ? ', no warnings' : `; warnings: ${warnings}`}`,
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
  const news = sources.flatMap(({ source, news: found }) => (found === null ? [] : [`New       ${source}: ${found}`]));
  const pages = [...new Set(troubles.filter(isOfSource).map((trouble) => trouble.runbook))];
  const below = [
    ...news.flatMap(fit),
    ...(sources.length > 0 ? wrapped(formatGroupCounts(sources), columns) : []),
    ...(pages.length > 0 ? wrapped(`Runbook: ${pages.join(', ')}`, columns).map(highlight) : []),
    ...(snapshot?.data_clock === 'sandbox' ? wrapped(snapshot.notice, columns) : []),
  ];
  if (sources.length === 0) return [...above, ...below];
  const otherLines = above.length + EMPTY_LINES + 1 + below.length;
  const history = screen.hasHistory === true ? ['', ...formatHistory(health.history)] : [];
  return [...above, '', ...formatSources(sources, screen, otherLines), ...history, '', ...below];
}

/** A strip per source: 90 days, the last one today. */
function formatHistory(history: Health['history']): string[] {
  const width = Math.max(0, ...Object.keys(history).map((source) => source.length));
  return [
    'Last 90 days, today last: = read, x failed, . not read',
    ...Object.entries(history).map(([source, strip]) => `${source.padEnd(width)}  ${strip}`),
  ];
}

const GROUPS = ['late', 'broken', 'waiting', 'out_of_season', 'fresh'] as const;
/** Groups that need nobody, as printed: one row per family where the screen is small. */
const QUIET = { out_of_season: 'out of season', fresh: 'fresh' } as const;
const COLORS = { late: 'yellow', broken: 'red', waiting: 'cyan', out_of_season: 'gray', fresh: 'green' } as const;
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
const REASON_WIDTH = 100;
/** Columns that a narrow screen leaves out, in this order. */
const LESS_IMPORTANT = ['not read', 'rejected', 'every', 'next due', 'last success', 'rows'];
/** Columns that a reason needs in its row. With fewer, it goes on a line of its own. */
const MIN_REASON_WIDTH = 24;
const INDENT = 4;

type Group = SourceHealth['group'];
type QuietGroup = keyof typeof QUIET;

interface Row {
  readonly group: Group;
  readonly cells: readonly string[];
}

/** Why the latest read failed, or why its rows are outdated. */
function reasonOf(health: SourceHealth): string {
  if (health.reason !== null) return `${health.reason}: ${health.detail ?? ''}`;
  return health.outdated_reason === null ? '' : `${health.outdated_reason}: ${formatOutdated(health) ?? ''}`;
}

const sourceRow = (health: SourceHealth): Row => ({
  group: health.group,
  cells: [
    health.source,
    health.state,
    health.last_success?.slice(0, 10) ?? 'never',
    health.age_days === null ? '-' : `${health.age_days} d`,
    `${health.every_days} d`,
    number(health.rows),
    number(health.rejected),
    health.uncounted === null ? '-' : number(health.uncounted),
    health.next_due ?? '-',
    reasonOf(health),
  ],
});

const earliest = (days: readonly (string | null)[]): string | undefined => days.filter((day) => day !== null).sort()[0];

/** Rows not read by the counts of the sites that state one; unknown if none does. */
function uncountedOf(members: readonly SourceHealth[]): string {
  const counts = members.flatMap(({ uncounted }) => (uncounted === null ? [] : [uncounted]));
  return counts.length === 0 ? '-' : number(counts.reduce((sum, n) => sum + n, 0));
}

/** Sources of one family and group as one row. */
const familyRow = (group: QuietGroup, family: string, members: readonly SourceHealth[]): Row => ({
  group,
  cells: [
    `${family} (${members.length})`,
    QUIET[group],
    earliest(members.map((member) => member.last_success))?.slice(0, 10) ?? 'never',
    group === 'fresh' ? `${Math.max(...members.map((member) => member.age_days ?? 0))} d` : '-',
    `${Math.max(...members.map((member) => member.every_days))} d`,
    number(members.reduce((sum, s) => sum + s.rows, 0)),
    number(members.reduce((sum, s) => sum + s.rejected, 0)),
    uncountedOf(members),
    earliest(members.map((member) => member.next_due)) ?? '-',
    '',
  ],
});

/** @param otherLines lines of the screen above and below the table */
export function formatSources(
  sources: readonly SourceHealth[],
  { lines = Infinity, columns = Infinity, hasColor = false }: Screen,
  otherLines: number,
): string[] {
  const sorted = GROUPS.flatMap((group) => sources.filter((source) => source.group === group));
  const isFolded = otherLines + sorted.length + 1 > lines;
  const families = (group: QuietGroup): Row[] =>
    [
      ...Map.groupBy(
        sources.filter((source) => source.group === group),
        (source) => source.family,
      ),
    ].map(([family, members]) => familyRow(group, family, members));
  const rows = isFolded
    ? [
        ...sorted.filter((state) => !(state.group in QUIET)).map(sourceRow),
        ...families('out_of_season'),
        ...families('fresh'),
      ]
    : sorted.map(sourceRow);
  const { header, lines: body, leftOut } = tableThatFits(rows, columns);
  const color = (line: string, { group }: Row): string => (hasColor ? styleText(COLORS[group], line) : line);
  const notes = [
    ...(isFolded ? ['fresh sources are grouped by family; ALL=1 lists each'] : []),
    ...(leftOut.length > 0 ? [`a wider screen shows more: ${leftOut.join(', ')}`] : []),
  ];
  return [
    header,
    ...rows.flatMap((row, index) => (body[index] ?? []).map((line) => color(line, row))),
    ...notes.flatMap((note) => wrapped(`(${note})`, columns, 2)),
  ];
}

interface FittedTable {
  readonly header: string;
  /** Lines of each row: the row, and its reason on a second line if the row has no room for it. */
  readonly lines: readonly (readonly string[])[];
  readonly leftOut: readonly string[];
}

/** The rows as a table without the columns that do not fit. */
function tableThatFits(rows: readonly Row[], columns: number): FittedTable {
  const reasons = rows.map(({ cells }) => cells[HEADER.length - 1] ?? '');
  let shown = HEADER.slice(0, -1);
  const build = (): string[] => {
    const at = shown.map((name) => HEADER.indexOf(name));
    return table(
      shown,
      rows.map(({ cells }) => at.map((position) => cells[position] ?? '')),
    );
  };
  let lines = build();
  const width = (): number => Math.max(...lines.map((line) => line.length));
  for (const name of LESS_IMPORTANT) {
    if (width() <= columns) break;
    shown = shown.filter((other) => other !== name);
    lines = build();
  }
  const [header = '', ...body] = lines;
  const room = columns - width() - 2;
  const isBeside = room >= MIN_REASON_WIDTH;
  const withReason = (line: string, reason: string): string[] => {
    if (reason === '') return [line];
    if (isBeside) return [`${line.padEnd(width())}  ${shortened(reason, Math.min(REASON_WIDTH, room))}`];
    return [line, ' '.repeat(INDENT) + shortened(reason, Math.min(REASON_WIDTH, columns - INDENT))];
  };
  return {
    header: isBeside && reasons.some((reason) => reason !== '') ? `${header.padEnd(width())}  reason` : header,
    lines: body.map((line, index) => withReason(line, reasons[index] ?? '')),
    leftOut: HEADER.filter((name) => LESS_IMPORTANT.includes(name) && !shown.includes(name)),
  };
}

/** The first words of a text that fit into a width. */
function shortened(text: string, width: number): string {
  if (text.length <= width) return text;
  const end = text.lastIndexOf(' ', width - 2);
  return `${text.slice(0, end > 0 ? end : width - 2)} …`;
}
