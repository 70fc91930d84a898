/**
 * Archived pages of the store, for a server without them on its disk. Everything is verified by its hash, is limited in
 * size, and is cached in memory: readers of the site cause few requests to the store.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { readCatalog, readRunFiles } from '../../../lib/store/catalog.ts';
import {
  downloadVerified,
  objectName,
  objectOf,
  readVerified,
  StoreDamage,
  type Store,
} from '../../../lib/store/store.ts';
import { ArchiveFault, wrongHash, tooLarge, MAX_STORED_BYTES } from './archive_fault.ts';
import { MAX_LIST_BYTES, requestIn, runsToSearch, type PageRead, type RequestOfPage } from './page_requests.ts';

const CACHED_BYTES = 32 * 1024 * 1024;
/** A page that is missing or damaged is read again after this time. */
const READ_AGAIN_MS = 60_000;

export class StoredPages {
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
