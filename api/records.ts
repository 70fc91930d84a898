/**
 * Records as the JSON text in which they are sent. A record that was made is kept, up to a bound, for as long as its
 * snapshot is served: of many different questions the answers are made of the same records.
 */
import { LRUCache } from 'lru-cache';

/** Bytes of records kept of one snapshot. */
const MOST_BYTES = 256 << 20;
/** Beside the text itself: its key and its place in the cache. */
const OVERHEAD_BYTES = 200;

/** Texts of records by a number of the kind of record and a row's number. */
export interface Records {
  /**
   * Texts of these rows, in their order.
   * @param make gives the texts of rows that are not kept, in their order
   */
  texts(kind: number, rows: readonly number[], make: (rows: readonly number[]) => Promise<readonly string[]>): Promise<readonly Buffer[]>;
  clear(): void;
}

export function recordsKept(mostBytes = MOST_BYTES): Records {
  const kept = new LRUCache<string, Buffer>({ maxSize: mostBytes, sizeCalculation: (text) => text.length + OVERHEAD_BYTES });
  return {
    async texts(kind, rows, make) {
      const found = rows.map((row) => kept.get(`${kind} ${row}`));
      const missing = rows.filter((_, i) => found[i] === undefined);
      if (missing.length === 0) return found as Buffer[];
      const made = (await make(missing)).map((text) => Buffer.from(text));
      if (made.length !== missing.length) throw new Error(`${missing.length} rows were asked for and ${made.length} were found`);
      for (const [i, text] of made.entries()) kept.set(`${kind} ${missing[i] ?? 0}`, text);
      let next = 0;
      return found.map((text) => text ?? made[(next += 1) - 1] ?? Buffer.alloc(0));
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
