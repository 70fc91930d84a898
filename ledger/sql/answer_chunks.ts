/** Pieces of answers as they lie in the database: compressed where that makes them smaller. */
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { Row } from './store.ts';

/** Size of every piece of an answer but the last, before it is compressed. */
export const PIECE_BYTES = 1 << 20;

/** What fits one page of the database is not worth the work. */
const SMALLEST_COMPRESSED = 4_096;
/** JSON becomes a tenth at this level, in less time than it takes to write it to the disk as it is. */
const FAST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

/** The bytes in a buffer of exactly their length, so that caching them does not keep a larger buffer in memory. */
export const ownBuffer = (bytes: Uint8Array): Uint8Array =>
  bytes.byteLength === bytes.buffer.byteLength ? bytes : Uint8Array.from(bytes);

export interface StoredPiece {
  readonly coding: 'identity' | 'zstd';
  readonly body: Uint8Array;
}

/** A piece as it is to be written. */
export function stored(piece: Uint8Array): StoredPiece {
  const compressed = piece.length < SMALLEST_COMPRESSED ? piece : zstdCompressSync(piece, FAST);
  return compressed.length < piece.length ? { coding: 'zstd', body: compressed } : { coding: 'identity', body: piece };
}

/** What zlib wants to have left when all is written. */
const SPARE_BYTES = 64;

/**
 * The piece in a row with `coding` and `body`; null where there is no row.
 * @param bytes its length, if known: it is then read in one go
 * @throws where it cannot be read back
 */
export function pieceIn(row: Row | undefined, bytes = PIECE_BYTES): Uint8Array | null {
  const [body, coding] = [row?.['body'], row?.['coding']];
  if (!(body instanceof Uint8Array)) return null;
  return coding === 'zstd'
    ? zstdDecompressSync(body, { maxOutputLength: PIECE_BYTES, chunkSize: bytes + SPARE_BYTES })
    : body;
}
