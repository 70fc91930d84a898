/**
 * Records as the JSON text in which they are sent. A record that was made is kept, up to a bound, for as long as its
 * snapshot is served: of many different questions the answers are made of the same records.
 */
import { LRUCache } from 'lru-cache';

/** Bytes of records kept of one snapshot. */
const MOST_BYTES = 32 << 20;
/** More rows than a table has. */
const MOST_ROWS = 2 ** 32;
/** Beside the text itself: its key and its place in the cache. */
const OVERHEAD_BYTES = 200;

/** Texts of records by a number of the kind of record and a row's number. */
export interface Records {
  /** The text of this row, made where it is not kept. */
  text(kind: number, row: number, make: () => Buffer): Buffer;
  clear(): void;
}

export function recordsKept(mostBytes = MOST_BYTES): Records {
  const kept = new LRUCache<number, Buffer>({ maxSize: mostBytes, sizeCalculation: (text) => text.length + OVERHEAD_BYTES });
  return {
    text(kind, row, make) {
      const key = kind * MOST_ROWS + row;
      let text = kept.get(key);
      if (!text) kept.set(key, text = make());
      return text;
    },
    clear() { kept.clear(); },
  };
}

/** The body of an answer that is JSON text already. */
export class JsonText {
  readonly bytes: Buffer;
  private constructor(bytes: Buffer) { this.bytes = bytes; }

  /** An object with these fields. One that is an array of buffers is an array of texts that were made before. */
  static of(fields: Readonly<Record<string, unknown>>): JsonText {
    const parts: Buffer[] = [];
    let text = '';
    for (const [name, value] of Object.entries(fields)) {
      if (value === undefined) continue;
      text += `${text === '' && parts.length === 0 ? '{' : ','}${JSON.stringify(name)}:`;
      if (!areTexts(value)) {
        text += JSON.stringify(value);
        continue;
      }
      parts.push(Buffer.from(`${text}[`));
      for (const [i, made] of value.entries()) {
        if (i > 0) parts.push(COMMA);
        parts.push(made);
      }
      text = ']';
    }
    parts.push(Buffer.from(text === '' ? '{}' : `${text}}`));
    return new JsonText(Buffer.concat(parts));
  }
}

const COMMA = Buffer.from(',');
const areTexts = (value: unknown): value is readonly Buffer[] => Array.isArray(value) && value.length > 0 && value.every((v) => Buffer.isBuffer(v));

/** A body as it is read. */
export const plainOf = (body: unknown): unknown => (body instanceof JsonText ? JSON.parse(body.bytes.toString('utf8')) : body);
