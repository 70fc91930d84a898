/**
 * Brings a data folder up to date with its store before a run, so that a run may start on any host, even with an empty
 * disk. It fetches the files that the run reads: records and request lists of all runs, the staged rows in use, and the
 * snapshots that it continues. Archived pages are fetched when they are read (sources/fetch/archive.ts).
 */
import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { readJson, writeWhole } from '../../lib/files.ts';
import { SettingError } from '../../lib/settings.ts';
import { readRunFiles, type Catalog, type CatalogRun } from '../../lib/store/catalog.ts';
import { fetchSnapshot, trimSnapshots } from '../../lib/store/snapshot_cache.ts';
import { downloadMissing, objectOf, StoreDamage, type Store } from '../../lib/store/store.ts';
import { stagedParquet, standingRead, versionOf } from '../ingest/reads.ts';
import { plural } from '../format.ts';
import { compareRunIds, parseRunId, type Layout } from '../layout.ts';
import { atOnce } from '../../lib/at_once.ts';
import { makeCurrent } from '../run/publish.ts';
import { listSnapshots } from '../snapshots.ts';
import { isLaterVersion, runIdOfPath, runIdsIn, stagedSources, writeText, type LocalFolder } from './local_runs.ts';
import { addPulled, readPulled } from './pulled.ts';

/**
 * Write the records and lists that a list of files names; staged rows are fetched when they are needed.
 * @returns the paths that are later versions of reads
 * @throws StoreDamage if it names other files
 */
async function pullList(options: PullOptions, files: string, isNamed: (path: string) => boolean): Promise<string[]> {
  const { store } = options;
  const found = await readRunFiles(store, { files });
  const paths = Object.keys(found).sort();
  const foreign = paths.find((path) => !isNamed(path));
  if (foreign !== undefined)
    throw new StoreDamage(`STORE ${store.shown}: list ${files} names ${JSON.stringify(foreign)}.`);
  // Lists first, so that no record exists without its list, which marks pages of a quarantined read.
  for (const path of paths) {
    const file = found[path];
    if (file && 'text' in file) await writeText(options, path, file.text);
  }
  return paths.filter(isLaterVersion);
}

/** Fetch the staged rows that are in use on a day. */
async function pullRowsInUse(store: Store, layout: Layout, asOf: string): Promise<void> {
  await atOnce(await stagedSources(layout), async (source) => {
    const read = await standingRead(layout, source, asOf);
    if (!read?.parquet) return;
    const path = stagedParquet(layout, source, read.run_id, versionOf(read));
    await downloadMissing(store, objectOf(read.parquet.sha256), path);
  });
}

/** The snapshots that a run of this day reads: the newest of an earlier day, the newest of the day, and the current. */
function chooseSnapshots({ runs, current }: Catalog, asOf: string): CatalogRun[] {
  const published = runs.filter((run) => run.manifest !== null).sort((a, b) => compareRunIds(a.run_id, b.run_id));
  const dayOf = (run: CatalogRun): string => parseRunId(run.run_id)?.asOf ?? '';
  const wanted = [
    published.findLast((run) => dayOf(run) < asOf),
    published.findLast((run) => dayOf(run) === asOf),
    published.find((run) => run.run_id === current),
  ];
  return [...new Set(wanted.filter((run) => run !== undefined))];
}

/** Move away snapshots that the store does not have: their run ended before it published them. */
async function setAsideUnpublished(layout: Layout, { runs }: Catalog, print: (line: string) => void): Promise<void> {
  const published = new Set(runs.filter((run) => run.manifest !== null).map((run) => run.run_id));
  for (const runId of await listSnapshots(layout)) {
    if (published.has(runId)) continue;
    const aside = join(layout.run(runId), 'unpublished');
    await mkdir(layout.run(runId), { recursive: true });
    await rename(layout.snapshot(runId), aside);
    print(`snapshot ${runId} was never published: moved to ${aside}`);
  }
}

export interface PullOptions extends LocalFolder {
  readonly store: Store;
  readonly asOf: string;
  readonly cacheBytes: number;
  readonly print: (line: string) => void;
}

/** A store has one kind of data, as a folder has. */
async function takeKind({ store, layout }: PullOptions, { kind }: Catalog): Promise<void> {
  const local = await readJson(layout.kind);
  if (local === undefined) await writeWhole(layout.kind, `${JSON.stringify(kind)}\n`);
  else if (JSON.stringify(local) !== JSON.stringify(kind))
    throw new SettingError(
      `STORE is ${store.shown}, which has other data than DATA_DIR ${JSON.stringify(layout.root)}; ` +
        'expected another store, or a new folder',
    );
}

/** @throws SettingError if a folder that is new to the store has snapshots that the store does not know */
async function assertSameHistory({ store, layout }: PullOptions, { runs }: Catalog): Promise<void> {
  const named = new Set(runs.map((run) => run.run_id));
  const foreign = (await listSnapshots(layout)).find((runId) => !named.has(runId));
  if (foreign !== undefined)
    throw new SettingError(
      `STORE is ${store.shown}, whose history does not have snapshot ${foreign} of DATA_DIR ` +
        `${JSON.stringify(layout.root)}; expected a new folder, or an empty store for this one`,
    );
}

/** @throws StoreDamage, StoreUnavailable; SettingError if the folder has other data or another history */
export async function pull(options: PullOptions, catalog: Catalog): Promise<void> {
  const { store, layout, asOf, cacheBytes, print } = options;
  await takeKind(options, catalog);
  const pulled = await readPulled(layout, store);
  if (pulled === null) await assertSameHistory(options, catalog);
  const missing = catalog.runs.filter((run) => pulled?.runs.includes(run.run_id) !== true);
  const reparses = catalog.reparses.filter((hash) => pulled?.reparses.includes(hash) !== true);
  const local = new Set(await runIdsIn(layout.runs));
  const versions: string[] = [];
  for (const run of missing)
    versions.push(...(await pullList(options, run.files, (path) => runIdOfPath(path) === run.run_id)));
  for (const hash of reparses)
    versions.push(...(await pullList(options, hash, (path) => runIdOfPath(path) !== null && isLaterVersion(path))));
  const snapshots = chooseSnapshots(catalog, asOf);
  for (const run of snapshots) await fetchSnapshot(store, run, layout.root);
  await pullRowsInUse(store, layout, asOf);
  await setAsideUnpublished(layout, catalog, print);
  if (catalog.current !== null) await makeCurrent(layout, catalog.current);
  if (snapshots.length > 0) await trimSnapshots(layout.root, cacheBytes, new Set(snapshots.map((run) => run.run_id)));
  await addPulled(layout, store, { runs: missing.map((run) => run.run_id), reparses, versions });
  const others = missing.filter((run) => !local.has(run.run_id)).length;
  if (others > 0) print(`store: fetched ${others} runs of other hosts from ${store.shown}`);
  if (reparses.length > 0) print(`store: fetched ${plural(versions.length / 2, 'read')} that make rebuild changed`);
}
