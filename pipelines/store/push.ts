/** Uploads what the store lacks of a data folder: runs, archived pages, snapshots. */
import { join } from 'node:path';
import { atOnce } from '../../lib/at_once.ts';
import { contentOf, readJson, sha256 } from '../../lib/files.ts';
import { snapshotFileName, type Catalog, type CatalogRun } from '../../lib/store/catalog.ts';
import { snapshotFiles } from '../../lib/store/snapshot_cache.ts';
import { objectOf, putPacked, StoreDamage, type NamedFile, type Store } from '../../lib/store/store.ts';
import { readRecord, trustedRows } from '../ingest/reads.ts';
import { compareRunIds, parseRunId, type Layout } from '../layout.ts';
import { listSnapshots, verifySnapshot } from '../snapshots.ts';
import { localReads, type Folder, type Reads } from './folder.ts';

/** A file that the store must have. */
interface Needed extends NamedFile {
  /** Its path here, or its bytes; undefined if this folder does not have it, because a worker has stored it. */
  readonly content?: string | (() => Promise<Uint8Array>);
  /** Length of the content. */
  readonly bytes?: number;
}

const EMPTY = sha256('');

/** The files that the store lacks, or has in another length: one listing for each of their folders. */
async function missingIn<T extends Needed>(store: Store, files: readonly T[]): Promise<readonly T[]> {
  const missing: T[] = [];
  const byFolder = Map.groupBy(files, ({ name }) => name.slice(0, name.lastIndexOf('/') + 1));
  await atOnce(byFolder, async ([folder, inFolder]) => {
    const sizes = await store.list(folder);
    for (const file of inFolder) {
      const size = sizes.get(file.name) ?? -1;
      // A service that is killed in the middle of an upload may leave an empty object.
      const isWhole = file.bytes === undefined ? size > 0 || file.sha256 === EMPTY : size === file.bytes;
      if (size < 0 || !isWhole) missing.push(file);
    }
  });
  return missing;
}

/** Names of those of a snapshot's files that a store lacks, or does not have in their length. */
export async function missingFiles(store: Store, runId: string, manifest: unknown): Promise<readonly string[]> {
  const files = snapshotFiles(manifest).map((one) => ({ ...one, name: snapshotFileName(runId, one.file) }));
  return (await missingIn(store, files)).map(({ name }) => name).sort();
}

/** Upload what the store lacks. @returns files and bytes that were sent @throws StoreDamage if it then lacks some */
async function upload(store: Store, layout: Layout, files: readonly Needed[]) {
  const missing = await missingIn(store, files);
  const lost = missing.find(({ content }) => content === undefined);
  if (lost)
    throw new StoreDamage(
      `page ${lost.sha256} of the archive is neither in DATA_DIR ${JSON.stringify(layout.root)} nor in STORE ` +
        `${store.shown}. Nothing was published. Restore the archive from a backup, and run again.`,
    );
  await atOnce(missing, async ({ content, ...file }) => {
    if (typeof content === 'string') await store.putFile(file, content);
    else if (content) await store.put(file, await content());
  });
  const [wrong] = await missingIn(store, missing);
  if (wrong)
    throw new StoreDamage(
      `STORE ${store.shown}: ${wrong.name} does not have its ${wrong.bytes ?? 0} bytes after its upload. ` +
        'Nothing was published. Run again.',
    );
  return { files: missing.length, bytes: missing.reduce((sum, { bytes = 0 }) => sum + bytes, 0) };
}

export interface PushOptions extends Folder {
  readonly store: Store;
  /** The catalog that the upload continues. */
  readonly known: Catalog | null;
  /** The run whose snapshot is uploaded as well. */
  readonly published: string | null;
}

/** The snapshots to upload: this run's, or with an empty store all that are complete. */
async function newSnapshots({ layout, known, published }: PushOptions): Promise<ReadonlySet<string>> {
  const wanted = new Set(published === null ? [] : [published]);
  for (const runId of known === null ? await listSnapshots(layout) : [])
    if ((await verifySnapshot(layout, runId)).length === 0) wanted.add(runId);
  return wanted;
}

/** The files of a snapshot, its manifest last. */
async function filesOfSnapshot(layout: Layout, runId: string): Promise<Needed[]> {
  const pathOf = (file: string): string => join(layout.snapshot(runId), file);
  const path = pathOf('manifest.json');
  const manifest = { file: 'manifest.json', ...(await contentOf(path)) };
  const files = [...snapshotFiles(await readJson(path)), manifest];
  return files.map(({ file, ...rest }) => ({ ...rest, name: snapshotFileName(runId, file), content: pathOf(file) }));
}

/** Upload the runs that a catalog does not name. Nothing names the uploaded files yet. @throws DamagedFile */
export async function push(options: PushOptions) {
  const { store, layout, archive, known } = options;
  const named = new Set(known?.runs.map((run) => run.run_id));
  const snapshots = await newSnapshots(options);
  const archived = archive.readsWithHashes();
  const local = await localReads(layout);
  const ids = new Set([...archived.map((read) => read.runId), ...local.map((read) => read.runId), ...snapshots]);
  const needed: Needed[] = [];
  // The store has the pages of the runs that it names.
  const pages = new Set<string>();
  const stored = new Set(archived.flatMap(({ runId, hashes }) => (named.has(runId) ? hashes : [])));
  const runs: CatalogRun[] = [];
  for (const run_id of [...ids].filter((id) => parseRunId(id) !== null && !named.has(id)).sort(compareRunIds)) {
    const { requests, reads }: Reads = { requests: [], reads: [] };
    for (const { source } of local.filter(({ runId }) => runId === run_id)) {
      const read = await readRecord(layout, source, run_id);
      const content = read && (await trustedRows(layout, read));
      if (read) reads.push(read);
      if (content !== undefined && read?.parquet)
        needed.push({ ...objectOf(read.parquet.sha256), bytes: read.parquet.bytes, content });
    }
    for (const { source, hashes } of archived.filter(({ runId }) => runId === run_id)) {
      requests.push(...(await archive.records(source, run_id)));
      for (const hash of hashes) if (!stored.has(hash)) pages.add(hash);
    }
    const files = snapshots.has(run_id) ? await filesOfSnapshot(layout, run_id) : [];
    needed.push(...files);
    const { sha256: hash } = await putPacked(store, { requests, reads });
    runs.push({ run_id, reads: hash, manifest: files.at(-1)?.sha256 ?? null });
  }
  for (const hash of [...pages].filter((one) => !archive.isErased(one))) {
    const bytes = archive.size(hash);
    // Workers have put theirs into the store.
    needed.push(bytes === null ? objectOf(hash) : { ...objectOf(hash), bytes, content: () => archive.read(hash) });
  }
  const sent = await upload(store, layout, [...new Map(needed.map((file) => [file.name, file])).values()]);
  return { runs, ...sent };
}
