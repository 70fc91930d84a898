/**
 * The snapshot that serves. `<DATA_DIR>/current` is read every second; when it names another snapshot, that one is
 * opened and replaces the old one. Requests hold a lease on their snapshot: the old one closes after its last lease.
 * If the new one cannot be opened, the old one keeps serving and `/health` shows the reason. The list of what is left
 * out on request is read as often, so that the snapshot that serves obeys at once.
 *
 * With STORE, a server needs no shared folder: it follows the store's catalog, fetches the manifest and the serving
 * files of the current snapshot into its own DATA_DIR, verifies them, and points `current` at them. While the store is
 * unavailable, or has a damaged snapshot, the server continues with the snapshot it has; `/health` shows the reason.
 */
import { readlink } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { messageOf } from '../../lib/errors.ts';
import { makeFolder, pointAt } from '../../lib/files.ts';
import { SettingError } from '../../lib/settings.ts';
import { currentRun, readCatalog } from '../../lib/store/catalog.ts';
import { openStore, STORE_CACHE_BYTES } from '../../lib/store/open.ts';
import { fetchSnapshot, trimSnapshots } from '../../lib/store/snapshot_cache.ts';
import { isDiskFull, StoreDamage, StoreUnavailable, type Store } from '../../lib/store/store.ts';
import { readSuppressed, writeSuppressed } from '../../lib/suppressions.ts';
import { NotForSale, openSnapshot, type Snapshot } from './open.ts';

const POLL_MS = 1_000;
/** Retry a snapshot that failed to load after this long: its files may have been restored. */
const RETRY_MS = 30_000;

/** Dispose of it exactly once. */
export interface Lease extends Disposable {
  readonly snapshot: Snapshot;
}

/** The last snapshot that could not be loaded. */
export interface LoadFailure {
  readonly target: string;
  readonly reason: string;
  readonly at: string;
}

export interface Snapshots {
  /** The store that they follow, until they are closed. */
  readonly store?: Store;
  /** A lease on the current snapshot for one request, or null if there is none. */
  acquire(): Lease | null;
  /** Set while `current` names a snapshot that could not be loaded. */
  failure(): LoadFailure | null;
  /** Read the link now, and load the snapshot it names unless it serves already. */
  refresh(): Promise<void>;
  close(): void;
}

export interface SnapshotsOptions {
  readonly dataDir: string;
  readonly nowMs?: () => number;
  /** Called on every switch and every failure. */
  readonly report?: (event: { serving: string } | LoadFailure) => void;
  readonly pollMs?: number;
  /** Refuse snapshots that may not be sold for real money. */
  readonly isForSale?: boolean;
  /** The setting with the place of the snapshots, and its value. Default: DATA_DIR. */
  readonly place?: string;
}

/** What /health shows of a failure. */
const shown = (failed: LoadFailure | null): LoadFailure | null =>
  failed && { target: failed.target, reason: failed.reason, at: failed.at };

interface LoadedSnapshot {
  readonly snapshot: Snapshot;
  readonly target: string;
  /** What is left out of it. */
  readonly suppressed: string;
  /** Of requests, and one while it is the current one. */
  leases: number;
}

/** Why a snapshot cannot be loaded, for the public /health. The log has the library's message. */
function publicReason(error: unknown): string {
  if (!(error instanceof Error)) return 'it cannot be loaded';
  if ('syscall' in error)
    return `${'path' in error && typeof error.path === 'string' ? basename(error.path) : 'a file'} cannot be opened`;
  return 'code' in error && error.code === 'ERR_SQLITE_ERROR' ? 'one of its files cannot be read' : error.message;
}

/**
 * Open the snapshot that `<dataDir>/current` names, if any, and follow the link.
 * @throws SettingError if that snapshot may not be sold for real money
 */
