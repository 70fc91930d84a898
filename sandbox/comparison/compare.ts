/**
 * Compares published rows with the true ones: first which rows exist, then one group of fields after the other. A key
 * that occurs more than once on either side is a difference.
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
  /** Values by column, in named groups. */
  readonly fields: Readonly<Record<string, Row>>;
  /** The row may be absent. Default: false. */
  readonly isOptional?: boolean;
}

export interface Difference {
  readonly key: string;
  /** Column, or null if the row itself is missing, extra or there several times. */
  readonly field: string | null;
  readonly expected: unknown;
  readonly found: unknown;
  /** Archived page of the published row; null without a row. */
  readonly page: string | null;
}

/** One line of the report. */
export interface Comparison {
  /** Table and part of it, such as "signals of Stark County". */
  readonly what: string;
  /** "rows", or the name of a group of columns. */
  readonly group: string;
  /** Number of true rows, or of rows whose columns were compared. */
  readonly compared: number;
  /** A value that differs from the expected one, or a key with another number of rows. */
  readonly differing: readonly Difference[];
  /** No row, or no value, although one is expected. */
  readonly missing: readonly Difference[];
  /** A row, or a value, although none is expected. */
  readonly extra: readonly Difference[];
}

export interface Sides {
  readonly what: string;
  readonly published: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly truth: readonly TrueRow[];
}

export const ROWS = 'rows';

/** Path of the archived page below DATA_DIR, and the row on it. */
function pageOf(row: Row): string | null {
  const { page_sha256: hash, page_row: position } = row;
  if (typeof hash !== 'string') return null;
  const path = `archive/objects/${hash.slice(0, 2)}/${hash}`;
  return typeof position === 'number' || typeof position === 'bigint' ? `${path} row ${position}` : path;
}

function compareKeys({ what, published, keyOf, truth }: Sides): Comparison {
  const found = Map.groupBy(published, keyOf);
  const expected = Map.groupBy(truth, ({ key }) => key);
  const rowDifference = (key: string): Difference => ({
    key,
    field: null,
    expected: expected.get(key)?.length ?? 0,
    found: found.get(key)?.length ?? 0,
    page: pageOf(found.get(key)?.[0] ?? {}),
  });
  const keys = [...expected.keys()];
  const isMissing = (key: string): boolean =>
    !found.has(key) && expected.get(key)?.every((row) => row.isOptional !== true) === true;
  const hasOtherCount = (key: string): boolean =>
    found.has(key) && found.get(key)?.length !== expected.get(key)?.length;
  return {
    what,
    group: ROWS,
    compared: truth.filter(({ key, isOptional }) => isOptional !== true || found.has(key)).length,
    differing: keys.filter(hasOtherCount).map(rowDifference),
    missing: keys.filter(isMissing).map(rowDifference),
    extra: [...found.keys()].filter((key) => !expected.has(key)).map(rowDifference),
  };
}

const isExpected = (expected: unknown, found: unknown): boolean =>
  expected instanceof AnyOf
    ? expected.values.some((value) => isDeepStrictEqual(value, found))
    : isDeepStrictEqual(expected, found);

/** Differences of one group of columns, over the keys that both sides have once. */
function compareGroup({ what, published, keyOf, truth }: Sides, group: string): Comparison {
  const found = Map.groupBy(published, keyOf);
  const byKey = Map.groupBy(truth, ({ key }) => key);
  const [differing, missing, extra]: Difference[][] = [[], [], []];
  let compared = 0;
  for (const [key, [row, ...more]] of byKey) {
    const [match, ...others] = found.get(key) ?? [];
    const columns = row?.fields[group];
    if (columns === undefined || match === undefined || more.length > 0 || others.length > 0) continue;
    compared += 1;
    for (const [field, expected] of Object.entries(columns)) {
      const value = match[field] ?? null;
      if (isExpected(expected, value)) continue;
      const list = expected === null ? extra : value === null ? missing : differing;
      list?.push({ key, field, expected, found: value, page: pageOf(match) });
    }
  }
  return { what, group, compared, differing: differing ?? [], missing: missing ?? [], extra: extra ?? [] };
}

/** Compare rows by key, and each group of columns of the true rows. */
export function compare(sides: Sides): Comparison[] {
  const groups = new Set(sides.truth.flatMap(({ fields }) => Object.keys(fields)));
  return [compareKeys(sides), ...[...groups].map((group) => compareGroup(sides, group))];
}

export const isEqual = ({ differing, missing, extra }: Comparison): boolean =>
  differing.length + missing.length + extra.length === 0;
