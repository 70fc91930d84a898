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
 *   iceberg/<table>/metadata/    the snapshots for other programs; only its hint is replaced (pipelines/open_tables)
 */
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import type { z } from 'zod';
import { makeFolder, moveInto, nullIfMissing, removedAtEnd, sha256, sha256OfFile } from '../files.ts';

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

/** A file by its name in the store, with the hash that its catalog, manifest or list states. */
export interface NamedFile {
  readonly name: string;
  readonly sha256: string;
}

/** The text of the pointer, and the tag that a conditional write compares. */
export interface Pointer {
  readonly text: string;
  readonly tag: string;
}

export interface WaitOptions {
  /** How long a request is retried after its first failure. Default: no retry. */
  readonly waitMs?: number;
  /** Prints a line when a wait begins, and one when it ends. Default: none is printed. */
  readonly print?: ((line: string) => void) | undefined;
  /** A shorter outage, such as a closed connection, is not printed. Default: 2 s. */
  readonly reportAfterMs?: number;
}

const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 4_000;

const seconds = (ms: number): string => `${Math.round(ms / 1000)} s`;

/** Every request is retried while the store is unavailable. @throws StoreUnavailable after the wait */
export abstract class Store {
  /** Address, as messages show it. */
  readonly shown: string;
  /** Where other programs find its files: s3://bucket/prefix, or an absolute path. */
  readonly url: string;
  readonly #wait: WaitOptions;
  readonly #closed = new AbortController();
  /** Since when no request has succeeded; null while the store is available. */
  #outage: { readonly sinceMs: number; isPrinted: boolean } | null = null;

  constructor(shown: string, url: string, wait: WaitOptions) {
    this.shown = shown;
    this.url = url;
    this.#wait = wait;
  }

  /** Store a local file. */
  abstract putFile(file: NamedFile, path: string): Promise<void>;
  abstract put(file: NamedFile, bytes: Uint8Array): Promise<void>;
  /** Store a text under a name that nobody has used. @returns false if the name is taken */
  abstract create(name: string, text: string): Promise<boolean>;
  /** Bytes of a file, not verified; null if it is missing. */
  abstract read(name: string): Promise<Uint8Array | null>;
  /** Copy a file to a local path, not verified. @returns false if it is missing */
  abstract download(name: string, path: string): Promise<boolean>;
  /** Bytes of a file's content; null if it is missing. */
  abstract size(name: string): Promise<number | null>;
  /** Bytes of the files whose names begin with a prefix ending in a slash, in the order of their names. */
  abstract list(prefix: string): Promise<ReadonlyMap<string, number>>;
  abstract remove(name: string): Promise<void>;
  /** Null before the first publication. */
  abstract pointer(): Promise<Pointer | null>;
  /**
   * Replace the pointer if it is still the expected one.
   * @param expected tag that was read; null if there was none
   * @returns false if another writer has replaced it
   */
  abstract switchPointer(text: string, expected: string | null): Promise<boolean>;

  /** End the waits: requests that fail now are not retried. */
  close(): void {
    this.#closed.abort();
  }

  /** Why a request failed, in a few words, if a retry may succeed; else null. It may throw another error. */
  protected abstract outageOf(error: unknown): string | null;

  protected async retry<T>(work: () => Promise<T>, outageOf = this.outageOf.bind(this)): Promise<T> {
    const { waitMs = 0 } = this.#wait;
    let until: number | undefined;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
      const startedMs = performance.now();
      try {
        const result = await work();
        this.#available();
        return result;
      } catch (error) {
        const reason = outageOf(error);
        if (reason === null) throw error;
        // A long upload may fail late: the wait begins with the failure.
        until ??= performance.now() + waitMs;
        if (this.#closed.signal.aborted || performance.now() + pauseMs > until)
          throw new StoreUnavailable(`STORE is ${this.shown}, which is unavailable: ${reason}`, { cause: error });
        this.#unavailable(reason, startedMs);
      }
      // After close the next failure ends the loop.
      await sleep(pauseMs, undefined, { signal: this.#closed.signal }).catch(() => undefined);
    }
  }

  #unavailable(reason: string, sinceMs: number): void {
    const { waitMs = 0, print, reportAfterMs = 2_000 } = this.#wait;
    this.#outage ??= { sinceMs, isPrinted: false };
    if (this.#outage.isPrinted || performance.now() - this.#outage.sinceMs < reportAfterMs) return;
    this.#outage.isPrinted = true;
    print?.(`STORE is ${this.shown}, which is unavailable: ${reason}. Waiting up to ${seconds(waitMs)}`);
  }

  #available(): void {
    if (this.#outage?.isPrinted === true)
      this.#wait.print?.(
        `STORE ${this.shown} is available again after ${seconds(performance.now() - this.#outage.sinceMs)}`,
      );
    this.#outage = null;
  }
}

/** Name of content in the store; the archive has the same path. */
export const objectName = (hash: string): string => `objects/${hash.slice(0, 2)}/${hash}`;

export const objectOf = (hash: string): NamedFile => ({ name: objectName(hash), sha256: hash });

/** @throws StoreDamage unless the content of a file has its hash @param found its hash; null if it is missing */
function assertIs(store: Store, { name, sha256: stated }: NamedFile, found: string | null): void {
  if (found === stated) return;
  const remedy = 'Restore it, or run where the local copy is.';
  if (found === null) throw new StoreDamage(`STORE ${store.shown} has no ${name}, which its catalog names. ${remedy}`);
  throw new StoreDamage(
    `STORE ${store.shown}: ${name} has the SHA-256 ${found.slice(0, 12)}…, expected ${stated.slice(0, 12)}…. ` +
      `The file was not used. ${remedy}`,
  );
}

/** Verified bytes of a file. @throws StoreDamage if it is missing or has another hash */
export async function readVerified(store: Store, file: NamedFile): Promise<Uint8Array> {
  const bytes = await store.read(file.name);
  assertIs(store, file, bytes && sha256(bytes));
  return bytes ?? new Uint8Array();
}

/** Largest JSON that is unpacked. */
const MAX_JSON_BYTES = 512 * 1024 * 1024;

/** Store a value as compressed JSON. @param nameOf its name by its hash. Default: an object */
export async function putPacked(store: Store, value: unknown, nameOf = objectName): Promise<NamedFile> {
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
  await using _removed = removedAtEnd(temporary);
  const isThere = await store.download(file.name, temporary);
  assertIs(store, file, isThere ? await sha256OfFile(temporary) : null);
  await moveInto(temporary, path);
}

/** Whether a local file has this content. */
export const hasContent = async (path: string, stated: string): Promise<boolean> =>
  (await nullIfMissing(sha256OfFile(path))) === stated;

/** Copy a verified file to a local path, unless the path has this content. */
export async function downloadMissing(store: Store, file: NamedFile, path: string): Promise<void> {
  if (await hasContent(path, file.sha256)) return;
  await makeFolder(dirname(path));
  await downloadVerified(store, file, path);
}
