/**
 * Snapshots of the store as folders of a data folder: all of their files, for a host that builds, or the manifest and
 * the serving files, for one that serves. A snapshot gets its name when each of its files has the hash that its
 * manifest states, and the manifest that of the catalog. Fetched folders are marked: they may be removed, because the
 * store has them.
 */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import {
  filesIn,
  isShared,
  makeFolder,
  readJson,
  removedAtEnd,
  share,
  sizeOfFiles,
  sync,
  writeWhole,
} from '../files.ts';
import { HOUR_MS } from '../time.ts';
import { isVerified, markVerified } from '../verified.ts';
import { manifestOf, snapshotFileName, type CatalogRun } from './catalog.ts';
import { downloadVerified, hasContent, type Store } from './store.ts';

/** Prefix of a folder until it is complete. */
const FETCHING = '.fetching-';
/** File in a folder that was fetched, with what was. */
const MARK = 'fetched';
/** What a host needs of a snapshot. */
type Part = 'all' | 'serving';

const File = z.object({ file: z.string().regex(/^[\w.-]+$/u), bytes: z.int(), sha256: z.string() });
type SnapshotFile = z.infer<typeof File>;
const Stated = z.object({
  tables: z.record(z.string(), z.object({ files: z.array(File) })),
  database: File,
  serving: z.array(File),
});

/** The files of a snapshot besides its manifest, as the manifest states them. */
export function snapshotFiles(manifest: unknown, part: Part = 'all'): readonly SnapshotFile[] {
  const { tables, database, serving } = Stated.parse(manifest);
  return part === 'serving' ? serving : [...Object.values(tables).flatMap(({ files }) => files), database, ...serving];
}

/** What a folder has of its snapshot: all, if it was published here; null if it was not fetched completely. */
async function partIn(folder: string): Promise<Part | null> {
  const mark = await readFile(join(folder, MARK), 'utf8').catch(() => null);
  if (mark !== null) return mark === 'serving' ? 'serving' : 'all';
  return existsSync(join(folder, 'manifest.json')) ? 'all' : null;
}

/** The files that a folder of a snapshot must have: on a host that serves those of the serving files only. */
export const filesOf = async (folder: string, manifest: unknown): Promise<readonly SnapshotFile[]> =>
  snapshotFiles(manifest, (await partIn(folder)) ?? 'all');

/**
 * Fetch a snapshot, or its serving files, into `<dataDir>/snapshots/<run id>`, unless they are there.
 * @throws StoreDamage, StoreUnavailable; a new folder then does not exist
 */
export async function fetchSnapshot(store: Store, run: CatalogRun, dataDir: string, part: Part): Promise<void> {
  const root = join(dataDir, 'snapshots');
  const target = join(root, run.run_id);
  const manifest = manifestOf(run);
  const found = await partIn(target);
  if (manifest === undefined || found === 'all' || found === part) return;
  const fetching = join(root, `${FETCHING}${run.run_id}-${randomUUID()}`);
  await using _removed = removedAtEnd(fetching);
  // The rest of a snapshot that is served comes into its folder.
  const folder = found === null ? fetching : target;
  await makeFolder(folder);
  await downloadVerified(store, manifest, join(folder, 'manifest.json'));
  const files = snapshotFiles(await readJson(join(folder, 'manifest.json')), part);
  for (const stated of files.filter(({ file }) => !existsSync(join(folder, file))))
    if (!(await shareLocal(root, stated, folder))) {
      const name = snapshotFileName(run.run_id, stated.file);
      await downloadVerified(store, { name, sha256: stated.sha256 }, join(folder, stated.file));
    }
  await markVerified(folder, files);
  await writeWhole(join(folder, MARK), part);
  await sync(folder);
  if (folder === fetching)
    await rename(fetching, target).catch((error: NodeJS.ErrnoException) => {
      // Another process of this host has fetched it.
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
  await sync(root);
}

/** Give a folder a shared file that another snapshot here has, newest first, with its hash. @returns whether one has */
async function shareLocal(root: string, stated: SnapshotFile, folder: string): Promise<boolean> {
  const others = isShared(stated.file) ? (await readdir(root)).filter((name) => !name.startsWith('.')) : [];
  for (const other of others.sort().reverse()) {
    const from = join(root, other, stated.file);
    if (!existsSync(from)) continue;
    if (!(await isVerified(join(root, other), stated)) && !(await hasContent(from, stated.sha256))) continue;
    await share(from, join(folder, stated.file));
    return true;
  }
  return false;
}

/**
 * Remove fetched snapshots, oldest first, until they have at most this many bytes, and leftovers of killed fetches.
 * @param needed run ids that stay
 */
export async function trimSnapshots(dataDir: string, maxBytes: number, needed: readonly string[]): Promise<void> {
  const root = join(dataDir, 'snapshots');
  const kept: string[] = [];
  for (const name of (await readdir(root)).sort().reverse()) {
    const folder = join(root, name);
    const isFetching = name.startsWith(FETCHING);
    // A fetch that has not ended after an hour was killed.
    const isLeftover = isFetching && Date.now() - (await stat(folder)).mtimeMs > HOUR_MS;
    const isFetched = !isFetching && existsSync(join(folder, MARK));
    if (isFetched) kept.push(...(await filesIn(folder)));
    const isTooMuch = isFetched && !needed.includes(name) && (await sizeOfFiles(kept)) > maxBytes;
    if (isLeftover || isTooMuch) await rm(folder, { recursive: true, force: true });
  }
}
