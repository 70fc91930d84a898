/**
 * Columns of a snapshot's table in memory, each read when it is first asked for, and the rows that meet conditions on
 * them. A query of a few thousand rows takes microseconds here; planned and run by the database it takes more than a
 * millisecond, however few the rows. Rows are named by their number in the table.
 *
 * Numbers are compared as whole units of their last digit (cents, days, seconds), exactly; texts by their place in the
 * list of those that occur, so that one that occurs a thousand times is compared once.
 */
import type { Column } from '../lib/record.ts';
import { identifier } from '../lib/sql.ts';
import { columnOf, type Condition, type Either, type Filters } from './filters.ts';
import type { TableName } from './tables.ts';
import { DAY_MS } from './week.ts';

/** Runs a SELECT of one column and gives its values. */
export type ReadColumn = (sql: string) => Promise<readonly unknown[]>;

/** What a row must meet: a number between two others, both included; a text that is marked; or whatever is asked of it. */
export type Test =
  | { readonly numbers: Numbers; readonly low: number; readonly high: number }
  | { readonly codes: Int32Array; readonly meets: Uint8Array }
  | { readonly isMet: (row: number) => boolean };

/** Numbers; NaN where there is none. */
export type Numbers = Float64Array;

/** Texts: `words[codes[row]]`, and code -1 where there is none. */
export interface Texts {
  readonly codes: Int32Array;
  readonly words: readonly string[];
}

export interface Rank {
  readonly column: string;
  readonly direction: 'DESC' | 'ASC';
}

/** ORDER BY of a rank. Ties are in the order of ids. */
export const rankSql = ({ column, direction }: Rank): string => `${identifier(column)} ${direction} NULLS LAST, id`;

const CENTS = 2;
const isText = ({ kind }: Column): boolean => kind === 'text' || kind === 'enum';

/** Text in lower case, letter by letter: what stands beside a letter does not matter. */
const lower = (text: string): string => Array.from(text, (letter) => letter.toLowerCase()).join('');

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

/** Condition on a number as a range of whole units: between two units nothing is equal, and above it begins with the next. */
function numberTest(column: Column, numbers: Numbers, condition: Extract<Condition, { readonly value: unknown }>): Test {
  const [units, beyond] = unitsOf(column, condition.value);
  const [above, below] = [beyond > 0 ? units + 1 : units, beyond < 0 ? units - 1 : units];
  switch (condition.is) {
    case '=': return { numbers, low: above, high: below };
    case '>=': return { numbers, low: above, high: Number.POSITIVE_INFINITY };
    case '>': return { numbers, low: beyond < 0 ? units : units + 1, high: Number.POSITIVE_INFINITY };
    case '<=': return { numbers, low: Number.NEGATIVE_INFINITY, high: below };
    case '<': return { numbers, low: Number.NEGATIVE_INFINITY, high: beyond > 0 ? units : units - 1 };
    case '<>': return { isMet: (row) => !Number.isNaN(numbers[row]) && (beyond !== 0 || numbers[row] !== units) };
    case 'like': case 'containing': throw new Error(`${column.name} is no text`);
  }
}

/** Which of the texts that occur meet a condition. */
function wordTest(condition: Extract<Condition, { readonly value: unknown }>): (word: string) => boolean {
  const value = String(condition.value);
  switch (condition.is) {
    case '=': return (word) => word === value;
    case '<>': return (word) => word !== value;
    case 'like': { const wanted = lower(value); return (word) => lower(word) === wanted; }
    case 'containing': { const wanted = lower(value); return (word) => lower(word).includes(wanted); }
    case '<': case '<=': case '>': case '>=': throw new Error(`${condition.column} is a text, which has no order here`);
  }
}

function isMet(test: Test, row: number): boolean {
  if ('isMet' in test) return test.isMet(row);
  if ('codes' in test) return test.meets[test.codes[row] ?? -1] === 1;
  const number = test.numbers[row] ?? Number.NaN;
  return number >= test.low && number <= test.high;
}

