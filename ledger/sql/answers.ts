/** Answers in the database, compressed. Equal bodies are stored once, however many purchases have them. */
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { Answer } from '../ledger.ts';
import { asNumber } from './rows.ts';
import type { Query, Row } from './store.ts';

/** A smaller body fits into one page of the database, so compressing it saves nothing. */
const MIN_COMPRESSED_BYTES = 4_096;
/** At this level JSON shrinks to a tenth, in less time than writing it to disk uncompressed. */
const FAST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

const INSERT = `INSERT INTO answers (sha256, bytes, coding, body, stored_at_ms) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (sha256) DO UPDATE SET stored_at_ms = $5 RETURNING number`;
/** Updating the row, instead of only reading it, prevents another transaction from deleting it at the same time. */
const TOUCH = 'UPDATE answers SET stored_at_ms = $2 WHERE sha256 = $1 RETURNING number';
const ANSWER_OF = `SELECT p.answer_headers, a.sha256, a.bytes, a.coding, a.body
  FROM purchases p JOIN answers a ON a.number = p.kept_answer WHERE p.id = $1`;

/** Store a body in the transaction that refers to it, unless it is there. @returns its number */
export async function storeBody(
  query: Query,
  { sha256, body }: Pick<Answer, 'sha256' | 'body'>,
  nowMs: number,
): Promise<number> {
  const [known] = await query(TOUCH, sha256, nowMs);
  if (known) return asNumber(known['number']);
  const compressed = body.length < MIN_COMPRESSED_BYTES ? body : zstdCompressSync(body, FAST);
  const isSmaller = compressed.length < body.length;
  const stored = isSmaller ? (['zstd', compressed] as const) : (['identity', body] as const);
  const [added] = await query(INSERT, sha256, body.length, ...stored, nowMs);
  return asNumber(added?.['number']);
}

/** The body in a row of `answers`. @throws if it cannot be decompressed to its length */
export function bodyOf({ bytes, coding, body }: Row): Uint8Array {
  if (!(body instanceof Uint8Array)) throw new TypeError('the ledger contains an answer without a body');
  return coding === 'zstd' ? zstdDecompressSync(body, { maxOutputLength: asNumber(bytes) }) : body;
}

/** The answer of a purchase; null if there is none, or it was deleted. */
export async function findAnswer(read: Query, purchaseId: string): Promise<Answer | null> {
  const [row] = await read(ANSWER_OF, purchaseId);
  if (!row) return null;
  const headers = JSON.parse(String(row['answer_headers'])) as Record<string, string>;
  return { headers, sha256: String(row['sha256']), body: bodyOf(row) };
}
