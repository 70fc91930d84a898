/**
 * One run at a time on a data folder: two at once would ask every site twice as fast as promised, and the later day
 * would not carry the history of the earlier. The lock is the operating system's, taken by SQLite on a file of its
 * own, so a run that is killed holds none. A database of SQLite begins as an empty file and rolls back what was half
 * written, so there is no instant at which a kill or a full disk makes the file unusable (one of DuckDB is no database
 * until its third header is written).
 *
 * The rule: who finds it held tries again for as long as he was told to wait (not at all by hand, hours from a
 * scheduler) and a moment longer, because whoever looks whether it is held holds it for that moment; then he leaves.
 */
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeFolder } from '../../lib/files.ts';
import { SettingError } from '../../lib/settings.ts';
import type { Layout } from '../layout.ts';

const [MOMENT_MS, TRY_EVERY_MS] = [1_000, 250];

/** SQLite's code for a database that another process holds. */
const BUSY = 5;

const isBusy = (error: unknown): boolean => (error as { errcode?: number }).errcode === BUSY;

/** Who holds the file. In the moment in which that is being written it cannot be read. */
function holderOf(database: DatabaseSync): unknown {
  try {
    return database.prepare('PRAGMA user_version').get()?.['user_version'];
  } catch (error) {
    if (isBusy(error)) return undefined;
    throw error;
  }
}

/** Take the lock that a file is, or say who has it: a process id where the file tells. */
export async function takeLock(path: string): Promise<{ readonly letGo: () => void } | { readonly holder: string }> {
  await makeFolder(dirname(path));
  const database = new DatabaseSync(path);
  try {
    // A number in the file's header, which others can read while the lock is held: who holds it.
    database.exec(`BEGIN IMMEDIATE; PRAGMA user_version = ${process.pid}; COMMIT; BEGIN IMMEDIATE`);
    return {
      letGo: () => {
        database.close();
      },
    };
  } catch (error) {
    const holder = isBusy(error) ? holderOf(database) : undefined;
    database.close();
    if (!isBusy(error)) throw error;
    return { holder: typeof holder === 'number' && holder > 0 ? String(holder) : 'unknown' };
  }
}

/**
 * Hold the folder until the returned function is called.
 * @param waitMs how long to wait for another that holds it
 * @throws SettingError where it is still held then
 */
export async function holdFolder(layout: Layout, waitMs = 0): Promise<() => void> {
  const until = performance.now() + Math.max(waitMs, MOMENT_MS);
  for (;;) {
    const taken = await takeLock(layout.lock);
    if ('letGo' in taken) return taken.letGo;
    if (performance.now() >= until) {
      throw new SettingError(
        `DATA_DIR is ${JSON.stringify(layout.root)}, in which another run is at work${taken.holder === 'unknown' ? '' : ` (process ${taken.holder})`}; expected to be the only one`,
      );
    }
    await sleep(TRY_EVERY_MS);
  }
}

/** Process that is at work in the folder, or null. */
export async function whoHolds(layout: Layout): Promise<string | null> {
  const taken = await takeLock(layout.lock);
  if ('holder' in taken) return taken.holder;
  taken.letGo();
  return null;
}
