/** Chunks of answers in the database, compressed if that makes them smaller. */
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { Row } from './store.ts';

/** Size of every chunk of an answer but the last, before compression. */
export const CHUNK_BYTES = 1 << 20;

/** A smaller chunk fits into one page of the database, so compressing it saves nothing. */
const MIN_COMPRESSED_BYTES = 4_096;
/** At this level JSON shrinks to a tenth, in less time than writing it to disk uncompressed. */
const FAST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

export interface EncodedChunk {
  readonly coding: 'identity' | 'zstd';
  readonly body: Uint8Array;
}

export function encodeChunk(chunk: Uint8Array): EncodedChunk {
  const compressed = chunk.length < MIN_COMPRESSED_BYTES ? chunk : zstdCompressSync(chunk, FAST);
  return compressed.length < chunk.length ? { coding: 'zstd', body: compressed } : { coding: 'identity', body: chunk };
}

/** Room that zlib needs in its buffer after the last byte. */
const SPARE_BYTES = 64;

/**
 * Decode the chunk in a row with `coding` and `body`.
 * @param bytes its length, if known: it is then decompressed in one step
 * @returns null if there is no row
 * @throws if it cannot be decompressed
 */
export function decodeChunk(row: Row | undefined, bytes = CHUNK_BYTES): Uint8Array | null {
  const [body, coding] = [row?.['body'], row?.['coding']];
  if (!(body instanceof Uint8Array)) return null;
  return coding === 'zstd'
    ? zstdDecompressSync(body, { maxOutputLength: CHUNK_BYTES, chunkSize: bytes + SPARE_BYTES })
    : body;
}
