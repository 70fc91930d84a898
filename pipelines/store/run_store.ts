/**
 * A run's use of its store. It brings its folder up to date, reserves its run id, and publishes: pages and rows, the
 * snapshot's files, its manifest, then the catalog by one conditional write. A crash before that write publishes
 * nothing; the next run uploads what is missing. Of two runs that continue the same catalog, one publishes.
 */
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { openArchive } from '../../lib/archive.ts';
import { closing } from '../../lib/closing.ts';
import { readJson } from '../../lib/files.ts';
import { SettingError } from '../../lib/settings.ts';
import { currentRun, manifestOf, readCatalog, switchCatalog } from '../../lib/store/catalog.ts';
import type { Catalog, CatalogRun, ReadCatalog } from '../../lib/store/catalog.ts';
import { readSuppressed, writeSuppressed } from '../../lib/suppressions.ts';
import { openStore } from '../../lib/store/open.ts';
import { PublishedElsewhere, readVerified, StoreDamage, StoreUnavailable } from '../../lib/store/store.ts';
import type { Store } from '../../lib/store/store.ts';
import { bytesShort, number } from '../format.ts';
import { removeSegments } from '../jobs/segments.ts';
import { compareRunIds, type Layout } from '../layout.ts';
import { problem } from '../operate/problems.ts';
import { addPulled, assertWithoutStore } from './folder.ts';
import { pull } from './pull.ts';
import { missingFiles, push } from './push.ts';
import { writeStoredTables } from '../open_tables/table.ts';

/** Attempts to add this run's reads to the catalog while other runs write it. */
const TRIES = 5;

export interface RunStoreOptions {
  readonly store: Store;
  readonly layout: Layout;
  readonly print: (line: string) => void;
}

export class RunStore {
  readonly store: Store;
  readonly #options: RunStoreOptions;
  /** The catalog that the run continues. */
  #before: ReadCatalog | null = null;
  /** What the run has published. */
  #publication: Pick<Catalog, 'current' | 'runs'> | undefined;

  constructor(options: RunStoreOptions) {
    this.store = options.store;
    this.#options = options;
  }

