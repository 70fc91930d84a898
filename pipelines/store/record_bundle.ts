/**
 * The small files of a run in one object: records of reads and lists of requests, as gzipped JSON of path to text. A
 * host with an empty disk fetches it instead of two files for each source. Each text is also an object of its own.
 */
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { z } from 'zod';
import { sha256 } from '../../lib/files.ts';
import { objectOf, readVerified, type Store } from '../../lib/store/store.ts';

/** Larger files are fetched by themselves. */
const MAX_FILE_BYTES = 256 * 1024;
/** Largest content of a bundle that is read: 4,000 files of that size. */
const MAX_BUNDLE_BYTES = 1024 * 1024 * 1024;

const Texts = z.record(z.string(), z.string());

export const isRecord = (path: string): boolean => !path.endsWith('.parquet');

/** Store the small records of a run. @param records by path @returns hash of the bundle; null if there is none */
export async function storeBundle(store: Store, records: ReadonlyMap<string, string>): Promise<string | null> {
  const texts = [...records].filter(([, text]) => Buffer.byteLength(text) <= MAX_FILE_BYTES).sort();
  if (texts.length === 0) return null;
  const bytes = await promisify(gzip)(JSON.stringify(Object.fromEntries(texts)));
  await store.put(objectOf(sha256(bytes)), bytes);
  return sha256(bytes);
}

/** Texts by path. @throws StoreDamage */
export async function readBundle(store: Store, hash: string): Promise<ReadonlyMap<string, string>> {
  const bytes = await readVerified(store, objectOf(hash));
  const text = await promisify(gunzip)(bytes, { maxOutputLength: MAX_BUNDLE_BYTES });
  return new Map(Object.entries(Texts.parse(JSON.parse(text.toString()))));
}
