/**
 * Compares published rows with the true ones: which keys exist, and the listed columns of each. A key that occurs more
 * than once on either side is a difference.
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
  /** Null if the row itself is missing, extra or repeated. */
  readonly column: string | null;
  /** Value of the column, or number of rows. */
  readonly expected: unknown;
  readonly found: unknown;
  /** Archived page of the published row; null without a row. */
  readonly page: string | null;
}

/** The result for one kind of record. */
export interface Comparison {
  readonly record: string;
  /** True rows, without optional ones that are absent. */
  readonly compared: number;
  readonly differences: readonly Difference[];
}

export interface Sides {
  readonly record: string;
  readonly published: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly truth: readonly TrueRow[];
}

/** Hash of the archived page, and the row on it. */
function pageOf(row: Row | undefined): string | null {
  const hash = row?.['page_sha256'];
  const position = row?.['page_row'];
  if (typeof hash !== 'string') return null;
  return typeof position === 'number' || typeof position === 'bigint' ? `page ${hash} row ${position}` : `page ${hash}`;
}

function compareRows(key: string, expected: readonly TrueRow[], found: readonly Row[]): Difference[] {
  const mayBeAbsent = expected.every(({ isOptional }) => isOptional === true);
  if (expected.length === found.length || (found.length === 0 && mayBeAbsent)) return [];
  const kind = found.length === 0 ? 'missing' : expected.length === 0 ? 'extra' : 'repeated';
  return [{ kind, key, column: null, expected: expected.length, found: found.length, page: pageOf(found[0]) }];
}

const isExpected = (expected: unknown, found: unknown): boolean =>
  expected instanceof AnyOf
    ? expected.values.some((value) => isDeepStrictEqual(value, found))
    : isDeepStrictEqual(expected, found);

const compareColumns = ({ key, columns }: TrueRow, row: Row): Difference[] =>
  Object.entries(columns).flatMap(([column, expected]): Difference[] => {
    const found = row[column] ?? null;
    if (isExpected(expected, found)) return [];
    return [{ kind: 'differing', key, column, expected, found, page: pageOf(row) }];
  });

/** Compare rows by key, and the columns of rows that both sides have once. */
export function compare({ record, published, keyOf, truth }: Sides): Comparison {
  const found = Map.groupBy(published, keyOf);
  const expected = Map.groupBy(truth, ({ key }) => key);
  const differences = [...new Set([...expected.keys(), ...found.keys()])].flatMap((key) => {
    const [rows, matches] = [expected.get(key) ?? [], found.get(key) ?? []];
    const [row, match] = [rows[0], matches[0]];
    const isPair = rows.length === 1 && matches.length === 1 && row !== undefined && match !== undefined;
    return isPair ? compareColumns(row, match) : compareRows(key, rows, matches);
  });
  const isThere = ({ key, isOptional }: TrueRow): boolean => isOptional !== true || found.has(key);
  return { record, compared: truth.filter(isThere).length, differences };
}

export const isEqual = ({ differences }: Comparison): boolean => differences.length === 0;

/** Name of the compared column, such as "signals: amount"; "signals: rows" of the rows themselves. */
const lineOf = (record: string, { column }: Difference): string => `${record}: ${column ?? 'rows'}`;

/** Names of the columns that differ, each once. */
export const differingLines = (comparisons: readonly Comparison[]): string[] => [
  ...new Set(
    comparisons.flatMap(({ record, differences }) => differences.map((difference) => lineOf(record, difference))),
  ),
];

const text = (value: unknown): string =>
  value instanceof AnyOf ? value.values.map(text).join(' or ') : (JSON.stringify(value) ?? 'nothing');

function differenceText({ kind, key, column, expected, found, page }: Difference): string {
  const where = page === null ? '' : `  (${page})`;
  if (column !== null) return `${key}  expected ${text(expected)}, found ${text(found)}${where}`;
  return `${kind} ${key}  expected ${text(expected)} rows, found ${text(found)}${where}`;
}

/** Differences shown of each column. */
const SHOWN = 3;

/** The report: a line with the counts of each record, followed by its first differences by column. */
export function formatComparisons(comparisons: readonly Comparison[]): string[] {
  const width = Math.max(0, ...comparisons.map(({ record }) => record.length));
  const cells = (...values: readonly (string | number)[]): string =>
    values.map((value) => String(value).padStart(10)).join('');
  return [
    `  ${'record'.padEnd(width)}${cells('compared', 'missing', 'extra', 'repeated', 'differing')}`,
    ...comparisons.flatMap(({ record, compared, differences }) => {
      const count = (of: Difference['kind']): number => differences.filter(({ kind }) => kind === of).length;
      const counts = cells(compared, count('missing'), count('extra'), count('repeated'), count('differing'));
      const byLine = Map.groupBy(differences, (difference) => lineOf(record, difference));
      return [
        `  ${record.padEnd(width)}${counts}`,
        ...[...byLine].flatMap(([line, members]) => [
          `    ${line}: ${members.length}`,
          ...members.slice(0, SHOWN).map((difference) => `      ${differenceText(difference)}`),
        ]),
      ];
    }),
  ];
}

/** One sentence: whether the snapshot equals the truth. */
export function verdict(comparisons: readonly Comparison[]): string {
  const rows = comparisons.reduce((sum, { compared }) => sum + compared, 0);
  const lines = differingLines(comparisons);
  if (lines.length === 0) return `Equal: all ${rows} true rows are published, and no others.`;
  return (
    `Different: ${lines.join('; ')}. ` +
    'Keys are of the world (properties L…, T…, A…) or of the pages; paths are below DATA_DIR.'
  );
}
