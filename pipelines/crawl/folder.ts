/**
 * Where the pages of a queue's runs are: the id of a data folder, stored in its archive, or the store. A worker checks
 * that it writes where the run reads.
 */
import { hasArchive, openArchive } from '../../lib/archive.ts';
import { SettingError } from '../../lib/settings.ts';
import { SCHEMA, type CrawlDatabase } from './database.ts';

/** The place of pages: a folder, or the store that takes its place between hosts. */
export interface PagePlace {
  readonly dataDir: string;
  /** Address of the store, as messages show it. */
  readonly store?: string | undefined;
}

async function archiveId(dataDir: string): Promise<string> {
  const archive = await openArchive(dataDir);
  const { id } = archive;
  await archive.close();
  return id;
}

/** Null if the folder has no archive yet. */
export async function placeId({ dataDir, store }: PagePlace): Promise<string | null> {
  if (store !== undefined) return `STORE ${store}`;
  return hasArchive(dataDir) ? archiveId(dataDir) : null;
}

const shownPlace = ({ dataDir, store }: PagePlace): string =>
  store === undefined ? `DATA_DIR ${JSON.stringify(dataDir)}` : `STORE ${store}`;

/**
 * Assign the queue to a place. The caller holds the folder.
 * @returns the place's id
 * @throws SettingError if the queue belongs to another one
 */
export async function assignQueue(database: CrawlDatabase, place: PagePlace): Promise<string> {
  const id = (await placeId(place)) ?? (await archiveId(place.dataDir));
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
