/**
 * One run at a time per data folder: two runs would request from every site twice as fast as allowed, and one would
 * not continue the history of the other. The lock is a file lock of the operating system, through SQLite, so a killed
 * run releases it.
 */
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { ending, type Ending } from '../../lib/closing.ts';
import { makeFolder } from '../../lib/files.ts';
import { SettingError } from '../../lib/settings.ts';
import type { Layout } from '../layout.ts';

/** The shortest wait, also without WAIT_MINUTES: checking the lock takes it for a moment. */
const MIN_WAIT_MS = 1_000;
const RETRY_MS = 250;

/** SQLite's error code for a database that another process has locked. */
const SQLITE_BUSY = 5;

const isBusy = (error: unknown): boolean => (error as { errcode?: number }).errcode === SQLITE_BUSY;

/** Process id of the holder; undefined while the holder is writing it. */
function readHolder(database: DatabaseSync): unknown {
  try {
    return database.prepare('PRAGMA user_version').get()?.['user_version'];
  } catch (error) {
    if (isBusy(error)) return undefined;
    throw error;
  }
}

export type LockResult = { readonly release: Ending } | { readonly holder: string };

/**
 * Take the lock of a file, or return the holder's process id, which may be 'unknown'. An empty file is a valid SQLite
 * database and SQLite rolls back partial writes, so neither a kill nor a full disk makes the file unusable. (A DuckDB
 * file is no database until its third header is written.)
 */
export async function takeLock(path: string): Promise<LockResult> {
  await makeFolder(dirname(path));
  const database = new DatabaseSync(path);
  try {
    // user_version is in the file's header, which other processes can read while the lock is held.
    database.exec(`BEGIN IMMEDIATE; PRAGMA user_version = ${process.pid}; COMMIT; BEGIN IMMEDIATE`);
    return { release: ending(() => database.close()) };
  } catch (error) {
    const holder = isBusy(error) ? readHolder(database) : undefined;
    database.close();
    if (!isBusy(error)) throw error;
    return { holder: typeof holder === 'number' && holder > 0 ? String(holder) : 'unknown' };
  }
}

/** Try until it succeeds. @param waitMs how long @throws what the last attempt throws */
async function waitFor<T>(waitMs: number, attempt: (isLast: boolean) => Promise<T | null>): Promise<T> {
  const until = performance.now() + Math.max(waitMs, MIN_WAIT_MS);
  for (;;) {
    const result = await attempt(performance.now() >= until);
    if (result !== null) return result;
    await sleep(RETRY_MS);
  }
}

/**
 * Hold the folder until the returned function is called, or the scope of its `using` ends.
 * @param waitMs how long to wait for another run
 * @throws SettingError if another run still holds it after that
 */
export const holdFolder = (layout: Layout, waitMs = 0): Promise<Ending> =>
  waitFor(waitMs, async (isLast) => {
    const lock = await takeLock(layout.lock);
    if ('release' in lock) return lock.release;
    const holder = lock.holder === 'unknown' ? 'another run' : `another run (process ${lock.holder})`;
    const why = `is in use by ${holder}. Wait until it ends, or set WAIT_MINUTES.`;
    if (isLast) throw new SettingError(`DATA_DIR ${JSON.stringify(layout.root)} ${why}`);
    return null;
  });

/** How long a reader waits for pruning, which removes files for seconds. */
const READER_WAIT_MS = 60_000;

/**
 * Read the snapshots of a folder until the returned function is called, or the process ends: nothing is pruned
 * meanwhile. Any number of processes read in parallel. A folder that this user cannot write is read without it.
 */
export function holdForReading(layout: Layout): Ending {
  let database: DatabaseSync;
  try {
    database = new DatabaseSync(layout.readers, { timeout: READER_WAIT_MS });
  } catch {
    return ending(() => undefined);
  }
  // A read transaction has a shared lock on the file, also on an empty one.
  database.exec('BEGIN; SELECT count(*) FROM sqlite_schema');
  return ending(() => database.close());
}

/**
 * Keep readers out until the returned function is called.
 * @param waitMs how long to wait for those at work
 * @throws SettingError if one is still at work after that
 */
export const holdAgainstReaders = (layout: Layout, waitMs = 0): Promise<Ending> =>
  waitFor(waitMs, async (isLast) => {
    const database = new DatabaseSync(layout.readers);
    const close = ending(() => database.close());
    try {
      database.exec('BEGIN EXCLUSIVE');
      return close;
    } catch (error) {
      close();
      if (!isBusy(error)) throw error;
      if (!isLast) return null;
      throw new SettingError(
        `A command such as make rebuild or make explain reads the snapshots of ${JSON.stringify(layout.root)}. ` +
          'Nothing was removed. Wait until it ends, or set WAIT_MINUTES.',
      );
    }
  });

/** Process id of the run in progress, or null. */
export async function lockHolder(layout: Layout): Promise<string | null> {
  const lock = await takeLock(layout.lock);
  if ('holder' in lock) return lock.holder;
  lock.release();
  return null;
}
