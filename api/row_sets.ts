/**
 * Sets of rows of a table, a bit for each, and indexes that give the set of a condition without looking at every row.
 * What is done with whole sets takes a step for 32 rows: some ten microseconds for half a million.
 */

/** Bit `row % 32` of number `row / 32`. Sets of one table have the same length. */
export type RowSet = Uint32Array;

export const noRows = (rows: number): RowSet => new Uint32Array((rows + 31) >>> 5);

export const has = (set: RowSet, row: number): boolean => (((set[row >>> 5] ?? 0) >>> (row & 31)) & 1) === 1;

/** Put those of `rows` from one place to before another into a set. */
export function add(set: RowSet, rows: Int32Array, from = 0, to = rows.length): void {
  for (let i = from; i < to; i += 1) {
    const row = rows[i] ?? 0;
    set[row >>> 5] = (set[row >>> 5] ?? 0) | (1 << (row & 31));
  }
}

/** Keep in `set` what is in the other too. */
export function keep(set: RowSet, other: RowSet): void { for (let i = 0; i < set.length; i += 1) set[i] = (set[i] ?? 0) & (other[i] ?? 0); }

/** Put into `set` what is in the other. */
export function unite(set: RowSet, other: RowSet): void { for (let i = 0; i < set.length; i += 1) set[i] = (set[i] ?? 0) | (other[i] ?? 0); }

/** Take out of `set` what is in the other. */
export function without(set: RowSet, other: RowSet): void { for (let i = 0; i < set.length; i += 1) set[i] = (set[i] ?? 0) & ~(other[i] ?? 0); }

export function allRows(rows: number): RowSet {
  const set = noRows(rows).fill(0xffff_ffff);
  if (rows % 32 !== 0) set[set.length - 1] = (2 ** (rows % 32)) - 1;
  return set;
}

