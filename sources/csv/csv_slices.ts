/** A CSV file too large for one string, cut into smaller ones that each begin with its header. Pure. */
import { isUtf8 } from 'node:buffer';

const QUOTE = 0x22;
const NEWLINE = 0x0a;
const COMMA = 0x2c;
const RETURN = 0x0d;

const bufferOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Ends of records, found by leaping from quote mark to quote mark and from line end to line end. */
class Records {
  readonly #bytes: Buffer;
  /** First quote mark that has not been passed; the length where there is none. */
  #quote: number;
  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#quote = this.#find(QUOTE, 0);
  }

  #find(byte: number, from: number): number {
    const at = this.#bytes.indexOf(byte, from);
    return at === -1 ? this.#bytes.length : at;
  }

  /** Quote marks before a position that have not been passed yet. */
  #passTo(position: number): number {
    let passed = 0;
    for (; this.#quote < position; this.#quote = this.#find(QUOTE, this.#quote + 1)) passed += 1;
    return passed;
  }

  /** Where the record ends that holds the byte before `least`: behind its line end, or at the end of the file. Called with rising positions, each a record's. */
  endAfter(least: number): number {
    let marks = this.#passTo(least);
    for (let at = Math.max(0, least - 1); at < this.#bytes.length;) {
      const newline = this.#find(NEWLINE, at);
      marks += this.#passTo(newline);
      if (marks % 2 === 0) return Math.min(newline + 1, this.#bytes.length);
      at = newline + 1;
    }
    return this.#bytes.length;
  }
}

/**
 * The file in slices of about `size` bytes, cut between records: a line break inside quotes ends none. A file that
 * fits is one slice. Quote marks must be doubled inside quoted fields, as the format has them.
 */
export function* csvSlices(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  if (bytes.length <= size) {
    yield bytes;
    return;
  }
  const file = bufferOf(bytes);
  const records = new Records(file);
  const start = records.endAfter(1);
  const header = file.subarray(0, start);
  for (let from = start; from < file.length;) {
    const end = from + size >= file.length ? file.length : records.endAfter(from + size);
    yield Buffer.concat([header, file.subarray(from, end)]);
    from = end;
  }
}

/** Records of a slice by their position, from 0 and without the header, as published and without their line ends. */
export function recordsAt(slice: Uint8Array, positions: ReadonlySet<number>): Map<number, string> {
  const file = bufferOf(slice);
  const records = new Records(file);
  const found = new Map<number, string>();
  for (
    let [from, position] = [records.endAfter(1), 0];
    from < file.length && found.size < positions.size;
    position += 1
  ) {
    const end = records.endAfter(from + 1);
    if (positions.has(position)) found.set(position, file.toString('utf8', from, end).replace(/[\r\n]+$/u, ''));
    from = end;
  }
  return found;
}

/** The one line end of a file: LF, or CR LF; undefined where both occur, or either inside a line. */
function oneLineEnd(file: Buffer): '\n' | '\r\n' | undefined {
  if (!file.includes(RETURN)) return '\n';
  for (let from = 0; ;) {
    const newline = file.indexOf(NEWLINE, from);
    const carriage = file.indexOf(RETURN, from);
    if (newline === -1 && carriage === -1) return '\r\n';
    if (carriage === -1 || newline !== carriage + 1) return undefined;
    from = newline + 1;
  }
}

/**
 * Whether every reader of CSV reads this slice alike: UTF-8 with one line end throughout, no blank line, quote marks only
 * around whole cells and doubled inside them.
 */
export function isStrictCsv(slice: Uint8Array): boolean {
  const file = bufferOf(slice);
  const end = oneLineEnd(file);
  if (
    end === undefined ||
    !isUtf8(file) ||
    file.includes(0) ||
    file.includes(`${end}${end}`) ||
    file[0] === end.charCodeAt(0)
  )
    return false;
  const at = (from: number): number => {
    const found = file.indexOf(QUOTE, from);
    return found === -1 ? file.length : found;
  };
  for (let open = at(0); open < file.length;) {
    const before = file[open - 1];
    if (open > 0 && before !== COMMA && before !== NEWLINE) return false;
    let close = at(open + 1);
    while (file[close + 1] === QUOTE) close = at(close + 2);
    const after = file[close + 1];
    if (close >= file.length || (after !== undefined && after !== COMMA && after !== end.charCodeAt(0))) return false;
    open = at(close + 1);
  }
  return true;
}
