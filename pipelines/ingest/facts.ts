/**
 * Facts of a read: how recent its rows are, in how many of them each column has a value, and which columns went blank
 * against the source's earlier reads. A publisher that hides a column changes no layout, so nothing else notices.
 */
import type { DuckDBConnection } from '@duckdb/node-api';
import { rowsOf } from '../../lib/duck.ts';
import { identifier } from '../../lib/sql.ts';
import type { SourceSpec } from '../../sources/contract.ts';
import { daysBetween } from '../clock.ts';
import type { ReadPage, ReadRecord } from './reads.ts';

/** Rows of the table `fresh` with a value, by column that may be absent. */
export async function countFilled(connection: DuckDBConnection, { row }: SourceSpec): Promise<ReadRecord['filled']> {
  const columns = row.columns.filter(({ absent }) => absent !== undefined).map(({ name }) => identifier(name));
  const counts = columns.map((name) => `count(${name}) AS ${name}`).join(', ');
  const [found = {}] = await rowsOf(connection, `SELECT count(*) AS ".rows", ${counts} FROM fresh`);
  const { '.rows': rows, ...by } = found;
  return { rows: Number(rows), by: Object.fromEntries(Object.entries(by).map(([name, n]) => [name, Number(n)])) };
}

/** Columns of a publisher's own words or codes, of which there are few. */
const ENUMERATED = /^(?:property_class|state_raw|\w+_(?:status|type)_raw)$/u;
const MOST_VALUES = 300;

/** Values of the columns of the table `fresh` that repeat a publisher's own words or codes. */
export async function listValues(connection: DuckDBConnection, { row }: SourceSpec): Promise<ReadRecord['values']> {
  const found: Record<string, string[]> = {};
  for (const { name } of row.columns.filter((column) => ENUMERATED.test(column.name))) {
    const column = identifier(name);
    const rows = await rowsOf(
      connection,
      `SELECT DISTINCT ${column} AS value FROM fresh WHERE ${column} IS NOT NULL ORDER BY 1 LIMIT ${MOST_VALUES + 1}`,
    );
    if (rows.length <= MOST_VALUES) found[name] = rows.map(({ value }) => String(value));
  }
  return found;
}

/**
 * Columns and values of the newest read that some earlier good read had not: 'column LENDER', 'state_raw "Appealed"'.
 * @param good good reads, the newest first
 */
export function findNews(good: readonly Pick<ReadRecord, 'columns' | 'values'>[]): readonly string[] {
  const [newest, ...earlier] = good;
  const unknown = (now: readonly string[], before: readonly (readonly string[] | null | undefined)[]): string[] => {
    const known = before.filter((list) => list !== null && list !== undefined);
    return known.length === 0 ? [] : now.filter((each) => known.some((list) => !list.includes(each)));
  };
  const columns = unknown(
    newest?.columns ?? [],
    earlier.map((read) => read.columns),
  );
  const values = Object.entries(newest?.values ?? {}).map(([name, now]) => {
    // A value may be rare: it is new only if no earlier read had it.
    const before = earlier.flatMap((read) => read.values?.[name] ?? []);
    return before.length === 0
      ? []
      : now.filter((value) => !before.includes(value)).map((value) => `${name} "${value}"`);
  });
  return [...columns.map((name) => `column ${name}`), ...values.flat()];
}

/** Shares of rows with a value as text: "owner_name 98, zip 100". */
export const fillRates = ({ filled }: Pick<ReadRecord, 'filled'>): string | null =>
  filled === undefined || filled.rows === 0 || Object.keys(filled.by).length === 0
    ? null
    : Object.entries(filled.by)
        .map(([name, n]) => `${name} ${((100 * n) / filled.rows).toFixed(0)}`)
        .join(', ');

/** Fewest rows that a share is learned from. */
const LEAST_ROWS = 20;
/** Fewest values that a read must have been expected to have. */
const LEAST_EXPECTED = 5;
/** A fall below this share of the expected values, and beyond this many standard deviations, is no chance. */
const SHARE_KEPT = 0.75;
const DEVIATIONS = 4;

/** Whether so few values of a column are a fall, where a share of the rows had one before. */
function hasFallen(filled: number, rows: number, before: number): boolean {
  const expected = before * rows;
  const deviation = Math.sqrt(expected * (1 - before));
  return expected >= LEAST_EXPECTED && filled < Math.min(SHARE_KEPT * expected, expected - DEVIATIONS * deviation);
}

