/**
 * A run's use of its store. It brings its folder up to date, claims its run id, and publishes: pages and rows, the
 * snapshot's files, its manifest, then the catalog by one conditional write. A crash before that write publishes
 * nothing; the next run uploads what is missing. Of two runs that continue the same catalog, one publishes.
 */
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { type Archive, openArchive } from '../../lib/archive.ts';
import { readJson } from '../../lib/files.ts';
import { SettingError } from '../../lib/settings.ts';
import { readCatalog, switchCatalog, type Catalog, type ReadCatalog } from '../../lib/store/catalog.ts';
import { readSuppressed, writeSuppressed } from '../../lib/suppressions.ts';
import { openStore, STORE_CACHE_BYTES } from '../../lib/store/open.ts';
import { PublishedElsewhere, type Store } from '../../lib/store/store.ts';
import { bytesShort, number } from '../format.ts';
import { removeSegments } from '../jobs/segments.ts';
import { compareRunIds, type Layout } from '../layout.ts';
import { addPulled, assertWithoutStore } from './folder.ts';
import { pull } from './pull.ts';
import { push } from './push.ts';
import { writeStoredTables } from './stored_tables.ts';

/** Attempts to add this run's reads to the catalog while other runs write it. */
const TRIES = 5;

export interface RunStore {
  /** Bring the folder up to date for a run of this day. */
  pull(asOf: string): Promise<void>;
  /** @returns false if another run has this id */
  claim(runId: string): Promise<boolean>;
  /** Store a run's reads and its snapshot, and make it current. @throws PublishedElsewhere */
  publish(runId: string): Promise<void>;
  /**
   * Write the Iceberg metadata of the store.
   * @param url where readers find the store. Default: its address
   */
  writeTables(url?: string): Promise<void>;
  /** Store the reads of a run that publishes nothing. @throws PublishedElsewhere */
  addReads(): Promise<void>;
  /** Bytes of an archived page. */
  readonly store: Store;
  close(): void;
}

export interface RunStoreOptions {
  readonly store: Store;
  readonly layout: Layout;
  /** Bytes of fetched snapshots that stay. Default: STORE_CACHE_BYTES. */
  readonly cacheBytes?: number;
  readonly print: (line: string) => void;
}

/** The newer of two snapshots: a run of an earlier day does not replace the current one. */
const later = (current: string | null, runId: string): string =>
  current !== null && compareRunIds(current, runId) > 0 ? current : runId;

export function createRunStore({ store, layout, print, cacheBytes = STORE_CACHE_BYTES }: RunStoreOptions): RunStore {
  /** The catalog that the run continues. */
  let before: ReadCatalog | null = null;
  /** What the run has published. */
  let publication: Pick<Catalog, 'current' | 'runs'> | undefined;

  /** Opened for each step: the run and its reads have an archive of their own. */
  const withArchive = async <T>(work: (archive: Archive) => Promise<T>): Promise<T> => {
    const archive = await openArchive(layout.root);
    try {
      return await work(archive);
    } finally {
      await archive.close();
    }
  };

  const add = async (published: string | null): Promise<boolean> => {
    const known = before?.catalog ?? null;
    const { runs, files, bytes } = await withArchive((archive) => push({ store, layout, archive, known, published }));
    const suppressed = await readSuppressed(layout.root);
    const isSame = JSON.stringify(suppressed) === JSON.stringify(known?.suppressed ?? []);
    if (runs.length === 0 && isSame) return true;
    const newest = published ?? (known === null ? runs.findLast((run) => run.manifest !== null)?.run_id : undefined);
    const next = {
      kind: (await readJson(layout.kind)) ?? null,
      current: newest === undefined ? (known?.current ?? null) : later(known?.current ?? null, newest),
      suppressed: [...suppressed],
      runs: [...(known?.runs ?? []), ...runs],
    };
    if (!(await switchCatalog(store, before, next))) return false;
    // Only these: the catalog may name runs of other hosts that this folder has not fetched.
    await addPulled(
      layout,
      store,
      runs.map((run) => run.reads),
    );
    await removeSegments(
      store,
      runs.map((run) => run.run_id),
    );
    // The publication ends the run: a later failure must not report it as unpublished.
    if (published === null) before = await readCatalog(store);
    else publication = next;
    print(`stored     ${number(files)} files, ${bytesShort(bytes)}, in ${store.shown}`);
    return true;
  };

  const addReads = async (): Promise<void> => {
    for (let attempt = 1; attempt <= TRIES; attempt += 1) {
      if (await add(null)) return;
      before = await readCatalog(store);
    }
    throw new PublishedElsewhere(`STORE ${store.shown}: other runs keep changing its catalog. Run again later.`);
  };

  return {
    store,
    async pull(asOf) {
      before = await readCatalog(store);
      const options = { store, layout, asOf, cacheBytes, print };
      const catalog = before?.catalog;
      if (catalog) await writeSuppressed(layout.root, catalog.suppressed);
      if (catalog) await withArchive((archive) => pull({ ...options, archive }, catalog));
      // Reads that an earlier run of this folder could not store.
      await addReads();
    },
    async claim(runId) {
      const text = (): string => `${JSON.stringify({ host: hostname(), process: process.pid, claim: randomUUID() })}\n`;
      if (!(await store.create(`runs/${runId}`, text()))) return false;
      // A second claim of the same id must fail.
      if (!(await store.create(`runs/${runId}`, text()))) return true;
      throw new SettingError(
        `STORE is ${store.shown}, which ignores conditional writes (If-None-Match): two runs could overwrite each ` +
          'other. Expected a service that supports them',
      );
    },
    async publish(runId) {
      if (await add(runId)) return;
      before = await readCatalog(store);
      await rm(layout.snapshot(runId), { recursive: true, force: true });
      const winner = before?.catalog.runs.at(-1)?.run_id ?? 'another run';
      await addReads();
      throw new PublishedElsewhere(
        `Run ${winner} published to STORE ${store.shown} while this run worked, so run ${runId} published nothing. ` +
          `Its pages and rows are stored. Run again: it continues from there.`,
      );
    },
    async writeTables(url) {
      const catalog = publication ?? before?.catalog;
      if (catalog) await writeStoredTables(store, layout, catalog, url);
    },
    addReads,
    close: () => {
      store.close();
    },
  };
}

/** The run's store; undefined without STORE. @throws SettingError if STORE is unset and the folder continues one */
export async function openRunStore(
  { STORE }: { readonly STORE?: string | undefined },
  layout: Layout,
  print: (line: string) => void,
): Promise<RunStore | undefined> {
  if (STORE === undefined) {
    await assertWithoutStore(layout);
    return undefined;
  }
  return createRunStore({ store: await openStore(STORE, undefined, print), layout, print });
}
