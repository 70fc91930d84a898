/** State of the queue for `make status`: its workers, and the number of hosts being read. */
import { SettingError } from '../../lib/settings.ts';
import { problem, type Problem } from '../operate/problems.ts';
import { openCrawlDatabase, QueueUnavailable, SCHEMA, WORKER_SILENT_SECONDS, type CrawlDatabase } from './database.ts';

export interface QueueState {
  /** Address of the database without the password. */
  readonly place: string;
  /** Active workers, as host/process. */
  readonly workers: readonly string[];
  readonly hosts_being_read: number;
}

async function readState(database: CrawlDatabase): Promise<QueueState> {
  const workers = await database.query(
    `SELECT name FROM ${SCHEMA}.worker WHERE seen_at > now() - $1::int * interval '1 s' ORDER BY name`,
    WORKER_SILENT_SECONDS,
  );
  const [hosts] = await database.query(
    `SELECT count(*)::int AS hosts FROM ${SCHEMA}.host WHERE holder IS NOT NULL AND held_until > now()`,
  );
  return {
    place: database.shown,
    workers: workers.map((row) => String(row['name'])),
    hosts_being_read: Number(hosts?.['hosts']),
  };
}

/** Read the state of the queue. An unavailable queue is a problem in the result, and so is one without workers. */
export async function queueState(
  url: string,
): Promise<{ readonly state: QueueState | null; readonly problems: readonly Problem[] }> {
  try {
    const database = await openCrawlDatabase(url);
    try {
      const state = await readState(database);
      const message = `QUEUE is ${state.place}, which has no worker: runs will read nothing`;
      return { state, problems: state.workers.length > 0 ? [] : [problem('no_worker', state.place, message)] };
    } finally {
      await database.close();
    }
  } catch (error) {
    if (!(error instanceof QueueUnavailable) && !(error instanceof SettingError)) throw error;
    return { state: null, problems: [problem('queue_unavailable', 'QUEUE', error.message)] };
  }
}
