/** Waits for the jobs of a run: polls their states in the queue, and counts workers. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { JobWithMetadata, PgBoss } from 'pg-boss';
import { QueueUnavailable, retryQuery, SCHEMA, WORKER_SILENT_SECONDS, type CrawlDatabase } from './database.ts';
import { Output, QUEUE } from './jobs.ts';

const POLL_MS = 250;

/** Progress of a run: sources by state, and active workers. */
export interface QueueProgress {
  readonly waiting: number;
  readonly beingRead: number;
  readonly read: number;
  readonly workers: number;
}

export interface WatcherOptions {
  readonly boss: PgBoss;
  readonly database: CrawlDatabase;
  /** How long the database may be unavailable. */
  readonly timeoutMs: number;
  /** How long the run waits without any worker. */
  readonly noWorkerMs: number;
  readonly print: (line: string) => void;
  readonly onProgress: (progress: QueueProgress) => void;
}

interface WaitingJob {
  readonly source: string;
  readonly result: PromiseWithResolvers<Output>;
  /** Retries that were printed. */
  retries: number;
  isActive: boolean;
}

export class JobWatcher {
  readonly #options: WatcherOptions;
  readonly #waiting = new Map<string, WaitingJob>();
  #read = 0;
  #polling: Promise<void> | undefined;

  constructor(options: WatcherOptions) {
    this.#options = options;
  }

  /** The output of a job that was sent. */
  wait(id: string, source: string): Promise<Output> {
    const job: WaitingJob = { source, result: Promise.withResolvers<Output>(), retries: 0, isActive: false };
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
    const { database, timeoutMs, boss } = this.#options;
    let withoutWorkersSince: number | undefined;
    for (; this.#waiting.size > 0; await sleep(POLL_MS)) {
      for (const [id, waiting] of this.#waiting) {
        const [job] = await retryQuery(database.shown, timeoutMs, () => boss.findJobs(QUEUE, { id }));
        this.#update(id, waiting, job);
      }
      const workers = await this.#countWorkers();
      const beingRead = [...this.#waiting.values()].filter((job) => job.isActive).length;
      this.#options.onProgress({ waiting: this.#waiting.size - beingRead, beingRead, read: this.#read, workers });
      if (workers > 0) withoutWorkersSince = undefined;
      else if (withoutWorkersSince === undefined) {
        withoutWorkersSince = performance.now();
        this.#printNoWorker();
      }
      this.#checkWorkers(withoutWorkersSince);
    }
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
    this.#options.print(
      `  no worker for ${this.#waiting.size} sources: start one with make worker, with the same QUEUE and DATA_DIR`,
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
  #update(id: string, waiting: WaitingJob, job: JobWithMetadata<unknown> | undefined): void {
    const { shown } = this.#options.database;
    const { source, result } = waiting;
    if (job === undefined || job.state === 'cancelled') {
      this.#waiting.delete(id);
      result.reject(new QueueUnavailable(`QUEUE is ${shown}, from which the job of ${source} was removed`));
    } else if (job.state === 'failed') {
      this.#waiting.delete(id);
      const attempts = job.retryCount + 1;
      result.reject(new QueueUnavailable(`QUEUE is ${shown}, where ${attempts} workers failed to read ${source}`));
    } else if (job.state === 'completed') {
      this.#waiting.delete(id);
      this.#read += 1;
      const output = Output.safeParse(job.output);
      if (output.success) result.resolve(output.data);
      else result.reject(new Error(`the job of ${source} ended with ${JSON.stringify(job.output).slice(0, 200)}`));
    } else this.#noteProgress(waiting, job);
  }

  #noteProgress(waiting: WaitingJob, job: JobWithMetadata<unknown>): void {
    waiting.isActive = job.state === 'active';
    // A retry counts once a worker takes it.
    if (!waiting.isActive || job.retryCount <= waiting.retries) return;
    waiting.retries = job.retryCount;
    this.#options.print(
      `  taken over  ${waiting.source}: its worker is gone or returned it, another continues from the archive`,
    );
  }
}
