/** The queue as it stands, for the status: which workers are there, and how many sites are being read. */
import { SettingError } from '../../lib/settings.ts';
import { trouble, type Trouble } from '../operate/troubles.ts';
import { openCrawlDatabase, QueueUnavailable, SCHEMA, WORKER_SILENT_SECONDS } from './database.ts';

export interface QueueState {
  /** Address of the database without the password. */
  readonly place: string;
  /** Workers that are there, as host/process. */
  readonly workers: readonly string[];
  readonly hosts_being_read: number;
}

/** Look into the queue. One that cannot be asked is trouble, not an error; so is one without workers. */
export async function queueState(
  url: string,
): Promise<{ readonly state: QueueState | null; readonly troubles: readonly Trouble[] }> {
  try {
    const database = await openCrawlDatabase(url);
    try {
      const workers = await database.query(
        `SELECT name FROM ${SCHEMA}.worker WHERE seen_at > now() - $1::int * interval '1 s' ORDER BY name`,
        WORKER_SILENT_SECONDS,
      );
      const [hosts] = await database.query(
        `SELECT count(*)::int AS hosts FROM ${SCHEMA}.host WHERE holder IS NOT NULL AND held_until > now()`,
      );
      const state = {
        place: database.shown,
        workers: workers.map((row) => String(row['name'])),
        hosts_being_read: Number(hosts?.['hosts']),
      };
      return {
        state,
        troubles:
          workers.length > 0
            ? []
            : [
                trouble(
                  'no_worker',
                  database.shown,
                  `QUEUE is ${database.shown}, where no worker is there: runs will read nothing`,
                ),
              ],
      };
    } finally {
      await database.close();
    }
  } catch (error) {
    if (!(error instanceof QueueUnavailable) && !(error instanceof SettingError)) throw error;
    return { state: null, troubles: [trouble('queue_unavailable', 'QUEUE', error.message)] };
  }
}
