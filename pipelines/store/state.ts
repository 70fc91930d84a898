/** State of the store for `make status`: the snapshot that it publishes, and whether it is complete. */
import { SettingError } from '../../lib/settings.ts';
import { currentRun, manifestOf, readCatalog, type CatalogRun } from '../../lib/store/catalog.ts';
import { openStore } from '../../lib/store/open.ts';
import { readVerified, StoreDamage, StoreUnavailable, type Store } from '../../lib/store/store.ts';
import { problem, type Problem } from '../operate/problems.ts';
import { missingFiles } from './push.ts';

const WAIT_MS = 3_000;

export interface StoreState {
  readonly place: string;
  /** Run id of the snapshot that servers fetch; null before the first publication. */
  readonly current: string | null;
  readonly runs: number;
}

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
export async function storeState(
  address: string,
): Promise<{ readonly state: StoreState | null; readonly problems: readonly Problem[] }> {
  const store = await openStore(address, WAIT_MS);
  try {
    const read = await readCatalog(store);
    const state = { place: store.shown, current: read?.catalog.current ?? null, runs: read?.catalog.runs.length ?? 0 };
    const run = read && currentRun(store, read.catalog);
    if (run) await checkSnapshot(store, run);
    return { state, problems: [] };
  } catch (error) {
    if (error instanceof StoreDamage)
      return { state: null, problems: [problem('store_damaged', store.shown, error.message)] };
    if (!(error instanceof StoreUnavailable) && !(error instanceof SettingError)) throw error;
    return { state: null, problems: [problem('store_unavailable', store.shown, error.message)] };
  } finally {
    store.close();
  }
}
