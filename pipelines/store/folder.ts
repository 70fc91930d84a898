/**
 * A data folder of a host with a store: what it has of the store, in `store.json`, its archive, whose missing pages are
 * in the store, and its reads as hosts exchange them.
 */
import { join } from 'node:path';
import { z } from 'zod';
import { type Archive, type ArchivedRead, type ArchiveOptions, openArchive } from '../../lib/archive.ts';
import { namesIn, readJson, writeWhole } from '../../lib/files.ts';
import { RequestRecord } from '../../lib/request_record.ts';
import { SettingError } from '../../lib/settings.ts';
import { objectOf, readVerified, StoreDamage, type Store } from '../../lib/store/store.ts';
import { ReadRecord } from '../ingest/reads.ts';
import type { Layout } from '../layout.ts';
import { runIdsIn } from '../snapshots.ts';

/** A data folder and its archive. */
export interface Folder {
  readonly layout: Layout;
  readonly archive: Archive;
}

/** What a run read, or a part of it. The pages and rows that it names are objects of the store. */
export const Reads = z.strictObject({ requests: z.array(RequestRecord), reads: z.array(ReadRecord) });
export type Reads = z.infer<typeof Reads>;

/** Write records of requests of other hosts, in place of those that a folder has of the same reads. */
export async function writeRequests(archive: Archive, requests: readonly RequestRecord[]): Promise<void> {
  const byRead = Map.groupBy(requests, ({ source, runId }) => `${source} ${runId}`);
  for (const [first, ...rest] of byRead.values()) if (first) await archive.replaceRead(first, [first, ...rest]);
}

/** The reads in a folder that have a record. */
export async function localReads(layout: Layout): Promise<ArchivedRead[]> {
  const found: ArchivedRead[] = [];
  for (const source of await namesIn(layout.stagedRoot))
    for (const runId of await runIdsIn(layout.staged(source), '.json')) found.push({ source, runId });
  return found;
}

/** The store of a folder, and the hashes of the reads of its catalog that the folder has had. */
const Pulled = z.object({ store: z.string(), lists: z.array(z.string()) });

const pulledFile = (layout: Layout): string => join(layout.root, 'store.json');

const readPulledFile = async (layout: Layout): Promise<z.infer<typeof Pulled> | undefined> =>
  Pulled.safeParse(await readJson(pulledFile(layout))).data;

/** What was pruned in a folder is not fetched again. Null if it has never been used with the store. */
export async function readPulled(layout: Layout, store: Store): Promise<ReadonlySet<string> | null> {
  const saved = await readPulledFile(layout);
  return saved?.store === store.shown ? new Set(saved.lists) : null;
}

/** Remember that a folder has these as well. */
export async function addPulled(layout: Layout, store: Store, runs: readonly { reads: string }[]): Promise<void> {
  const lists = new Set(await readPulled(layout, store)).union(new Set(runs.map(({ reads }) => reads)));
  await writeWhole(pulledFile(layout), `${JSON.stringify({ store: store.shown, lists: [...lists] }, null, 1)}\n`);
}

/**
 * @throws SettingError if the folder continues a store: the next run with that store would set aside snapshots
 * published here
 */
export async function assertWithoutStore(layout: Layout): Promise<void> {
  const saved = await readPulledFile(layout);
  if (saved)
    throw new SettingError(
      `STORE is not set, expected ${saved.store}: DATA_DIR ${JSON.stringify(layout.root)} continues that store. ` +
        `To leave the store, remove ${pulledFile(layout)}`,
    );
}

/** Reads missing pages from a store. @param print called for a page that the store lacks too, or has damaged */
export const objectFetcher =
  (store: Store, print: (message: string) => void): NonNullable<ArchiveOptions['fetchObject']> =>
  (hash) =>
    readVerified(store, objectOf(hash)).catch((error: unknown) => {
      if (!(error instanceof StoreDamage)) throw error;
      print(error.message);
      return null;
    });

/** The archive of a data folder, whose missing pages are in the store if there is one. */
export const openStoredArchive = (
  dataDir: string,
  store: Store | undefined,
  print: (message: string) => void,
): Promise<Archive> => openArchive(dataDir, store === undefined ? {} : { fetchObject: objectFetcher(store, print) });