/** Move those of the first `count` rows that meet a test to the front, in their order. @returns how many */
function narrow(rows: Int32Array, count: number, test: Test): number {
  let met = 0;
  // Three loops of their own: one that calls a function for each row takes ten times as long.
  if ('numbers' in test) {
    const { numbers, low, high } = test;
    for (let i = 0; i < count; i += 1) {
      const row = rows[i] ?? 0;
      const number = numbers[row] ?? Number.NaN;
      if (number >= low && number <= high) { rows[met] = row; met += 1; }
    }
  } else if ('codes' in test) {
    const { codes, meets } = test;
    for (let i = 0; i < count; i += 1) {
      const row = rows[i] ?? 0;
      if (meets[codes[row] ?? -1] === 1) { rows[met] = row; met += 1; }
    }
  } else {
    for (let i = 0; i < count; i += 1) {
      const row = rows[i] ?? 0;
      if (test.isMet(row)) { rows[met] = row; met += 1; }
    }
  }
  return met;
}

/** Of these rows those that meet all tests, in their order. */
export function meeting(rows: Int32Array, tests: readonly Test[]): Int32Array {
  const kept = new Int32Array(rows);
  return kept.subarray(0, tests.reduce((count, test) => narrow(kept, count, test), rows.length));
}

/** Columns of one table. */
export class TableColumns {
  readonly #table: TableName;
  readonly #read: ReadColumn;
  readonly #kept = new Map<string, Promise<unknown>>();

  constructor(table: TableName, read: ReadColumn) {
    this.#table = table;
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

  /** Numbers of the rows, in whole units of the column. */
  numbers(column: string): Promise<Numbers> {
    return this.#once(column, async () => Float64Array.from(
      await this.#read(`SELECT ${numberSql(columnOf(this.#table, column))} FROM ${this.#table}`), (value) => (value === null ? Number.NaN : Number(value))));
  }

  /** Texts of the rows. @param expression a column, or SQL over the columns of a row */
  texts(expression: string): Promise<Texts> {
    return this.#once(expression, async () => {
      const places = new Map<string, number>();
      const codes = Int32Array.from(await this.#read(`SELECT ${expression} FROM ${this.#table}`), (value) => {
        if (value === null) return -1;
        const word = String(value);
        const code = places.get(word) ?? places.size;
        if (code === places.size) places.set(word, code);
        return code;
      });
      return { codes, words: [...places.keys()] };
    });
  }

  /** Rows by their text: which have this one. */
  rowsWith(expression: string): Promise<(text: string) => readonly number[]> {
    return this.#once(`rows ${expression}`, async () => {
      const { codes, words } = await this.texts(expression);
      const rows = words.map((): number[] => []);
      for (const [row, code] of codes.entries()) rows[code]?.push(row);
      const places = new Map(words.map((word, code) => [word, code]));
      return (text) => rows[places.get(text) ?? -1] ?? [];
    });
  }

  /** All rows in the order of a rank. */
  order(rank: Rank): Promise<Int32Array> {
    return this.#once(`order ${rankSql(rank)}`, async () => Int32Array.from(
      await this.#read(`SELECT rowid FROM ${this.#table} ORDER BY ${rankSql(rank)}`), Number));
  }

  async #test(condition: Condition): Promise<Test> {
    const column = columnOf(this.#table, condition.column);
    if (isText(column)) {
      const { codes, words } = await this.texts(identifier(column.name));
      if (condition.is === 'absent') return { isMet: (row) => codes[row] === -1 };
      if (condition.is === 'none of') {
        const rowsWith = await this.rowsWith(identifier(column.name));
        const excluded = new Set(condition.values.flatMap((value) => rowsWith(value)));
        return { isMet: (row) => codes[row] !== -1 && !excluded.has(row) };
      }
      const meetsIt = wordTest(condition);
      const meets = Uint8Array.from(words, (word) => Number(meetsIt(word)));
      return { codes, meets };
    }
    const numbers = await this.numbers(column.name);
    if (condition.is === 'absent') return { isMet: (row) => Number.isNaN(numbers[row]) };
    if (condition.is === 'none of') throw new Error(`${column.name} is no text`);
    return numberTest(column, numbers, condition);
  }

  async #anyOf(either: Either): Promise<Test> {
    const tests = await Promise.all(either.map((condition) => this.#test(condition)));
    const [only] = tests;
    return tests.length === 1 && only ? only : { isMet: (row) => tests.some((test) => isMet(test, row)) };
  }

  /** What a row must meet. */
  tests({ conditions }: Filters): Promise<readonly Test[]> { return Promise.all(conditions.map((either) => this.#anyOf(either))); }
}
