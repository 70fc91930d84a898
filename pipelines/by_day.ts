/**
 * The Parquet file of a published table of millions of rows (`byDay` in models/contract.ts), written range by range. Days
 * are cut in two, and the halves again, until no range holds more rows than a row group: where a range lies depends on the
 * days alone, and a new row moves no other range than its own. Each range is written by itself, two at a time, and they are
 * laid end to end.
 *
 * So a day upon a table that was there need not write all: a range in which nothing changed is copied from yesterday's
 * file as bytes, and in one where rows changed but neither came nor went only the columns that changed are written. The
 * bytes are those of a file that is written whole.
 */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { rowsOf } from '../lib/duck.ts';
import { layEndToEnd, StandingFile, type Kept, type Laid } from '../lib/parquet.ts';
import { identifier, literal } from '../lib/sql.ts';
import { changedTable, lookedUpColumns, replacedTable } from '../models/carried.ts';
import type { Model } from '../models/index.ts';

/** Rows of a range, and so of a row group, at most. A range that is cut in two has half as many: small enough that a lookup reads little. */
const MOST_ROWS = 40_960;
const formOf = ({ most = MOST_ROWS }: Table): string => `FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1, ROW_GROUP_SIZE ${most}`;
/** Ranges that are written at the same time. */
const PARALLEL = 2;

/** Days are counted from the first that SQL knows of; all that it knows of are less than this. */
const ORIGIN = "DATE '0001-01-01'";
const ALL_DAYS = 2 ** 22;

interface Count {
  readonly day: number;
  readonly rows: number;
}

/** Days from `from` to before `to`, and how many rows they have. */
export interface Range {
  readonly from: number;
  readonly to: number;
  readonly rows: number;
}

/**
 * Cut the days into ranges, the earliest first. A day with more than `most` rows is a range of its own.
 * @param counts rows of each day, in the order of the days, from 0 to 2^22
 */
export function rangesOf(counts: readonly Count[], most: number): Range[] {
  const rowsBefore = [0];
  for (const { rows } of counts) rowsBefore.push((rowsBefore.at(-1) ?? 0) + rows);
  /** Position of the first count from a day on, between two positions. */
  const firstFrom = (day: number, low: number, high: number): number => {
    if (low === high) return low;
    const middle = (low + high) >> 1;
    return (counts[middle]?.day ?? 0) < day ? firstFrom(day, middle + 1, high) : firstFrom(day, low, middle);
  };
  const cut = (from: number, days: number, first: number, end: number): Range[] => {
    const rows = (rowsBefore[end] ?? 0) - (rowsBefore[first] ?? 0);
    if (rows === 0) return [];
    if (rows <= most || days === 1) return [{ from, to: from + days, rows }];
    const half = days / 2;
    const middle = firstFrom(from + half, first, end);
    return [...cut(from, half, first, middle), ...cut(from + half, half, middle, end)];
  };
  return cut(0, ALL_DAYS, 0, counts.length);
}

export interface Target {
  readonly path: string;
  /** Folder for what is on its way. */
  readonly scratch: string;
  /** What is said with the file. */
  readonly said: Readonly<Record<string, string>>;
}

export interface Table {
  readonly model: Model;
  readonly byDay: string;
  /** The table in its database. */
  readonly table: string;
  /** Whether its rows lie in their order. */
  readonly inOrder: boolean;
  /** Rows of a range at most. Default: 40,960 */
  readonly most?: number;
}

/**
 * Write it.
 * @param before verified Parquet file of the snapshot before, where the table was brought up to date from that
 */
export async function writeByDay(instance: DuckDBInstance, connection: DuckDBConnection, of: Table, target: Target, before: string | undefined): Promise<Laid> {
  await mkdir(target.scratch, { recursive: true });
  const [threads] = await rowsOf(connection, "SELECT current_setting('threads') AS n");
  // Each of the connections writes on a thread of its own; one of DuckDB's beside it would only be waited for.
  await connection.run('SET threads = 1');
  let kept: Standing | undefined;
  try {
    // It holds no row, and says what is said of the file as a whole.
    const head = join(target.scratch, 'head.parquet');
    const said = Object.entries({ ...target.said, written: formOf(of) }).map(([name, text]) => `${identifier(name)}: ${literal(text)}`).join(', ');
    await connection.run(`COPY (FROM ${of.table} LIMIT 0) TO ${literal(head)} (${formOf(of)}, KV_METADATA {${said}})`);
    const ranges = await rangesIn(connection, of.table, of);
    kept = before === undefined ? undefined : await standing(connection, of, before, head);
    const pieces = inTurn(instance, ranges.map((range, i) => (own) => writeRange(own, of, range, join(target.scratch, `${i}.parquet`), kept)));
    return await layEndToEnd(target.path, (async function* all() {
      yield head;
      for await (const piece of pieces) {
        yield piece;
        const written = typeof piece === 'string' ? piece : piece.newer;
        if (written !== undefined) await rm(written);
      }
    })());
  } finally {
    await kept?.file.close();
    await connection.run(`SET threads = ${Number(threads?.['n'])}`);
    await rm(target.scratch, { recursive: true, force: true });
  }
}

/** Ranges of a table in the order of its file. */
async function rangesIn(connection: DuckDBConnection, table: string, { model, byDay, most = MOST_ROWS }: Table): Promise<Range[]> {
  const counts = await rowsOf(connection, `SELECT ${identifier(byDay)} - ${ORIGIN} AS day, count(*) AS n FROM ${table} GROUP BY ALL ORDER BY day`);
  const ranges = rangesOf(counts.map((c) => ({ day: Number(c['day']), rows: Number(c['n']) })), most);
  return model.contract.publish?.orderBy[0]?.endsWith(' DESC') ? ranges.reverse() : ranges;
}

