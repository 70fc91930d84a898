/** Answers in the database. Equal bodies are stored once, in chunks, however many purchases have them. */
import { createHash } from 'node:crypto';
import type { Answer } from '../ledger.ts';
import { asNumber } from './rows.ts';
import type { Query, Row, Store } from './store.ts';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

/** Size of every chunk of an answer but the last, before compression. */
export const CHUNK_BYTES = 1 << 20;

/** A smaller chunk fits into one page of the database, so compressing it saves nothing. */
const MIN_COMPRESSED_BYTES = 4_096;
/** At this level JSON shrinks to a tenth, in less time than writing it to disk uncompressed. */
const FAST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

interface EncodedChunk {
  readonly coding: 'identity' | 'zstd';
  readonly body: Uint8Array;
}

export function encodeChunk(chunk: Uint8Array): EncodedChunk {
  const compressed = chunk.length < MIN_COMPRESSED_BYTES ? chunk : zstdCompressSync(chunk, FAST);
  return compressed.length < chunk.length ? { coding: 'zstd', body: compressed } : { coding: 'identity', body: chunk };
}

/** Decode the chunk in a row with `coding` and `body`. @returns null if there is no row */
export function decodeChunk(row: Row | undefined): Uint8Array | null {
  const [body, coding] = [row?.['body'], row?.['coding']];
  if (!(body instanceof Uint8Array)) return null;
  return coding === 'zstd' ? zstdDecompressSync(body, { maxOutputLength: CHUNK_BYTES }) : body;
}

const INSERT_CHUNK =
  'INSERT INTO answer_chunks (answer, chunk, coding, body) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING';
const INSERT_ANSWER = `INSERT INTO answers (sha256, bytes, whole, stored_at_ms) VALUES ($1, $2, $3, $4)
  ON CONFLICT (sha256) DO UPDATE SET stored_at_ms = $4 RETURNING number`;
/** Updating the row, instead of only reading it, prevents another transaction from deleting it at the same time. */
const TOUCH_ANSWER = 'UPDATE answers SET stored_at_ms = $2 WHERE sha256 = $1 RETURNING number';
const ANSWER_OF = `SELECT p.answer_headers, a.number, a.sha256, a.bytes
  FROM purchases p JOIN answers a ON a.number = p.kept_answer WHERE p.id = $1`;

/** The body in chunks of one size. The last chunk comes only after length and hash of the whole body were checked. */
async function* chunksOf(answer: Answer): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  let [length, pending, pendingBytes]: [number, Uint8Array[], number] = [0, [], 0];
  for await (const part of answer.body()) {
    hash.update(part);
    length += part.length;
    let rest = part;
    while (pendingBytes + rest.length > CHUNK_BYTES) {
      const room = CHUNK_BYTES - pendingBytes;
      yield Buffer.concat([...pending, rest.subarray(0, room)]);
      [pending, pendingBytes, rest] = [[], 0, rest.subarray(room)];
    }
    pending.push(rest);
    pendingBytes += rest.length;
  }
  if (length !== answer.bytes || hash.digest('hex') !== answer.sha256)
    throw new TypeError('the body of an answer does not have its length or hash');
  if (pendingBytes > 0) yield Buffer.concat(pending);
}

/** Returns the number of a stored answer, in the transaction that refers to it; null if it was deleted meanwhile. */
export type ReferToAnswer = (query: Query) => Promise<number | null>;

const numberIn = ([row]: readonly Row[]): number | null => (row === undefined ? null : asNumber(row['number']));

async function touch(query: Query, sha256: string, nowMs: number): Promise<number | null> {
  return numberIn(await query(TOUCH_ANSWER, sha256, nowMs));
}

/** Write a long answer chunk by chunk. */
async function storeChunks(store: Store, answer: Answer, count: number, nowMs: number): Promise<ReferToAnswer> {
  const { sha256, bytes } = answer;
  await store.write((query) => query(INSERT_ANSWER, sha256, bytes, 0, nowMs));
  let index = 0;
  for await (const chunk of chunksOf(answer)) {
    const [at, { coding, body }] = [index, encodeChunk(chunk)];
    await store.write(async (query) => {
      const number = await touch(query, sha256, nowMs);
      if (number !== null) await query(INSERT_CHUNK, number, at, coding, body);
    });
    index += 1;
  }
  return async (query) => {
    const number = await touch(query, sha256, nowMs);
    if (number === null) return null;
    const [row] = await query('SELECT count(*) AS chunks FROM answer_chunks WHERE answer = $1', number);
    if (Number(row?.['chunks']) !== count) return null;
    await query('UPDATE answers SET whole = 1 WHERE number = $1', number);
    return number;
  };
}

/**
 * Store an answer. The transaction that refers to it writes an answer of one chunk; a longer answer is written before,
 * chunk by chunk, so that no transaction is long.
 */
export async function storeAnswer(store: Store, answer: Answer, nowMs: number): Promise<ReferToAnswer> {
  const { sha256, bytes } = answer;
  let last: Uint8Array | undefined;
  let count = 0;
  // Check the whole body before any chunk is stored under its hash.
  for await (const chunk of chunksOf(answer)) {
    last = chunk;
    count += 1;
  }
  const [known] = await store.read('SELECT whole FROM answers WHERE sha256 = $1', sha256);
  if (Number(known?.['whole']) === 1) return (query) => touch(query, sha256, nowMs);
  if (count > 1) return storeChunks(store, answer, count, nowMs);
  const only = last && encodeChunk(last);
  return async (query) => {
    const number = numberIn(await query(INSERT_ANSWER, sha256, bytes, 1, nowMs));
    if (only) await query(INSERT_CHUNK, number, 0, only.coding, only.body);
    return number;
  };
}

/** Chunk `index` of an answer; null if it was deleted. */
async function readChunk(store: Store, number: number, index: number): Promise<Uint8Array | null> {
  const sql = 'SELECT coding, body FROM answer_chunks WHERE answer = $1 AND chunk = $2';
  return decodeChunk((await store.read(sql, number, index))[0]);
}

async function* readBody(store: Store, number: number, bytes: number): AsyncGenerator<Uint8Array> {
  let read = 0;
  for (let index = 0; read < bytes; index += 1) {
    const chunk = await readChunk(store, number, index);
    if (!chunk) throw new Error('an answer was forgotten while it was read');
    read += chunk.length;
    yield chunk;
  }
}

/** The answer of a purchase; null if there is none, or it was deleted. */
export async function findAnswer(store: Store, purchaseId: string): Promise<Answer | null> {
  const [row] = await store.read(ANSWER_OF, purchaseId);
  if (!row) return null;
  const [number, bytes] = [asNumber(row['number']), asNumber(row['bytes'])];
  const found: Answer = {
    headers: JSON.parse(String(row['answer_headers'])) as Record<string, string>,
    sha256: String(row['sha256']),
    bytes,
    body: () => readBody(store, number, bytes),
  };
  if (bytes > CHUNK_BYTES) return found;
  const buffer = bytes === 0 ? new Uint8Array() : await readChunk(store, number, 0);
  return buffer && { ...found, buffer };
}
