/** Waits for the jobs of a run: polls their states in the queues, and counts workers. */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Store } from '../../lib/store/store.ts';
import {
  BOSS_SCHEMA,
  QueueUnavailable,
  retryQuery,
  SCHEMA,
  WORKER_SILENT_SECONDS,
  type CrawlDatabase,
} from './database.ts';
import { QUEUE, STAGE_QUEUE } from './jobs.ts';

const POLL_MS = 250;
/** How often a run whose workers use a store checks that it reaches it, too. */
const STORE_EVERY_MS = 5_000;

/** pg-boss itself finds one job at a time by its id, and a run waits for hundreds. */
const FIND_JOBS = `
  SELECT id::text, state, retry_count AS retries, output FROM ${BOSS_SCHEMA}.job
  WHERE name IN ('${QUEUE}', '${STAGE_QUEUE}') AND id = ANY($1::uuid[])`;

const FoundJob = z.object({ id: z.string(), state: z.string(), retries: z.int(), output: z.unknown() });
type FoundJob = z.infer<typeof FoundJob>;

/** Progress of a run: sources by state, shards that are not staged, and active workers. */
export interface QueueProgress {
  readonly waiting: number;
  readonly beingRead: number;
  readonly read: number;
  readonly shards: number;
  readonly workers: number;
}

export interface WatcherOptions {
  readonly database: CrawlDatabase;
  /** How long the database may be unavailable. */
  readonly timeoutMs: number;
  /** How long the run waits without any worker. */
  readonly noWorkerMs: number;
  /** Store through which the pages come. Default: the shared folder. */
  readonly store?: Store | undefined;
  readonly print: (line: string) => void;
  readonly onProgress: (progress: QueueProgress) => void;
}

/** The last report of a worker about a failed job. */
const lastReason = (output: unknown): string => {
  const { data } = z.object({ message: z.string() }).safeParse(output);
  return data === undefined ? '' : `; the last reported: ${data.message.split('\n', 1)[0] ?? ''}`;
};

interface WaitingJob {
  readonly queue: string;
  readonly source: string;
  readonly result: PromiseWithResolvers<unknown>;
  /** Retries that were printed. */
  retries: number;
  isActive: boolean;
}

export class JobWatcher {
  readonly #options: WatcherOptions;
  readonly #waiting = new Map<string, WaitingJob>();
  #read = 0;
  #polling: Promise<void> | undefined;
  #storeCheckedMs = Number.NEGATIVE_INFINITY;

  constructor(options: WatcherOptions) {
    this.#options = options;
  }

  /** The output of a job that was sent. */
  wait(queue: string, id: string, source: string): Promise<unknown> {
    const job: WaitingJob = { queue, source, result: Promise.withResolvers(), retries: 0, isActive: false };
    this.#waiting.set(id, job);
    this.#startPolling();
    return job.result.promise;
  }

  async close(): Promise<void> {
    this.#rejectAll(new Error('the run has ended'));
    await this.#polling;
  }

  #rejectAll(error: unknown): void {
    for (const { result } of this.#waiting.values()) result.reject(error);
    this.#waiting.clear();
  }

  #startPolling(): void {
    this.#polling ??= this.#poll()
      .catch((error: unknown) => {
        this.#rejectAll(error);
      })
      .finally(() => {
        this.#polling = undefined;
        // A job may have been added while the last poll ended.
        if (this.#waiting.size > 0) this.#startPolling();
      });
  }

