/**
 * With STORE, a server needs no shared folder: it follows the store's catalog, fetches the manifest and the serving
 * files of the current snapshot into its own DATA_DIR, verifies them, and points `<DATA_DIR>/current` at them, which
 * follow.ts serves. While the store is unavailable, or has a damaged snapshot, the server continues with the snapshot
 * it has; `/health` shows the reason.
 */
import { readlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { makeFolder, pointAt } from '../../lib/files.ts';
import { messageOf } from '../../lib/errors.ts';
import { currentRun, readCatalog } from '../../lib/store/catalog.ts';
import { openStore, STORE_CACHE_BYTES } from '../../lib/store/open.ts';
import { fetchSnapshot, trimSnapshots } from '../../lib/store/snapshot_cache.ts';
import { isDiskFull, StoreDamage, StoreUnavailable, type Store } from '../../lib/store/store.ts';
import { writeSuppressed } from '../../lib/suppressions.ts';
import { openSnapshots, type LoadFailure, type Snapshots, type SnapshotsOptions } from './follow.ts';

const POLL_MS = 5_000;
/** How long a request is retried. A longer failure is retried by the next poll. */
const WAIT_MS = 3_000;
/** An older catalog is used after this time: a stale response of a cache or a replica does not last as long. */
const RESTORED_MS = 600_000;

/** `report` is called on every new failure. */
interface MirrorOptions extends Pick<SnapshotsOptions, 'dataDir' | 'report' | 'nowMs' | 'pollMs'> {
  readonly store: Store;
  readonly cacheBytes: number;
}

export interface Mirror {
  /** Set while the store cannot be followed. */
  failure(): LoadFailure | null;
  /** Compare with the store now, and fetch its current snapshot. */
  refresh(): Promise<void>;
  close(): void;
}

/** Why the store cannot be followed, for the public /health. The log has the message. */
function publicReason(error: unknown): string {
  if (isDiskFull(error)) return 'the disk of this server is full';
  if (error instanceof StoreUnavailable) return 'it is unavailable';
  return error instanceof StoreDamage ? 'a file is missing, damaged or stale' : 'it cannot be used';
}

/** Run id that `<dataDir>/current` names. */
const localCurrent = (dataDir: string): Promise<string | null> =>
  readlink(join(dataDir, 'current')).then(
    (target) => basename(target),
    () => null,
  );

/** Follow a store. Without a local snapshot, the first comparison with the store is awaited. */
async function mirrorStore(options: MirrorOptions): Promise<Mirror> {
  const { store, dataDir, cacheBytes, report = () => undefined, nowMs = Date.now, pollMs = POLL_MS } = options;
  let failed: (LoadFailure & { readonly message: string }) | null = null;
  let seen = 0;
  /** Time of the first older catalog; null if the last one was not older. */
  let olderSinceMs: number | null = null;
  let isBusy = false;
  let closed = false;

  const follow = async (): Promise<void> => {
    const read = await readCatalog(store);
    if (read === null) return;
    const { catalog } = read;
    if (catalog.version < seen) {
      olderSinceMs ??= nowMs();
      const useMs = olderSinceMs + RESTORED_MS;
      if (nowMs() < useMs)
        throw new StoreDamage(
          `STORE ${store.shown} returned catalog ${catalog.version}, which is older than ${seen}: its answer is ` +
            `stale and not used. If it stays until ${new Date(useMs).toISOString()}, it was restored, and is used.`,
        );
    }
    olderSinceMs = null;
    await makeFolder(dataDir);
    await writeSuppressed(dataDir, catalog.suppressed);
    const run = currentRun(store, catalog);
    if (run !== null) {
      await makeFolder(join(dataDir, 'snapshots'));
      await fetchSnapshot(store, run, dataDir, 'serving');
      const before = await localCurrent(dataDir);
      if (before !== run.run_id) {
        await pointAt(join(dataDir, 'current'), join('snapshots', run.run_id));
        await trimSnapshots(dataDir, cacheBytes, [run.run_id, before ?? '']);
      }
    }
    seen = catalog.version;
  };

  const followOnce = async (): Promise<void> => {
    if (closed) return;
    isBusy = true;
    try {
      await follow();
      failed = null;
    } catch (error) {
      const message = messageOf(error);
      if (failed?.message === message) return;
      failed = { target: 'STORE', reason: publicReason(error), at: new Date(nowMs()).toISOString(), message };
      report({ target: store.shown, reason: message, at: failed.at });
    } finally {
      isBusy = false;
    }
  };
  let last = Promise.resolve();
  const refresh = (): Promise<void> => (last = last.then(followOnce));

  const first = refresh();
  if ((await localCurrent(dataDir)) === null) await first;
  const timer = setInterval(() => {
    if (!isBusy) void refresh();
  }, pollMs);
  timer.unref();
  return {
    failure: () => (failed === null ? null : { target: failed.target, reason: failed.reason, at: failed.at }),
    refresh,
    close() {
      closed = true;
      clearInterval(timer);
      store.close();
    },
  };
}

export interface FollowedSnapshots extends Snapshots {
  /** The store that they follow, until they are closed. */
  readonly store?: Store;
}

/** Open the snapshots of a data folder, which follow a store if there is one. */
export async function openFollowed(
  options: SnapshotsOptions,
  { STORE, cacheBytes = STORE_CACHE_BYTES }: { readonly STORE?: string | undefined; readonly cacheBytes?: number },
): Promise<FollowedSnapshots> {
  if (STORE === undefined) return openSnapshots(options);
  const store = await openStore(STORE, WAIT_MS);
  const mirror = await mirrorStore({ ...options, store, cacheBytes });
  const snapshots = await openSnapshots({ ...options, place: `STORE is ${store.shown}` }).catch((error: unknown) => {
    mirror.close();
    throw error;
  });
  return {
    store,
    acquire: () => snapshots.acquire(),
    failure: () => snapshots.failure() ?? mirror.failure(),
    async refresh() {
      await mirror.refresh();
      await snapshots.refresh();
    },
    close() {
      mirror.close();
      snapshots.close();
    },
  };
}
