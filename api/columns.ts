/**
 * Columns of a snapshot's table in memory, each read when it is first asked for, and the rows that meet conditions on
 * them. To find the rows of a list among half a million takes a tenth of a millisecond here; planned and run by the
 * database it takes several, and more than one however few the rows. Rows are named by their number in the table.
 *
 * Numbers are compared as whole units of their last digit (cents, days, seconds), exactly; texts by their place in the
 * list of those that occur, so that one that occurs a thousand times is compared once.
 */
import type { DuckDBValue } from '@duckdb/node-api';
import type { Column } from '../lib/record.ts';
import { identifier } from '../lib/sql.ts';
import { columnOf, sqlOf, type Condition, type Either, type Filters } from './filters.ts';
import { add, allRows, keep, lower, noRows, NumberIndex, orderOf, unite, without, WordIndex, type Order, type RowSet } from './row_sets.ts';
import type { TableName } from './tables.ts';
import { DAY_MS } from './week.ts';
import { Where } from './where.ts';

/** Runs a SELECT of one column or two, and hands over its rows one after the other. */
export type ReadRows = (sql: string, each: (first: DuckDBValue, second: DuckDBValue) => void, params?: DuckDBValue[]) => Promise<void>;

/** Numbers; NaN where there is none. */
export type Numbers = Float64Array;

export interface Rank {
  readonly column: string;
  readonly direction: 'DESC' | 'ASC';
}

/** ORDER BY of a rank. Ties are in the order of ids. */
export const rankSql = ({ column, direction }: Rank): string => `${identifier(column)} ${direction} NULLS LAST, id`;

/** Columns in which nearly every row has a text of its own. Parts of them are looked for by the database, which reads them without making a million texts. */
const LOOKED_THROUGH: ReadonlySet<string> = new Set(['filings.business_name', 'filings.registered_agent_name']);

const CENTS = 2;
const isText = ({ kind }: Column): boolean => kind === 'text' || kind === 'enum';

function numberSql({ name, kind }: Column): string {
  const column = identifier(name);
  switch (kind) {
    case 'money': case 'percent': case 'ratio': return `CAST(${column} * 100 AS DOUBLE)`;
    case 'date': return `CAST(${column} - DATE '1970-01-01' AS DOUBLE)`;
    case 'instant': return `epoch(${column})`;
    case 'integer': case 'flag': return `CAST(${column} AS DOUBLE)`;
    case 'text': case 'enum': case 'json': throw new Error(`${name} is no number`);
  }
}

/** A decimal number as whole cents and what is left over: -1, 0 or 1 as it lies below, on or above them. */
function centsOf(digits: string): [cents: number, beyond: number] {
  const [, minus = '', whole = '0', rest = ''] = /^(-?)(\d+)(?:\.(\d+))?$/u.exec(digits) ?? [];
  const cents = Number(whole + rest.slice(0, CENTS).padEnd(CENTS, '0'));
  const beyond = /[1-9]/u.test(rest.slice(CENTS)) ? 1 : 0;
  return minus === '' ? [cents, beyond] : [-cents || 0, -beyond || 0];
}

/** A value in whole units of the column, and whether it lies between two of them. */
function unitsOf({ name, kind }: Column, value: string | number | boolean): [units: number, beyond: number] {
  switch (kind) {
    case 'money': case 'percent': case 'ratio': return centsOf(String(value));
    case 'date': return [Date.parse(String(value)) / DAY_MS, 0];
    case 'instant': return [Date.parse(String(value)) / 1000, 0];
    case 'integer': case 'flag': return [Number(value), 0];
    case 'text': case 'enum': case 'json': throw new Error(`${name} is no number`);
  }
}

type Comparison = Extract<Condition, { readonly value: unknown }>;

/** Rows that meet a condition on a number. Between two units nothing is equal, and above it begins with the next. */
function meetingNumber(column: Column, index: NumberIndex, { is, value }: Comparison): RowSet {
  const [units, beyond] = unitsOf(column, value);
  const [above, below] = [beyond > 0 ? units + 1 : units, beyond < 0 ? units - 1 : units];
  const [lowest, highest] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  switch (is) {
    case '=': return index.between(above, below);
    case '>=': return index.between(above, highest);
    case '>': return index.between(beyond < 0 ? units : units + 1, highest);
    case '<=': return index.between(lowest, below);
    case '<': return index.between(lowest, beyond > 0 ? units : units - 1);
    case '<>': {
      const set = index.between(lowest, highest);
      without(set, index.between(above, below));
      return set;
    }
    case 'like': case 'containing': throw new Error(`${column.name} is no text`);
  }
}

/** Rows whose text meets a condition. */
function meetingWord(index: WordIndex, { column, is, value }: Comparison): RowSet {
  const wanted = String(value);
  switch (is) {
    case '=': return index.equal(wanted);
    case '<>': return index.meeting((word) => word !== wanted);
    case 'like': { const low = lower(wanted); return index.meeting((word) => word === low, true); }
    case 'containing': { const low = lower(wanted); return index.meeting((word) => word.includes(low), true); }
    case '<': case '<=': case '>': case '>=': throw new Error(`${column} is a text, which has no order here`);
  }
}

/** Columns of one table. */
export class TableColumns {
  readonly #table: TableName;
  readonly #rows: number;
  readonly #read: ReadRows;
  readonly #kept = new Map<string, Promise<unknown>>();
  readonly #rowsOfIds = new Map<string, Promise<number | undefined>>();

