/** Reads the serving files of a snapshot: rows by an index, columns, and the rows that meet conditions. */
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { LRUCache } from 'lru-cache';
import { identifier } from '../../lib/sql.ts';
import {
  codedColumns,
  isFileOf,
  PART_ROWS,
  publishedRank,
  rankName,
  SERVED,
  TABLES,
  VALUES_PART,
  type TableName,
} from '../../models/serving/tables.ts';
import { codesIn, Column, type Codes } from './columns.ts';
import {
  isWithin,
  type Circle,
  type Condition,
  type Filters,
  type PageRows,
  type Position,
  type RankedRows,
} from './filters.ts';

export type Row = Readonly<Record<string, unknown>>;

const STATEMENTS = 500;
/** Milliseconds after which a search lets other requests go on. */
const SLICE_MS = 4;
/** Names that are compared before a search looks at the time. */
const COMPARED = 256;
/** Letters that the index of names finds. */
const INDEXED_LETTERS = 3;
/** Most parts of a name that are looked up; the name itself is compared after that. */
const MAX_TRIGRAMS = 8;

/** Codes by part, and for each code 1 if the row matches. */
interface Test {
  readonly part: (part: number) => Codes;
  readonly accepted: Uint8Array;
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
  const passed = new Uint8Array(kept.length);
  for (const { part: codesOf, accepted } of tests) {
    const codes = codesOf(part);
    for (let i = 0; i < kept.length; i += 1) passed[i] = (passed[i] ?? 0) | (accepted[codes[i] ?? 0] ?? 0);
  }
  for (let i = 0; i < kept.length; i += 1) kept[i] = (kept[i] ?? 0) & (passed[i] ?? 0);
}

/** One file, open for reading. */
class File {
  readonly name: string;
  readonly #db: DatabaseSync;
  readonly #statements = new LRUCache<string, StatementSync>({ max: STATEMENTS });

  constructor(name: string, path: string) {
    this.name = name;
    this.#db = new DatabaseSync(path, { readOnly: true });
    this.#db.exec(`PRAGMA query_only = 1`);
  }

  /** Rows of a query. */
  rows(sql: string, ...values: readonly SQLInputValue[]): Row[] {
    let statement = this.#statements.get(sql);
    if (!statement) this.#statements.set(sql, (statement = this.#db.prepare(sql)));
    return statement.all(...values);
  }

  /** A statement of one caller, which may read its rows in slices. */
  prepare(sql: string): StatementSync {
    return this.#db.prepare(sql);
  }

  close(): void {
    this.#statements.clear();
    this.#db.close();
  }
}

/** Rows of a table that are in one file: those from `start`, at a multiple of PART_ROWS, in their order. */
interface Section {
  readonly file: File;
  readonly start: number;
  readonly end: number;
}

/** A table: its rows, and 1 for each of them that no later file replaces. */
interface Table {
  readonly sections: readonly Section[];
  readonly present: Uint8Array;
  readonly count: number;
}

/** Rows of a file that are, or name, what is left out on request. */
function suppressedIn(file: File, table: TableName, subjects: readonly string[]): readonly number[] {
  if (subjects.length === 0) return [];
  const texts = JSON.stringify(subjects.map((subject) => JSON.stringify(subject.trim())));
  const sql = `SELECT pos FROM ${identifier(table)} WHERE EXISTS
    (SELECT 1 FROM json_each(?) WHERE instr(upper(lines), upper(value)) > 0)`;
  return file.rows(sql, texts).map(({ pos }) => Number(pos));
}

/** @param suppressed ids and names: their rows are not present */
function openTable(table: TableName, files: readonly File[], suppressed: readonly string[]): Table {
  let start = 0;
  const sections = files.map((file) => {
    const rows = Number(file.rows('SELECT rows FROM tables WHERE name = ?', table)[0]?.['rows']);
    const section = { file, start, end: start + rows };
    start += Math.ceil(rows / PART_ROWS) * PART_ROWS;
    return section;
  });
  const present = new Uint8Array(start);
  let count = 0;
  for (const { file, start: first, end } of sections) {
    present.fill(1, first, end);
    count += end - first;
    for (const { file: name, rows } of file.rows('SELECT file, rows FROM replaced')) {
      const replaced = sections.find((one) => one.file.name === name);
      if (!replaced) continue;
      for (const pos of codesIn(rows as Uint8Array, 4)) {
        count -= present[replaced.start + pos] ?? 0;
        present[replaced.start + pos] = 0;
      }
    }
  }
  for (const { file, start: first } of sections)
    for (const pos of suppressedIn(file, table, suppressed)) present[first + pos] = 0;
  return { sections, present, count };
}

