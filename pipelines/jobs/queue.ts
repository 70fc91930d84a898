/**
 * The queue of hosts to read: pg-boss on PostgreSQL, with its retries, heartbeats and dead-letter queue. A job
 * reads and stages the sources of one host, and no other job of the host is active. Only pg-boss has tables here: a
 * worker, or a run, is alive as long as its connection is.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseError } from 'pg';
import { PgBoss, type ConstructorOptions } from 'pg-boss';
import { z } from 'zod';
import { shownPlace } from '../../ledger/open.ts';
import { closing } from '../../lib/closing.ts';
import { redactor } from '../../lib/redact.ts';
import { SettingError } from '../../lib/settings.ts';
import { problem } from '../operate/problems.ts';

export const QUEUE = 'read';
/** Jobs that failed in all attempts. */
const DEAD = 'read_failed';
/** A worker asks whether it still has its job before a request, if its last answer is older. */
export const TOUCH_MS = 3_000;
const JOBS = {
  policy: 'singleton',
  deadLetter: DEAD,
  notify: true,
  // A worker without a heartbeat for this time is gone. Parsing a large page may block its process for seconds.
  heartbeatSeconds: 30,
  // A polite read may take hours; the heartbeat detects a dead worker.
  expireInSeconds: 23 * 3600,
  // Includes jobs that stopped workers return.
  retryLimit: 10,
  retryDelay: 1,
  retentionSeconds: 86_400,
  deleteAfterSeconds: 86_400,
} as const;

/** The job of one host. Pages, records and rows go through the store (segments.ts). */
export const HostJob = z.object({
  /** The process of the run. */
  run: z.string(),
  runId: z.string(),
  asOf: z.string(),
  site: z.string(),
  /** Name and hash of what the run knows about the sources. */
  input: z.object({ name: z.string(), sha256: z.string() }),
  /** Store of the run, and hash of its program: the worker must read and stage as the run would. */
  store: z.string(),
  code: z.string(),
  contact: z.string().nullable(),
  /** The sandbox world instead of the web, with its made-up secrets. Real secrets are settings of each worker. */
  world: z.object({ url: z.string(), secrets: z.record(z.string(), z.string()) }).nullable(),
  /** Secrets of the sources that are set for the run, and must be set for the worker. */
  secrets: z.array(z.string()),
});
export type HostJob = z.infer<typeof HostJob>;

/** Output of a completed job; a defect of ours ends the run, as it would in its process. */
export const JobOutput = z.object({ worker: z.string(), defect: z.string().optional() });
export type JobOutput = z.infer<typeof JobOutput>;

/** The queue is unavailable, or has no worker: the run cannot continue. The message is one line without a password. */
export class QueueUnavailable extends Error {
  override readonly name = 'QueueUnavailable';
}

/** A silent server is an error after this time. pg-boss passes unknown options to its connections. */
const TIMEOUTS = { connectionTimeoutMillis: 5_000, query_timeout: 5_000 };
const RETRY_MS = 250;
const STOP_MS = 10_000;

/** Classes of errors of an unavailable server: connection, resources, operator intervention, system. */
const UNAVAILABLE_CLASSES = ['08', '53', '57', '58'];

/** Whether an error means that the server is unavailable now. An error without a statement is of the connection. */
const isUnavailable = (error: unknown): boolean =>
  !(error instanceof DatabaseError) || UNAVAILABLE_CLASSES.includes((error.code ?? '').slice(0, 2));

/** First line of an error's message, without addresses. */
function redactedMessage(error: unknown): string {
  const first = error instanceof AggregateError ? (error.errors[0] as unknown) : error;
  const message = first instanceof Error ? first.message || first.name : String(first);
  return redactor([])(message.split('\n', 1)[0] ?? '');
}

const queueUnavailable = (shown: string, error: unknown): QueueUnavailable =>
  new QueueUnavailable(`QUEUE is ${shown}, which is unavailable: ${redactedMessage(error)}`, { cause: error });

