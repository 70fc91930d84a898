/**
 * The snapshot that serves. `<DATA_DIR>/current` is looked at every second; when it names another snapshot, that one
 * is loaded beside the old one and takes its place. Requests that began on the old one end on it; then it is closed.
 * What cannot be loaded changes nothing: the old snapshot goes on serving and the reason is kept for `/health`.
 */
import { readlink } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { loadSnapshot, type Snapshot } from './snapshot.ts';

const LOOK_EVERY_MS = 1_000;
/** A snapshot that failed to load is tried again after this long, in case its files were put right. */
const TRY_AGAIN_MS = 30_000;

export interface Lease {
  readonly snapshot: Snapshot;
  /** Give it back. Must be called exactly once. */
  release(): void;
}

/** The last snapshot that could not be loaded. */
export interface LoadFailure {
  readonly target: string;
  readonly reason: string;
  readonly at: string;
}

export interface Snapshots {
  /** The current snapshot for the time of one request, or null where there is none. */
  acquire(): Lease | null;
  /** The current snapshot by name. Nothing may be asked of it: for that it must be acquired. */
  serving(): Snapshot | null;
  /** Set while `current` names a snapshot that could not be loaded. */
  failure(): LoadFailure | null;
  /** Look at the link now, and load what it names where that is not yet serving. */
  look(): Promise<void>;
  close(): void;
}

export interface SnapshotsOptions {
  readonly dataDir: string;
  readonly nowMs?: () => number;
  /** Told of every switch and every failure. */
  readonly report?: (event: { serving: string } | LoadFailure) => void;
  readonly lookEveryMs?: number;
}

interface Held {
  readonly snapshot: Snapshot;
  readonly target: string;
  users: number;
  retired: boolean;
}

/** Open what `<dataDir>/current` names, where it names anything, and keep following it. */
/** What is said to everybody of a snapshot that does not load. The library's own words are in the log. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'it cannot be loaded';
  if ('syscall' in error) return `${'path' in error && typeof error.path === 'string' ? basename(error.path) : 'a file'} cannot be opened`;
  return /^(?:\{|[A-Z][A-Za-z ]* Error: )/.test(error.message) ? 'one of its tables cannot be read' : error.message;
}

export async function openSnapshots(options: SnapshotsOptions): Promise<Snapshots> {
  const { dataDir, nowMs = Date.now, report = () => undefined, lookEveryMs = LOOK_EVERY_MS } = options;
  const link = join(dataDir, 'current');
  let current: Held | null = null;
  let failed: (LoadFailure & { readonly atMs: number }) | null = null;
  let looking: Promise<void> | null = null;
  let closed = false;

  const closeIfIdle = (held: Held): void => { if (held.retired && held.users === 0) held.snapshot.close(); };
  const retire = (held: Held): void => {
    held.retired = true;
    closeIfIdle(held);
  };

  const follow = async (): Promise<void> => {
    const target = await readlink(link).catch(() => null);
    if (target === null || closed) return;
    if (target === current?.target) { failed = null; return; }
    // Whichever way the clock was set meanwhile.
    if (failed?.target === target && Math.abs(nowMs() - failed.atMs) < TRY_AGAIN_MS) return;
    try {
      // Beside one that serves, a processor is left to those who ask.
      const snapshot = await loadSnapshot(resolve(dataDir, target), current ? 1 : availableParallelism());
      if (closed) { snapshot.close(); return; }
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
  const look = (): Promise<void> => looking ??= follow().finally(() => { looking = null; });

  await look();
  const timer = setInterval(() => { void look(); }, lookEveryMs);
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
    serving: () => current?.snapshot ?? null,
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
