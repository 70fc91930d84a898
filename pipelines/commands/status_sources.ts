/** The table of sources of `make status`, sources with problems first. */
import { styleText } from 'node:util';
import { number, table } from '../format.ts';
import { formatOutdated, type SourceHealth } from '../operate/source_health.ts';

export interface Screen {
  /** Lines of the screen; sources that need nobody become one row per family if there are more. Default: unlimited. */
  readonly lines?: number;
  /** Columns of the screen; longer rows are cut. Default: unlimited. */
  readonly columns?: number;
  readonly hasColor?: boolean;
}

const GROUPS = ['late', 'broken', 'waiting', 'out_of_season', 'fresh'] as const;
/** Groups that need nobody, as printed: one row per family where the screen is small. */
const QUIET = { out_of_season: 'out of season', fresh: 'fresh' } as const;
const COLORS = { late: 'yellow', broken: 'red', waiting: 'cyan', out_of_season: 'gray', fresh: 'green' } as const;
const HEADER = ['source', 'state', 'last success', 'age', 'every', 'rows', 'rejected', 'next due', 'reason'];
const REASON_WIDTH = 100;

type Group = SourceHealth['group'];
type QuietGroup = keyof typeof QUIET;

interface Row {
  readonly group: Group;
  readonly cells: readonly string[];
}

/** Why the latest read failed, or why its rows are outdated. */
function reasonOf(s: SourceHealth): string {
  if (s.reason !== null) return `${s.reason}: ${s.detail ?? ''}`;
  return s.outdated_reason === null ? '' : `${s.outdated_reason}: ${formatOutdated(s) ?? ''}`;
}

const sourceRow = (s: SourceHealth): Row => ({
  group: s.group,
  cells: [
    s.source,
    s.state,
    s.last_success?.slice(0, 10) ?? 'never',
    s.age_days === null ? '-' : `${s.age_days} d`,
    `${s.every_days} d`,
    number(s.rows),
    number(s.rejected),
    s.next_due ?? '-',
    reasonOf(s).slice(0, REASON_WIDTH),
  ],
});

const earliest = (days: readonly (string | null)[]): string | undefined => days.filter((day) => day !== null).sort()[0];

/** Sources of one family and group as one row. */
const familyRow = (group: QuietGroup, family: string, members: readonly SourceHealth[]): Row => ({
  group,
  cells: [
    `${family} (${members.length})`,
    QUIET[group],
    earliest(members.map((s) => s.last_success))?.slice(0, 10) ?? 'never',
    group === 'fresh' ? `${Math.max(...members.map((s) => s.age_days ?? 0))} d` : '-',
    `${Math.max(...members.map((s) => s.every_days))} d`,
    number(members.reduce((sum, s) => sum + s.rows, 0)),
    number(members.reduce((sum, s) => sum + s.rejected, 0)),
    earliest(members.map((s) => s.next_due)) ?? '-',
    '',
  ],
});

/** @param otherLines lines of the screen above and below the table */
export function formatSources(
  sources: readonly SourceHealth[],
  { lines = Infinity, columns = Infinity, hasColor = false }: Screen,
  otherLines: number,
): string[] {
  const sorted = GROUPS.flatMap((group) => sources.filter((s) => s.group === group));
  const isFolded = otherLines + sorted.length + 1 > lines;
  const families = (group: QuietGroup): Row[] =>
    [
      ...Map.groupBy(
        sources.filter((s) => s.group === group),
        (s) => s.family,
      ),
    ].map(([family, members]) => familyRow(group, family, members));
  const rows = isFolded
    ? [...sorted.filter((s) => !(s.group in QUIET)).map(sourceRow), ...families('out_of_season'), ...families('fresh')]
    : sorted.map(sourceRow);
  const cells = rows.map((r) => r.cells);
  const cut = (line: string): string => (line.length > columns ? `${line.slice(0, columns - 1)}…` : line);
  const [header = '', ...body] = table(HEADER, cells).map(cut);
  const colored = body.map((line, i) => (hasColor ? styleText(COLORS[rows[i]?.group ?? 'fresh'], line) : line));
  return [header, ...colored, ...(isFolded ? ['  (fresh sources are grouped by family; ALL=1 lists each)'] : [])];
}