/** Retry while the server is unavailable. @throws QueueUnavailable after `timeoutMs` */
export async function retryQuery<T>(shown: string, timeoutMs: number, query: () => Promise<T>): Promise<T> {
  for (const until = performance.now() + timeoutMs; ; await sleep(RETRY_MS)) {
    try {
      return await query();
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      if (performance.now() >= until) throw queueUnavailable(shown, error);
    }
  }
}

type Kind = 'worker' | 'run' | 'status';

/**
 * Connect to the queue, and create it if it is missing.
 * @param name of the worker or the run, by which others see that it is connected
 * @throws SettingError if the server refuses us, QueueUnavailable if it is unavailable
 */
export async function openQueue(url: string, kind: Kind, name: string, options: ConstructorOptions = {}) {
  const shown = shownPlace({ DATA_DIR: '', LEDGER: url });
  const boss = new PgBoss({
    connectionString: url,
    schema: 'dealfeed_queue',
    application_name: `dealfeed ${kind} ${name}`,
    max: 4,
    schedule: false,
    // Runs notice dead workers, and hosts that are free again, within seconds. A suspended worker would hold the locks
    // of this work.
    supervise: kind === 'run',
    superviseIntervalSeconds: 2,
    monitorIntervalSeconds: 2,
    queueCacheIntervalSeconds: 1,
    ...TIMEOUTS,
    ...options,
  });
  // The next query reports an unavailable database.
  boss.on('error', () => {});
  const close = (): Promise<void> => boss.stop({ graceful: kind === 'worker', timeout: STOP_MS }).catch(() => {});
  try {
    await boss.start();
    await boss.createQueue(DEAD, { retentionSeconds: 14 * 86_400 });
    await boss.createQueue(QUEUE, JOBS);
  } catch (error) {
    await close();
    if (isUnavailable(error)) throw queueUnavailable(shown, error);
    throw new SettingError(`QUEUE is ${shown}, which refuses the connection: ${redactedMessage(error)}`);
  }
  /** Names of the connected workers, or runs. */
  const connected = async (what: Kind): Promise<readonly string[]> => {
    const prefix = `dealfeed ${what} `;
    const { rows } = await boss.getDb().executeSql(
      `SELECT DISTINCT application_name AS name FROM pg_stat_activity
       WHERE starts_with(application_name, $1) AND datname = current_database() ORDER BY 1`,
      [prefix],
    );
    return (rows as { readonly name: string }[]).map((row) => row.name.slice(prefix.length));
  };
  return { boss, shown, connected, close };
}

/** `shown` is its address without the password. */
export type Queue = Awaited<ReturnType<typeof openQueue>>;

/** Hash of the program's source code that decides what a worker reads and stages. */
export async function codeHash(): Promise<string> {
  const root = join(import.meta.dirname, '../..');
  const hash = createHash('sha256');
  for (const folder of ['lib', 'models', 'pipelines', 'sources']) {
    const files = (await readdir(join(root, folder), { recursive: true })).filter((file) => file.endsWith('.ts'));
    for (const file of files.sort())
      hash.update(`${folder}/${file}\u0000`).update(await readFile(join(root, folder, file)));
  }
  return hash.digest('hex').slice(0, 16);
}

/** Read the state of the queue. An unavailable queue is a problem in the result, and so is one without workers. */
export async function queueState(url: string) {
  try {
    await using queue = closing(await openQueue(url, 'status', String(process.pid)));
    const { shown: place, boss, connected } = queue;
    const workers = await connected('worker');
    const active = (await boss.findJobs(QUEUE)).filter(({ state }) => state === 'active');
    /** Hosts whose job failed in all attempts, in the last two weeks. */
    const failed = await boss.findJobs(DEAD);
    const message = `QUEUE is ${place}, which has no worker: runs will read nothing`;
    return {
      state: { place, workers, hosts_being_read: active.length, hosts_failed: failed.length },
      problems: workers.length > 0 ? [] : [problem('no_worker', place, message)],
    };
  } catch (error) {
    if (!(error instanceof QueueUnavailable) && !(error instanceof SettingError)) throw error;
    return { state: null, problems: [problem('queue_unavailable', 'QUEUE', error.message)] };
  }
}
