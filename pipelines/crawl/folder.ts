/**
 * Where the pages of a queue's runs are: the id of a data folder, stored in its archive, or the store. A worker checks
 * that it writes where the run reads.
 */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeWhole } from '../../lib/files.ts';
import { SettingError } from '../../lib/settings.ts';
import { SCHEMA, type CrawlDatabase } from './database.ts';

const idFile = (dataDir: string): string => join(dataDir, 'archive', 'id');

/** The place of pages: a folder, or the store that takes its place between hosts. */
export interface PagePlace {
  readonly dataDir: string;
  /** Address of the store, as messages show it. */
  readonly store?: string | undefined;
}

/** Null if the folder has no id yet. */
export async function placeId({ dataDir, store }: PagePlace): Promise<string | null> {
  if (store !== undefined) return `STORE ${store}`;
  return readFile(idFile(dataDir), 'utf8').then(
    (id) => id.trim(),
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    },
  );
}

const shownPlace = ({ dataDir, store }: PagePlace): string =>
  store === undefined ? `DATA_DIR ${JSON.stringify(dataDir)}` : `STORE ${store}`;

/**
 * Assign the queue to a place. The caller holds the folder.
 * @returns the place's id
 * @throws SettingError if the queue belongs to another one
 */
export async function assignQueue(database: CrawlDatabase, place: PagePlace): Promise<string> {
  const known = await placeId(place);
  const id = known ?? randomUUID();
  if (known === null) await writeWhole(idFile(place.dataDir), `${id}\n`);
  await database.query(`INSERT INTO ${SCHEMA}.folder (id) VALUES ($1) ON CONFLICT DO NOTHING`, id);
  const [row] = await database.query(`SELECT id FROM ${SCHEMA}.folder`);
  if (row?.['id'] !== id)
    throw new SettingError(
      `QUEUE is ${database.shown}, which is the queue of another data folder than ${shownPlace(place)}; ` +
        'expected a database of its own',
    );
  return id;
}

/** Why a worker's place is wrong, in one sentence; null if it is the runs' place, or no run has used the queue yet. */
export async function wrongPlace(database: CrawlDatabase, place: PagePlace): Promise<string | null> {
  const [row] = await database.query(`SELECT id FROM ${SCHEMA}.folder`);
  if (row === undefined || row['id'] === (await placeId(place))) return null;
  const { dataDir, store } = place;
  const what = store === undefined ? 'folder, shared between the hosts, or their STORE' : 'STORE';
  const shown = store === undefined ? `DATA_DIR is ${JSON.stringify(dataDir)}` : `STORE is ${store}`;
  const kind = store === undefined ? 'data folder' : 'store';
  return `${shown}, which is not the ${kind} of the runs that use QUEUE; expected the same ${what}`;
}