  async #poll(): Promise<void> {
    const { database, timeoutMs } = this.#options;
    let withoutWorkersSince: number | undefined;
    for (; this.#waiting.size > 0; await sleep(POLL_MS)) {
      await this.#checkStore();
      const ids = [...this.#waiting.keys()];
      const rows = await retryQuery(database.shown, timeoutMs, () => database.query(FIND_JOBS, ids));
      const found = new Map(
        z
          .array(FoundJob)
          .parse(rows)
          .map((job) => [job.id, job]),
      );
      for (const id of ids) this.#update(id, found.get(id));
      const workers = await this.#countWorkers();
      this.#reportProgress(workers);
      if (workers > 0) withoutWorkersSince = undefined;
      else if (withoutWorkersSince === undefined) {
        withoutWorkersSince = performance.now();
        this.#printNoWorker();
      }
      this.#checkWorkers(withoutWorkersSince);
    }
  }

  #reportProgress(workers: number): void {
    const jobs = [...this.#waiting.values()];
    const sources = jobs.filter(({ queue }) => queue === QUEUE);
    const beingRead = sources.filter(({ isActive }) => isActive).length;
    const shards = jobs.length - sources.length;
    this.#options.onProgress({ waiting: sources.length - beingRead, beingRead, read: this.#read, shards, workers });
  }

  /** Without the store no job can end well: wait for it, visibly. @throws StoreUnavailable after the store's wait */
  async #checkStore(): Promise<void> {
    const { store } = this.#options;
    if (!store || performance.now() - this.#storeCheckedMs < STORE_EVERY_MS) return;
    await store.pointer();
    this.#storeCheckedMs = performance.now();
  }

  async #countWorkers(): Promise<number> {
    const { database, timeoutMs } = this.#options;
    const [row] = await retryQuery(database.shown, timeoutMs, () =>
      database.query(
        `SELECT count(*)::int AS workers FROM ${SCHEMA}.worker WHERE seen_at > now() - $1::int * interval '1 s'`,
        WORKER_SILENT_SECONDS,
      ),
    );
    return Number(row?.['workers']);
  }

  #printNoWorker(): void {
    const sources = new Set([...this.#waiting.values()].map(({ source }) => source)).size;
    this.#options.print(
      `  no worker for ${sources} sources: start one with make worker, with the same QUEUE and DATA_DIR`,
    );
  }

  /** @throws QueueUnavailable if there has been no worker for too long */
  #checkWorkers(withoutWorkersSince: number | undefined): void {
    const { database, noWorkerMs } = this.#options;
    if (withoutWorkersSince === undefined || performance.now() - withoutWorkersSince <= noWorkerMs) return;
    const minutes = Math.round(noWorkerMs / 60_000);
    throw new QueueUnavailable(
      `QUEUE is ${database.shown}, which has had no worker for ${minutes} minutes: start one with make worker`,
    );
  }

  /** Resolve or reject a job that has ended; note the state of any other. */
  #update(id: string, job: FoundJob | undefined): void {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return;
    const { shown } = this.#options.database;
    const { queue, source, result } = waiting;
    if (job === undefined || job.state === 'cancelled') {
      this.#waiting.delete(id);
      result.reject(new QueueUnavailable(`QUEUE is ${shown}, from which the job of ${source} was removed`));
    } else if (job.state === 'failed') {
      this.#waiting.delete(id);
      const what = `${job.retries + 1} workers failed to ${queue === QUEUE ? 'read' : 'stage rows of'} ${source}`;
      result.reject(new QueueUnavailable(`QUEUE is ${shown}, where ${what}${lastReason(job.output)}`));
    } else if (job.state === 'completed') {
      this.#waiting.delete(id);
      if (queue === QUEUE) this.#read += 1;
      result.resolve(job.output);
    } else this.#noteProgress(waiting, job);
  }

  #noteProgress(waiting: WaitingJob, job: FoundJob): void {
    waiting.isActive = job.state === 'active';
    // A retry counts once a worker takes it.
    if (!waiting.isActive || job.retries <= waiting.retries) return;
    waiting.retries = job.retries;
    const what = waiting.queue === QUEUE ? 'another continues from the archive' : 'another stages its rows';
    this.#options.print(`  taken over  ${waiting.source}: its worker is gone or returned it, ${what}`);
  }
}
