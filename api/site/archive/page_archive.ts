/**
 * Archived pages and their requests: from the archive on the server's disk, then from the store. The bytes are verified
 * by their hash whenever they are read from the disk.
 */
import { readdir, readFile, stat, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { objectPath } from '../../../lib/archive_path.ts';
import { sha256 as sha256Of } from '../../../lib/files.ts';
import {
  type Store,
  downloadVerified,
  objectName,
  objectOf,
  readVerified,
  StoreDamage,
} from '../../../lib/store/store.ts';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { tmpdir } from 'node:os';
import { readCatalog, readRunFiles } from '../../../lib/store/catalog.ts';

/** Largest object that is read. */
export const MAX_STORED_BYTES = 4 * 1024 * 1024;

export class ArchiveFault extends Error {
  override readonly name = 'ArchiveFault';
  readonly kind: 'missing' | 'damaged';
  /** @param options cause, for the log of the server */
  constructor(kind: ArchiveFault['kind'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

const tooLarge = (): ArchiveFault =>
  new ArchiveFault('missing', `These bytes are not served, because they exceed ${MAX_STORED_BYTES / 2 ** 20} MiB.`);

const wrongHash = (options?: ErrorOptions): ArchiveFault =>
  new ArchiveFault('damaged', 'The archived bytes no longer have this SHA-256, so they are not shown.', options);

/** Number of runs whose lists are searched. */
const MAX_RUNS = 40;
/** Longest list that is searched. */
const MAX_LIST_BYTES = 64 * 1024 * 1024;

/** The part of a request record that a reader sees, or that decodes the body. */
const RequestOfPage = z.object({
  url: z.string(),
  sha256: z.string().nullable(),
  observedAt: z.string(),
  error: z.string().nullable(),
  responseHeaders: z.record(z.string(), z.string()),
});
type RequestOfPage = z.infer<typeof RequestOfPage>;

/** A page that a source read. */
export interface PageRead {
  readonly sha256: string;
  readonly source: string;
  /** Time of a read that returned it, or its day. */
  readonly readAt: string;
}

/** The first request of a list that returned these bytes. */
async function requestIn(file: string, sha256: string): Promise<RequestOfPage | null> {
  if ((await stat(file)).size > MAX_LIST_BYTES) return null;
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    if (!line.includes(sha256)) continue;
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      continue; // an incomplete line after a crash
    }
    const { data } = RequestOfPage.safeParse(value);
    if (data?.sha256 === sha256 && data.error === null) return data;
  }
  return null;
}

/** Ids of the runs to search: from the day of the read back, then the later ones. */
export function runsToSearch(runIds: readonly string[], readAt: string): string[] {
  const order = new Intl.Collator('en', { numeric: true });
  const sorted = [...new Set(runIds)].sort(order.compare);
  const [day = ''] = readAt.split('T');
  const isLater = (runId: string): boolean => (runId.split('.')[0] ?? '') > day;
  return [...sorted.filter((id) => !isLater(id)).reverse(), ...sorted.filter(isLater)].slice(0, MAX_RUNS);
}

const CACHED_BYTES = 32 * 1024 * 1024;
/** A page that is missing or damaged is read again after this time. */
const READ_AGAIN_MS = 60_000;

class StoredPages {
  readonly #store: Store;
  readonly #cache = new LRUCache<string, Promise<Uint8Array>>({ maxSize: CACHED_BYTES });

  constructor(store: Store) {
    this.#store = store;
  }

  /** Verified bytes of an object. @throws ArchiveFault, StoreUnavailable */
  bytes(sha256: string): Promise<Uint8Array> {
    const known = this.#cache.get(sha256);
    if (known) return known;
    const reading = this.#read(sha256);
    this.#cache.set(sha256, reading, { size: MAX_STORED_BYTES });
    reading.then(
      ({ length }) => this.#cache.set(sha256, reading, { size: Math.max(1, length) }),
      (error: unknown) =>
        error instanceof ArchiveFault
          ? this.#cache.set(sha256, reading, { size: 1, ttl: READ_AGAIN_MS })
          : this.#cache.delete(sha256),
    );
    return reading;
  }

  /** The request that returned a page; null if no list has it. @throws ArchiveFault, StoreUnavailable */
  async request({ sha256, source, readAt }: PageRead): Promise<RequestOfPage | null> {
    const { runs = [] } = (await readCatalog(this.#store))?.catalog ?? {};
    const wanted = runsToSearch(
      runs.map((run) => run.run_id),
      readAt,
    );
    const folder = await mkdtemp(join(tmpdir(), 'dealfeed-requests-'));
    try {
      for (const run of wanted.flatMap((id) => runs.filter(({ run_id: runId }) => runId === id))) {
        const path = `archive/requests/${source}/${run.run_id}.ndjson`;
        const list = (await readRunFiles(this.#store, run)).find((file) => file.path === path);
        if (!list || ((await this.#store.size(objectName(list.sha256))) ?? 0) > MAX_LIST_BYTES) continue;
        const file = join(folder, list.sha256);
        await downloadVerified(this.#store, objectOf(list.sha256), file);
        const found = await requestIn(file, sha256);
        if (found) return found;
        await rm(file);
      }
      return null;
    } catch (error) {
      if (!(error instanceof StoreDamage)) throw error;
      throw new ArchiveFault('damaged', 'The record of the request for these bytes is damaged or lost.', {
        cause: error,
      });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  async #read(sha256: string): Promise<Uint8Array> {
    const size = await this.#store.size(objectName(sha256));
    if (size === null)
      throw new ArchiveFault('missing', 'Neither the archive nor the store of this server has these bytes.');
    if (size > MAX_STORED_BYTES) throw tooLarge();
    try {
      return await readVerified(this.#store, objectOf(sha256));
    } catch (error) {
      throw error instanceof StoreDamage ? wrongHash({ cause: error }) : error;
    }
  }
}

const MAX_REQUESTS = 1_000;
/** How long a failed search for a request is cached: a search reads many lists. */
const SEARCH_AGAIN_MS = 60_000;

const SHA256 = /^[0-9a-f]{64}$/u;
const SOURCE = /^[a-z][a-z0-9_]*$/u;
const LIST_ENDING = '.ndjson';

export class PageArchive {
  readonly #folder: string;
  readonly #stored: StoredPages | undefined;
  readonly #requests = new LRUCache<string, Promise<RequestOfPage | null>>({ max: MAX_REQUESTS });

  /** @param folder `archive` of a data folder; with a store, it need not exist */
  constructor(folder: string, store?: Store) {
    this.#folder = folder;
    this.#stored = store === undefined ? undefined : new StoredPages(store);
  }

  /** @throws ArchiveFault if the bytes are missing, too large, or have another hash; StoreUnavailable */
  async bytes(sha256: string): Promise<Uint8Array> {
    if (!SHA256.test(sha256))
      throw new ArchiveFault('missing', 'The address needs a SHA-256 of 64 lowercase hex digits.');
    const file = join(this.#folder, objectPath(sha256));
    const size = await stat(file).then(
      (found) => (found.isFile() ? found.size : null),
      () => null,
    );
    if (size === null) return this.#stored?.bytes(sha256) ?? this.#none();
    if (size > MAX_STORED_BYTES) throw tooLarge();
    const bytes = await readFile(file);
    if (sha256Of(bytes) !== sha256) throw wrongHash();
    return bytes;
  }

  /** The request that returned a page; null if none is found. @throws ArchiveFault, StoreUnavailable */
  request(page: PageRead): Promise<RequestOfPage | null> {
    const key = `${page.source} ${page.sha256}`;
    const known = this.#requests.get(key);
    if (known) return known;
    const searching = this.#search(page);
    this.#requests.set(key, searching);
    const searchAgain = (): unknown => this.#requests.set(key, searching, { ttl: SEARCH_AGAIN_MS });
    searching.then(
      (found) => found ?? searchAgain(),
      (error: unknown) => (error instanceof ArchiveFault ? searchAgain() : this.#requests.delete(key)),
    );
    return searching;
  }

  async #none(): Promise<never> {
    const hasArchive = await stat(join(this.#folder, 'objects')).then(
      () => true,
      () => false,
    );
    throw new ArchiveFault(
      'missing',
      hasArchive
        ? 'The archive of this server no longer has these bytes, because its operator removes old pages.'
        : 'This server has no archive. Its operator keeps the archived pages elsewhere.',
    );
  }

  async #search(page: PageRead): Promise<RequestOfPage | null> {
    if (!SOURCE.test(page.source)) return null;
    const folder = join(this.#folder, 'requests', page.source);
    const lists = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(LIST_ENDING));
    const runIds = lists.map((name) => name.slice(0, -LIST_ENDING.length));
    for (const runId of runsToSearch(runIds, page.readAt)) {
      const found = await requestIn(join(folder, `${runId}${LIST_ENDING}`), page.sha256);
      if (found) return found;
    }
    return (await this.#stored?.request(page)) ?? null;
  }
}
