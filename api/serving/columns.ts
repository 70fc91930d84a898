/**
 * A column of a served table in memory: for each row the number of its value among the sorted ones, 0 for null. And the
 * marks of rows that match: a byte for each row of a part.
 */
import { codeBytes, PART_ROWS } from '../../models/serving/tables.ts';
import { isDecimal, isNumber, millionths } from '../../models/serving/text.ts';
import type { FieldKind } from '../../lib/record.ts';
import type { Condition } from './filters.ts';

export type Codes = Uint8Array | Uint16Array | Uint32Array;

/** Clears the marks of the rows of a part that do not match: 1 becomes 0. */
export type Test = (kept: Uint8Array, part: number) => void;

/** Four marks at a time. */
const wordsIn = (marks: Uint8Array): Uint32Array => new Uint32Array(marks.buffer, marks.byteOffset, marks.length / 4);

/** Rows that meet one of the tests. */
export const anyOf =
  (tests: readonly Test[]): Test =>
  (kept, part) => {
    const passed = new Uint8Array(kept.length);
    const words = wordsIn(passed);
    for (const test of tests) {
      const own = kept.slice();
      test(own, part);
      const found = wordsIn(own);
      for (let i = 0; i < words.length; i += 1) words[i] = (words[i] ?? 0) | (found[i] ?? 0);
    }
    kept.set(passed);
  };

/** Rows that are marked in the whole table. */
export const marked =
  (marks: Uint8Array): Test =>
  (kept, part) => {
    const [words, own] = [wordsIn(kept), wordsIn(marks.subarray(part * PART_ROWS, part * PART_ROWS + kept.length))];
    for (let i = 0; i < words.length; i += 1) words[i] = (words[i] ?? 0) & (own[i] ?? 0);
  };

/** The number of marks of a part. */
export function ones(marks: Uint8Array): number {
  const words = wordsIn(marks);
  let count = 0;
  // The product has the sum of the four bytes in its highest one.
  for (let i = 0; i < words.length; i += 1) count += Math.imul(words[i] ?? 0, 0x0101_0101) >>> 24;
  return count;
}

/** The marked rows of a part that begins with the row `from`. */
export function* rowsIn(kept: Uint8Array, from: number, first = 0): Generator<number> {
  for (let i = kept.indexOf(1, first); i !== -1; i = kept.indexOf(1, i + 1)) yield from + i;
}

/** Bytes as codes of this width. */
export function codesIn(bytes: Uint8Array, width: 1 | 2 | 4): Codes {
  // A typed array needs an aligned start.
  const { buffer, byteOffset, byteLength } = bytes.byteOffset % width === 0 ? bytes : bytes.slice();
  if (width === 1) return new Uint8Array(buffer, byteOffset, byteLength);
  return width === 2
    ? new Uint16Array(buffer, byteOffset, byteLength / 2)
    : new Uint32Array(buffer, byteOffset, byteLength / 4);
}

/** A value in the JSON form of records, or null. */
export type Value = string | number | boolean | null;

export interface ColumnFacts {
  readonly name: string;
  readonly kind: FieldKind;
  /** Decimals of a decimal string. */
  readonly decimals: number;
}

const MILLION = 1_000_000n;

type Values = readonly string[] | BigInt64Array;

/** Sorted values as they are stored. */
const valuesIn = (kind: FieldKind, bytes: Uint8Array): Values =>
  isNumber(kind)
    ? new BigInt64Array(bytes.slice().buffer)
    : (JSON.parse(Buffer.from(bytes).toString()) as readonly string[]);

/** The values of several files, sorted, and for each file the code of each of its codes. */
function joined(files: readonly Values[]): { readonly values: Values; readonly codes: readonly Uint32Array[] } {
  const [first = [], ...others] = files;
  if (others.length === 0) return { values: first, codes: [] };
  const sorted = [...new Set<string | bigint>(files.flatMap((own) => [...own]))].sort((a, b) => (a < b ? -1 : 1));
  const places = new Map(sorted.map((value, i) => [value, i + 1]));
  const codes = files.map((own) => Uint32Array.from([0, ...[...own].map((value) => places.get(value) ?? 0)]));
  return {
    values: first instanceof BigInt64Array ? BigInt64Array.from(sorted as bigint[]) : (sorted as string[]),
    codes,
  };
}

