/**
 * A worker's use of the store, instead of a folder that it shares with the run. Each page and each request record is
 * stored before the worker reads the next, so another worker, or the run, can continue. Records are small files under
 * `requests/<run id>/<source>/`, until the run stores the whole list; a rule of the bucket may expire them.
 */
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256, writeWhole } from '../../lib/files.ts';
import { readCatalog, RunFiles } from '../../lib/store/catalog.ts';
import { downloadMissing, objectOf, readJsonVerified, type Store } from '../../lib/store/store.ts';
import { openArchive, type Archive } from '../../sources/fetch/archive.ts';
import { objectFetcher } from './stored_archive.ts';

/** The read of a source by a run. */
export interface StoredRead {
  readonly source: string;
  readonly runId: string;
}

const listPath = (source: string, runId: string): string => `archive/requests/${source}/${runId}.ndjson`;

const partsOf = ({ source, runId }: StoredRead): string => `requests/${runId}/${source}/`;

/** Write a read's list of requests from the records that workers have stored. @returns false if there are none */
export async function fetchRequests(store: Store, dataDir: string, read: StoredRead): Promise<boolean> {
  const decoder = new TextDecoder();
  const records: string[] = [];
  for (const name of await store.list(partsOf(read))) {
    const bytes = await store.read(name);
    if (bytes !== null) records.push(decoder.decode(bytes));
  }
  if (records.length > 0) await writeWhole(join(dataDir, listPath(read.source, read.runId)), records.join(''));
  return records.length > 0;
}

/** Fetches the lists of requests of a source from earlier runs. Lists of runs never change, so each is read once. */
export class EarlierRequests {
  readonly #store: Store;
  readonly #dataDir: string;
  readonly #files = new Map<string, Promise<RunFiles>>();

  constructor(store: Store, dataDir: string) {
    this.#store = store;
    this.#dataDir = dataDir;
  }

  async fetch(source: string): Promise<void> {
    const read = await readCatalog(this.#store);
    for (const { run_id, files } of read?.catalog.runs ?? []) {
      const path = listPath(source, run_id);
      const listed = (await this.#filesOf(files)).find((file) => file.path === path);
      if (listed) await downloadMissing(this.#store, objectOf(listed.sha256), join(this.#dataDir, path));
    }
  }

  #filesOf(hash: string): Promise<RunFiles> {
    const known = this.#files.get(hash);
    if (known) return known;
    const read = readJsonVerified(this.#store, objectOf(hash)).then((json) => RunFiles.parse(json));
    this.#files.set(hash, read);
    read.catch(() => this.#files.delete(hash));
    return read;
  }
}

/** An archive whose pages and records of one attempt to read a source are stored one by one. */
export function openWorkerArchive(
  dataDir: string,
  store: Store,
  { source, runId, attempt }: StoredRead & { readonly attempt: number },
  print: (message: string) => void,
): Promise<Archive> {
  let count = 0;
  return openArchive(dataDir, {
    fetchObject: objectFetcher(store, print),
    onObject: (hash, bytes) => store.put(objectOf(hash), bytes),
    async onRecord(record) {
      const text = `${JSON.stringify(record)}\n`;
      const number = `${String(attempt).padStart(3, '0')}-${String((count += 1)).padStart(7, '0')}`;
      const file = { name: `${partsOf({ source, runId })}${number}.json`, sha256: sha256(text) };
      await store.put(file, new TextEncoder().encode(text));
    },
  });
}

/**
 * Remove the oldest pages of a worker's cache until they have at most this many bytes. The folder of a run, which has
 * `runs/`, is no cache.
 */
export async function trimPages(dataDir: string, maxBytes: number): Promise<void> {
  const isRunFolder = await stat(join(dataDir, 'runs')).then(
    () => true,
    () => false,
  );
  const root = join(dataDir, 'archive', 'objects');
  if (isRunFolder) return;
  const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => []);
  const pages = [];
  for (const entry of entries.filter((found) => found.isFile())) {
    const path = join(entry.parentPath, entry.name);
    const { size, mtimeMs } = await stat(path);
    pages.push({ path, size, mtimeMs });
  }
  let bytes = 0;
  for (const { path, size } of pages.sort((a, b) => b.mtimeMs - a.mtimeMs)) {
    bytes += size;
    if (bytes > maxBytes) await rm(path, { force: true });
  }
}
