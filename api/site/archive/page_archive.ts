/**
 * Archived pages and their requests: from the archive of the server's data folder, then from the store. The bytes are
 * verified by their hash whenever they are read.
 */
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { type Archive, ArchiveDamage, hasArchive, openArchive } from '../../../lib/archive.ts';
import { RequestRecord } from '../../../lib/request_record.ts';
import { readCatalog } from '../../../lib/store/catalog.ts';
import { objectName, objectOf, readPacked, readVerified, StoreDamage, type Store } from '../../../lib/store/store.ts';

/** Largest body that is read. */
export const MAX_STORED_BYTES = 4 * 1024 * 1024;
/** Number of runs whose requests are searched in the store, and their largest compressed size. */
const [MAX_RUNS, MAX_READS_BYTES] = [40, 16 * 1024 * 1024];
const [CACHED_BYTES, CACHED_REQUESTS] = [32 * 1024 * 1024, 1_000];
/** A failed search or read in the store is repeated after this time: it reads many files. */
const AGAIN_MS = 60_000;

export class ArchiveFault extends Error {
  override readonly name = 'ArchiveFault';
  readonly kind: 'missing' | 'damaged';
  /** @param options cause, for the log of the server */
  constructor(kind: ArchiveFault['kind'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

/** A page that a source read. */
export interface PageRead {
  readonly sha256: string;
  readonly source: string;
  /** Time of a read that returned it, or its day. */
  readonly readAt: string;
}

/** Ids of the runs to search: from the day of the read back, then the later ones. */
export function runsToSearch(runIds: readonly string[], readAt: string): string[] {
  const order = new Intl.Collator('en', { numeric: true });
  const sorted = [...new Set(runIds)].sort(order.compare);
  const [day = ''] = readAt.split('T');
  const isLater = (runId: string): boolean => (runId.split('.')[0] ?? '') > day;
  return [...sorted.filter((id) => !isLater(id)).reverse(), ...sorted.filter(isLater)].slice(0, MAX_RUNS);
}

const Requests = z.object({ requests: z.array(RequestRecord) });

/** The request in a store that returned these bytes. */
async function requestInStore(store: Store, { sha256, source, readAt }: PageRead): Promise<RequestRecord | null> {
  const runs = new Map((await readCatalog(store))?.catalog.runs.map((run) => [run.run_id, run]));
  for (const runId of runsToSearch([...runs.keys()], readAt)) {
    const run = runs.get(runId);
    if (!run || ((await store.size(objectName(run.reads))) ?? 0) > MAX_READS_BYTES) continue;
    const { requests } = await readPacked(store, objectOf(run.reads), Requests);
    const found = requests.find((one) => one.source === source && one.sha256 === sha256 && one.error === null);
    if (found) return found;
  }
  return null;
}

/** Remember what a promise gives; a failure for a minute, an outage not at all. */
function remember<T extends RequestRecord | Uint8Array | null>(
  cache: LRUCache<string, Promise<T>>,
  key: string,
  work: () => Promise<T>,
): Promise<T> {
  const known = cache.get(key);
  if (known) return known;
  const working = work();
  const again = { size: 1, ttl: AGAIN_MS };
  cache.set(key, working, again);
  const sizeOf = (found: T): number => (found instanceof Uint8Array ? Math.max(1, found.length) : 1);
  working.then(
    (found) => found === null || cache.set(key, working, { size: sizeOf(found) }),
    (error: unknown) => error instanceof ArchiveFault || cache.delete(key),
  );
  return working;
}

export class PageArchive {
  readonly #dataDir: string;
  readonly #store: Store | undefined;
  #local: Promise<Archive> | undefined;
  readonly #bytes = new LRUCache<string, Promise<Uint8Array>>({ maxSize: CACHED_BYTES });
  readonly #requests = new LRUCache<string, Promise<RequestRecord | null>>({ maxSize: CACHED_REQUESTS });

  /** @param dataDir data folder; with a store, it need not have an archive */
  constructor(dataDir: string, store?: Store) {
    this.#dataDir = dataDir;
    this.#store = store;
  }

  /** @throws ArchiveFault if the bytes are missing, too large, or have another hash; StoreUnavailable */
  async bytes(sha256: string): Promise<Uint8Array> {
    if (!/^[0-9a-f]{64}$/u.test(sha256))
      throw new ArchiveFault('missing', 'The address needs a SHA-256 of 64 lowercase hex digits.');
    const local = await this.#archive();
    const size = local?.size(sha256) ?? null;
    if (local && size !== null) return readAtMost(size, () => local.read(sha256));
    if (this.#store) return remember(this.#bytes, sha256, () => this.#stored(sha256));
    throw new ArchiveFault(
      'missing',
      local
        ? 'The archive of this server no longer has these bytes, because its operator removes old pages.'
        : 'This server has no archive. Its operator keeps the archived pages elsewhere.',
    );
  }

  /** The request that returned a page; null if none is found. @throws ArchiveFault, StoreUnavailable */
  request(page: PageRead): Promise<RequestRecord | null> {
    return remember(this.#requests, `${page.source} ${page.sha256}`, () => this.#search(page));
  }

  /** The local archive, opened once it exists; undefined until then. */
  async #archive(): Promise<Archive | undefined> {
    if (!hasArchive(this.#dataDir)) return undefined;
    this.#local ??= openArchive(this.#dataDir);
    this.#local.catch(() => (this.#local = undefined));
    return this.#local;
  }

  async #stored(sha256: string): Promise<Uint8Array> {
    const size = await this.#store?.size(objectName(sha256));
    if (!this.#store || size === null || size === undefined)
      throw new ArchiveFault('missing', 'Neither the archive nor the store of this server has these bytes.');
    const store = this.#store;
    return readAtMost(size, () => readVerified(store, objectOf(sha256)));
  }

  async #search(page: PageRead): Promise<RequestRecord | null> {
    try {
      const found = (await (await this.#archive())?.requestsFor(page.source, page.sha256)) ?? [];
      const [runId] = runsToSearch(
        found.map((request) => request.runId),
        page.readAt,
      );
      const local = found.find((request) => request.runId === runId);
      return local ?? (this.#store ? await requestInStore(this.#store, page) : null);
    } catch (error) {
      if (!(error instanceof StoreDamage || error instanceof ArchiveDamage)) throw error;
      const message = 'The record of the request for these bytes is damaged or lost.';
      throw new ArchiveFault('damaged', message, { cause: error });
    }
  }
}

/** @throws ArchiveFault if the bytes are too large, or damaged */
async function readAtMost(size: number, read: () => Promise<Uint8Array>): Promise<Uint8Array> {
  if (size > MAX_STORED_BYTES)
    throw new ArchiveFault(
      'missing',
      `These bytes are not served, because they exceed ${MAX_STORED_BYTES / 2 ** 20} MiB.`,
    );
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof StoreDamage || error instanceof ArchiveDamage)) throw error;
    const message = 'The archived bytes no longer have this SHA-256, so they are not shown.';
    throw new ArchiveFault('damaged', message, { cause: error });
  }
}
