/**
 * Compares published rows with true ones: which keys exist, and the listed columns of each. A key that occurs more than
 * once on either side is a difference.
 */
import { isDeepStrictEqual } from 'node:util';

export type Row = Readonly<Record<string, unknown>>;

/** A value that the sources of the day do not determine: each of these is right. */
export class AnyOf {
  readonly values: readonly unknown[];
  constructor(...values: readonly unknown[]) {
    this.values = values;
  }
}

export const anyOf = (...values: readonly unknown[]): AnyOf => new AnyOf(...values);

/** A row that must be published. */
export interface TrueRow {
  readonly key: string;
  /** Expected values of the compared columns. */
  readonly columns: Row;
  /** The row may be absent. Default: false. */
  readonly isOptional?: boolean;
}

export interface Difference {
  readonly kind: 'missing' | 'extra' | 'repeated' | 'differing';
  readonly key: string;
  /** "rows" if the row itself is missing, extra or repeated. */
  readonly column: string;
  readonly expected: unknown;
  readonly found: unknown;
  /** Archived page of the published row, for the report; blank without one. */
  readonly page: string;
}

/** The result for one kind of record. */
export interface Comparison {
  readonly record: string;
  /** True rows, without optional ones that are absent. */
  readonly compared: number;
  /** Optional rows that are absent. */
  readonly absent: number;
  readonly differences: readonly Difference[];
}

const pageOf = (row: Row | undefined): string =>
  row?.['page_sha256'] ? `  (page ${String(row['page_sha256'])} row ${String(row['page_row'])})` : '';

const isExpected = (expected: unknown, found: unknown): boolean =>
  (expected instanceof AnyOf ? expected.values : [expected]).some((value) => isDeepStrictEqual(value, found));

function compareKey(key: string, rows: readonly TrueRow[], matches: readonly Row[]): Difference[] {
  const [[row], [match]] = [rows, matches];
  if (rows.length === 1 && matches.length === 1 && row && match)
    return Object.entries(row.columns)
      .map(([column, expected]) => ({ column, expected, found: match[column] ?? null }))
      .filter(({ expected, found }) => !isExpected(expected, found))
      .map((difference) => ({ kind: 'differing', key, page: pageOf(match), ...difference }));
  if (match === undefined && rows.every(({ isOptional }) => isOptional === true)) return [];
  const kind = match === undefined ? 'missing' : row === undefined ? 'extra' : 'repeated';
  return [{ kind, key, column: 'rows', expected: rows.length, found: matches.length, page: pageOf(match) }];
}

/** Compare rows by key, and the columns of rows that both sides have once. */
export function compare(
  record: string,
  published: ReadonlyMap<string, readonly Row[]>,
  truth: readonly TrueRow[],
): Comparison {
  const expected = Map.groupBy(truth, ({ key }) => key);
  const absent = truth.filter(({ key, isOptional }) => isOptional === true && !published.has(key)).length;
  return {
    record,
    compared: truth.length - absent,
    absent,
    differences: [...new Set([...expected.keys(), ...published.keys()])].flatMap((key) =>
      compareKey(key, expected.get(key) ?? [], published.get(key) ?? []),
    ),
  };
}

export const isEqual = ({ differences }: Comparison): boolean => differences.length === 0;

/** Differences by the name of their column, such as "auctions: sale_status". */
const byLine = ({ record, differences }: Comparison): Map<string, Difference[]> =>
  Map.groupBy(differences, ({ column }) => `${record}: ${column}`);

/** Names of the columns that differ, each once. */
export const differingLines = (comparisons: readonly Comparison[]): string[] =>
  comparisons.flatMap((comparison) => [...byLine(comparison).keys()]);

const text = (value: unknown): string =>
  value instanceof AnyOf ? value.values.map(text).join(' or ') : (JSON.stringify(value) ?? 'nothing');

/** Differences shown of each column. */
const SHOWN = 3;
const KINDS = ['missing', 'extra', 'repeated', 'differing'] as const;

/** The report: a line with the counts of each record, followed by its first differences by column. */
export function formatComparisons(comparisons: readonly Comparison[]): string[] {
  const line = (record: string, cells: readonly (string | number)[]): string =>
    `  ${record.padEnd(60)}${cells.map((cell) => String(cell).padStart(10)).join('')}`;
  return [
    line('record', ['compared', ...KINDS]),
    ...comparisons.flatMap((comparison) => [
      line(comparison.record, [
        comparison.compared,
        ...KINDS.map((kind) => comparison.differences.filter((each) => each.kind === kind).length),
      ]),
      ...[...byLine(comparison)].flatMap(([name, members]) => [
        `    ${name}: ${members.length}`,
        ...members
          .slice(0, SHOWN)
          .map(
            ({ kind, key, expected, found, page }) =>
              `      ${kind} ${key}  expected ${text(expected)}, found ${text(found)}${page}`,
          ),
      ]),
    ]),
  ];
}

/** One sentence: whether the snapshot equals the truth. */
export function verdict(comparisons: readonly Comparison[]): string {
  const rows = comparisons.reduce((sum, { compared }) => sum + compared, 0);
  const lines = differingLines(comparisons);
  return lines.length === 0
    ? `Equal: all ${rows} true rows are published, and no others.`
    : `Different: ${lines.join('; ')}. Keys are of the world (properties L…, T…, A…) or of the pages.`;
}