interface BlankColumn {
  readonly name: string;
  /** Day of the first read that lacks it. */
  readonly since: string;
  readonly detail: string;
}

const percent = (share: number): string => `${(100 * share).toFixed(0)} %`;

/**
 * Columns that the newest read lacks though an earlier one had them.
 * @param good good reads, the newest first
 */
export function findBlankColumns(good: readonly Pick<ReadRecord, 'as_of' | 'filled'>[]): readonly BlankColumn[] {
  const [newest, ...earlier] = good.flatMap(({ filled, as_of: on }) =>
    filled === undefined ? [] : [{ ...filled, on }],
  );
  if (newest === undefined) return [];
  return Object.keys(newest.by).flatMap((name): BlankColumn[] => {
    const shares = earlier
      .filter(({ rows, by }) => rows >= LEAST_ROWS && by[name] !== undefined)
      .map(({ rows, by, on }) => ({ on, share: (by[name] ?? 0) / rows }));
    const best = shares.reduce((most, each) => (each.share > most.share ? each : most), { on: '', share: 0 });
    const fallen = ({ rows, by }: typeof newest): boolean => hasFallen(by[name] ?? 0, rows, best.share);
    if (!fallen(newest)) return [];
    const first = earlier[earlier.findIndex((read) => !fallen(read)) - 1] ?? newest;
    const now = percent((newest.by[name] ?? 0) / newest.rows);
    return [
      {
        name,
        since: first.on,
        detail: `${name} is filled in ${now} of the rows, ${percent(best.share)} on ${best.on}`,
      },
    ];
  });
}

/** Fields of records that are made of a column under another name. */
const FIELDS_OF: Readonly<Record<string, string>> = {
  street: 'address property_address',
  parcel_raw: 'parcel_id parcel_key',
};

/** The columns as facts of a source: the fields that they fill in records, and the first day. */
export const missingFacts = (
  blank: readonly BlankColumn[],
): { missing_fields: string | null; missing_since: string | null } => ({
  missing_fields:
    blank
      .flatMap(({ name }) => [name, ...(FIELDS_OF[name] ?? '').split(' ')])
      .join(' ')
      .trim() || null,
  missing_since: blank.map(({ since }) => since).toSorted()[0] ?? null,
});

/** Day of the newest row in the table `fresh`. */
export async function findNewestDay(connection: DuckDBConnection, spec: SourceSpec): Promise<ReadRecord['newest']> {
  const { newest } = spec.expect;
  if (!newest) return undefined;
  const given = newest.given === undefined ? '' : `FILTER (${identifier(newest.given)} IS NOT NULL)`;
  const [row] = await rowsOf(
    connection,
    `SELECT CAST(max(${identifier(newest.column)}) ${given} AS VARCHAR) AS newest FROM fresh HAVING count(*) > 0`,
  );
  return row && { on: typeof row['newest'] === 'string' ? row['newest'] : null };
}

/** Why a good read has no recent rows; null if it has. */
export function withoutRecentRows(
  { expect }: Pick<SourceSpec, 'expect'>,
  { newest, observed_at: observedAt }: Pick<ReadRecord, 'newest' | 'observed_at'>,
): string | null {
  if (!expect.newest || !newest) return null;
  if (newest.on === null) return 'no row has a figure';
  const age = daysBetween(newest.on, observedAt);
  if (age <= expect.newest.maxAgeDays) return null;
  return (
    `the newest row is of ${newest.on}, ${age} days before it was read; ` +
    `at most ${expect.newest.maxAgeDays} days expected`
  );
}

/** Years of the rows in the table `fresh`, and the newest year on the source's own lists with the day of the list. */
export async function findFiscalYears(
  connection: DuckDBConnection,
  spec: SourceSpec,
  pages: readonly ReadPage[],
): Promise<ReadRecord['fiscal_years']> {
  if (!spec.listedFiscalYear) return undefined;
  const rows = await rowsOf(connection, 'SELECT DISTINCT fiscal_year FROM fresh ORDER BY fiscal_year');
  const lists: { readonly year: number; readonly on: string }[] = [];
  for (const page of pages) {
    const year = spec.listedFiscalYear(await page.open());
    if (year !== null) lists.push({ year, on: page.observedAt.slice(0, 10) });
  }
  const [listed = null] = lists.sort((a, b) => b.year - a.year || (a.on < b.on ? 1 : -1));
  return { rows: rows.map((row) => Number(row['fiscal_year'])), listed };
}