/** Results of the tasks in their order; some run at the same time, each of these on a connection of its own. */
async function* inTurn<T>(instance: DuckDBInstance, tasks: readonly ((own: DuckDBConnection) => Promise<T>)[]): AsyncGenerator<T> {
  const results = tasks.map(() => Promise.withResolvers<T>());
  // Nobody may be waiting when a task fails before it is asked for.
  for (const { promise } of results) promise.catch(() => undefined);
  const waiting = [...tasks.entries()];
  const workers = Array.from({ length: PARALLEL }, async () => {
    const own = await instance.connect();
    try {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const [i, task] = next;
        await task(own).then(results[i]?.resolve, (error: unknown) => {
          waiting.length = 0;
          results[i]?.reject(error);
        });
      }
    } finally { own.closeSync(); }
  });
  try {
    for (const { promise } of results) yield await promise;
  } finally {
    waiting.length = 0;
    await Promise.allSettled(workers);
  }
}

/** Write a range, or what is new of it. */
async function writeRange(connection: DuckDBConnection, of: Table, range: Range, path: string, kept: Standing | undefined): Promise<string | Kept> {
  const { publish, record } = of.model.contract;
  const groups = kept?.groups.get(keyOf(range));
  const changed = kept && groups && changedIn(kept, range);
  const copy = async (columns: readonly string[]): Promise<void> => {
    await connection.run(`COPY (SELECT ${columns.map(identifier).join(', ')} FROM ${of.table}
      WHERE ${identifier(of.byDay)} BETWEEN ${ORIGIN} + ${range.from} AND ${ORIGIN} + ${range.to - 1} ${of.inOrder ? '' : `ORDER BY ${publish?.orderBy.join(', ')}`}) TO ${literal(path)} (${formOf(of)})`);
  };
  if (!kept || !groups || changed === 'rows') {
    await copy(record.columns.map((c) => c.name));
    return path;
  }
  if (!changed || changed.length === 0) return { of: kept.file, groups };
  await copy(changed);
  return { of: kept.file, groups, newer: path };
}

/** What stands of yesterday's file. */
interface Standing {
  readonly file: StandingFile;
  /** Row groups of each range that has as many rows as today. */
  readonly groups: ReadonlyMap<string, readonly number[]>;
  /** Days on which a row came, went or has another place, and columns that are other in a row of a day. */
  readonly days: readonly { readonly day: number; readonly rows: boolean; readonly columns: readonly string[] }[];
  /** Columns that may be other in any row. */
  readonly everywhere: readonly string[];
}

const keyOf = ({ from, to, rows }: Range): string => [from, to, rows].join();

/** Columns of a range that are other than yesterday, or that its rows are. */
function changedIn({ days, everywhere }: Standing, { from, to }: Range): 'rows' | readonly string[] {
  const within = days.filter(({ day }) => day >= from && day < to);
  return within.some(({ rows }) => rows) ? 'rows' : [...new Set([...everywhere, ...within.flatMap(({ columns }) => columns)])];
}

/** What of yesterday's file may be kept. @returns undefined where it was not written as today's is */
async function standing(connection: DuckDBConnection, of: Table, before: string, head: string): Promise<Standing | undefined> {
  const { name, contract: { carries, publish, record } } = of.model;
  if (!carries || !publish) return undefined;
  const file = await StandingFile.open(before);
  const groups = await file.isAlike(head) ? groupsOf(file, await rangesIn(connection, identifier(`previous_${name}`), of)) : undefined;
  if (!groups) {
    await file.close();
    return undefined;
  }
  const ordering = publish.orderBy.map((column) => column.split(' ')[0] ?? '');
  const others = record.columns.map((c) => c.name).filter((column) => !ordering.includes(column));
  const both = (columns: readonly string[]): string => columns.map((c) => `(now.${identifier(c)} IS DISTINCT FROM old.${identifier(c)})`).join(' OR ');
  const day = (row: string): string => `${row}.${identifier(of.byDay)} - ${ORIGIN}`;
  const found = await rowsOf(connection, `SELECT day, bool_or(is_moved) AS is_moved, ${others.map((c) => `bool_or(${identifier(c)}) AS ${identifier(c)}`).join(', ')}
    FROM (SELECT unnest([${day('now')}, ${day('old')}]) AS day, ${both(ordering)} AS is_moved, ${others.map((c) => `${both([c])} AS ${identifier(c)}`).join(', ')}
      FROM ${changedTable(name)} AS now FULL JOIN ${replacedTable(name)} AS old ON ${carries.key.map((c) => `now.${identifier(c)} = old.${identifier(c)}`).join(' AND ')})
    WHERE day IS NOT NULL GROUP BY day`);
  return { file, groups, everywhere: lookedUpColumns(carries),
    days: found.map((row) => ({ day: Number(row['day']), rows: row['is_moved'] === true, columns: others.filter((c) => row[c] === true) })) };
}

/** Row groups of each of yesterday's ranges; undefined where the file has others. */
function groupsOf({ groupRows }: StandingFile, ranges: readonly Range[]): ReadonlyMap<string, readonly number[]> | undefined {
  const groups = new Map<string, readonly number[]>();
  let next = 0;
  for (const range of ranges) {
    const own: number[] = [];
    let rows = 0;
    for (; rows < range.rows && next < groupRows.length; next += 1) {
      own.push(next);
      rows += groupRows[next] ?? 0;
    }
    if (rows !== range.rows) return undefined;
    groups.set(keyOf(range), own);
  }
  return next === groupRows.length ? groups : undefined;
}
