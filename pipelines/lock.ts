/**
 * One run at a time on a data folder: two at once would ask every site twice as fast as promised, and the later day
 * would not carry the history of the earlier. The lock is the operating system's, taken by DuckDB on a file of its
 * own, so a run that is killed holds none.
 */
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { openDuck } from '../lib/duck.ts';
import { SettingError } from '../lib/settings.ts';
import type { Layout } from './layout.ts';

/** Hold the folder until the returned function is called. @throws SettingError where another process holds it. */
export async function holdFolder(layout: Layout): Promise<() => void> {
  await mkdir(dirname(layout.lock), { recursive: true });
  try {
    const duck = await openDuck(layout.lock);
    return () => { duck.close(); };
  } catch (error) {
    if (!(error instanceof Error && error.message.includes('Could not set lock'))) throw error;
    const holder = /PID (\d+)/u.exec(error.message)?.[1];
    throw new SettingError(`DATA_DIR is ${JSON.stringify(layout.root)}, in which another run is at work${holder === undefined ? '' : ` (process ${holder})`}; expected to be the only one`);
  }
}
