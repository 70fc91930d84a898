/** Reads the tables in the serving files: rows by an index, columns, and the rows that meet conditions. */
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { LRUCache } from 'lru-cache';
import { identifier } from '../../lib/sql.ts';
import { suppressionTest } from '../../lib/suppressions.ts';
import {
  codedColumns,
  isFileOf,
  packsOf,
  PART_ROWS,
  publishedRank,
  rankName,
  SERVED,
  TABLE_NAMES,
  TABLES,
  VALUES_PART,
  wordsOf,
  type TableName,
} from '../../models/serving/tables.ts';
import { PACK_ROWS, unpackTexts } from '../../models/serving/text.ts';
import { Words } from '../../models/serving/words.ts';
import { anyOf, codesIn, Column, marked, ones, rowsIn, type Codes, type Test, type Value } from './columns.ts';
import {
  isWithin,
  type Circle,
  type Condition,
  type Filters,
  type PageRows,
  type Position,
  type RankedRows,
} from './filters.ts';
import { pause } from './slices.ts';

/** Packs of texts in memory: those of a page of rows that are far apart. */
const PACKS = 512;

export type Row = Readonly<Record<string, unknown>>;

/** One file, open for reading. */
class File {
  readonly name: string;
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(name: string, path: string) {
    this.name = name;
    this.#db = new DatabaseSync(path, { readOnly: true });
    this.#db.exec(`PRAGMA query_only = 1`);
  }

  /** Rows of a query. */
  rows(sql: string, ...values: readonly SQLInputValue[]): Row[] {
    return this.#statements.getOrInsertComputed(sql, () => this.#db.prepare(sql)).all(...values);
  }

  /** The same, one at a time. */
  iterate(sql: string): Iterable<Row> {
    return this.#db.prepare(sql).iterate();
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

/** A text in JSON. */
const JSON_TEXT = /"(?:[^"\\]|\\.)*"/gu;

function openTable(table: TableName, files: readonly File[]): Table {
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
  return { sections, present, count };
}

const bytesIn = (file: File, name: string, part: number): Uint8Array => {
  const [row] = file.rows('SELECT bytes FROM coded WHERE name = ? AND part = ?', name, part);
  return row?.['bytes'] instanceof Uint8Array ? row['bytes'] : new Uint8Array();
};

export class Tables {
  readonly #files: readonly File[];
  readonly #tables = new Map<TableName, Table>();
  readonly #columns = new Map<string, Column>();
  readonly #words = new Map<string, Words>();
  readonly #packs = new LRUCache<string, readonly string[]>({ max: PACKS });
  readonly #orders = new Map<string, Codes>();

  /** @param paths of the files, by their names; of a table in parts, a later one replaces rows of those before it */
  constructor(paths: ReadonlyMap<string, string>) {
    this.#files = [...paths].map(([name, path]) => new File(name, path));
  }

