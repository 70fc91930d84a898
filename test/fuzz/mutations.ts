/**
 * Damage to recorded pages. Each mutation states how many rows it can change undetectably:
 *
 *   0   damage to the form (a cut end, a lost tag, a renamed column, another encoding, another order of columns):
 * values
 *       that a parser still accepts must be right
 *   n   damage to the content at up to n places (a digit, some bytes, a hole): it may leave another well-formed value,
 *       which nobody can know to be wrong from this page alone
 */
import { unzipSync } from 'fflate';
import { parse as parseCsv } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import type { Draw } from '../../sandbox/world/random.ts';
import { zipOf } from '../sources/recorded.ts';

export interface Variant {
  readonly bytes: Uint8Array;
  /** Maximum number of rows that may change undetectably. */
  readonly undetectable: number;
}

export type Mutation = (bytes: Uint8Array, random: Draw) => Variant | null;

/** One character per byte, so that unchanged bytes are preserved. */
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');
const latin1 = (content: string): Uint8Array => new Uint8Array(Buffer.from(content, 'latin1'));
const at = (random: Draw, length: number): number => random.int(0, Math.max(0, length - 1));

function splice(bytes: Uint8Array, start: number, length: number, insert: Uint8Array = new Uint8Array()): Uint8Array {
  return new Uint8Array(Buffer.concat([bytes.subarray(0, start), insert, bytes.subarray(start + length)]));
}

/** A random match of a pattern. */
function randomMatch(content: string, pattern: RegExp, random: Draw): RegExpExecArray | null {
  const found = [...content.matchAll(pattern)];
  return found[at(random, found.length)] ?? null;
}

/** Edit a random match of a pattern. */
function editMatch(
  bytes: Uint8Array,
  pattern: RegExp,
  random: Draw,
  edit: (found: string) => string,
  undetectable: number,
): Variant | null {
  const found = randomMatch(text(bytes), pattern, random);
  return found && { bytes: splice(bytes, found.index, found[0].length, latin1(edit(found[0]))), undetectable };
}

