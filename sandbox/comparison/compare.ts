/** Compares published rows with true ones by key and column. A key that occurs more than once is a difference. */
import { isDeepStrictEqual } from 'node:util';

export type Row = Readonly<Record<string, unknown>>;

/** A value that the sources of the day do not determine: each of these is right. */
export class AnyOf {
  readonly values: readonly unknown[];
  constructor(values: readonly unknown[]) {
    this.values = values;
  }
}

export const anyOf = (...values: readonly unknown[]): AnyOf => new AnyOf(values);

/** A row that must be published, with the expected values of the compared columns. */
export interface TrueRow {
  readonly key: string;
  readonly columns: Row;
  /** The row may be absent. Default: false. */
  readonly isOptional?: boolean;
}

/** Columns with the values of facts of the same names, also in camelCase, or of others: "list_price=price". */
export const columnsOf = (facts: object, names: string): Row =>
  Object.fromEntries(
    names.split(' ').map((name) => {
      const [column = '', fact = column] = name.split('=');
      const inCamelCase = fact.replaceAll(/_(\w)/gu, (_, letter: string) => letter.toUpperCase());
      return [column, (facts as Row)[fact in facts ? fact : inCamelCase]];
    }),
  );

/** The result for one kind of record. */
export interface Comparison {
  readonly record: string;
  /** True rows, without optional ones that are absent. */
  readonly compared: number;
  /** Optional rows that are absent. */
  readonly absent: number;
  /** The column is "rows" if the row itself is missing, extra or repeated: then the values are their numbers. */
  readonly differences: readonly { key: string; column: string; expected: unknown; found: unknown }[];
}

const isExpected = (expected: unknown, found: unknown): boolean =>
  (expected instanceof AnyOf ? expected.values : [expected]).some((value) => isDeepStrictEqual(value, found));

/** Compare rows by key, and the columns of rows that both sides have once. */
export function compare(record: string, published: ReadonlyMap<string, readonly Row[]>, truth: readonly TrueRow[]) {
  const expected = Map.groupBy(truth, ({ key }) => key);
  const differencesOf = (key: string): Comparison['differences'] => {
    const [rows, matches] = [expected.get(key) ?? [], published.get(key) ?? []];
    const [[row], [match]] = [rows, matches];
    if (rows.length === 1 && matches.length === 1 && row && match)
      return Object.entries(row.columns)
        .map(([column, value]) => ({ key, column, expected: value, found: match[column] ?? null }))
        .filter((one) => !isExpected(one.expected, one.found));
    const mayMiss = matches.length === 0 && rows.every(({ isOptional }) => isOptional === true);
    return mayMiss ? [] : [{ key, column: 'rows', expected: rows.length, found: matches.length }];
  };
  const absent = truth.filter(({ key, isOptional }) => isOptional === true && !published.has(key)).length;
  const keys = [...new Set([...expected.keys(), ...published.keys()])];
  return {
    record,
    compared: truth.length - absent,
    absent,
    differences: keys.flatMap(differencesOf),
  } satisfies Comparison;
}

/** The columns that differ, each once, such as "auctions: sale_status". */
export const differingLines = (comparisons: readonly Comparison[]): string[] => [
  ...new Set(comparisons.flatMap(({ record, differences }) => differences.map(({ column }) => `${record}: ${column}`))),
];

const text = (value: unknown): string =>
  value instanceof AnyOf ? value.values.map(text).join(' or ') : (JSON.stringify(value) ?? 'nothing');

/** Differences shown of each column. */
const SHOWN = 3;

/** The report: a line for each kind of record, with its first differences by column. */
export const formatComparisons = (comparisons: readonly Comparison[]): string[] =>
  comparisons.flatMap(({ record, compared, differences }) => [
    `  ${record.padEnd(64)}${String(compared).padStart(8)} compared${String(differences.length).padStart(8)} differ`,
    ...[...Map.groupBy(differences, ({ column }) => column)].flatMap(([column, members]) => [
      `    ${column}: ${members.length}`,
      ...members
        .slice(0, SHOWN)
        .map(({ key, expected, found }) => `      ${key}: expected ${text(expected)}, found ${text(found)}`),
    ]),
  ]);
