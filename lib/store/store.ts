/**
 * A store: the files that hosts without a shared disk exchange, and one pointer. A file's name is used for one content
 * only, so files are immutable. Only the pointer changes, by one conditional write: of two writers
 * that read the same pointer, one succeeds.
 *
 *   objects/<2 hex>/<sha256>     archived pages, staged rows, and the records of the reads of a run
 *   snapshots/<run id>/<file>    files of a snapshot, and its manifest
 *   parts/<file>                 files that snapshots share, whose names have their hash
 *   segments/<day>/<site>/...    what workers have read, until their run is in the catalog (pipelines/jobs)
 *   runs/<run id>                the run that uses this id
 *   current                      the pointer: the catalog (catalog.ts)
 *   iceberg/<table>/metadata/    the snapshots for other programs; only its hint is replaced (stored_tables.ts)
 */
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import type { z } from 'zod';
import { makeFolder, moveInto, sha256, sha256OfFile } from '../files.ts';

/** The store does not respond, or responds with a server error. The message is one line. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
}

/** A file of the store is missing or has the wrong content. The message names it and what the operator can do. */
export class StoreDamage extends Error {
  override readonly name = 'StoreDamage';
}

/** Another host changed the store first. The message is one line. */
export class PublishedElsewhere extends Error {
  override readonly name = 'PublishedElsewhere';
}

/** Whether a write failed because its disk is full. */
export const isDiskFull = (error: unknown): boolean =>
  ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '');

/** A file that its catalog, manifest or list names. */
export interface NamedFile {
  /** Name in the store. */
  readonly name: string;
  readonly sha256: string;
}

/** The text of the pointer, and the tag that a conditional write compares. */
export interface Pointer {
  readonly text: string;
  readonly tag: string;
}

export interface Store {
  /** Address, as messages show it. */
  readonly shown: string;
  /** Where other programs find its files: s3://bucket/prefix, or an absolute path. */
  readonly url: string;
  /** Store a local file. @throws StoreUnavailable */
  putFile(file: NamedFile, path: string): Promise<void>;
  /** Store bytes. @throws StoreUnavailable */
  put(file: NamedFile, bytes: Uint8Array): Promise<void>;
  /** Store a text under a name that nobody has used. @returns false if the name is taken */
  create(name: string, text: string): Promise<boolean>;
  /** Bytes of a file, not verified; null if it is missing. */
  read(name: string): Promise<Uint8Array | null>;
  /** Copy a file to a local path, not verified. @returns false if it is missing */
  download(name: string, path: string): Promise<boolean>;
  /** Bytes of a file's content; null if it is missing. */
  size(name: string): Promise<number | null>;
  /** Bytes of the files whose names begin with a prefix ending in a slash, in the order of their names. */
  list(prefix: string): Promise<ReadonlyMap<string, number>>;
  remove(name: string): Promise<void>;
  /** Null before the first publication. */
  pointer(): Promise<Pointer | null>;
  /**
   * Replace the pointer if it is still the expected one.
   * @param expected tag that was read; null if there was none
   * @returns false if another writer has replaced it
   */
  switchPointer(text: string, expected: string | null): Promise<boolean>;
  close(): void;
}

/** Name of content in the store; the archive has the same path. */
export const objectName = (hash: string): string => `objects/${hash.slice(0, 2)}/${hash}`;

export const objectOf = (hash: string): NamedFile => ({ name: objectName(hash), sha256: hash });

const missing = (store: Store, name: string): StoreDamage =>
  new StoreDamage(
    `STORE ${store.shown} has no ${name}, which its catalog names. Restore it, or run where the local copy is.`,
  );

const wrong = (store: Store, { name, sha256: stated }: NamedFile, found: string): StoreDamage =>
  new StoreDamage(
    `STORE ${store.shown}: ${name} has the SHA-256 ${found.slice(0, 12)}…, expected ${stated.slice(0, 12)}…. ` +
      'The file was not used. Restore it, or run where the local copy is.',
  );

/** Verified bytes of a file. @throws StoreDamage if it is missing or has another hash */
export async function readVerified(store: Store, file: NamedFile): Promise<Uint8Array> {
  const bytes = await store.read(file.name);
  if (bytes === null) throw missing(store, file.name);
  const found = sha256(bytes);
  if (found !== file.sha256) throw wrong(store, file, found);
  return bytes;
}

/** Largest JSON that is unpacked. */
const MAX_JSON_BYTES = 512 * 1024 * 1024;

/** Store a value as compressed JSON. @param nameOf its name by its hash. Default: an object */
export async function putPacked(
  store: Store,
  value: unknown,
  nameOf: (hash: string) => string = objectName,
): Promise<NamedFile> {
  const packed = await promisify(zstdCompress)(JSON.stringify(value));
  const hash = sha256(packed);
  const file = { name: nameOf(hash), sha256: hash };
  await store.put(file, packed);
  return file;
}

/** A value that was stored as compressed JSON. @throws StoreDamage, StoreUnavailable; ZodError if it is another */
export async function readPacked<T>(store: Store, file: NamedFile, schema: z.ZodType<T>): Promise<T> {
  const options = { maxOutputLength: MAX_JSON_BYTES };
  const text = await promisify(zstdDecompress)(await readVerified(store, file), options);
  return schema.parse(JSON.parse(text.toString()));
}

/** Copy a verified file to a local path, atomically. @throws StoreDamage if it is missing or has another hash */
export async function downloadVerified(store: Store, file: NamedFile, path: string): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    if (!(await store.download(file.name, temporary))) throw missing(store, file.name);
    const found = await sha256OfFile(temporary);
    if (found !== file.sha256) throw wrong(store, file, found);
    await moveInto(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Whether a local file has this content. */
export async function hasContent(path: string, sha256Stated: string): Promise<boolean> {
  const found = await sha256OfFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  return found === sha256Stated;
}

/** Copy a verified file to a local path, unless the path has this content. */
export async function downloadMissing(store: Store, file: NamedFile, path: string): Promise<void> {
  if (await hasContent(path, file.sha256)) return;
  await makeFolder(dirname(path));
  await downloadVerified(store, file, path);
}