export async function openSnapshots(options: SnapshotsOptions): Promise<Snapshots> {
  const { dataDir, nowMs = Date.now, report = () => undefined, pollMs = POLL_MS, isForSale = false } = options;
  const { place = `DATA_DIR is ${JSON.stringify(dataDir)}` } = options;
  const link = join(dataDir, 'current');
  let current: LoadedSnapshot | null = null;
  let failed: (LoadFailure & { readonly atMs: number }) | null = null;
  let lastRead = Promise.resolve();
  let isOpen = false;
  let closed = false;

  const release = (loaded: LoadedSnapshot): void => {
    loaded.leases -= 1;
    if (loaded.leases === 0) loaded.snapshot.close();
  };

  const follow = async (): Promise<void> => {
    const target = await readlink(link).catch(() => null);
    if (target === null || closed) return;
    // Absolute, as the clock may have been set back.
    if (failed?.target === target && Math.abs(nowMs() - failed.atMs) < RETRY_MS) return;
    try {
      const subjects = await readSuppressed(dataDir);
      const suppressed = JSON.stringify(subjects);
      if (target === current?.target && suppressed === current.suppressed) {
        failed = null;
        return;
      }
      const snapshot = await openSnapshot(resolve(dataDir, target), isForSale, subjects);
      if (closed) {
        snapshot.close();
        return;
      }
      const old = current;
      current = { snapshot, target, suppressed, leases: 1 };
      failed = null;
      if (old) release(old);
      report({ serving: snapshot.id });
    } catch (error) {
      if (error instanceof NotForSale && !isOpen)
        throw new SettingError(
          `${place}, expected data that may be sold, as NETWORK is Base: ${target}: ${error.message}`,
        );
      const at = new Date(nowMs()).toISOString();
      failed = { target, reason: publicReason(error), at, atMs: nowMs() };
      report({ target, reason: messageOf(error), at });
    }
  };
  // One at a time, and never the result of a read that began before the call.
  const refresh = (): Promise<void> => (lastRead = lastRead.then(follow));

  await refresh();
  isOpen = true;
  const timer = setInterval(() => {
    void refresh();
  }, pollMs);
  timer.unref();

  return {
    acquire() {
      const loaded = current;
      if (!loaded) return null;
      loaded.leases += 1;
      return {
        snapshot: loaded.snapshot,
        [Symbol.dispose]: () => release(loaded),
      };
    },
    failure: () => shown(failed),
    refresh,
    close() {
      closed = true;
      clearInterval(timer);
      if (current) release(current);
      current = null;
    },
  };
}

/** How often a store is compared. */
const STORE_POLL_MS = 5_000;
/** How long a request is retried. A longer failure is retried by the next poll. */
const WAIT_MS = 3_000;
/** An older catalog is used after this time: a stale response of a cache or a replica does not last as long. */
const RESTORED_MS = 600_000;

/** `report` is called on every new failure. */
interface MirrorOptions extends Pick<SnapshotsOptions, 'dataDir' | 'report' | 'nowMs' | 'pollMs'> {
  readonly store: Store;
  readonly cacheBytes: number;
}

/** Why the store cannot be followed, for the public /health. The log has the message. */
function storeReason(error: unknown): string {
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
async function mirrorStore(options: MirrorOptions) {
  const { store, dataDir, cacheBytes, report = () => undefined, nowMs = Date.now, pollMs = STORE_POLL_MS } = options;
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
      failed = { target: 'STORE', reason: storeReason(error), at: new Date(nowMs()).toISOString(), message };
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
    /** Set while the store cannot be followed. */
    failure: () => shown(failed),
    /** Compare with the store now, and fetch its current snapshot. */
    refresh,
    close() {
      closed = true;
      clearInterval(timer);
      store.close();
    },
  };
}

/** Open the snapshots of a data folder, which follow a store if there is one. */
export async function openFollowed(
  options: SnapshotsOptions,
  { STORE, cacheBytes = STORE_CACHE_BYTES }: { readonly STORE?: string | undefined; readonly cacheBytes?: number },
): Promise<Snapshots> {
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
