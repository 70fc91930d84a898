/** Reads the serving files of a snapshot: rows by an index, columns, and the rows that meet conditions. */
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { LRUCache } from 'lru-cache';
import { identifier } from '../../lib/sql.ts';
import {
  codedColumns,
  fileOf,
  PART_ROWS,
  publishedRank,
  rankName,
  SERVED,
  TABLES,
  VALUES_PART,
  type TableName,
} from '../../models/serving/tables.ts';
import { codesIn, Column, type Codes } from './columns.ts';
import type { Condition, Filters, PageRows, Position, RankedRows } from './filters.ts';

export type Row = Readonly<Record<string, unknown>>;
export type SqlValue = SQLInputValue;

/** Bytes of a file that are read by mapping them; the rest is read page by page. */
const MAPPED_BYTES = 128 << 20;
const STATEMENTS = 500;
/** Milliseconds after which a search lets other requests go on. */
const SLICE_MS = 4;
/** Letters that the index of names finds. */
const INDEXED_LETTERS = 3;
/** Most parts of a name that are looked up; the name itself is compared after that. */
const MAX_TRIGRAMS = 8;

/** Codes by part, and for each code 1 if the row matches. */
interface Test {
  readonly part: (part: number) => Codes;
  readonly accepted: Uint8Array;
}

/** Rows that match: 1 at each of them. */
interface Matches {
  readonly kept: Uint8Array;
  readonly total: number;
}

/** Lets other requests go on every few milliseconds. */
function pauses(): () => Promise<void> {
  let start = performance.now();
  return async () => {
    if (performance.now() - start < SLICE_MS) return;
    await new Promise((resolve) => setImmediate(resolve));
    start = performance.now();
  };
}

/** Keep of these rows those that meet one of the tests. */
function keep(kept: Uint8Array, tests: readonly Test[], part: number): void {
  const [first, ...others] = tests.map((test) => ({ codes: test.part(part), accepted: test.accepted }));
  if (first === undefined) return;
  const { codes, accepted } = first;
  if (others.length === 0) {
    for (let i = 0; i < kept.length; i += 1) kept[i] = (kept[i] ?? 0) & (accepted[codes[i] ?? 0] ?? 0);
    return;
  }
  for (let i = 0; i < kept.length; i += 1)
    if (kept[i] === 1 && accepted[codes[i] ?? 0] === 0 && !others.some((one) => one.accepted[one.codes[i] ?? 0] === 1))
      kept[i] = 0;
}

export class Tables {
  readonly #files: ReadonlyMap<string, DatabaseSync>;
  readonly #statements = new LRUCache<string, StatementSync>({ max: STATEMENTS });
  readonly #columns = new Map<string, Column>();
  readonly #orders = new Map<string, Codes>();
  readonly #counts = new Map<TableName, number>();

  /** @param paths of the files, by their names */
  constructor(paths: ReadonlyMap<string, string>) {
    this.#files = new Map([...paths].map(([name, path]) => [name, new DatabaseSync(path, { readOnly: true })]));
    for (const file of this.#files.values()) file.exec(`PRAGMA mmap_size = ${MAPPED_BYTES}; PRAGMA query_only = 1`);
  }

  close(): void {
    this.#statements.clear();
    for (const file of this.#files.values()) file.close();
  }

  #fileOf(table: TableName): DatabaseSync {
    const file = this.#files.get(fileOf(table));
    if (!file) throw new Error(`there is no file of ${table}`);
    return file;
  }

  /** The version of each file. */
  versions(): ReadonlyMap<string, number> {
    return new Map(
      [...this.#files].map(([name, file]) => [
        name,
        Number(file.prepare('PRAGMA user_version').get()?.['user_version']),
      ]),
    );
  }

  /** Rows of a query on the file of a table. */
  rows(table: TableName, sql: string, ...values: readonly SqlValue[]): Row[] {
    const key = `${fileOf(table)} ${sql}`;
    let statement = this.#statements.get(key);
    if (!statement) this.#statements.set(key, (statement = this.#fileOf(table).prepare(sql)));
    return statement.all(...values);
  }

  /** The number of rows of a table. */
  count(table: TableName): number {
    let count = this.#counts.get(table);
    if (count === undefined) {
      const [row] = this.rows(table, 'SELECT rows FROM tables WHERE name = ?', table);
      this.#counts.set(table, (count = Number(row?.['rows'])));
    }
    return count;
  }

