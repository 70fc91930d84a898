/** The table of sources of `make status`, sources with problems first. */
import { styleText } from 'node:util';
import { number, table, wrapped } from '../format.ts';
import { formatOutdated, type SourceHealth } from '../operate/source_health.ts';

export interface Screen {
  /** Lines of the screen; sources that need nobody become one row per family if there are more. Default: unlimited. */
  readonly lines?: number;
  /** Columns of the screen; the table leaves out columns that do not fit. Default: unlimited. */
  readonly columns?: number;
  readonly hasColor?: boolean;
}

const GROUPS = ['late', 'broken', 'waiting', 'out_of_season', 'fresh'] as const;
/** Groups that need nobody, as printed: one row per family where the screen is small. */
const QUIET = { out_of_season: 'out of season', fresh: 'fresh' } as const;
const COLORS = { late: 'yellow', broken: 'red', waiting: 'cyan', out_of_season: 'gray', fresh: 'green' } as const;
const HEADER = ['source', 'state', 'last success', 'age', 'every', 'rows', 'rejected', 'next due', 'reason'];
const REASON_WIDTH = 100;
/** Columns that a narrow screen leaves out, in this order. */
const LESS_IMPORTANT = ['rejected', 'every', 'next due', 'last success', 'rows'];
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
    health.next_due ?? '-',
    reasonOf(health),
  ],
});

const earliest = (days: readonly (string | null)[]): string | undefined => days.filter((day) => day !== null).sort()[0];

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
