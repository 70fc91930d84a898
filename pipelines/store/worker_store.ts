/**
 * A worker's use of the store, instead of a folder that it shares with the run. Each page and each request record is
 * stored before the worker reads the next, so another worker, or the run, can continue. Records are small files under
 * `requests/<run id>/<source>/`, until the run stores the whole list; a rule of the bucket may expire them.
 */
import { existsSync } from 'node:fs';
import { sha256 } from '../../lib/files.ts';
import { type Archive, type ArchivedRead, openArchive } from '../../lib/archive.ts';
import { readCatalog, readRunFiles, type CatalogRun } from '../../lib/store/catalog.ts';
import { objectOf, type Store } from '../../lib/store/store.ts';
import { layoutOf } from '../layout.ts';
import { listedRead, listPath, writeText } from './local_runs.ts';
import { objectFetcher } from './stored_archive.ts';

const partsOf = ({ source, runId }: ArchivedRead): string => `requests/${runId}/${source}/`;

/** Write a read's requests from the records that workers have stored, if there are any. */
export async function fetchRequests(
  store: Store,
  dataDir: string,
  archive: Archive,
  read: ArchivedRead,
): Promise<void> {
  const decoder = new TextDecoder();
  const records: string[] = [];
  for (const name of await store.list(partsOf(read))) {
    const bytes = await store.read(name);
    if (bytes !== null) records.push(decoder.decode(bytes));
  }
  const folder = { layout: layoutOf(dataDir), archive };
  if (records.length > 0) await writeText(folder, listPath(read), records.join(''));
}

/** Fetches the lists of requests of earlier runs. They never change, so a worker reads each run's once. */
export class EarlierRequests {
  readonly #store: Store;
  readonly #dataDir: string;
  readonly #runs = new Map<string, Promise<void>>();

  constructor(store: Store, dataDir: string) {
    this.#store = store;
    this.#dataDir = dataDir;
  }

  async fetch(archive: Archive): Promise<void> {
    for (const run of (await readCatalog(this.#store))?.catalog.runs ?? []) {
      const reading = this.#runs.get(run.files) ?? this.#write(run, archive);
      this.#runs.set(run.files, reading);
      reading.catch(() => this.#runs.delete(run.files));
      await reading;
    }
  }

  async #write(run: CatalogRun, archive: Archive): Promise<void> {
    const folder = { layout: layoutOf(this.#dataDir), archive };
    for (const [path, file] of Object.entries(await readRunFiles(this.#store, run)))
      if ('text' in file && listedRead(path)) await writeText(folder, path, file.text);
  }
}

/** An archive whose pages and records of one attempt to read a source are stored one by one. */
export function openWorkerArchive(
  dataDir: string,
  store: Store,
  { source, runId, attempt }: ArchivedRead & { readonly attempt: number },
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
export async function trimPages(dataDir: string, archive: Archive, maxBytes: number): Promise<void> {
  if (!existsSync(layoutOf(dataDir).runs)) await archive.trim(maxBytes);
}