const bytesIn = (file: File, name: string, part: number): Uint8Array => {
  const [row] = file.rows('SELECT bytes FROM coded WHERE name = ? AND part = ?', name, part);
  return row?.['bytes'] instanceof Uint8Array ? row['bytes'] : new Uint8Array();
};

export class Tables {
  readonly #files: readonly File[];
  readonly #suppressed: readonly string[];
  readonly #tables = new Map<TableName, Table>();
  readonly #columns = new Map<string, Column>();
  readonly #orders = new Map<string, Codes>();

  /** @param paths of the files, by their names; of a table in parts, a later one replaces rows of those before it
   *   @param suppressed ids and names that are left out */
  constructor(paths: ReadonlyMap<string, string>, suppressed: readonly string[]) {
    this.#suppressed = suppressed;
    this.#files = [...paths].map(([name, path]) => new File(name, path));
  }

  close(): void {
    for (const file of this.#files) file.close();
  }

  #table(table: TableName): Table {
    let found = this.#tables.get(table);
    if (!found) {
      const files = this.#files.filter(({ name }) => isFileOf(table, name));
      if (files.length === 0) throw new Error(`there is no file of ${table}`);
      this.#tables.set(table, (found = openTable(table, files, this.#suppressed)));
    }
    return found;
  }

