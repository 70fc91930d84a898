/**
 * Brings a data folder up to date with its store before a run, so that a run may start on any host, even with an empty
 * disk. It fetches what the run reads: the records of all runs, the staged rows in use, and the snapshots that it
 * continues. Archived pages are fetched when they are read.
 */
import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { atOnce } from '../../lib/at_once.ts';
import { namesIn, readJson, writeWhole } from '../../lib/files.ts';
import { SettingError } from '../../lib/settings.ts';
import type { Catalog, CatalogRun } from '../../lib/store/catalog.ts';
import { STORE_CACHE_BYTES } from '../../lib/store/open.ts';
import { fetchSnapshot, trimSnapshots } from '../../lib/store/snapshot_cache.ts';
import { downloadMissing, objectOf, readPacked, StoreDamage, type Store } from '../../lib/store/store.ts';
import { stagedParquet, standingRead, versionOf, writeRead, type ReadRecord } from '../ingest/reads.ts';
import { compareRunIds, parseRunId, type Layout } from '../layout.ts';
import { makeCurrent } from '../run/publish.ts';
import { listSnapshots, runIdsIn } from '../snapshots.ts';
import { addPulled, readPulled, Reads, writeRequests, type Folder } from './folder.ts';

export interface PullOptions extends Folder {
  readonly store: Store;
  readonly asOf: string;
  readonly print: (line: string) => void;
}

/** Write the reads of a run. @throws StoreDamage */
async function pullReads({ store, layout, archive }: PullOptions, run: CatalogRun): Promise<void> {
  const { reads: hash, run_id: runId } = run;
  const { requests, reads } = await readPacked(store, objectOf(hash), Reads);
  const named = [
    ...reads.map((read) => [read.source, read.run_id] as const),
    ...requests.map((request) => [request.source, request.runId] as const),
  ];
  if (named.some(([source, id]) => !/^[\w-]+$/u.test(source) || id !== runId))
    throw new StoreDamage(`STORE ${store.shown}: object ${hash} has reads of another run.`);
  // Requests first: they mark the pages of a quarantined read. Staged rows are fetched when they are needed.
  await writeRequests(archive, requests);
  for (const read of reads) await writeRead(layout, read);
}

/** Fetch the staged rows of a read, unless the folder has them. @throws StoreDamage */
export async function pullRows(store: Store, layout: Layout, read: ReadRecord): Promise<void> {
  if (read.parquet === null) return;
  const path = stagedParquet(layout, read.source, read.run_id, versionOf(read));
  await downloadMissing(store, objectOf(read.parquet.sha256), path);
}

/** The snapshots that a run of this day reads: the newest of an earlier day, the newest of the day, and the current. */
function chooseSnapshots(catalog: Catalog, asOf: string): readonly CatalogRun[] {
  const published = catalog.runs
    .filter(({ manifest }) => manifest !== null)
    .sort((a, b) => compareRunIds(a.run_id, b.run_id));
  const dayOf = (run: CatalogRun): string => parseRunId(run.run_id)?.asOf ?? '';
  const wanted = [
    published.findLast((run) => dayOf(run) < asOf),
    published.findLast((run) => dayOf(run) === asOf),
    published.find((run) => run.run_id === catalog.current),
  ];
  return [...new Set(wanted.filter((run) => run !== undefined))];
}

/** Move away snapshots that the store does not have: their run ended before it published them. */
async function setAsideUnpublished({ layout, print }: PullOptions, catalog: Catalog): Promise<void> {
  const isPublished = (id: string): boolean => catalog.runs.some((run) => run.run_id === id && run.manifest !== null);
  for (const runId of (await listSnapshots(layout)).filter((id) => !isPublished(id))) {
    const aside = join(layout.run(runId), 'unpublished');
    await mkdir(layout.run(runId), { recursive: true });
    await rename(layout.snapshot(runId), aside);
    print(`snapshot ${runId} was never published: moved to ${aside}`);
  }
}

/** @throws SettingError if the folder has other data, or is new to the store and has snapshots that it does not know */
async function assertSameData({ store, layout }: PullOptions, catalog: Catalog, isNew: boolean): Promise<void> {
  const refuse = (why: string): never => {
    throw new SettingError(`STORE is ${store.shown}, ${why}`);
  };
  const [local, folder] = [await readJson(layout.kind), JSON.stringify(layout.root)];
  if (local === undefined) await writeWhole(layout.kind, `${JSON.stringify(catalog.kind)}\n`);
  else if (JSON.stringify(local) !== JSON.stringify(catalog.kind))
    refuse(`which has other data than DATA_DIR ${folder}; expected another store, or a new folder`);
  const named = catalog.runs.map((run) => run.run_id);
  const foreign = isNew ? (await listSnapshots(layout)).find((runId) => !named.includes(runId)) : undefined;
  if (foreign !== undefined)
    refuse(
      `whose history does not have snapshot ${foreign} of DATA_DIR ${folder}; expected a new folder, or an empty ` +
        'store for this one',
    );
}

/** @throws StoreDamage, StoreUnavailable; SettingError if the folder has other data or another history */
export async function pull(options: PullOptions, catalog: Catalog): Promise<void> {
  const { store, layout, asOf, print } = options;
  const pulled = await readPulled(layout, store);
  await assertSameData(options, catalog, pulled === null);
  const local = await runIdsIn(layout.runs);
  const runs = catalog.runs.filter((run) => pulled?.has(run.reads) !== true);
  for (const run of runs) await pullReads(options, run);
  const snapshots = chooseSnapshots(catalog, asOf);
  for (const run of snapshots) await fetchSnapshot(store, run, layout.root, 'all');
  await atOnce(await namesIn(layout.stagedRoot), async (source) => {
    const read = await standingRead(layout, source, asOf);
    if (read) await pullRows(store, layout, read);
  });
  await setAsideUnpublished(options, catalog);
  if (catalog.current !== null) await makeCurrent(layout, catalog.current);
  const needed = snapshots.map((run) => run.run_id);
  if (needed.length > 0) await trimSnapshots(layout.root, STORE_CACHE_BYTES, needed);
  await addPulled(layout, store, runs);
  const others = runs.filter((run) => !local.includes(run.run_id)).length;
  if (others > 0) print(`store: fetched ${others} runs of other hosts from ${store.shown}`);
}
