/**
 * Damage done to a recorded page. Each kind says how many rows it can change without anybody being able to tell:
 *
 *   0   damage to the form (a cut end, a lost tag, a renamed column, another encoding, columns in another order):
 *       what a parser still accepts must be true
 *   n   damage to the content of up to n places (a digit, some bytes, a hole): what stands there may be another
 *       well-formed value, which no reader of this page alone can know to be wrong
 */
import { unzipSync } from 'fflate';
import { parse as parseCsv } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import type { Draw } from '../../sandbox/world/random.ts';
import { zipOf } from '../sources/recorded.ts';

export interface Variant {
  readonly bytes: Uint8Array;
  /** Most rows that may say something else without anybody being able to tell. */
  readonly hidden: number;
}

export type Mutation = (bytes: Uint8Array, random: Draw) => Variant | null;

/** A letter for each byte, so that what is not touched comes back as it was. */
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');
const latin1 = (content: string): Uint8Array => new Uint8Array(Buffer.from(content, 'latin1'));
const at = (random: Draw, length: number): number => random.int(0, Math.max(0, length - 1));

function spliced(bytes: Uint8Array, start: number, length: number, put: Uint8Array = new Uint8Array()): Uint8Array {
  return new Uint8Array(Buffer.concat([bytes.subarray(0, start), put, bytes.subarray(start + length)]));
}

/** One of the places a pattern matches. */
function place(content: string, pattern: RegExp, random: Draw): RegExpExecArray | null {
  const found = [...content.matchAll(pattern)];
  return found[at(random, found.length)] ?? null;
}

function edited(
  bytes: Uint8Array,
  pattern: RegExp,
  random: Draw,
  edit: (found: string) => string,
  hidden: number,
): Variant | null {
  const found = place(text(bytes), pattern, random);
  return found && { bytes: spliced(bytes, found.index, found[0].length, latin1(edit(found[0]))), hidden };
}

const isJson = (bytes: Uint8Array): boolean => /^\s*[{[]/u.test(text(bytes.subarray(0, 50)));
const isMarkup = (bytes: Uint8Array): boolean => /^\s*</u.test(text(bytes.subarray(0, 50)));

/** The records of a CSV page, or null where it is none. */
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

/** A JSON value with the keys of every object turned round. */
function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([k, v]) => [k, turned(v)]),
  );
}

const swap = <T>(list: readonly T[], a: number, b: number): T[] =>
  list.map((item, i) => (i === a ? (list[b] ?? item) : i === b ? (list[a] ?? item) : item));

