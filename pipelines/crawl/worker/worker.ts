/** A worker: takes jobs from the queues, reads sources and stages shards as a run would, and writes the outcomes. */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { PgBoss, type Job } from 'pg-boss';
import { SettingError } from '../../../lib/settings.ts';
import type { Store } from '../../../lib/store/store.ts';
import type { SourceSpec } from '../../../sources/contract.ts';
import type { FetcherOptions } from '../../../sources/fetch/fetcher.ts';
import { claimsIn } from './claims.ts';
import { BOSS_SCHEMA, connecting, openCrawlDatabase, SCHEMA } from '../database.ts';
import { wrongPlace } from '../folder.ts';
import { codeHash, createQueues, QUEUE, STAGE_QUEUE } from '../jobs.ts';
import { readJob } from './read_job.ts';
import { OpenPages, stageJob } from './stage_job.ts';
import { EarlierRequests } from '../../store/worker_store.ts';

export interface WorkerOptions {
  /** Address of the PostgreSQL database. */
  readonly url: string;
  /** The data folder of the runs, whose archive the worker shares. */
  readonly dataDir: string;
  /** Store of the runs, and megabytes of its pages that the folder may cache. Default: the folder is shared. */
  readonly store?: { readonly store: Store; readonly cacheMb: number } | undefined;
  readonly sources: readonly SourceSpec[];
  /** Sources read at the same time. */
  readonly atOnce: number;
  readonly secrets: Readonly<Record<string, string | undefined>>;
  readonly chromiumPath?: string | undefined;
  readonly limits?: FetcherOptions['limits'];
  readonly print: (line: string) => void;
}

export interface Worker {
  readonly name: string;
  /** Resolves with the reason if the worker cannot continue. */
  readonly unfit: Promise<SettingError>;
  /** Return unfinished jobs to the queue, and end. */
  close(): Promise<void>;
}

/** Notifications announce new jobs. Polling finds retried jobs, and those whose notification was lost. */
const POLL_SECONDS = 0.5;
/** How often a worker sends the heartbeat of a job. */
const HEARTBEAT_REFRESH_SECONDS = 3;
/** Staging computes and does not wait, so more at a time would not be faster. The others fill pauses between jobs. */
const SHARDS_AT_ONCE = 2;
const STOP_MS = 10_000;

const startBoss = (url: string, name: string): PgBoss => {
  const boss = new PgBoss({
    connectionString: url,
    schema: BOSS_SCHEMA,
    application_name: `dealfeed worker ${name}`,
    max: 4,
    schedule: false,
    useListenNotify: true,
  });
  // The next poll reconnects, and claims that are too old end by themselves.
  boss.on('error', () => {});
  return boss;
};

/**
 * @throws SettingError or QueueUnavailable as openCrawlDatabase does; SettingError if the folder is not that of the
 * runs
 */
export async function startWorker(options: WorkerOptions): Promise<Worker> {
  const { url, dataDir } = options;
  const [id, name] = [randomUUID(), `${hostname()}/${process.pid}`];
  const code = await codeHash();
  const database = await openCrawlDatabase(url);
  const boss = startBoss(url, name);
  const unfit = Promise.withResolvers<SettingError>();
  const stopping = new AbortController();
  const register = async (): Promise<void> => {
    await database.query(
      `INSERT INTO ${SCHEMA}.worker (id, name, started_at, seen_at) VALUES ($1, $2, now(), now())
       ON CONFLICT (id) DO UPDATE SET seen_at = now()`,
      id,
      name,
    );
  };
  const claims = claimsIn(database, register);
  const earlier = options.store && new EarlierRequests(options.store.store, dataDir);
  const context = { options, name, code, database, claims, earlier, stopping: stopping.signal };

  const opened = new OpenPages();
  const workOn =
    (work: (job: Job) => Promise<unknown>) =>
    async ([job]: Job[]): Promise<unknown> => {
      if (!job) return undefined;
      try {
        return await work(job);
      } catch (error) {
        if (error instanceof SettingError) unfit.resolve(error);
        throw error;
      }
    };

  const close = async (): Promise<void> => {
    stopping.abort(new Error('the worker is being stopped'));
    await boss.stop({ graceful: true, timeout: STOP_MS }).catch(() => {});
    claims.close();
    await database.query(`DELETE FROM ${SCHEMA}.worker WHERE id = $1`, id).catch(() => {});
    await database.close();
    options.store?.store.close();
  };
  try {
    const wrong = await wrongPlace(database, { dataDir, store: options.store?.store.shown });
    if (wrong !== null) throw new SettingError(wrong);
    await connecting(database.shown, boss.start());
    await createQueues(boss);
    await register();
    const polling = {
      pollingIntervalSeconds: POLL_SECONDS,
      notifyPollingIntervalSeconds: POLL_SECONDS,
      heartbeatRefreshSeconds: HEARTBEAT_REFRESH_SECONDS,
    };
    await boss.work(
      QUEUE,
      { ...polling, localConcurrency: options.atOnce, groupConcurrency: 1 },
      workOn((job) => readJob(context, job)),
    );
    await boss.work(
      STAGE_QUEUE,
      { ...polling, localConcurrency: SHARDS_AT_ONCE },
      workOn((job) => stageJob(context, opened, job)),
    );
  } catch (error) {
    await close();
    throw error;
  }
  return { name, unfit: unfit.promise, close };
}
