/** The id of a data folder, stored in its archive: a worker checks that it writes where the run reads. */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeWhole } from '../../lib/files.ts';
import { SettingError } from '../../lib/settings.ts';
import { SCHEMA, type CrawlDatabase } from './database.ts';

const idFile = (dataDir: string): string => join(dataDir, 'archive', 'id');

/** Null if the folder has no id yet. */
export async function folderId(dataDir: string): Promise<string | null> {
  return readFile(idFile(dataDir), 'utf8').then(
    (id) => id.trim(),
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    },
  );
}

/**
 * Assign the queue to a data folder. The caller holds the folder.
 * @returns the folder's id
 * @throws SettingError if the queue belongs to another folder
 */
export async function assignQueue(database: CrawlDatabase, dataDir: string): Promise<string> {
  const known = await folderId(dataDir);
  const id = known ?? randomUUID();
  if (known === null) await writeWhole(idFile(dataDir), `${id}\n`);
  await database.query(`INSERT INTO ${SCHEMA}.folder (id) VALUES ($1) ON CONFLICT DO NOTHING`, id);
  const [row] = await database.query(`SELECT id FROM ${SCHEMA}.folder`);
  if (row?.['id'] !== id)
    throw new SettingError(
      `QUEUE is ${database.shown}, which is the queue of another data folder than DATA_DIR ` +
        `${JSON.stringify(dataDir)}; expected a database of its own`,
    );
  return id;
}

/**
 * Why a worker's folder is wrong, in one sentence; null if it is the runs' folder, or no run has used the queue yet.
 */
export async function wrongFolder(database: CrawlDatabase, dataDir: string): Promise<string | null> {
  const [row] = await database.query(`SELECT id FROM ${SCHEMA}.folder`);
  if (row === undefined || row['id'] === (await folderId(dataDir))) return null;
  return (
    `DATA_DIR is ${JSON.stringify(dataDir)}, which is not the data folder of the runs that use QUEUE; expected the ` +
    'same folder, shared between the hosts'
  );
}