export const MUTATIONS: Readonly<Record<string, Mutation>> = {
  // A CSV that stops inside the last cell of a row still ends like one; nothing else does.
  end_cut: (bytes, random) => ({ bytes: bytes.subarray(0, at(random, bytes.length)), hidden: csvOf(bytes) ? 1 : 0 }),
  hole_cut: (bytes, random) => ({ bytes: spliced(bytes, at(random, bytes.length), random.int(1, 300)), hidden: 2 }),
  // A card of an HTML page may say something by lacking a badge, and then says so without the badge's tag.
  tag_dropped: (bytes, random) =>
    edited(
      bytes,
      /<[^<>]*>|@[A-L]/gu,
      random,
      () => '',
      isMarkup(bytes) && !/<\?xml|ld\+json/u.test(text(bytes)) ? 1 : 0,
    ),
  // In a text the same sign is a letter: "SAMPLE DITCH, INC." without its comma is another name.
  sign_dropped: (bytes, random) => edited(bytes, isJson(bytes) ? /[{}[\]":,]/gu : /[,"\n]/gu, random, () => '', 1),
  token_unreplaced: (bytes, random) =>
    edited(bytes, /@[A-L]/gu, random, () => `@${random.pick([...'MNOPQRSTUVWXYZ'])}`, 0),
  // Each token stands for markup that may as well be there.
  token_exchanged: (bytes, random) =>
    edited(bytes, /@[A-L]/gu, random, () => `@${random.pick([...'ABCDEFGHIJKL'])}`, 1),
  bytes_not_utf8: (bytes, random) => ({
    bytes: spliced(bytes, at(random, bytes.length), 1, Uint8Array.of(random.int(0x80, 0xff))),
    hidden: 1,
  }),
  utf16: (bytes) => ({ bytes: new Uint8Array(Buffer.from(text(bytes), 'utf16le')), hidden: 0 }),
  byte_order_mark: (bytes) => ({ bytes: spliced(bytes, 0, 0, Uint8Array.of(0xef, 0xbb, 0xbf)), hidden: 0 }),
  nul_put_in: (bytes, random) => ({
    bytes: spliced(bytes, at(random, bytes.length), 0, new Uint8Array(random.int(1, 4))),
    hidden: 1,
  }),
  digit_changed: (bytes, random) =>
    edited(bytes, /\d/gu, random, (d) => String((Number(d) + random.int(1, 9)) % 10), 1),
  bytes_changed: (bytes, random) => {
    const changed = bytes.slice();
    const count = random.int(1, 4);
    for (let i = 0; i < count; i += 1) changed[at(random, changed.length)] = random.int(0, 127);
    return { bytes: changed, hidden: count };
  },
  name_changed: (bytes, random) =>
    isJson(bytes) || isMarkup(bytes)
      ? edited(bytes, /"[A-Za-z_@]\w*"(?=\s*:)/gu, random, (name) => `${name.slice(0, -1)}X"`, 0)
      : (() => {
          const [header = [], ...rows] = csvOf(bytes) ?? [];
          const which = at(random, header.length);
          return rows.length === 0
            ? null
            : { bytes: csvBytes([header.map((name, i) => (i === which ? `${name}X` : name)), ...rows]), hidden: 0 };
        })(),
  columns_swapped: (bytes, random) => {
    if (isJson(bytes)) {
      try {
        return {
          bytes: new Uint8Array(
            Buffer.from(JSON.stringify(turned(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))))),
          ),
          hidden: 0,
        };
      } catch {
        return null;
      }
    }
    const records = csvOf(bytes);
    const width = records?.[0]?.length ?? 0;
    const [a, b] = [at(random, width), at(random, width)];
    return records && { bytes: csvBytes(records.map((r) => (r.length === width ? swap(r, a, b) : r))), hidden: 0 };
  },
  cell_dropped: (bytes, random) => {
    const records = csvOf(bytes);
    const which = random.int(1, Math.max(1, (records?.length ?? 1) - 1));
    const cell = at(random, records?.[which]?.length ?? 0);
    // A record with a cell too many would be mended.
    return records?.[which]?.length !== records?.[0]?.length
      ? null
      : records && {
          bytes: csvBytes(records.map((r, i) => (i === which ? r.filter((_, c) => c !== cell) : r))),
          hidden: 0,
        };
  },
  line_repeated: (bytes, random) => edited(bytes, /[^\n]+\n/gu, random, (l) => l + l, 0),
};

/** The same mutations inside one part of a ZIP archive, packed again so that the archive is whole. */
export function insideZip(mutation: Mutation): Mutation {
  return (bytes, random) => {
    const parts = unzipSync(bytes);
    const names = Object.keys(parts).filter((name) => /sheet\d*\.xml$|sharedStrings|\.csv$/u.test(name));
    const name = names[at(random, names.length)];
    const part = name === undefined ? undefined : parts[name];
    if (name === undefined || !part) return null;
    const variant = mutation(part, random);
    // One shared text may stand in every row.
    return (
      variant && {
        bytes: zipOf({ ...parts, [name]: variant.bytes }),
        hidden: variant.hidden > 0 && name.includes('sharedStrings') ? Infinity : variant.hidden,
      }
    );
  };
}

export const isZip = (bytes: Uint8Array): boolean => bytes[0] === 0x50 && bytes[1] === 0x4b;