/** Reads the codes of a part, and the number of the file that they are in. */
type ReadCodes = (part: number) => { readonly bytes: Uint8Array; readonly file: number };

export class Column {
  readonly #facts: ColumnFacts;
  readonly #values: Values;
  /** Bytes of a code in each file. */
  readonly #widths: readonly (1 | 2 | 4)[];
  readonly #codes: readonly Uint32Array[];
  readonly #read: ReadCodes;
  readonly #parts: Codes[] = [];
  readonly #ends: (readonly [low: number, high: number])[] = [];
  #lowered: readonly string[] | undefined;
  #numbers: Float64Array | undefined;

  /** @param values of each file, sorted, as they are stored */
  constructor(facts: ColumnFacts, values: readonly Uint8Array[], read: ReadCodes) {
    const files = values.map((bytes) => valuesIn(facts.kind, bytes));
    this.#facts = facts;
    this.#widths = files.map(({ length }) => codeBytes(length));
    ({ values: this.#values, codes: this.#codes } = joined(files));
    this.#read = read;
  }

  /** Codes of the rows of a part. */
  part(part: number): Codes {
    let codes = this.#parts[part];
    if (codes) return codes;
    const { bytes, file } = this.#read(part);
    codes = codesIn(bytes, this.#widths[file] ?? 1);
    const own = this.#codes[file];
    if (own) codes = new Uint32Array(codes).map((code) => own[code] ?? 0);
    return (this.#parts[part] = codes);
  }

  /** Rows whose value meets the condition. */
  keeping(condition: Condition): Test {
    const accepted = this.#accepting(condition);
    return (kept, part) => {
      const codes = this.part(part);
      const [low, high] = this.#endsOf(part, codes);
      // Most parts of a column in order meet a range as a whole, or not at all.
      const isWithout = (mark: number): boolean => !accepted.subarray(low, high + 1).includes(mark);
      if (isWithout(0)) return;
      if (isWithout(1)) kept.fill(0);
      else for (let i = 0; i < kept.length; i += 1) kept[i] = (kept[i] ?? 0) & (accepted[codes[i] ?? 0] ?? 0);
    };
  }

  /** The smallest and the largest code of a part. */
  #endsOf(part: number, codes: Codes): readonly [low: number, high: number] {
    const known = this.#ends[part];
    if (known) return known;
    let [low, high] = [codes[0] ?? 0, 0];
    for (let i = 0; i < codes.length; i += 1) {
      low = Math.min(low, codes[i] ?? 0);
      high = Math.max(high, codes[i] ?? 0);
    }
    return (this.#ends[part] = [low, high]);
  }

  codeAt(row: number): number {
    return this.part(Math.floor(row / PART_ROWS))[row % PART_ROWS] ?? 0;
  }

  /** The value of a code in the JSON form of records. */
  valueOf(code: number): Value {
    const value = this.#values[code - 1];
    if (value === undefined) return null;
    if (typeof value === 'string') return value;
    const { kind, decimals } = this.#facts;
    if (!isDecimal(kind)) return kind === 'flag' ? value === 1n : Number(value);
    const size = value < 0n ? -value : value;
    const digits = String(size % MILLION)
      .padStart(6, '0')
      .slice(0, decimals);
    return `${value < 0n ? '-' : ''}${String(size / MILLION)}${decimals === 0 ? '' : `.${digits}`}`;
  }

  /** The value of each code of a column of decimals as a number. Code 0 is not a number. */
  numbers(): Float64Array {
    if (!(this.#values instanceof BigInt64Array)) throw new Error(`${this.#facts.name} is no number`);
    return (this.#numbers ??= Float64Array.from([
      NaN,
      ...[...this.#values].map((one) => Number(one) / Number(MILLION)),
    ]));
  }

  at(row: number): Value {
    return this.valueOf(this.codeAt(row));
  }

  /** The number of values below this one, and whether it is one of them. The value has the JSON form of the column. */
  placeOf(value: string | number | boolean): { readonly below: number; readonly isThere: boolean } {
    const { kind } = this.#facts;
    const wanted = isDecimal(kind) ? millionths(String(value)) : isNumber(kind) ? BigInt(value) : String(value);
    let [low, high] = [0, this.#values.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#values[middle] ?? '') < wanted) low = middle + 1;
      else high = middle;
    }
    return { below: low, isThere: this.#values[low] === wanted };
  }

  /** For each code 1 if its value meets the condition. */
  #accepting(condition: Condition): Uint8Array {
    const accepted = new Uint8Array(this.#values.length + 1);
    const { is } = condition;
    switch (is) {
      case 'absent':
        accepted[0] = 1;
        break;
      case 'like':
      case 'containing': {
        const text = condition.value.toLowerCase();
        this.#accept(accepted, this.#inLowerCase(), (one) => (is === 'like' ? one === text : one.includes(text)));
        break;
      }
      case 'starting with':
        this.#accept(accepted, this.#texts(), (one) => one.startsWith(condition.value));
        break;
      case 'one of':
      case 'none of':
        accepted.fill(is === 'one of' ? 0 : 1, 1);
        for (const value of condition.values) {
          const { below, isThere } = this.placeOf(value);
          if (isThere) accepted[below + 1] = is === 'one of' ? 1 : 0;
        }
        break;
      case 'of no property':
      case 'within':
        throw new Error(`${this.#facts.name}: ${is} is no condition on one column`);
      default: {
        const { below, isThere } = this.placeOf(condition.value);
        const behind = below + Number(isThere);
        // Values below the wanted one have the codes 1 to below, it has the next one if it is there.
        if (is.includes('<')) accepted.fill(1, 1, below + 1);
        if (is.includes('>')) accepted.fill(1, behind + 1);
        if (is.includes('=')) accepted.fill(1, below + 1, behind + 1);
      }
    }
    return accepted;
  }

  /** Codes of the rows that have a value, sorted. */
  #sorted(rows: readonly number[]): Codes {
    return Uint32Array.from(rows, (row) => this.codeAt(row))
      .filter((code) => code > 0)
      .sort();
  }

  /** How often each code occurs, and before. */
  tally(rows: Iterable<number>, counts: Uint32Array = new Uint32Array(this.#values.length + 1)): Uint32Array {
    for (const row of rows) counts[this.codeAt(row)] = (counts[this.codeAt(row)] ?? 0) + 1;
    return counts;
  }

  /** The values that occur, in their order, and how often, without nulls. */
  tallied(counts: Uint32Array): ReadonlyMap<Value, number> {
    return new Map(
      Array.from(counts.entries()).flatMap(([code, n]) => (code > 0 && n > 0 ? [[this.valueOf(code), n]] : [])),
    );
  }

  /** The values of the rows and how often each occurs, in their order, without nulls. */
  counts(rows: readonly number[]): ReadonlyMap<Value, number> {
    return this.tallied(this.tally(rows));
  }

  /** The middle value of the rows, or the lower of the middle two; null without values. */
  lowerMedian(rows: readonly number[]): Value {
    const codes = this.#sorted(rows);
    return this.valueOf(codes[(codes.length - 1) >> 1] ?? 0);
  }

  /** The middle value of the rows, or the mean of the middle two; null without values. */
  median(rows: readonly number[]): number | null {
    const codes = this.#sorted(rows);
    if (codes.length === 0) return null;
    const [low, high] = [codes[(codes.length - 1) >> 1] ?? 0, codes[codes.length >> 1] ?? 0];
    return (Number(this.valueOf(low)) + Number(this.valueOf(high))) / 2;
  }

  #texts(): readonly string[] {
    if (this.#values instanceof BigInt64Array) throw new Error(`${this.#facts.name} is no text`);
    return this.#values;
  }

  #inLowerCase(): readonly string[] {
    return (this.#lowered ??= this.#texts().map((text) => text.toLowerCase()));
  }

  #accept(accepted: Uint8Array, texts: readonly string[], isAccepted: (text: string) => boolean): void {
    for (const [i, text] of texts.entries()) if (isAccepted(text)) accepted[i + 1] = 1;
  }
}