  constructor(table: TableName, rows: number, read: ReadRows) {
    this.#table = table;
    this.#rows = rows;
    this.#read = read;
  }

  #once<T>(name: string, make: () => Promise<T>): Promise<T> {
    let made = this.#kept.get(name) as Promise<T> | undefined;
    if (!made) {
      made = make();
      this.#kept.set(name, made);
      // What could not be read is read again.
      made.catch(() => { this.#kept.delete(name); });
    }
    return made;
  }

  /** Row numbers of a SELECT of them. */
  async #rowsOf(rest: string, params: DuckDBValue[] = []): Promise<Int32Array> {
    const rows = new Int32Array(this.#rows);
    let count = 0;
    await this.#read(`SELECT CAST(rowid AS INTEGER) FROM ${this.#table}${rest}`, (row) => { rows[count] = Number(row); count += 1; }, params);
    return rows.subarray(0, count);
  }

  /** Numbers of the rows, in whole units of the column. */
  numbers(column: string): Promise<Numbers> {
    return this.#once(column, async () => {
      const numbers = new Float64Array(this.#rows).fill(Number.NaN);
      await this.#read(`SELECT CAST(rowid AS INTEGER), ${numberSql(columnOf(this.#table, column))} FROM ${this.#table} WHERE ${identifier(column)} IS NOT NULL`,
        (row, number) => { numbers[Number(row)] = Number(number); });
      return numbers;
    });
  }

  /** Rows by the number in a column. */
  #byNumber(column: string): Promise<NumberIndex> {
    return this.#once(`by ${column}`, async () => new NumberIndex(
      await this.numbers(column), await this.#rowsOf(` WHERE ${identifier(column)} IS NOT NULL ORDER BY ${identifier(column)}, rowid`)));
  }

  /** Rows by their text. @param expression a column, or SQL over the columns of a row */
  texts(expression: string): Promise<WordIndex> {
    return this.#once(expression, async () => {
      const places = new Map<string, number>();
      const codes = new Int32Array(this.#rows).fill(-1);
      await this.#read(`SELECT CAST(rowid AS INTEGER), ${expression} FROM ${this.#table} WHERE ${expression} IS NOT NULL`, (row, text) => {
        const word = String(text);
        const code = places.get(word) ?? places.size;
        if (code === places.size) places.set(word, code);
        codes[Number(row)] = code;
      });
      return new WordIndex(places, codes);
    });
  }

  /** All rows in the order of a rank. */
  order(rank: Rank): Promise<Order> {
    return this.#once(`order ${rankSql(rank)}`, async () => orderOf(await this.#rowsOf(` ORDER BY ${rankSql(rank)}`)));
  }

  /** Rows with these ids; those that were asked for before are not looked for again. */
  async #withIds(ids: readonly string[]): Promise<RowSet> {
    const unknown = ids.filter((id) => !this.#rowsOfIds.has(id));
    if (unknown.length > 0) {
      const reading = (async () => {
        const rows = new Map<string, number>();
        await this.#read(`SELECT id, CAST(rowid AS INTEGER) FROM ${this.#table} WHERE id IN (SELECT unnest(from_json($1, '["VARCHAR"]')))`, (id, row) => { rows.set(String(id), Number(row)); }, [JSON.stringify(unknown)]);
        return rows;
      })();
      for (const id of unknown) {
        const found = reading.then((rows) => rows.get(id));
        this.#rowsOfIds.set(id, found);
        found.catch(() => { this.#rowsOfIds.delete(id); });
      }
    }
    const set = noRows(this.#rows);
    const rows = await Promise.all(ids.map((id) => this.#rowsOfIds.get(id)));
    add(set, Int32Array.from(rows.filter((row) => row !== undefined)));
    return set;
  }

  /** Rows that meet a condition, as a set of its own. */
  async #meetingOne(condition: Condition): Promise<RowSet> {
    const column = columnOf(this.#table, condition.column);
    if (condition.is === 'none of' && column.name === 'id') {
      const set = allRows(this.#rows);
      without(set, await this.#withIds(condition.values));
      return set;
    }
    if (LOOKED_THROUGH.has(`${this.#table}.${column.name}`)) {
      const [set, where] = [noRows(this.#rows), new Where().add(...sqlOf(this.#table, condition))];
      add(set, await this.#rowsOf(where.toString(), where.values));
      return set;
    }
    if (isText(column)) {
      const texts = await this.texts(identifier(column.name));
      if (condition.is === 'absent') return texts.absent();
      if (condition.is !== 'none of') return meetingWord(texts, condition);
      const excluded = new Set(condition.values);
      return texts.meeting((word) => !excluded.has(word));
    }
    const index = await this.#byNumber(column.name);
    if (condition.is === 'none of') throw new Error(`${column.name} is no text`);
    if (condition.is !== 'absent') return meetingNumber(column, index, condition);
    const set = allRows(this.#rows);
    without(set, index.between(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY));
    return set;
  }

  async #meetingAny(either: Either): Promise<RowSet> {
    const [first = noRows(this.#rows), ...others] = await Promise.all(either.map((condition) => this.#meetingOne(condition)));
    for (const other of others) unite(first, other);
    return first;
  }

  /** Rows that meet all conditions, as a set of its own. */
  async meeting({ conditions }: Filters): Promise<RowSet> {
    const [first = allRows(this.#rows), ...others] = await Promise.all(conditions.map((either) => this.#meetingAny(either)));
    for (const other of others) keep(first, other);
    return first;
  }
}