const isJson = (bytes: Uint8Array): boolean => /^\s*[{[]/u.test(text(bytes.subarray(0, 50)));
const isMarkup = (bytes: Uint8Array): boolean => /^\s*</u.test(text(bytes.subarray(0, 50)));

/** The records of a CSV page, or null for any other page. */
function csvOf(bytes: Uint8Array): string[][] | null {
  if (isJson(bytes) || isMarkup(bytes)) return null;
  try {
    const records = parseCsv(text(bytes), { relax_column_count: true, relax_quotes: true }) as string[][];
    return (records[0]?.length ?? 0) > 1 ? records : null;
  } catch {
    return null;
  }
}

const csvBytes = (records: readonly (readonly string[])[]): Uint8Array => latin1(stringify(records.map((r) => [...r])));

const swap = <T>(list: readonly T[], a: number, b: number): T[] =>
  list.map((item, i) => (i === a ? (list[b] ?? item) : i === b ? (list[a] ?? item) : item));

export const MUTATIONS: Readonly<Record<string, Mutation>> = {
  // A CSV cut inside the last cell of a row is still well-formed; other formats are not.
  end_cut: (bytes, random) => ({
    bytes: bytes.subarray(0, at(random, bytes.length)),
    undetectable: csvOf(bytes) ? 1 : 0,
  }),
  hole_cut: (bytes, random) => ({
    bytes: splice(bytes, at(random, bytes.length), random.int(1, 300)),
    undetectable: 2,
  }),
  // On an HTML card a missing badge has a meaning, so losing the badge's tag is undetectable.
  tag_dropped: (bytes, random) =>
    editMatch(
      bytes,
      /<[^<>]*>|@[A-L]/gu,
      random,
      () => '',
      isMarkup(bytes) && !/<\?xml|ld\+json/u.test(text(bytes)) ? 1 : 0,
    ),
  // The sign may be part of a text: "SAMPLE DITCH, INC." without its comma is another name.
  sign_dropped: (bytes, random) => editMatch(bytes, isJson(bytes) ? /[{}[\]":,]/gu : /[,"\n]/gu, random, () => '', 1),
  token_unreplaced: (bytes, random) =>
    editMatch(bytes, /@[A-L]/gu, random, () => `@${random.pick([...'MNOPQRSTUVWXYZ'])}`, 0),
  // Each token stands for markup that may also occur at this place.
  token_exchanged: (bytes, random) =>
    editMatch(bytes, /@[A-L]/gu, random, () => `@${random.pick([...'ABCDEFGHIJKL'])}`, 1),
  bytes_not_utf8: (bytes, random) => ({
    bytes: splice(bytes, at(random, bytes.length), 1, Uint8Array.of(random.int(0x80, 0xff))),
    undetectable: 1,
  }),
  utf16: (bytes) => ({ bytes: new Uint8Array(Buffer.from(text(bytes), 'utf16le')), undetectable: 0 }),
  byte_order_mark: (bytes) => ({ bytes: splice(bytes, 0, 0, Uint8Array.of(0xef, 0xbb, 0xbf)), undetectable: 0 }),
  nul_put_in: (bytes, random) => ({
    bytes: splice(bytes, at(random, bytes.length), 0, new Uint8Array(random.int(1, 4))),
    undetectable: 1,
  }),
  digit_changed: (bytes, random) =>
    editMatch(bytes, /\d/gu, random, (d) => String((Number(d) + random.int(1, 9)) % 10), 1),
  bytes_changed: (bytes, random) => {
    const changed = bytes.slice();
    const count = random.int(1, 4);
    for (let i = 0; i < count; i += 1) changed[at(random, changed.length)] = random.int(0, 127);
    return { bytes: changed, undetectable: count };
  },
  name_changed: (bytes, random) =>
    isJson(bytes) || isMarkup(bytes)
      ? editMatch(bytes, /"[A-Za-z_@]\w*"(?=\s*:)/gu, random, (name) => `${name.slice(0, -1)}X"`, 0)
      : (() => {
          const [header = [], ...rows] = csvOf(bytes) ?? [];
          const which = at(random, header.length);
          return rows.length === 0
            ? null
            : {
                bytes: csvBytes([header.map((name, i) => (i === which ? `${name}X` : name)), ...rows]),
                undetectable: 0,
              };
        })(),
  columns_swapped: (bytes, random) => {
    const records = csvOf(bytes);
    const width = records?.[0]?.length ?? 0;
    const [a, b] = [at(random, width), at(random, width)];
    return (
      records && { bytes: csvBytes(records.map((r) => (r.length === width ? swap(r, a, b) : r))), undetectable: 0 }
    );
  },
  cell_dropped: (bytes, random) => {
    const records = csvOf(bytes);
    const which = random.int(1, Math.max(1, (records?.length ?? 1) - 1));
    const cell = at(random, records?.[which]?.length ?? 0);
    // Dropping a cell of a record with an extra one would repair it.
    return records?.[which]?.length !== records?.[0]?.length
      ? null
      : records && {
          bytes: csvBytes(records.map((r, i) => (i === which ? r.filter((_, c) => c !== cell) : r))),
          undetectable: 0,
        };
  },
  line_repeated: (bytes, random) => editMatch(bytes, /[^\n]+\n/gu, random, (l) => l + l, 0),
};

/** The same mutation inside one part of a ZIP archive, which is packed again. */
export function insideZip(mutation: Mutation): Mutation {
  return (bytes, random) => {
    const parts = unzipSync(bytes);
    const names = Object.keys(parts).filter((name) => /sheet\d*\.xml$|sharedStrings|\.csv$/u.test(name));
    const name = names[at(random, names.length)];
    const part = name === undefined ? undefined : parts[name];
    if (name === undefined || !part) return null;
    const variant = mutation(part, random);
    // One shared text may be in every row.
    return (
      variant && {
        bytes: zipOf({ ...parts, [name]: variant.bytes }),
        undetectable: variant.undetectable > 0 && name.includes('sharedStrings') ? Infinity : variant.undetectable,
      }
    );
  };
}

/** Values that no column of a recorded page should hold: some that are no text, and some texts and numbers. */
const ODD_VALUES: readonly (readonly unknown[])[] = [
  [true, {}, ['x'], { a: 1 }],
  [-1, 1e21, '\u0000', '?', '99/99/9999', 0, null],
];
/** A missing cell makes its row too short. */
const MISSING = Symbol('no cell');
const ODD_TEXTS = [['true', '{}', '-1', '1e21', '\u0000', '?', '99/99/9999', '0', '', ' '], [MISSING]];

/** Paths of the values inside an object: ["attributes", "OWNER"]. */
function pathsIn(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  return Object.entries(value).flatMap(([name, inner]) => pathsIn(inner, [...path, name]));
}

/** The longest list of objects in a JSON value: the rows of its page. Lists of fields describe the columns. */
function rowsIn(value: unknown): object[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = Array.isArray(value) ? value.filter((item) => typeof item === 'object' && item !== null) : [];
  return [own, ...Object.entries(value).map(([name, inner]) => (name === 'fields' ? [] : rowsIn(inner)))].reduce(
    (most, rows) => (rows.length > most.length ? rows : most),
  );
}

/** A block of JSON in a page of markup, as the text around it and the block. */
const JSON_BLOCK = /^(.*<script type="application\/ld\+json">)(.*?)(<\/script>.*)$/su;

/** For each column of a page of rows, the page with odd values in a cell of its second half, below all headings. */
export function* oddCells(bytes: Uint8Array, random: Draw): Generator<{ readonly where: string; bytes: Uint8Array }> {
  const records = isZip(bytes) ? null : csvOf(bytes);
  const isText = records !== null;
  const whole = new TextDecoder().decode(bytes);
  const [, before = '', block = whole, after = ''] = JSON_BLOCK.exec(whole) ?? [];
  if (!isText && !/^\s*[{[]/u.test(block)) return;
  const json = (): unknown => JSON.parse(block);
  const rows = isText ? records.slice(1) : rowsIn(json());
  const columns = new Set(rows.flatMap((row) => pathsIn(row).map((path) => JSON.stringify(path))));
  const cells = [...columns].flatMap((column) =>
    (isText ? ODD_TEXTS : ODD_VALUES).map((values) => ({ path: JSON.parse(column) as string[], values })),
  );
  for (const { path, values } of cells) {
    const row = random.int(Math.floor(rows.length / 2), rows.length - 1);
    const odd = random.pick<unknown>(values);
    const page = isText ? structuredClone(records) : json();
    let cell: unknown = isText ? (page as string[][])[row + 1] : rowsIn(page)[row];
    for (const name of path.slice(0, -1)) cell = (cell as Record<string, unknown> | undefined)?.[name];
    if (typeof cell !== 'object' || cell === null || path.at(-1) === undefined) continue;
    if (odd === MISSING) (cell as unknown[]).splice(Number(path.at(-1)), 1);
    else (cell as Record<string, unknown>)[path.at(-1) ?? ''] = odd;
    const where = `${path.join('.')} of row ${row} is ${odd === MISSING ? 'missing' : JSON.stringify(odd)}`;
    yield {
      where,
      bytes: isText ? csvBytes(page as string[][]) : new Uint8Array(Buffer.from(before + JSON.stringify(page) + after)),
    };
  }
}

export const isZip = (bytes: Uint8Array): boolean => bytes[0] === 0x50 && bytes[1] === 0x4b;
