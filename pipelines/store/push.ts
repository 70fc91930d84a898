/** Uploads the files of a data folder that the store lacks: runs, archived pages, snapshots, versions of reads. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readJson, sha256, sha256OfFile } from '../../lib/files.ts';
import {
  readRunFiles,
  storeRunFiles,
  snapshotFileName,
  type Catalog,
  type CatalogRun,
  type RunFiles,
} from '../../lib/store/catalog.ts';
import { snapshotFiles } from '../../lib/store/snapshot_cache.ts';
import { objectName, objectOf, StoreDamage, type NamedFile, type Store } from '../../lib/store/store.ts';
import { compareRunIds, type Layout } from '../layout.ts';
import { atOnce } from '../../lib/at_once.ts';
import { listSnapshots, verifySnapshot } from '../snapshots.ts';
import { filesByRun, isLaterVersion, listPath, textOf, type LocalFolder } from './local_runs.ts';
import { PublishedElsewhere } from './published_elsewhere.ts';
import type { Pulled } from './pulled.ts';

export interface Pushed {
  readonly runs: readonly CatalogRun[];
  /** List of the later versions of reads of runs that the catalog names; null if there are none. */
  readonly reparse: string | null;
  /** Paths of all later versions of reads that were uploaded. */
  readonly versions: readonly string[];
  readonly files: number;
  readonly bytes: number;
}

/** Upload a file or bytes, and check that the store has all of it. @returns bytes sent */
async function upload(store: Store, file: NamedFile, content: Content): Promise<number> {
  const isFile = typeof content === 'string';
  const size = isFile ? (await stat(content)).size : content.length;
  if ((await store.size(file.name)) === size) return 0;
  await (isFile ? store.putFile(file, content) : store.put(file, content));
  const stored = await store.size(file.name);
  if (stored === size) return size;
  throw new StoreDamage(
    `STORE ${store.shown}: ${file.name} has ${stored ?? 'no'} bytes after its upload, expected ${size}. ` +
      'Nothing was published. Run again.',
  );
}

/** A file, or bytes in memory. */
type Content = string | Uint8Array;

class Push {
  readonly #store: Store;
  readonly #folder: LocalFolder;
  readonly #objects = new Set<string>();
  /** Hashes of the pages of each read, by the path of its list. */
  readonly #pages: ReadonlyMap<string, readonly string[]>;
  files = 0;
  bytes = 0;

  constructor(store: Store, folder: LocalFolder) {
    this.#store = store;
    this.#folder = folder;
    this.#pages = new Map(folder.archive.readsWithHashes().map((read) => [listPath(read), read.hashes]));
  }

  /** The store already has the pages of runs that it names. */
  skipPagesOf(paths: Iterable<string>): void {
    for (const path of paths) for (const hash of this.#pages.get(path) ?? []) this.#objects.add(hash);
  }

  async #add(file: NamedFile, content: Content): Promise<void> {
    const bytes = await upload(this.#store, file, content);
    this.files += bytes === 0 ? 0 : 1;
    this.bytes += bytes;
  }

  async #object(hash: string, content: () => Promise<Content>): Promise<void> {
    if (this.#objects.has(hash)) return;
    this.#objects.add(hash);
    await this.#add(objectOf(hash), await content());
  }

  /** An archived page. Workers have put theirs into the store, and the run has fetched only those that it parses. */
  async #page(hash: string): Promise<void> {
    const { archive, layout } = this.#folder;
    if (archive.size(hash) !== null) return this.#object(hash, () => archive.read(hash));
    // A service that is killed in the middle of an upload may leave an empty object.
    const size = await this.#store.size(objectName(hash));
    if (size !== null && (size > 0 || hash === sha256(''))) return;
    throw new StoreDamage(
      `page ${hash} of the archive is neither in DATA_DIR ${JSON.stringify(layout.root)} nor in STORE ` +
        `${this.#store.shown}. Nothing was published. Restore the archive from a backup, and run again.`,
    );
  }

