/** Answers in the database: their bytes once, in pieces of one size, however many purchases have the same. */
import { createHash } from 'node:crypto';
import type { Answer } from './ledger.ts';
import { PIECE_BYTES, pieceIn, stored } from './pieces.ts';
import type { Query, Store } from './store.ts';

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
  if (length !== answer.bytes || hash.digest('hex') !== answer.sha256) throw new TypeError('an answer is not as long as it says, or has another hash');
  if (heldBytes > 0) yield Buffer.concat(held);
}

export interface StoredAnswers {
  /**
   * Make an answer ready to be referred to. What fits one piece is written by the transaction that refers to it; a
   * longer one is written before, piece by piece, so that no transaction is long.
   * @returns what that transaction does first; false where the answer was forgotten meanwhile and must be stored again
   */
  store(answer: Answer, nowMs: number): Promise<(query: Query) => Promise<boolean>>;
  /** The bytes of an answer, piece by piece. */
  read(sha256: string, bytes: number): AsyncIterable<Uint8Array>;
}

const KEEP_PIECE = 'INSERT INTO answer_chunks (sha256, chunk, coding, body) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING';
const KEEP = 'INSERT INTO answers (sha256, bytes, whole, stored_at_ms) VALUES ($1, $2, $3, $4) ON CONFLICT (sha256) DO UPDATE SET stored_at_ms = $4';
// Writing the row, and not only finding it, is what makes a forgetting of it at the same time impossible.
const TOUCH = 'UPDATE answers SET stored_at_ms = $2 WHERE sha256 = $1 RETURNING whole';

export function storedAnswers(store: Store): StoredAnswers {
  const touch = async (query: Query, sha256: string, nowMs: number): Promise<boolean> => (await query(TOUCH, sha256, nowMs)).length === 1;
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
          await query(KEEP, sha256, bytes, 1, nowMs);
          if (only) await query(KEEP_PIECE, sha256, 0, only.coding, only.body);
          return true;
        };
      }
      await store.write((query) => query(KEEP, sha256, bytes, 0, nowMs));
      let number = 0;
      for await (const piece of piecesOf(answer)) {
        const [chunk, { coding, body }] = [number, stored(piece)];
        await store.write(async (query) => { if (await touch(query, sha256, nowMs)) await query(KEEP_PIECE, sha256, chunk, coding, body); });
        number += 1;
      }
      return async (query) => {
        if (!(await touch(query, sha256, nowMs))) return false;
        const [row] = await query('SELECT count(*) AS pieces FROM answer_chunks WHERE sha256 = $1', sha256);
        if (Number(row?.['pieces']) !== count) return false;
        await query('UPDATE answers SET whole = 1 WHERE sha256 = $1', sha256);
        return true;
      };
    },
    async* read(sha256, bytes) {
      let read = 0;
      for (let chunk = 0; read < bytes; chunk += 1) {
        const [row] = await store.read('SELECT coding, body FROM answer_chunks WHERE sha256 = $1 AND chunk = $2', sha256, chunk);
        const piece = pieceIn(row);
        if (!piece) throw new Error('an answer was forgotten while it was read');
        read += piece.length;
        yield piece;
      }
    },
  };
}