  #sectionOf(table: TableName, row: number): Section {
    const section = this.#table(table).sections.findLast(({ start }) => start <= row);
    if (!section || row >= section.end) throw new Error(`${table} has no row ${row}`);
    return section;
  }

  /** The version of each file. */
  versions(): ReadonlyMap<string, number> {
    const version = (file: File): number => Number(file.rows('PRAGMA user_version')[0]?.['user_version']);
    return new Map(this.#files.map((file) => [file.name, version(file)]));
  }

  /** Rows of a query on serving.sqlite. */
  rows(sql: string, ...values: readonly SQLInputValue[]): Row[] {
    return this.#table('deals').sections[0]?.file.rows(sql, ...values) ?? [];
  }

  /** Columns of a row. */
  row(table: TableName, row: number, columns: string): Row {
    const { file, start } = this.#sectionOf(table, row);
    const [found] = file.rows(`SELECT ${columns} FROM ${identifier(table)} WHERE pos = ?`, row - start);
    if (found === undefined) throw new Error(`${table} has no row ${row}`);
    return found;
  }

  /** Whether a row is served: no newer one replaces it, and nobody asked to leave it out. */
  isPresent(table: TableName, row: number): boolean {
    return this.#table(table).present[row] === 1;
  }

  /** Rows of a small table in one file, in its order. */
  presentRows(table: TableName): number[] {
    const { present } = this.#table(table);
    return [...present.keys()].filter((row) => present[row] === 1);
  }

  /** The number of rows of a table, with those that are left out on request. */
  count(table: TableName): number {
    return this.#table(table).count;
  }

  /** The number of filings of each of these agents, from the newest file that has it. */
  filingsOf(agents: readonly string[]): ReadonlyMap<string, number> {
    const found = new Map<string, number>();
    const sql = 'SELECT agent, filings FROM agents WHERE agent IN (SELECT value FROM json_each(?))';
    for (const { file } of this.#table('filings').sections.toReversed()) {
      const missing = agents.filter((agent) => !found.has(agent));
      for (const row of file.rows(sql, JSON.stringify(missing)))
        found.set(String(row['agent']), Number(row['filings']));
    }
    return found;
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
      const { sections } = this.#table(table);
      const values = sections.map(({ file }) => bytesIn(file, key, VALUES_PART));
      column = new Column({ name, kind: coded.kind, decimals }, values, (part) => {
        const section = this.#sectionOf(table, part * PART_ROWS);
        const bytes = bytesIn(section.file, key, part - section.start / PART_ROWS);
        return { bytes, file: sections.indexOf(section) };
      });
      this.#columns.set(key, column);
    }
    return column;
  }

  /** Rows in the order of a rank; null if that is the order of the table. */
  #order(table: TableName, rank: string): Codes | null {
    if (publishedRank(table) === rank) return null;
    if (!SERVED[table].ranks?.includes(rank)) throw new Error(`${table} is not served by ${rank}`);
    const key = `${table} ${rankName(rank)}`;
    let order = this.#orders.get(key);
    if (!order) {
      order = new Uint32Array(this.count(table));
      for (const { file } of this.#table(table).sections)
        for (let from = 0; from < order.length; from += PART_ROWS)
          order.set(codesIn(bytesIn(file, key, from / PART_ROWS), 4), from);
      this.#orders.set(key, order);
    }
    return order;
  }

  /** Ids of the rows. */
  ids(table: TableName, rows: readonly number[]): string[] {
    return rows.map((row) => String(this.row(table, row, 'id')['id']));
  }

  /** Rows with one of these values of a key (models/serving/tables.ts), in published order. */
  withKey(table: TableName, key: string, values: readonly string[]): number[] {
    const { sections, present } = this.#table(table);
    const name = identifier(table);
    const sql = `SELECT pos FROM ${name} WHERE ${identifier(key)} IN (SELECT value FROM json_each(?)) ORDER BY pos`;
    return sections
      .flatMap(({ file, start }) => file.rows(sql, JSON.stringify(values)).map(({ pos }) => start + Number(pos)))
      .filter((row) => present[row] === 1);
  }

  /** Positions of the records that have one of these keys of a property. */
  #ofProperties(table: TableName, keys: readonly string[]): number[] {
    const sql = 'SELECT record_id FROM property_keys WHERE property_key IN (SELECT value FROM json_each(?))';
    const records = this.rows(sql, JSON.stringify(keys)).map((row) => String(row['record_id']));
    return this.withKey(table, SERVED[table].keys?.['record_id'] === undefined ? 'id' : 'record_id', records);
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
    // Every candidate is a row, so that a search can be interrupted between them.
    const sql = `SELECT rowid AS pos, instr(${identifier(name)}, ?) > 0 AS is_found FROM ${index}
      WHERE ${found}rowid BETWEEN ? AND ?`;
    const { sections, present } = this.#table(table);
    const marked = new Uint8Array(present.length);
    const pause = pauses();
    let compared = 0;
    for (const { file, start, end } of sections) {
      const statement = file.prepare(sql);
      for (let from = 0; from < end - start; from += PART_ROWS) {
        await pause();
        const range = [from, from + PART_ROWS - 1];
        for (const row of statement.iterate(wanted, ...(match === '' ? [] : [match]), ...range)) {
          marked[start + Number(row['pos'])] = Number(row['is_found']);
          compared += 1;
          if (compared % COMPARED === 0) await pause();
        }
      }
    }
    return marked;
  }

  /** The rows that are marked with 1, or the others. */
  #marked(marks: Uint8Array, isNot = false): Test {
    return {
      part: (part) => marks.subarray(part * PART_ROWS, (part + 1) * PART_ROWS),
      accepted: Uint8Array.from(isNot ? [1, 0] : [0, 1]),
    };
  }

  /** These rows, or the others. */
  #listed(table: TableName, rows: readonly number[], isNot = false): Test {
    const marks = new Uint8Array(this.#table(table).present.length);
    for (const row of rows) marks[row] = 1;
    return this.#marked(marks, isNot);
  }

  /** Rows whose point is in the circle. */
  #within(table: TableName, circle: Circle): Test {
    const [latitude, longitude] = [this.column(table, 'latitude'), this.column(table, 'longitude')];
    const [norths, easts] = [latitude.numbers(), longitude.numbers()];
    return {
      part(part) {
        const [north, east] = [latitude.part(part), longitude.part(part)];
        return Uint8Array.from(north, (code, i) =>
          Number(isWithin(circle, norths[code] ?? NaN, easts[east[i] ?? 0] ?? NaN)),
        );
      },
      accepted: Uint8Array.of(0, 1),
    };
  }

  async #test(table: TableName, condition: Condition): Promise<Test> {
    const { column, is } = condition;
    const { keys = {}, names = [] } = SERVED[table];
    if (is === 'of no property') return this.#listed(table, this.#ofProperties(table, condition.values), true);
    if (is === 'containing' && names.includes(column))
      return this.#marked(await this.#named(table, column, condition.value));
    if (is === 'within') return this.#within(table, condition.circle);
    if (Object.hasOwn(keys, column)) {
      const values = 'values' in condition ? condition.values : 'value' in condition ? [String(condition.value)] : [];
      if (is !== 'one of' && is !== 'none of' && is !== '=') throw new Error(`${column} is a key, and cannot be ${is}`);
      return this.#listed(table, this.withKey(table, column, values), is === 'none of');
    }
    const found = this.column(table, column);
    return { part: (part) => found.part(part), accepted: found.accepting(condition) };
  }

  /** Rows that match: 1 at each of them, and their number. */
  async #matches({ table, conditions }: Filters): Promise<{ readonly kept: Uint8Array; readonly total: number }> {
    const found = this.#table(table);
    const kept = found.present.slice();
    const eithers: Test[][] = [];
    for (const either of conditions) {
      const tests: Test[] = [];
      for (const condition of either) tests.push(await this.#test(table, condition));
      eithers.push(tests);
    }
    const pause = pauses();
    let total = 0;
    for (const { start, end } of found.sections)
      for (let from = start; from < end; from += PART_ROWS) {
        const rows = kept.subarray(from, Math.min(end, from + PART_ROWS));
        for (const tests of eithers) {
          await pause();
          keep(rows, tests, from / PART_ROWS);
        }
        for (const row of rows) total += row;
      }
    return { kept, total };
  }

  /** The first place of a section in the order of a rank that is after a position. */
  #placeAfter({ filters: { table }, rank }: RankedRows, { start, end }: Section, after: Position): number {
    const order = this.#order(table, rank.column);
    const column = this.column(table, rank.column);
    const { below, isThere } = after.value === null ? { below: -1, isThere: true } : column.placeOf(after.value);
    const isAfter = (place: number): boolean => {
      const row = order?.[place] ?? place;
      const value = column.codeAt(row) - 1;
      if (after.value === null && value !== below) return false;
      if (isThere && value === below) return String(this.ids(table, [row])) > after.id;
      if (value === -1) return true;
      return rank.direction === 'DESC' ? value < below : value >= below;
    };
    let [low, high] = [start, end];
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
    const { filters, rank } = ranked;
    const { kept, total } = await this.#matches(filters);
    const order = this.#order(filters.table, rank.column);
    const column = this.column(filters.table, rank.column);
    const ids = new Map<number, string>();
    const idOf = (row: number): string => {
      const id = ids.get(row) ?? String(this.ids(filters.table, [row]));
      ids.set(row, id);
      return id;
    };
    const isBefore = (one: number, other: number): boolean => {
      const [a, b] = [column.codeAt(one), column.codeAt(other)];
      if (a === b) return idOf(one) < idOf(other);
      return a !== 0 && (b === 0 || a > b === (rank.direction === 'DESC'));
    };
    const nextFrom = (place: number, end: number): readonly { place: number; row: number; end: number }[] => {
      const found =
        order === null ? kept.indexOf(1, place) : order.subarray(place, end).findIndex((row) => kept[row] === 1);
      const at = order === null || found === -1 ? found : place + found;
      return at === -1 || at >= end ? [] : [{ place: at, row: order?.[at] ?? at, end }];
    };
    // The next row of each section; the first of them is the next row of the page.
    let heads = this.#table(filters.table).sections.flatMap((section) =>
      nextFrom(after === undefined ? section.start : this.#placeAfter(ranked, section, after), section.end),
    );
    const rows: number[] = [];
    while (rows.length < limit && heads.length > 0) {
      const first = heads.reduce((one, other) => (isBefore(other.row, one.row) ? other : one));
      rows.push(first.row);
      heads = heads.flatMap((head) => (head === first ? nextFrom(head.place + 1, head.end) : [head]));
    }
    return { total, rows };
  }
}