  /** @returns hash of the run's list of files */
  async run(paths: readonly string[]): Promise<string> {
    const files: RunFiles = {};
    await atOnce(paths, async (path) => {
      const file = join(this.#folder.layout.root, path);
      if (!path.endsWith('.parquet')) {
        files[path] = { text: (await textOf(this.#folder, path)) ?? '' };
        return;
      }
      const rows = await sha256OfFile(file);
      files[path] = { rows };
      await this.#object(rows, async () => file);
    });
    const pages = new Set(paths.flatMap((path) => this.#pages.get(path) ?? []));
    await atOnce(pages, (hash) => this.#page(hash));
    return storeRunFiles(this.#store, files);
  }

  /** @returns hash of the snapshot's manifest, which is stored last */
  async snapshot(runId: string): Promise<string> {
    const folder = this.#folder.layout.snapshot(runId);
    const path = join(folder, 'manifest.json');
    await atOnce(snapshotFiles(await readJson(path)), ({ file, sha256: hash }) =>
      this.#add({ name: snapshotFileName(runId, file), sha256: hash }, join(folder, file)),
    );
    const hash = await sha256OfFile(path);
    await this.#add({ name: snapshotFileName(runId, 'manifest.json'), sha256: hash }, path);
    return hash;
  }
}

/** The snapshots to upload: this run's, or with an empty store all that are complete. */
async function newSnapshots(layout: Layout, known: Catalog | null, published: string | null): Promise<Set<string>> {
  const wanted = new Set(published === null ? [] : [published]);
  if (known === null)
    for (const runId of await listSnapshots(layout))
      if ((await verifySnapshot(layout, runId)).length === 0) wanted.add(runId);
  return wanted;
}

/**
 * Later versions of reads, of runs that a catalog names, which the store does not have.
 * @throws PublishedElsewhere if another host has stored the same version of one meanwhile
 */
async function newVersions(
  { store, layout, known, pulled }: PushOptions,
  byRun: ReadonlyMap<string, readonly string[]>,
): Promise<string[]> {
  const named = new Set(known?.runs.map((run) => run.run_id));
  const local = [...byRun].flatMap(([runId, paths]) => (named.has(runId) ? paths.filter(isLaterVersion) : []));
  /** False if an older catalog was restored. */
  const isNamed = pulled?.reparses.every((hash) => known?.reparses.includes(hash)) === true;
  const found = new Set(local).difference(new Set(isNamed ? pulled.versions : []));
  if (found.size === 0) return [];
  for (const hash of known?.reparses ?? []) {
    if (pulled?.reparses.includes(hash) === true) continue;
    const clash = Object.keys(await readRunFiles(store, { files: hash })).find((path) => found.has(path));
    if (clash !== undefined)
      throw new PublishedElsewhere(
        `Another host has stored ${clash} in STORE ${store.shown} while this one parsed the same read, so ` +
          `nothing was stored. Run again: it fetches that version to ${layout.root} first.`,
      );
  }
  return [...found];
}

export interface PushOptions extends LocalFolder {
  readonly store: Store;
  /** The catalog that the upload continues. */
  readonly known: Catalog | null;
  /** What this folder has of the store. */
  readonly pulled: Pulled | null;
  /** The run whose snapshot is uploaded as well. */
  readonly published: string | null;
}

/** Upload the runs and versions of reads that a catalog does not name. Nothing names the uploaded files yet. */
export async function push(options: PushOptions): Promise<Pushed> {
  const { store, layout, known, published } = options;
  const byRun = await filesByRun(options);
  const named = new Set(known?.runs.map((run) => run.run_id));
  const work = new Push(store, options);
  const snapshots = await newSnapshots(layout, known, published);
  const ids = [...new Set([...byRun.keys(), ...snapshots])].filter((id) => !named.has(id)).sort(compareRunIds);
  const later = await newVersions(options, byRun);
  if (ids.length > 0) for (const [runId, paths] of byRun) if (named.has(runId)) work.skipPagesOf(paths);
  const runs: CatalogRun[] = [];
  for (const run_id of ids) {
    const files = await work.run(byRun.get(run_id) ?? []);
    runs.push({ run_id, files, manifest: snapshots.has(run_id) ? await work.snapshot(run_id) : null });
  }
  const reparse = later.length === 0 ? null : await work.run(later);
  const versions = [...later, ...ids.flatMap((id) => (byRun.get(id) ?? []).filter(isLaterVersion))];
  return { runs, reparse, versions, files: work.files, bytes: work.bytes };
}
