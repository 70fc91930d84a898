/**
 * Writes the Iceberg metadata of a store: `iceberg/<table>/metadata/`, so that an engine that has only the bucket reads
 * the tables. They are written after the catalog, from its snapshots: files under names that nobody has used, then the
 * hint, which is replaced. A crash leaves the version before, whose files are all there; the next run writes what is
 * missing.
 */
import { atOnce } from '../../lib/at_once.ts';
import { sha256 } from '../../lib/files.ts';
import { readCatalog, snapshotFileName, type Catalog } from '../../lib/store/catalog.ts';
import type { Store } from '../../lib/store/store.ts';
import type { Layout } from '../layout.ts';
import { forEachTable, HINT, metadataFile, nextVersion, versionOf, type NextVersion } from '../open_tables/table.ts';

/** Attempts while other runs write the same tables. */
const TRIES = 3;

/** What a catalog says about snapshots. */
type Published = Pick<Catalog, 'current' | 'runs'>;

/** The snapshots of a catalog, to compare: reads of other runs change nothing here. */
const snapshotsOf = ({ current, runs }: Published): string =>
  JSON.stringify([current, runs.filter((run) => run.manifest !== null)]);

interface Change {
  readonly table: string;
  readonly folder: string;
  readonly next: NextVersion;
  readonly version: number;
  /** Names in its folder. */
  readonly names: readonly string[];
}

/** The tables whose metadata change with a catalog. */
async function changesTo(store: Store, layout: Layout, { runs, current }: Published, root: string): Promise<Change[]> {
  const written = [...(await store.list('iceberg/')).keys()];
  const stored = new Map([...(await store.list('snapshots/')), ...(await store.list('parts/'))]);
  const runIds = new Set(runs.filter((run) => run.manifest !== null).map((run) => run.run_id));
  /** A rule of the bucket may have expired the file. */
  const isStored = (runId: string, files: readonly string[]): boolean =>
    runIds.has(runId) && files.length > 0 && files.every((file) => stored.has(snapshotFileName(runId, file)));
  const changes: Change[] = [];
  await forEachTable(layout, root, async (duck, table) => {
    const folder = `iceberg/${table.name}/metadata/`;
    const names = written.filter((name) => name.startsWith(folder)).map((name) => name.slice(folder.length));
    const version = Math.max(0, ...names.map((name) => versionOf(name) ?? 0));
    const bytes = version === 0 ? null : await store.read(`${folder}${metadataFile(version)}`);
    const published = table.published.filter(({ run_id: runId, tables }) =>
      isStored(runId, tables[table.name]?.files.map(({ file }) => file) ?? []),
    );
    const next = await nextVersion(
      duck,
      layout,
      { ...table, nameOf: snapshotFileName, published },
      {
        current: current ?? '',
        latest: bytes === null ? '' : new TextDecoder().decode(bytes),
        hasElsewhere: ({ run, files }) => isStored(run, files.split(' ')),
      },
    );
    if (next) changes.push({ table: table.name, folder, next, version, names });
  });
  return changes;
}

/** @returns false if another run has written this version */
async function writeChange(store: Store, { folder, next, version, names }: Change): Promise<boolean> {
  const put = (name: string, content: string | Uint8Array): Promise<void> => {
    const bytes = Buffer.from(content);
    return store.put({ name: `${folder}${name}`, sha256: sha256(bytes) }, bytes);
  };
  for (const [name, content] of next.files) await put(name, content);
  if (!(await store.create(`${folder}${metadataFile(version + 1)}`, next.text))) return false;
  await put(HINT, String(version + 1));
  for (const name of next.removable(names, version + 1)) await store.remove(`${folder}${name}`);
  return true;
}

/**
 * Write missing Iceberg metadata of a store.
 * @param catalog the published one. If another run has published since, nothing is written: that run writes its tables
 * @param url where readers find the store
 * @returns names of the tables whose metadata changed
 */
export async function writeStoredTables(
  store: Store,
  layout: Layout,
  catalog: Published,
  url = store.url,
): Promise<readonly string[]> {
  const written: string[] = [];
  let isComplete = false;
  for (let attempt = 1; attempt <= TRIES && !isComplete; attempt += 1) {
    const changes = await changesTo(store, layout, catalog, url);
    // List first, then read the catalog: of two runs, the later one either sees the files of the other or fails to
    // create its own.
    const now = (await readCatalog(store))?.catalog;
    if (now === undefined || snapshotsOf(now) !== snapshotsOf(catalog)) break;
    isComplete = true;
    await atOnce(changes, async (change) => {
      if (await writeChange(store, change)) written.push(change.table);
      else isComplete = false;
    });
  }
  return written.sort();
}
