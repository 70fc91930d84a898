/**
 * The snapshot that serves. `<DATA_DIR>/current` is read every second; when it names another snapshot, that one is
 * opened and replaces the old one. Requests hold a lease on their snapshot: the old one closes after its last lease.
 * If the new one cannot be opened, the old one keeps serving and `/health` shows the reason. The list of what is left
 * out on request is read as often, so that the snapshot that serves obeys at once.
 */
import { readlink } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { messageOf } from '../../lib/errors.ts';
import { SettingError } from '../../lib/settings.ts';
import { readSuppressed } from '../../lib/suppressions.ts';
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

interface LoadedSnapshot {
  readonly snapshot: Snapshot;
  readonly target: string;
  /** What is left out of it. */
  readonly suppressed: string;
  leases: number;
  isRetired: boolean;
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

  const closeIfIdle = (loaded: LoadedSnapshot): void => {
    if (loaded.isRetired && loaded.leases === 0) loaded.snapshot.close();
  };
  const retire = (loaded: LoadedSnapshot): void => {
    loaded.isRetired = true;
    closeIfIdle(loaded);
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
      current = { snapshot, target, suppressed, leases: 0, isRetired: false };
      failed = null;
      if (old) retire(old);
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
        [Symbol.dispose]() {
          loaded.leases -= 1;
          closeIfIdle(loaded);
        },
      };
    },
    failure: () => (failed === null ? null : { target: failed.target, reason: failed.reason, at: failed.at }),
    refresh,
    close() {
      closed = true;
      clearInterval(timer);
      if (current) retire(current);
      current = null;
    },
  };
}