  close(): void {
    for (const file of this.#files) file.close();
  }

  #table(table: TableName): Table {
    return this.#tables.getOrInsertComputed(table, () => {
      const files = this.#files.filter(({ name }) => isFileOf(table, name));
      if (files.length === 0) throw new Error(`there is no file of ${table}`);
      return openTable(table, files);
    });
  }

  /** Leave out the rows that are, or name, one of these. @param subjects ids and sealed names */
  async leaveOut(subjects: readonly string[]): Promise<void> {
    const isLeftOut = suppressionTest(subjects);
    const isNamed = (lines: string): boolean =>
      lines.match(JSON_TEXT)?.some((text) => isLeftOut(text.slice(1, -1))) === true;
    for (const table of subjects.length === 0 ? [] : TABLE_NAMES) {
      const { sections, present } = this.#table(table);
      // Of a table of millions of rows, the run lists the ids.
      if (SERVED[table].inParts) for (const row of this.withKey(table, 'id', subjects)) present[row] = 0;
      else
        for (const { file, start } of sections)
          for (const { pos, lines } of file.iterate(`SELECT pos, lines FROM ${identifier(table)}`)) {
            await pause();
            if (isNamed(String(lines))) present[start + Number(pos)] = 0;
          }
    }
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

  /** The lines of records (models/serving/text.ts), in the order of the rows. */
  linesOf(table: TableName, rows: readonly number[]): (readonly string[])[] {
    if (SERVED[table].inParts) return rows.map((row) => this.#textInPack(table, row).split('\n'));
    const sql = `SELECT pos, lines FROM ${identifier(table)} WHERE pos IN (SELECT value FROM json_each(?))`;
    const found = new Map(this.rows(sql, JSON.stringify(rows)).map(({ pos, lines }) => [pos, String(lines)]));
    return rows.map((row) => {
      const lines = found.get(row);
      if (lines === undefined) throw new Error(`${table} has no row ${row}`);
      return lines.split('\n');
    });
  }

  #textInPack(table: TableName, row: number): string {
    const { file, start } = this.#sectionOf(table, row);
    const key = `${table} ${Math.floor(row / PACK_ROWS)}`;
    let texts = this.#packs.get(key);
    if (!texts) {
      const sql = `SELECT texts FROM ${packsOf(table)} WHERE pack = ?`;
      const [found] = file.rows(sql, Math.floor((row - start) / PACK_ROWS));
      this.#packs.set(key, (texts = unpackTexts(found?.['texts'] as Uint8Array)));
    }
    return texts[row % PACK_ROWS] ?? '';
  }

  /** Whether a row is served: no newer one replaces it, and nobody asked to leave it out. */
  isPresent(table: TableName, row: number): boolean {
    return this.#table(table).present[row] === 1;
  }

  /** Rows of a small table in one file, in its order. */
  presentRows(table: TableName): number[] {
    const { sections, present } = this.#table(table);
    return sections.flatMap(({ start, end }) =>
      Array.from(present.subarray(start, end), (_, i) => start + i).filter((row) => present[row] === 1),
    );
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
    return this.#columns.getOrInsertComputed(`${table} ${name}`, (key) => {
      const coded = codedColumns(table).find((one) => one.name === name);
      if (!coded) throw new Error(`${table} is not served with ${name}`);
      const { sql = '' } = TABLES[table].columns.find((one) => one.name === name) ?? {};
      const decimals = Number(/,(\d+)\)$/u.exec(sql)?.[1] ?? 0);
      const { sections } = this.#table(table);
      const values = sections.map(({ file }) => bytesIn(file, key, VALUES_PART));
      return new Column({ name, kind: coded.kind, decimals }, values, (part) => {
        const section = this.#sectionOf(table, part * PART_ROWS);
        const bytes = bytesIn(section.file, key, part - section.start / PART_ROWS);
        return { bytes, file: sections.indexOf(section) };
      });
    });
  }

  /** Rows in the order of a rank; null if that is the order of the table. */
  #order(table: TableName, rank: string): Codes | null {
    if (publishedRank(table) === rank) return null;
    if (!SERVED[table].ranks?.includes(rank)) throw new Error(`${table} is not served by ${rank}`);
    return this.#orders.getOrInsertComputed(`${table} ${rankName(rank)}`, (key) => {
      const order = new Uint32Array(this.count(table));
      for (const { file } of this.#table(table).sections)
        for (let from = 0; from < order.length; from += PART_ROWS)
          order.set(codesIn(bytesIn(file, key, from / PART_ROWS), 4), from);
      return order;
    });
  }

  /** Ids of the rows. */
  ids(table: TableName, rows: readonly number[]): string[] {
    const at = TABLES[table].columns.findIndex(({ name }) => name === 'id');
    return this.linesOf(table, rows).map((lines) => String(JSON.parse(lines[at] ?? '')));
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

  /** Marks of the rows whose name contains a text. */
  async #named(table: TableName, name: string, text: string): Promise<Uint8Array<ArrayBuffer>> {
    const { sections, present } = this.#table(table);
    const marks = new Uint8Array(present.length);
    for (const { file, start, end } of sections) {
      const words = this.#words.getOrInsertComputed(`${file.name} ${name}`, () => {
        const sql = `SELECT places FROM ${wordsOf(table, name)} WHERE word = ?`;
        const placesOf = (word: number) => file.rows(sql, word)[0]?.['places'] as Uint8Array<ArrayBuffer>;
        return new Words(bytesIn(file, wordsOf(table, name), VALUES_PART), placesOf);
      });
      await words.mark(text.toLowerCase(), marks.subarray(start, end), pause);
    }
    return marks;
  }

  /** These rows, or the others. */
  #listed(table: TableName, rows: readonly number[], isNot = false): Test {
    const marks = new Uint8Array(this.#table(table).present.length).fill(Number(isNot));
    for (const row of rows) marks[row] = Number(!isNot);
    return marked(marks);
  }

  /** Rows whose point is in the circle. */
  #within(table: TableName, circle: Circle): Test {
    const [latitude, longitude] = [this.column(table, 'latitude'), this.column(table, 'longitude')];
    const [norths, easts] = [latitude.numbers(), longitude.numbers()];
    return (kept, part) => {
      const [north, east] = [latitude.part(part), longitude.part(part)];
      for (const i of rowsIn(kept, 0))
        kept[i] = Number(isWithin(circle, norths[north[i] ?? 0] ?? NaN, easts[east[i] ?? 0] ?? NaN));
    };
  }

  async #test(table: TableName, condition: Condition, named: Uint8Array<ArrayBuffer>[]): Promise<Test> {
    const { column, is } = condition;
    const { keys = {}, names = [] } = SERVED[table];
    if (is === 'of no property') return this.#listed(table, this.#ofProperties(table, condition.values), true);
    if (is === 'containing' && names.includes(column)) {
      const marks = await this.#named(table, column, condition.value);
      named.push(marks);
      return marked(marks);
    }
    if (is === 'within') return this.#within(table, condition.circle);
    if (Object.hasOwn(keys, column)) {
      const values = 'values' in condition ? condition.values : 'value' in condition ? [String(condition.value)] : [];
      if (is !== 'one of' && is !== 'none of' && is !== '=') throw new Error(`${column} is a key, and cannot be ${is}`);
      return this.#listed(table, this.withKey(table, column, values), is === 'none of');
    }
    return this.column(table, column).keeping(condition);
  }

  /** Pass the marks of each part, 1 for a row that matches, and its first row to `take`. The marks are used again. */
  async #matches({ table, conditions }: Filters, take: (kept: Uint8Array, from: number) => void): Promise<void> {
    const { present, sections } = this.#table(table);
    const named: Uint8Array<ArrayBuffer>[] = [];
    const all: Test[] = [];
    for (const either of conditions) {
      const tests: Test[] = [];
      for (const condition of either) tests.push(await this.#test(table, condition, named));
      all.push(tests.length === 1 ? (tests[0] ?? anyOf([])) : anyOf(tests));
    }
    const marks = new Uint8Array(Math.min(PART_ROWS, present.length));
    for (const { start, end } of sections)
      for (let from = start; from < end; from += PART_ROWS) {
        // Up to the next four bytes, which are counted together.
        const kept = marks.subarray(0, Math.min(PART_ROWS, Math.ceil((end - from) / 4) * 4));
        kept.set(present.subarray(from, from + kept.length));
        for (const test of all) {
          await pause();
          test(kept, from / PART_ROWS);
        }
        await pause();
        take(kept, from);
      }
    // Frees megabytes that the garbage collector would find late.
    for (const { buffer } of named) buffer.transfer(0);
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
    const rows: number[] = [];
    await this.#matches(filters, (kept, from) => {
      for (const row of rowsIn(kept, from)) rows.push(row);
    });
    return rows;
  }

  /** The number of rows that match. */
  async total(filters: Filters): Promise<number> {
    let total = 0;
    await this.#matches(filters, (kept) => {
      total += ones(kept);
    });
    return total;
  }

  /** As Column.counts of the rows that match, however many they are. */
  async counts(filters: Filters, name: string): Promise<ReadonlyMap<Value, number>> {
    const column = this.column(filters.table, name);
    const counts = column.tally([]);
    await this.#matches(filters, (kept, from) => column.tally(rowsIn(kept, from), counts));
    return column.tallied(counts);
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
    const { sections, present } = this.#table(filters.table);
    const order = this.#order(filters.table, rank.column);
    // The first rows of each section, in the order of the rank.
    const firsts = sections.map((section) => ({
      ...section,
      next: after === undefined ? section.start : this.#placeAfter(ranked, section, after),
      rows: [] as number[],
    }));
    const marks = order && new Uint8Array(present.length);
    let total = 0;
    await this.#matches(filters, (kept, from) => {
      total += ones(kept);
      marks?.set(kept, from);
      const own = firsts.findLast(({ start }) => start <= from);
      if (!own || marks) return;
      for (const row of rowsIn(kept, from, Math.max(0, own.next - from))) {
        if (own.rows.length >= limit) break;
        own.rows.push(row);
      }
    });
    if (order && marks)
      for (const { next, end, rows } of firsts)
        for (let place = next; place < end && rows.length < limit; place += 1)
          if (marks[order[place] ?? 0] === 1) rows.push(order[place] ?? 0);
    return {
      total,
      rows: this.#merged(
        ranked,
        firsts.map(({ rows }) => rows),
        limit,
      ),
    };
  }

  /** The first rows of lists in the order of the rank, taken out of them. */
  #merged({ filters: { table }, rank }: RankedRows, lists: readonly number[][], limit: number): number[] {
    const column = this.column(table, rank.column);
    const idOf = (row: number): string => String(this.ids(table, [row]));
    const isBefore = (one: number, other: number): boolean => {
      const [a, b] = [column.codeAt(one), column.codeAt(other)];
      if (a === b) return idOf(one) < idOf(other);
      return a !== 0 && (b === 0 || a > b === (rank.direction === 'DESC'));
    };
    const rows: number[] = [];
    while (rows.length < limit) {
      let first: number[] = [];
      for (const list of lists)
        if (list.length > 0 && (first.length === 0 || isBefore(list[0] ?? 0, first[0] ?? 0))) first = list;
      const row = first.shift();
      if (row === undefined) break;
      rows.push(row);
    }
    return rows;
  }
}