  /** Bring the folder up to date for a run of this day. */
  async pull(asOf: string): Promise<void> {
    const { layout } = this.#options;
    this.#before = await readCatalog(this.store);
    const catalog = this.#before?.catalog;
    if (catalog) {
      await writeSuppressed(layout.root, catalog.suppressed);
      await using archive = closing(await openArchive(layout.root));
      await pull({ ...this.#options, asOf, archive }, catalog);
    }
    // Reads that an earlier run of this folder could not store.
    await this.addReads();
  }

  /** @returns false if another run has this id */
  async reserve(runId: string): Promise<boolean> {
    const create = (): Promise<boolean> => {
      const use = { host: hostname(), process: process.pid, id: randomUUID() };
      return this.store.create(`runs/${runId}`, `${JSON.stringify(use)}\n`);
    };
    if (!(await create())) return false;
    // A second run that reserves the same id must fail.
    if (!(await create())) return true;
    throw new SettingError(
      `STORE is ${this.store.shown}, which ignores conditional writes (If-None-Match): two runs could overwrite each ` +
        'other. Expected a service that supports them',
    );
  }

  /** Store a run's reads and its snapshot, and make it current. @throws PublishedElsewhere */
  async publish(runId: string): Promise<void> {
    if (await this.#add(runId)) return;
    this.#before = await readCatalog(this.store);
    await rm(this.#options.layout.snapshot(runId), { recursive: true, force: true });
    const winner = this.#before?.catalog.runs.at(-1)?.run_id ?? 'another run';
    await this.addReads();
    throw new PublishedElsewhere(
      `Run ${winner} published to STORE ${this.store.shown} while this run worked, so run ${runId} published ` +
        'nothing. Its pages and rows are stored. Run again: it continues from there.',
    );
  }

  /** Write the Iceberg metadata of the store. @param url where readers find the store. Default: its address */
  async writeTables(url?: string): Promise<void> {
    const catalog = this.#publication ?? this.#before?.catalog;
    if (catalog) await writeStoredTables(this.store, this.#options.layout, catalog, url);
  }

  /** Store the reads of a run that publishes nothing. @throws PublishedElsewhere */
  async addReads(): Promise<void> {
    for (let attempt = 1; attempt <= TRIES; attempt += 1) {
      if (await this.#add(null)) return;
      this.#before = await readCatalog(this.store);
    }
    throw new PublishedElsewhere(`STORE ${this.store.shown}: other runs keep changing its catalog. Run again later.`);
  }

  close(): void {
    this.store.close();
  }

  /** Store what the catalog lacks. @param published run of the new snapshot @returns false if another run was first */
  async #add(published: string | null): Promise<boolean> {
    const { store, layout, print } = this.#options;
    const known = this.#before?.catalog ?? null;
    // Opened for each step: the run and its reads have an archive of their own.
    await using archive = closing(await openArchive(layout.root));
    const { runs, files, bytes } = await push({ store, layout, archive, known, published });
    const suppressed = [...(await readSuppressed(layout.root))];
    if (runs.length === 0 && JSON.stringify(suppressed) === JSON.stringify(known?.suppressed ?? [])) return true;
    const newest = published ?? (known === null ? runs.findLast((run) => run.manifest !== null)?.run_id : undefined);
    // A run of an earlier day does not replace the current snapshot.
    const current = [known?.current ?? null, newest ?? null]
      .filter((id) => id !== null)
      .sort(compareRunIds)
      .at(-1);
    const next = {
      kind: (await readJson(layout.kind)) ?? null,
      current: current ?? null,
      suppressed,
      runs: [...(known?.runs ?? []), ...runs],
    };
    if (!(await switchCatalog(store, this.#before, next))) return false;
    // Only these: the catalog may name runs of other hosts that this folder has not fetched.
    await addPulled(layout, store, runs);
    await removeSegments(
      store,
      runs.map((run) => run.run_id),
    );
    // The publication ends the run: a later failure must not report it as unpublished.
    if (published === null) this.#before = await readCatalog(store);
    else this.#publication = next;
    print(`stored     ${number(files)} files, ${bytesShort(bytes)}, in ${store.shown}`);
    return true;
  }
}

/** The run's store; undefined without STORE. @throws SettingError if STORE is unset and the folder continues one */
export async function openRunStore(
  { STORE }: { readonly STORE?: string | undefined },
  layout: Layout,
  print: (line: string) => void,
): Promise<RunStore | undefined> {
  if (STORE !== undefined) return new RunStore({ store: await openStore(STORE, undefined, print), layout, print });
  await assertWithoutStore(layout);
  return undefined;
}

/** How long `make status` waits for the store. */
const STATUS_WAIT_MS = 3_000;

/** Check that each file of a snapshot has its size. Its hash is checked by each host that fetches it. */
async function checkSnapshot(store: Store, run: CatalogRun): Promise<void> {
  const manifest = manifestOf(run);
  if (!manifest) return;
  const text = new TextDecoder().decode(await readVerified(store, manifest));
  const [wrong] = await missingFiles(store, run.run_id, JSON.parse(text));
  if (wrong !== undefined)
    throw new StoreDamage(
      `STORE ${store.shown}: ${wrong} is missing or truncated. Servers cannot fetch snapshot ${run.run_id}. ` +
        'Run again, or restore the file.',
    );
}

/** Read the state of a store. An unavailable or damaged store is a problem in the result. */
export async function storeState(address: string) {
  await using store = closing(await openStore(address, STATUS_WAIT_MS));
  try {
    const catalog = (await readCatalog(store))?.catalog;
    const run = catalog && currentRun(store, catalog);
    if (run) await checkSnapshot(store, run);
    // Servers fetch the current snapshot; it is null before the first publication.
    const state = { place: store.shown, current: catalog?.current ?? null, runs: catalog?.runs.length ?? 0 };
    return { state, problems: [] };
  } catch (error) {
    const isDamage = error instanceof StoreDamage;
    if (!isDamage && !(error instanceof StoreUnavailable) && !(error instanceof SettingError)) throw error;
    const kind = isDamage ? 'store_damaged' : 'store_unavailable';
    return { state: null, problems: [problem(kind, store.shown, error.message)] };
  }
}
