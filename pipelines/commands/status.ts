/** `make status`: is everything fresh, what is late or broken, what is published, what did it cost, what did it earn. */
import { styleText } from 'node:util';
import { loadSources } from '../../sources/index.ts';
import type { Layout } from '../layout.ts';
import { healthOf, type Health, type HealthOptions, type SourceHealth } from '../operate/health.ts';
import type { LedgerSettings } from '../../ledger/open.ts';
import type { Sales } from '../operate/earnings.ts';
import type { Cost } from '../operate/past_runs.ts';
import { bytesShort, number, table } from '../run/summary.ts';

/** What a monitor reads: 0 all is well, 1 somebody should look, 2 nothing new is published or the data cannot be trusted. */
export const EXIT: Readonly<Record<Health['level'], number>> = { ok: 0, warning: 1, critical: 2 };

export interface StatusOptions {
  readonly json?: boolean;
  /** Lines of the screen; sources that are well are told by family where there are more. Default: any number. */
  readonly lines?: number;
  /** Its columns: longer lines of the table are cut, so that none takes two. Default: any number. */
  readonly columns?: number;
  readonly colour?: boolean;
  readonly ledger?: LedgerSettings;
  readonly payments?: HealthOptions['payments'];
  readonly queue?: HealthOptions['queue'];
}

const GROUPS = ['late', 'broken', 'waiting', 'fresh'] as const;
const COLOURS = { late: 'yellow', broken: 'red', waiting: 'cyan', fresh: 'green' } as const;
const HEADER = ['source', 'state', 'last success', 'age', 'every', 'rows', 'rejected', 'next due', 'reason'];
const REASON_WIDTH = 100;

const cost = (c: Cost): string =>
  `${number(c.requests)} request${c.requests === 1 ? '' : 's'}, ${bytesShort(c.bytes)} fetched, ${number(c.seconds)} s`;

const sales = (s: Sales): string => `$${s.usd} (${number(s.calls)} call${s.calls === 1 ? '' : 's'})`;

function cellsOf(s: SourceHealth): string[] {
  return [
    s.source,
    s.state,
    s.last_success?.slice(0, 10) ?? 'never',
    s.age_days === null ? '-' : `${s.age_days} d`,
    `${s.every_days} d`,
    number(s.rows),
    number(s.rejected),
    s.next_due ?? '-',
    s.reason === null ? '' : `${s.reason}: ${s.detail ?? ''}`.slice(0, REASON_WIDTH),
  ];
}

/** Fresh sources of a family as one row. */
function cellsOfFamily(family: string, members: readonly SourceHealth[]): string[] {
  const ages = members.map((s) => s.age_days ?? 0);
  const oldest = members.reduce<string | null>(
    (least, s) => (s.last_success !== null && (least === null || s.last_success < least) ? s.last_success : least),
    null,
  );
  const next =
    members
      .map((s) => s.next_due ?? '')
      .filter(Boolean)
      .sort()[0] ?? '-';
  return [
    `${family} (${members.length})`,
    'fresh',
    oldest?.slice(0, 10) ?? 'never',
    `${Math.max(...ages)} d`,
    `${Math.max(...members.map((s) => s.every_days))} d`,
    number(members.reduce((sum, s) => sum + s.rows, 0)),
    number(members.reduce((sum, s) => sum + s.rejected, 0)),
    next,
    '',
  ];
}

/** The table of sources: what needs somebody first. */
function sourceLines(
  sources: readonly SourceHealth[],
  { lines = Infinity, columns = Infinity, colour = false }: StatusOptions,
  above: number,
): string[] {
  const sorted = GROUPS.flatMap((group) => sources.filter((s) => s.group === group));
  const fold = above + sorted.length + 1 > lines;
  const shown = fold ? sorted.filter((s) => s.group !== 'fresh') : sorted;
  const families = fold
    ? [
        ...Map.groupBy(
          sorted.filter((s) => s.group === 'fresh'),
          (s) => s.family,
        ),
      ]
    : [];
  const rows = [
    ...shown.map((s) => ({ group: s.group, cells: cellsOf(s) })),
    ...families.map(([family, members]) => ({ group: 'fresh' as const, cells: cellsOfFamily(family, members) })),
  ];
  const cut = (line: string): string => (line.length > columns ? `${line.slice(0, columns - 1)}…` : line);
  const [header = '', ...body] = table(
    HEADER,
    rows.map((r) => r.cells),
  ).map(cut);
  const painted = body.map((line, i) => (colour ? styleText(COLOURS[rows[i]?.group ?? 'fresh'], line) : line));
  return [header, ...painted, ...(fold ? ['  (sources that are fresh are told by family; ALL=1 shows each)'] : [])];
}

