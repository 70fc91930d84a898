/**
 * The snapshot that serves. `<DATA_DIR>/current` is read every second; when it names another snapshot, that one is
 * opened and replaces the old one. Requests hold a lease on their snapshot: the old one closes after its last lease.
 * If the new one cannot be opened, the old one goes on serving and `/health` shows the reason.
 */
import { readlink } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { loadSnapshot, type Snapshot } from './load.ts';

const LOOK_EVERY_MS = 1_000;
/** Retry a snapshot that failed to load after this long: its files may have been restored. */
const TRY_AGAIN_MS = 30_000;

export interface Lease {
  readonly snapshot: Snapshot;
  /** Call exactly once. */
  release(): void;
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
  look(): Promise<void>;
  close(): void;
}

export interface SnapshotsOptions {
  readonly dataDir: string;
  readonly nowMs?: () => number;
  /** Called on every switch and every failure. */
  readonly report?: (event: { serving: string } | LoadFailure) => void;
  readonly lookEveryMs?: number;
}

interface Held {
  readonly snapshot: Snapshot;
  readonly target: string;
  users: number;
  retired: boolean;
}

/** What is said to everybody of a snapshot that does not load. The library's own words are in the log. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'it cannot be loaded';
  if ('syscall' in error)
    return `${'path' in error && typeof error.path === 'string' ? basename(error.path) : 'a file'} cannot be opened`;
  return /^(?:\{|[A-Z][A-Za-z ]* Error: )/.test(error.message) ? 'one of its tables cannot be read' : error.message;
}

/** Open the snapshot that `<dataDir>/current` names, if any, and follow the link. */
export async function openSnapshots(options: SnapshotsOptions): Promise<Snapshots> {
  const { dataDir, nowMs = Date.now, report = () => undefined, lookEveryMs = LOOK_EVERY_MS } = options;
  const link = join(dataDir, 'current');
  let current: Held | null = null;
  let failed: (LoadFailure & { readonly atMs: number }) | null = null;
  let looking: Promise<void> | null = null;
  let closed = false;

  const closeIfIdle = (held: Held): void => {
    if (held.retired && held.users === 0) held.snapshot.close();
  };
  const retire = (held: Held): void => {
    held.retired = true;
    closeIfIdle(held);
  };

  const follow = async (): Promise<void> => {
    const target = await readlink(link).catch(() => null);
    if (target === null || closed) return;
    if (target === current?.target) {
      failed = null;
      return;
    }
    // The absolute value, as the clock may have been set back.
    if (failed?.target === target && Math.abs(nowMs() - failed.atMs) < TRY_AGAIN_MS) return;
    try {
      const snapshot = await loadSnapshot(resolve(dataDir, target));
      if (closed) {
        snapshot.close();
        return;
      }
      const old = current;
      current = { snapshot, target, users: 0, retired: false };
      failed = null;
      if (old) retire(old);
      report({ serving: snapshot.id });
    } catch (error) {
      const at = new Date(nowMs()).toISOString();
      failed = { target, reason: reasonOf(error), at, atMs: nowMs() };
      report({ target, reason: error instanceof Error ? error.message : String(error), at });
    }
  };
  const look = (): Promise<void> =>
    (looking ??= follow().finally(() => {
      looking = null;
    }));

  await look();
  const timer = setInterval(() => {
    void look();
  }, lookEveryMs);
  timer.unref();

  return {
    acquire() {
      const held = current;
      if (!held) return null;
      held.users += 1;
      return {
        snapshot: held.snapshot,
        release() {
          held.users -= 1;
          closeIfIdle(held);
        },
      };
    },
    failure: () => (failed === null ? null : { target: failed.target, reason: failed.reason, at: failed.at }),
    look,
    close() {
      closed = true;
      clearInterval(timer);
      if (current) retire(current);
      current = null;
    },
  };
}
