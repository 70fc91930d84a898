/** State of the store for `make status`: the snapshot that it publishes, and whether it is complete. */
import { SettingError } from '../../lib/settings.ts';
import { currentRun, manifestOf, readCatalog, type CatalogRun } from '../../lib/store/catalog.ts';
import { openStore } from '../../lib/store/open.ts';
import { readVerified, StoreDamage, StoreUnavailable, type Store } from '../../lib/store/store.ts';
import { problem } from '../operate/problems.ts';
import { missingFiles } from './push.ts';

const WAIT_MS = 3_000;

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
  const store = await openStore(address, WAIT_MS);
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
  } finally {
    store.close();
  }
}