  #bytes(table: TableName, name: string, part: number): Uint8Array {
    const [row] = this.rows(table, 'SELECT bytes FROM coded WHERE name = ? AND part = ?', `${table} ${name}`, part);
    return row?.['bytes'] instanceof Uint8Array ? row['bytes'] : new Uint8Array();
  }

  /** A column. Its codes are read when they are used. @throws Error if the table is not served with it */
  column(table: TableName, name: string): Column {
    const key = `${table} ${name}`;
    let column = this.#columns.get(key);
    if (!column) {
      const coded = codedColumns(table).find((one) => one.name === name);
      if (!coded) throw new Error(`${table} is not served with ${name}`);
      const { sql = '' } = TABLES[table].columns.find((one) => one.name === name) ?? {};
      const decimals = Number(/,(\d+)\)$/u.exec(sql)?.[1] ?? 0);
      const facts = { name, kind: coded.kind, decimals };
      const read = (part: number): Uint8Array => this.#bytes(table, name, part);
      column = new Column(facts, this.#bytes(table, name, VALUES_PART), read);
      this.#columns.set(key, column);
    }
    return column;
  }

  /** Rows in the order of a rank; null if that is the order of the table. */
  #order(table: TableName, rank: string): Codes | null {
    if (publishedRank(table) === rank) return null;
    if (!SERVED[table].ranks?.includes(rank)) throw new Error(`${table} is not served by ${rank}`);
    const key = `${table} ${rank}`;
    let order = this.#orders.get(key);
    if (!order) {
      order = new Uint32Array(this.count(table));
      for (let from = 0; from < order.length; from += PART_ROWS)
        order.set(codesIn(this.#bytes(table, rankName(rank), from / PART_ROWS), 4), from);
      this.#orders.set(key, order);
    }
    return order;
  }

  /** Ids of the rows. */
  ids(table: TableName, rows: readonly number[]): string[] {
    const sql = `SELECT id FROM ${identifier(table)} WHERE pos = ?`;
    return rows.map((row) => String(this.rows(table, sql, row)[0]?.['id']));
  }

  /** Positions of the rows whose key is one of these. */
  positions(table: TableName, key: string, values: readonly string[]): number[] {
    const name = identifier(table);
    const sql = `SELECT pos FROM ${name} WHERE ${identifier(key)} IN (SELECT value FROM json_each(?)) ORDER BY pos`;
    return this.rows(table, sql, JSON.stringify(values)).map(({ pos }) => Number(pos));
  }

  /** Positions of the records that have one of these keys of a property. */
  #ofProperties(table: TableName, keys: readonly string[]): number[] {
    const records = this.rows(
      'property_keys',
      'SELECT DISTINCT record_id FROM property_keys WHERE property_key IN (SELECT value FROM json_each(?))',
      JSON.stringify(keys),
    );
    const key = SERVED[table].keys?.['record_id'] === undefined ? 'id' : 'record_id';
    return this.positions(
      table,
      key,
      records.map((row) => String(row['record_id'])),
    );
  }

  /** Rows whose name contains a text: those with all its parts of three letters, compared one by one. */
  async #named(table: TableName, name: string, text: string): Promise<Uint8Array> {
    const wanted = text.toLowerCase();
    const letters = [...wanted];
    const trigrams = letters.slice(INDEXED_LETTERS - 1).map((_, i) => letters.slice(i, i + INDEXED_LETTERS).join(''));
    const match = [...new Set(trigrams)]
      .slice(0, MAX_TRIGRAMS)
      .map((trigram) => `"${trigram.replaceAll('"', '""')}"`)
      .join(' AND ');
    const index = identifier(`${table}_names`);
    const found = match === '' ? '' : `${index} MATCH ? AND `;
    const sql = `SELECT rowid AS pos FROM ${index}
      WHERE ${found}rowid BETWEEN ? AND ? AND instr(${identifier(name)}, ?) > 0`;
    const marked = new Uint8Array(this.count(table));
    const pause = pauses();
    for (let from = 0; from < marked.length; from += PART_ROWS) {
      await pause();
      const values = [...(match === '' ? [] : [match]), from, from + PART_ROWS - 1, wanted];
      for (const { pos } of this.rows(table, sql, ...values)) marked[Number(pos)] = 1;
    }
    return marked;
  }

  /** Rows as a column of zeros and ones. */
  #marked(table: TableName, rows: readonly number[] | Uint8Array, accepted: readonly [number, number]): Test {
    const marks = rows instanceof Uint8Array ? rows : new Uint8Array(this.count(table));
    if (!(rows instanceof Uint8Array)) for (const row of rows) marks[row] = 1;
    return {
      part: (part) => marks.subarray(part * PART_ROWS, (part + 1) * PART_ROWS),
      accepted: Uint8Array.from(accepted),
    };
  }

  async #test(table: TableName, condition: Condition): Promise<Test> {
    const { column, is } = condition;
    const { keys = {}, names = [] } = SERVED[table];
    if (is === 'of no property') return this.#marked(table, this.#ofProperties(table, condition.values), [1, 0]);
    if (is === 'containing' && names.includes(column))
      return this.#marked(table, await this.#named(table, column, condition.value), [0, 1]);
    if (Object.hasOwn(keys, column)) {
      const values = 'values' in condition ? condition.values : 'value' in condition ? [String(condition.value)] : [];
      if (is !== 'one of' && is !== 'none of' && is !== '=') throw new Error(`${column} is a key, and cannot be ${is}`);
      return this.#marked(table, this.positions(table, column, values), is === 'none of' ? [1, 0] : [0, 1]);
    }
    const found = this.column(table, column);
    return { part: (part) => found.part(part), accepted: found.accepting(condition) };
  }

  async #matches({ table, conditions }: Filters): Promise<Matches> {
    const kept = new Uint8Array(this.count(table)).fill(1);
    const eithers: Test[][] = [];
    for (const either of conditions) {
      const tests: Test[] = [];
      for (const condition of either) tests.push(await this.#test(table, condition));
      eithers.push(tests);
    }
    const pause = pauses();
    let total = 0;
    for (let from = 0; from < kept.length; from += PART_ROWS) {
      const part = kept.subarray(from, from + PART_ROWS);
      for (const tests of eithers) {
        await pause();
        keep(part, tests, from / PART_ROWS);
      }
      for (const row of part) total += row;
    }
    return { kept, total };
  }

  /** The first place in the order of a rank that is after a position. */
  #placeAfter({ filters: { table }, rank }: RankedRows, order: Codes | null, after: Position): number {
    const column = this.column(table, rank.column);
    const { below, isThere } = after.value === null ? { below: -1, isThere: true } : column.placeOf(after.value);
    const isAfter = (place: number): boolean => {
      const row = order === null ? place : (order[place] ?? 0);
      const value = column.codeAt(row) - 1;
      if (after.value === null && value !== below) return false;
      if (isThere && value === below) return String(this.ids(table, [row])) > after.id;
      if (value === -1) return true;
      return rank.direction === 'DESC' ? value < below : value >= below;
    };
    let [low, high] = [0, this.count(table)];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isAfter(middle)) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** All rows that match, in the order of the table. */
  async select(filters: Filters): Promise<number[]> {
    const { kept } = await this.#matches(filters);
    const rows: number[] = [];
    for (let row = kept.indexOf(1); row !== -1; row = kept.indexOf(1, row + 1)) rows.push(row);
    return rows;
  }

  /** At most `limit` rows after the position, and the total. */
  async find(ranked: RankedRows, after: Position | undefined, limit: number): Promise<PageRows> {
    const { filters, rank } = ranked;
    if (!rank.behind) return this.#page(ranked, after, limit);
    const { column, values } = rank.behind;
    const inFront = filters.either({ column, is: 'none of', values }, { column, is: 'absent' });
    const isBehind = after?.isBehind === true;
    const front = await this.#page({ filters: inFront, rank }, after, isBehind ? 0 : limit);
    const behind = filters.either({ column, is: 'one of', values });
    const back = await this.#page({ filters: behind, rank }, isBehind ? after : undefined, limit - front.rows.length);
    return { total: front.total + back.total, rows: [...front.rows, ...back.rows] };
  }

  async #page(ranked: RankedRows, after: Position | undefined, limit: number): Promise<PageRows> {
    const { table } = ranked.filters;
    const { kept, total } = await this.#matches(ranked.filters);
    const order = this.#order(table, ranked.rank.column);
    const rows: number[] = [];
    let place = after === undefined || total === 0 ? 0 : this.#placeAfter(ranked, order, after);
    for (; place < kept.length && rows.length < Math.min(limit, total); place += 1) {
      const row = order === null ? place : (order[place] ?? 0);
      if (kept[row] === 1) rows.push(row);
    }
    return { total, rows };
  }
}
