/**
 * Archived pages and their requests: from the archive on the server's disk, then from the store. The bytes are verified
 * by their hash whenever they are read from the disk.
 */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { objectPath } from '../../../lib/archive_path.ts';
import { sha256 as sha256Of } from '../../../lib/files.ts';
import type { Store } from '../../../lib/store/store.ts';
import { ArchiveFault, wrongHash, tooLarge, MAX_STORED_BYTES } from './archive_fault.ts';
import { requestIn, runsToSearch, type PageRead, type RequestOfPage } from './page_requests.ts';
import { StoredPages } from './stored_pages.ts';

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
