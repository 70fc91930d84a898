/** The id of a data folder, kept with its archive: by it a worker sees that it writes where the run reads. */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeWhole } from '../../lib/files.ts';
import { SettingError } from '../../lib/settings.ts';
import { SCHEMA, type CrawlDatabase } from './database.ts';

const fileIn = (dataDir: string): string => join(dataDir, 'archive', 'id');

/** Null where the folder has none yet. */
export async function folderId(dataDir: string): Promise<string | null> {
  return readFile(fileIn(dataDir), 'utf8').then(
    (id) => id.trim(),
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    },
  );
}

/**
 * Take the queue for a data folder. For the one run that holds the folder.
 * @returns the folder's id
 * @throws SettingError where the queue is another folder's
 */
export async function takeQueue(database: CrawlDatabase, dataDir: string): Promise<string> {
  const known = await folderId(dataDir);
  const id = known ?? randomUUID();
  if (known === null) await writeWhole(fileIn(dataDir), `${id}\n`);
  await database.query(`INSERT INTO ${SCHEMA}.folder (id) VALUES ($1) ON CONFLICT DO NOTHING`, id);
  const [row] = await database.query(`SELECT id FROM ${SCHEMA}.folder`);
  if (row?.['id'] !== id)
    throw new SettingError(
      `QUEUE is ${database.shown}, which is the queue of another data folder than DATA_DIR ${JSON.stringify(dataDir)}; expected a database of its own`,
    );
  return id;
}

/** What is wrong with the folder of a worker, in one sentence; null where it is the run's, or no run has used the queue yet. */
export async function wrongFolder(database: CrawlDatabase, dataDir: string): Promise<string | null> {
  const [row] = await database.query(`SELECT id FROM ${SCHEMA}.folder`);
  if (row === undefined || row['id'] === (await folderId(dataDir))) return null;
  return `DATA_DIR is ${JSON.stringify(dataDir)}, which is not the data folder of the runs that use QUEUE; expected the same folder, shared between the hosts`;
}