/** The whole screen, as lines. */
export function linesOfHealth(health: Health, options: StatusOptions = {}): string[] {
  const { snapshot: s, last_run: run, sources, disk, troubles } = health;
  const paint = (line: string): string =>
    options.colour === true ? styleText(health.level === 'critical' ? 'red' : 'yellow', line) : line;
  const lines: string[] = [];
  if (s) {
    lines.push(
      `Snapshot  ${s.run_id} (${s.data_clock}), as of ${s.as_of}, ${s.age_days} d old, assumptions ${s.assumption_set_id}; ${s.damage.length === 0 ? 'every file has the hash its manifest states' : 'DAMAGED'}`,
      `Audits    ${s.audits_passed} blocking passed${s.warnings.length === 0 ? ', no warnings' : `; warnings: ${s.warnings.map((w) => `${w.audit} ${w.rows} rows`).join(', ')}`}`,
      `Rows      ${Object.entries(s.rows)
        .filter(([name]) => !['assumptions', 'sources', 'reports'].includes(name))
        .map(([name, n]) => `${name} ${number(n)}`)
        .join(', ')}`,
    );
  }
  if (run)
    lines.push(
      `Last run  ${run.run_id}, ${run.published ? 'published' : `NOT PUBLISHED (${run.blocked.join(', ')})`}: ${cost(run.cost)}`,
    );
  if (health.running !== null) lines.push(`Now       a run is at work (process ${health.running})`);
  if (health.queue)
    lines.push(
      `Queue     ${health.queue.workers.length} worker${health.queue.workers.length === 1 ? '' : 's'}${health.queue.workers.length === 0 ? '' : ` (${health.queue.workers.join(', ')})`}, ${health.queue.hosts_being_read} hosts being read`,
    );
  if (run)
    lines.push(
      `Cost      last 30 days, ${number(health.month.runs)} runs: ${cost(health.month)}`,
      `Disk      ${Object.entries(disk)
        .map(([name, n]) => `${name} ${bytesShort(n)}`)
        .join(', ')}`,
    );
  if (health.earned) {
    const { money, day, month, all } = health.earned;
    const worth =
      money === 'test'
        ? 'in test money, '
        : money === null
          ? '(test money, if PAYMENTS is sandbox for the server) '
          : '';
    lines.push(`Earned    ${worth}last 24 hours ${sales(day)}, last 30 days ${sales(month)}, in all ${sales(all)}`);
  }
  const urgent = troubles.filter((t) => !t.kind.startsWith('source_'));
  for (const t of urgent) lines.push(paint(`Trouble   ${t.message}. See ${t.runbook}`));
  if (sources.length > 0) {
    const count = (group: SourceHealth['group']): number => sources.filter((x) => x.group === group).length;
    const waiting = count('waiting');
    // What follows the table: an empty line, the counts, the advice and the notice.
    const below = 5;
    lines.push(
      '',
      ...sourceLines(sources, options, lines.length + 1 + below),
      '',
      `${count('fresh')} fresh, ${count('late')} late, ${count('broken')} broken${waiting === 0 ? '' : `, ${waiting} waiting for the operator`}`,
    );
    const pages = [...new Set(troubles.filter((t) => t.kind.startsWith('source_')).map((t) => t.runbook))];
    if (pages.length > 0) lines.push(paint(`What to do: ${pages.join(', ')}`));
  }
  if (s?.data_clock === 'sandbox') lines.push(s.notice);
  return lines;
}

/** Print the state of the published snapshot and its sources. @returns the exit status, as EXIT has it */
export async function status(
  layout: Layout,
  say: (line: string) => void,
  options: StatusOptions = {},
): Promise<number> {
  const health = await healthOf(layout, await loadSources(), {
    ...(options.ledger ? { ledger: options.ledger } : {}),
    payments: options.payments,
    queue: options.queue,
  });
  if (options.json === true) say(JSON.stringify(health, null, 1));
  else for (const line of linesOfHealth(health, options)) say(line);
  return EXIT[health.level];
}
