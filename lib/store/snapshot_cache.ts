/**
 * Snapshots of the store as folders of a data folder. A snapshot gets its name when each of its files has the hash that
 * its manifest states, and the manifest that of the catalog. Fetched folders are marked: they may be removed, because
 * the store has them.
 */
import { randomUUID } from 'node:crypto';
import { access, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { makeFolder, readJson, share, sync } from '../files.ts';
import { HOUR_MS } from '../time.ts';
import { markVerified } from '../verified.ts';
import { manifestOf, snapshotFileName, type CatalogRun } from './catalog.ts';
import { downloadVerified, type Store } from './store.ts';

/** Prefix of a folder until it is complete. */
const FETCHING = '.fetching-';
/** File in a folder that was fetched. */
const MARK = 'fetched';
/** A fetch that has not ended after this time was killed. */
const LEFTOVER_MS = HOUR_MS;

const File = z.object({ file: z.string().regex(/^[\w.-]+$/u), bytes: z.int(), sha256: z.string() });
export type SnapshotFile = z.infer<typeof File>;
const Stated = z.object({
  tables: z.record(z.string(), z.object({ files: z.array(File) })),
  database: File,
  serving: z.array(File),
});

/** The files of a snapshot besides its manifest, as the manifest states them. */
export function snapshotFiles(manifest: unknown): readonly SnapshotFile[] {
  const { tables, database, serving } = Stated.parse(manifest);
  return [...Object.values(tables).flatMap(({ files }) => files), database, ...serving];
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/**
 * Fetch a snapshot into `<dataDir>/snapshots/<run id>`, unless it is there.
 * @throws StoreDamage, StoreUnavailable; the folder then does not exist
 */
export async function fetchSnapshot(store: Store, run: CatalogRun, dataDir: string): Promise<void> {
  const target = join(dataDir, 'snapshots', run.run_id);
  const manifest = manifestOf(run);
  if (manifest === undefined || (await exists(join(target, 'manifest.json')))) return;
  const fetching = join(dataDir, 'snapshots', `${FETCHING}${run.run_id}-${randomUUID()}`);
  await makeFolder(fetching);
  try {
    await downloadVerified(store, manifest, join(fetching, 'manifest.json'));
    const files = snapshotFiles(await readJson(join(fetching, 'manifest.json')));
    for (const { file, sha256 } of files) {
      const name = snapshotFileName(run.run_id, file);
      if (name !== snapshotFileName('', file) || !(await shareFetched(dataDir, file, fetching)))
        await downloadVerified(store, { name, sha256 }, join(fetching, file));
    }
    await markVerified(fetching, files);
    await writeFile(join(fetching, MARK), '');
    await sync(fetching);
    await rename(fetching, target).catch(async (error: NodeJS.ErrnoException) => {
      // Another process of this host has fetched it.
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
    await sync(join(dataDir, 'snapshots'));
  } finally {
    await rm(fetching, { recursive: true, force: true });
  }
}

/** Give a folder a part that another snapshot here has. @returns whether one has it */
async function shareFetched(dataDir: string, file: string, folder: string): Promise<boolean> {
  for (const runId of await readdir(join(dataDir, 'snapshots'))) {
    const from = join(dataDir, 'snapshots', runId, file);
    if (runId.startsWith('.') || !(await exists(from))) continue;
    await share(from, join(folder, file));
    return true;
  }
  return false;
}

async function bytesOf(folder: string): Promise<number> {
  let bytes = 0;
  for (const name of await readdir(folder)) bytes += (await stat(join(folder, name))).size;
  return bytes;
}

/**
 * Remove fetched snapshots, oldest first, until they have at most this many bytes, and leftovers of killed fetches.
 * @param needed run ids that stay
 */
export async function trimSnapshots(dataDir: string, maxBytes: number, needed: ReadonlySet<string>): Promise<void> {
  const root = join(dataDir, 'snapshots');
  const fetched: { readonly folder: string; readonly bytes: number }[] = [];
  for (const name of (await readdir(root)).sort().reverse()) {
    const folder = join(root, name);
    if (name.startsWith(FETCHING)) {
      if (Date.now() - (await stat(folder)).mtimeMs > LEFTOVER_MS) await rm(folder, { recursive: true, force: true });
    } else if (await exists(join(folder, MARK))) fetched.push({ folder, bytes: await bytesOf(folder) });
  }
  let bytes = 0;
  for (const each of fetched) {
    bytes += each.bytes;
    if (bytes > maxBytes && ![...needed].some((id) => each.folder === join(root, id)))
      await rm(each.folder, { recursive: true, force: true });
  }
}