/** How many rows a set has. */
export function sizeOf(set: RowSet): number {
  let size = 0;
  for (let i = 0; i < set.length; i += 1) {
    // The ones of two bits beside each other, then of four, of eight, and the four bytes together.
    let bits = set[i] ?? 0;
    bits -= (bits >>> 1) & 0x5555_5555;
    bits = (bits & 0x3333_3333) + ((bits >>> 2) & 0x3333_3333);
    size += Math.imul((bits + (bits >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
  }
  return size;
}

/** The first `most` rows of a set from `start` on, in their order. */
export function membersOf(set: RowSet, start = 0, most = Number.POSITIVE_INFINITY): number[] {
  const found: number[] = [];
  for (let i = start >>> 5; i < set.length && found.length < most; i += 1) {
    let bits = set[i] ?? 0;
    if (i === start >>> 5) bits &= -1 << (start & 31);
    for (; bits !== 0 && found.length < most; bits &= bits - 1) found.push(i * 32 + 31 - Math.clz32(bits & -bits));
  }
  return found;
}

/** All rows of a table in an order. */
export interface Order {
  /** Rows by their place. */
  readonly rows: Int32Array;
  /** Whether each row stands in its own place. */
  readonly stored: boolean;
  /** Places by the row. */
  readonly places: Int32Array;
}

export function orderOf(rows: Int32Array): Order {
  const places = new Int32Array(rows.length);
  for (const [place, row] of rows.entries()) places[row] = place;
  return { rows, places, stored: rows.every((row, place) => row === place) };
}

/** Of fewer rows than this each is looked at, of more the order is followed until enough are found. */
const FEW = 2_048;

/** The first `most` rows of a set of `size` rows that stand at `start` or behind it in an order. */
export function firstOf(set: RowSet, size: number, { rows, stored, places }: Order, start: number, most: number): number[] {
  if (stored) return membersOf(set, start, most);
  if (size < FEW) {
    return [...Int32Array.from(membersOf(set), (row) => places[row] ?? 0).sort()].filter((place) => place >= start).slice(0, most).map((place) => rows[place] ?? 0);
  }
  const found: number[] = [];
  for (let place = start; place < rows.length && found.length < most; place += 1) {
    const row = rows[place] ?? 0;
    if (has(set, row)) found.push(row);
  }
  return found;
}

/** Parts into which the rows of a table are cut; a set that is kept for each makes what is left to add a 64th. */
const PARTS = 64;

/** Rows by a number. */
export class NumberIndex {
  readonly #rows: number;
  readonly #byValue: Int32Array;
  readonly #values: Float64Array;
  /** The first so many parts of the rows by value; made when a range first needs them. */
  #parts: RowSet[] | undefined;

  /** @param byValue rows that have a number, the lowest first */
  constructor(numbers: Float64Array, byValue: Int32Array) {
    this.#rows = numbers.length;
    this.#byValue = byValue;
    this.#values = Float64Array.from(byValue, (row) => numbers[row] ?? Number.NaN);
  }

  /** How many rows have a number below this one, or this one where that is wanted too. */
  #below(value: number, itself: boolean): number {
    let [low, high] = [0, this.#values.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const number = this.#values[middle] ?? 0;
      if (number < value || (itself && number === value)) low = middle + 1; else high = middle;
    }
    return low;
  }

  get #partSize(): number { return Math.max(1, Math.ceil(this.#byValue.length / PARTS)); }

  /** The first `count` rows by value, in a set of its own. */
  #first(count: number): RowSet {
    const size = this.#partSize;
    if (!this.#parts) {
      const set = noRows(this.#rows);
      this.#parts = [set.slice()];
      for (let end = size; end <= this.#byValue.length; end += size) {
        add(set, this.#byValue, end - size, end);
        this.#parts.push(set.slice());
      }
    }
    const part = Math.floor(count / size);
    const set = this.#parts[part]?.slice() ?? noRows(this.#rows);
    add(set, this.#byValue, part * size, count);
    return set;
  }

  /** Rows whose number is one of these or lies between them. */
  between(low: number, high: number): RowSet {
    const [from, to] = [this.#below(low, false), this.#below(high, true)];
    if (to - from > this.#partSize) {
      const set = this.#first(to);
      if (from > 0) without(set, this.#first(from));
      return set;
    }
    const set = noRows(this.#rows);
    add(set, this.#byValue, from, to);
    return set;
  }
}

/** A word with more than one of so many rows has a set of its own. */
const COMMON = 32;

/** Rows by a text. */
export class WordIndex {
  readonly words: readonly string[];
  /** Place of each row's text in `words`; -1 where there is none. */
  readonly codes: Int32Array;
  /** Rows by their text, and where those of each begin. Those without a text stand behind all others. */
  readonly #rows: Int32Array;
  readonly #begins: Int32Array;
  readonly #common = new Map<number, RowSet>();
  readonly #places: ReadonlyMap<string, number>;
  #lowered: readonly string[] | undefined;

  /**
   * @param places the texts that occur, numbered from 0 as they come
   * @param codes number of each row's text, -1 where it has none
   */
  constructor(places: ReadonlyMap<string, number>, codes: Int32Array) {
    const words = [...places.keys()];
    this.words = words;
    this.codes = codes;
    this.#places = places;
    const begins = new Int32Array(words.length + 2);
    const groupOf = (code: number): number => (code < 0 ? words.length : code);
    for (const code of codes) begins[groupOf(code) + 1] = (begins[groupOf(code) + 1] ?? 0) + 1;
    for (let i = 1; i < begins.length; i += 1) begins[i] = (begins[i] ?? 0) + (begins[i - 1] ?? 0);
    const next = begins.slice();
    this.#rows = new Int32Array(codes.length);
    for (let row = 0; row < codes.length; row += 1) {
      const group = groupOf(codes[row] ?? -1);
      const place = next[group] ?? 0;
      this.#rows[place] = row;
      next[group] = place + 1;
    }
    this.#begins = begins;
  }

  /** The text of a row. */
  wordOf(row: number): string | null { return this.words[this.codes[row] ?? -1] ?? null; }

  /** Rows with exactly this text. */
  rowsWith(word: string): Int32Array {
    const code = this.#places.get(word);
    return code === undefined ? new Int32Array() : this.#rows.subarray(this.#begins[code], this.#begins[code + 1]);
  }

  #addGroup(set: RowSet, group: number): void {
    const [from, to] = [this.#begins[group] ?? 0, this.#begins[group + 1] ?? 0];
    if ((to - from) * COMMON <= this.codes.length) {
      add(set, this.#rows, from, to);
      return;
    }
    let common = this.#common.get(group);
    if (!common) {
      this.#common.set(group, common = noRows(this.codes.length));
      add(common, this.#rows, from, to);
    }
    unite(set, common);
  }

  /** Rows with exactly this text, as a set. */
  equal(word: string): RowSet {
    const set = noRows(this.codes.length);
    const code = this.#places.get(word);
    if (code !== undefined) this.#addGroup(set, code);
    return set;
  }

  /** Rows whose text meets a condition. @param lowered whether it is asked of the text in lower case */
  meeting(condition: (word: string) => boolean, lowered = false): RowSet {
    const words = lowered ? this.#lowered ??= this.words.map(lower) : this.words;
    const set = noRows(this.codes.length);
    for (const [code, word] of words.entries()) if (condition(word)) this.#addGroup(set, code);
    return set;
  }

  /** Rows without a text. */
  absent(): RowSet {
    const set = noRows(this.codes.length);
    this.#addGroup(set, this.words.length);
    return set;
  }
}

/** Text in lower case, letter by letter: what stands beside a letter does not matter. */
export const lower = (text: string): string => Array.from(text, (letter) => letter.toLowerCase()).join('');
