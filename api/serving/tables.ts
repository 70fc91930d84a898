/** Reads the tables of a snapshot: rows by an index, columns, and the rows that meet conditions. */
import type { SQLInputValue } from 'node:sqlite';
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
import { codesIn, Column, type Codes, type Value } from './columns.ts';
import { bytesIn, File, openTable, rowsNaming, type Row, type Section, type Table } from './files.ts';
import {
  isWithin,
  type Circle,
  type Condition,
  type Filters,
  type PageRows,
  type Position,
  type RankedRows,
} from './filters.ts';

/** Milliseconds after which a search lets other requests go on. */
const SLICE_MS = 4;
/** Packs of texts in memory: those of a page of rows that are far apart. */
const PACKS = 512;

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

/** Of codes that are marks of whole parts: 1 passes. */
const MARKED = Uint8Array.of(0, 1);

/** Four bytes at a time. */
const wordsIn = (marks: Codes): Uint32Array => new Uint32Array(marks.buffer, marks.byteOffset, marks.length / 4);

/** Keep of the rows of a part those that meet one of the tests. */
function keep(kept: Uint8Array, tests: readonly Test[], part: number): void {
  const [first, ...others] = tests;
  if (first === undefined || others.length > 0) {
    const passed = new Uint8Array(kept.length);
    for (const { part: codesOf, accepted } of tests) {
      const codes = codesOf(part);
      for (let i = 0; i < kept.length; i += 1) passed[i] = (passed[i] ?? 0) | (accepted[codes[i] ?? 0] ?? 0);
    }
    keep(kept, [{ part: () => passed, accepted: MARKED }], part);
    return;
  }
  const { accepted } = first;
  const codes = first.part(part);
  if (accepted === MARKED) {
    const [words, marks] = [wordsIn(kept), wordsIn(codes)];
    for (let i = 0; i < words.length; i += 1) words[i] = (words[i] ?? 0) & (marks[i] ?? 0);
  } else for (let i = 0; i < kept.length; i += 1) kept[i] = (kept[i] ?? 0) & (accepted[codes[i] ?? 0] ?? 0);
}

/** The number of marks of a part. */
function ones(marks: Uint8Array): number {
  let count = 0;
  // The product has the sum of the four bytes in its highest one.
  for (const word of wordsIn(marks)) count += Math.imul(word, 0x0101_0101) >>> 24;
  return count;
}

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
    let found = this.#tables.get(table);
    if (!found) {
      const files = this.#files.filter(({ name }) => isFileOf(table, name));
      if (files.length === 0) throw new Error(`there is no file of ${table}`);
      this.#tables.set(table, (found = openTable(table, files)));
    }
    return found;
  }

  /** Leave out the rows that are, or name, one of these. @param subjects ids and sealed names */
  leaveOut(subjects: readonly string[]): void {
    const isLeftOut = suppressionTest(subjects);
    for (const table of subjects.length === 0 ? [] : TABLE_NAMES) {
      const { sections, present } = this.#table(table);
      // Of a table of millions of rows, the run lists the ids.
      const rows = SERVED[table].inParts
        ? this.withKey(table, 'id', subjects)
        : sections.flatMap(({ file, start }) => rowsNaming(file, table, isLeftOut).map((pos) => start + pos));
      for (const row of rows) present[row] = 0;
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
    if (SERVED[table].inParts) return rows.map((row) => this.#linesInPack(table, row));
    const sql = `SELECT pos, lines FROM ${identifier(table)} WHERE pos IN (SELECT value FROM json_each(?))`;
    const found = new Map(this.rows(sql, JSON.stringify(rows)).map(({ pos, lines }) => [pos, String(lines)]));
    return rows.map((row) => {
      const lines = found.get(row);
      if (lines === undefined) throw new Error(`${table} has no row ${row}`);
      return lines.split('\n');
    });
  }

  #linesInPack(table: TableName, row: number): readonly string[] {
    const { file, start } = this.#sectionOf(table, row);
    const key = `${table} ${Math.floor(row / PACK_ROWS)}`;
    let texts = this.#packs.get(key);
    if (!texts) {
      const sql = `SELECT texts FROM ${packsOf(table)} WHERE pack = ?`;
      const [found] = file.rows(sql, Math.floor((row - start) / PACK_ROWS));
      this.#packs.set(key, (texts = unpackTexts(found?.['texts'] as Uint8Array)));
    }
    return texts[row % PACK_ROWS]?.split('\n') ?? [];
  }

  #line(table: TableName, row: number, column: string): string {
    return this.linesOf(table, [row])[0]?.[TABLES[table].columns.findIndex(({ name }) => name === column)] ?? '';
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
    return rows.map((row) => String(JSON.parse(this.#line(table, row, 'id'))));
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
  async #named(table: TableName, name: string, text: string): Promise<Uint8Array> {
    const { sections, present } = this.#table(table);
    const marks = new Uint8Array(present.length);
    const pause = pauses();
    for (const { file, start, end } of sections) {
      const key = `${file.name} ${name}`;
      let words = this.#words.get(key);
      if (!words) {
        const sql = `SELECT places FROM ${wordsOf(table, name)} WHERE word = ?`;
        const placesOf = (word: number) => file.rows(sql, word)[0]?.['places'] as Uint8Array;
        words = new Words(bytesIn(file, wordsOf(table, name), VALUES_PART), placesOf);
        this.#words.set(key, words);
      }
      await words.mark(text.toLowerCase(), marks.subarray(start, end), pause);
    }
    return marks;
  }

  /** The rows that are marked with 1, or the others. */
  #marked(marks: Uint8Array, isNot = false): Test {
    return {
      part: (part) => marks.subarray(part * PART_ROWS, (part + 1) * PART_ROWS),
      accepted: isNot ? Uint8Array.of(1, 0) : MARKED,
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

  /** Rows that match: 1 at each of them. Each part is passed to `take` with its first row. */
  async #matches({ table, conditions }: Filters, take: (kept: Uint8Array, from: number) => void): Promise<Uint8Array> {
    const { present, sections } = this.#table(table);
    const kept = present.slice();
    const eithers: Test[][] = [];
    for (const either of conditions) {
      const tests: Test[] = [];
      for (const condition of either) tests.push(await this.#test(table, condition));
      eithers.push(tests);
    }
    const pause = pauses();
    for (const { start, end } of sections)
      for (let from = start; from < end; from += PART_ROWS) {
        // Up to the next four bytes, which are counted together.
        const rows = kept.subarray(from, Math.min(from + PART_ROWS, from + Math.ceil((end - from) / 4) * 4));
        for (const tests of eithers) {
          await pause();
          keep(rows, tests, from / PART_ROWS);
        }
        await pause();
        take(rows, from);
      }
    return kept;
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
      for (let i = kept.indexOf(1); i !== -1; i = kept.indexOf(1, i + 1)) rows.push(from + i);
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
    const rows = await this.select(filters);
    const counter = this.column(filters.table, name).counter();
    const pause = pauses();
    for (let from = 0; from < rows.length; from += PART_ROWS) {
      counter.add(rows.slice(from, from + PART_ROWS));
      await pause();
    }
    return counter.values();
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
    let total = 0;
    const kept = await this.#matches(filters, (rows) => {
      total += ones(rows);
    });
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
    // The texts of rows that are far apart are unpacked in slices.
    const pause = pauses();
    for (const row of SERVED[filters.table].inParts ? rows : []) {
      await pause();
      this.#linesInPack(filters.table, row);
    }
    return { total, rows };
  }
}
