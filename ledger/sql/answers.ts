/** Answers in the database: their bytes once, in pieces of one size, however many purchases have the same. */
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Answer } from '../ledger.ts';
import { ownBuffer, PIECE_BYTES, pieceIn, stored } from './answer_chunks.ts';
import { asNumber } from './rows.ts';
import type { Query, Row, Store } from './store.ts';

/** The body cut into pieces of one size. The last comes only once the whole was seen to be what the answer says of it. */
async function* piecesOf(answer: Answer): AsyncGenerator<Uint8Array> {
  if (answer.held) {
    const body = answer.held;
    // Its hash was taken from these very bytes.
    if (body.length !== answer.bytes) throw new TypeError('an answer is not as long as it says');
    for (let at = 0; at < body.length; at += PIECE_BYTES) yield body.subarray(at, at + PIECE_BYTES);
    return;
  }
  const hash = createHash('sha256');
  let [length, held, heldBytes]: [number, Uint8Array[], number] = [0, [], 0];
  for await (const piece of answer.body()) {
    hash.update(piece);
    length += piece.length;
    let rest = piece;
    while (heldBytes + rest.length > PIECE_BYTES) {
      const room = PIECE_BYTES - heldBytes;
      yield Buffer.concat([...held, rest.subarray(0, room)]);
      [held, heldBytes, rest] = [[], 0, rest.subarray(room)];
    }
    held.push(rest);
    heldBytes += rest.length;
  }
  if (length !== answer.bytes || hash.digest('hex') !== answer.sha256)
    throw new TypeError('an answer is not as long as it says, or has another hash');
  if (heldBytes > 0) yield Buffer.concat(held);
}

export interface StoredAnswers {
  /**
   * Make an answer ready to be referred to. What fits one piece is written by the transaction that refers to it; a
   * longer one is written before, piece by piece, so that no transaction is long.
   * @returns what that transaction does first: it gives the answer's number, or null where the answer was forgotten meanwhile and must be stored again
   */
  store(answer: Answer, nowMs: number): Promise<(query: Query) => Promise<number | null>>;
  /** The bytes of an answer, piece by piece. */
  read(number: number, bytes: number): AsyncIterable<Uint8Array>;
  /** The bytes of an answer of one piece, of which the last that were read are kept in memory; null where it was forgotten meanwhile. */
  held(number: number, sha256: string, bytes: number): Promise<Uint8Array | null>;
}

const KEEP_PIECE =
  'INSERT INTO answer_chunks (answer, chunk, coding, body) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING';
const KEEP =
  'INSERT INTO answers (sha256, bytes, whole, stored_at_ms) VALUES ($1, $2, $3, $4) ON CONFLICT (sha256) DO UPDATE SET stored_at_ms = $4 RETURNING number';
// Writing the row, and not only finding it, is what makes a forgetting of it at the same time impossible.
const TOUCH = 'UPDATE answers SET stored_at_ms = $2 WHERE sha256 = $1 RETURNING number';

const numberIn = ([row]: readonly Row[]): number | null => (row === undefined ? null : asNumber(row['number']));

/** Bytes of answers kept in memory: who asks for an answer again often asks several times. */
const MOST_KEPT_BYTES = 32 << 20;

export function storedAnswers(store: Store): StoredAnswers {
  const kept = new LRUCache<string, Uint8Array>({
    maxSize: MOST_KEPT_BYTES,
    sizeCalculation: (body) => body.length + 1,
  });
  const pieceOf = async (number: number, chunk: number, bytes: number): Promise<Uint8Array | null> =>
    pieceIn(
      (await store.read('SELECT coding, body FROM answer_chunks WHERE answer = $1 AND chunk = $2', number, chunk))[0],
      bytes,
    );
  const touch = async (query: Query, sha256: string, nowMs: number): Promise<number | null> =>
    numberIn(await query(TOUCH, sha256, nowMs));
  return {
    async store(answer, nowMs) {
      const { sha256, bytes } = answer;
      let last: Uint8Array | undefined;
      let count = 0;
      // Before any piece is filed under a hash, the whole is seen to have it.
      for await (const piece of piecesOf(answer)) {
        last = piece;
        count += 1;
      }
      const [known] = await store.read('SELECT whole FROM answers WHERE sha256 = $1', sha256);
      if (Number(known?.['whole']) === 1) return (query) => touch(query, sha256, nowMs);
      if (count <= 1) {
        const only = last && stored(last);
        return async (query) => {
          const number = numberIn(await query(KEEP, sha256, bytes, 1, nowMs));
          if (only) await query(KEEP_PIECE, number, 0, only.coding, only.body);
          return number;
        };
      }
      await store.write((query) => query(KEEP, sha256, bytes, 0, nowMs));
      let chunk = 0;
      for await (const piece of piecesOf(answer)) {
        const [at, { coding, body }] = [chunk, stored(piece)];
        await store.write(async (query) => {
          const number = await touch(query, sha256, nowMs);
          if (number !== null) await query(KEEP_PIECE, number, at, coding, body);
        });
        chunk += 1;
      }
      return async (query) => {
        const number = await touch(query, sha256, nowMs);
        if (number === null) return null;
        const [row] = await query('SELECT count(*) AS pieces FROM answer_chunks WHERE answer = $1', number);
        if (Number(row?.['pieces']) !== count) return null;
        await query('UPDATE answers SET whole = 1 WHERE number = $1', number);
        return number;
      };
    },
    async *read(number, bytes) {
      let read = 0;
      for (let chunk = 0; read < bytes; chunk += 1) {
        const piece = await pieceOf(number, chunk, Math.min(PIECE_BYTES, bytes - read));
        if (!piece) throw new Error('an answer was forgotten while it was read');
        read += piece.length;
        yield piece;
      }
    },
    async held(number, sha256, bytes) {
      const known = kept.get(sha256);
      if (known) return known;
      const read = bytes === 0 ? new Uint8Array() : await pieceOf(number, 0, bytes);
      if (!read) return null;
      const body = ownBuffer(read);
      kept.set(sha256, body);
      return body;
    },
  };
}
