/**
 * A run's side of the queue: one job for each host. The worker's records, pages and rows come back through the store,
 * so the run has what it would have read itself.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JobWithMetadata } from 'pg-boss';
import { z } from 'zod';
import { downloadMissing, objectOf, type Store } from '../../lib/store/store.ts';
import { type SourceSpec, SourceUnavailable } from '../../sources/contract.ts';
import { type Before, type Ingest, recordUnread } from '../ingest/ingest.ts';
import { type EarlierReads, type ReadRecord, stagedParquet, writeRead } from '../ingest/reads.ts';
import { plural } from '../format.ts';
import { codeHash, JobOutput, openQueue, QUEUE, QueueUnavailable, retryQuery, TOUCH_MS } from './queue.ts';
import type { HostJob, Queue } from './queue.ts';
import { putInput, readSegments } from './segments.ts';

export interface JobsOptions {
  /** Address of the PostgreSQL database. */
  readonly url: string;
  readonly store: Store;
  readonly contact?: string | undefined;
  readonly sandboxUrl?: string | undefined;
  /** Values of the sources' secrets by name. They leave this process only for the sandbox world. */
  readonly secrets: Readonly<Record<string, string | undefined>>;
  readonly print: (line: string) => void;
  /** Called with the number of connected workers. */
  readonly onWorkers?: (count: number) => void;
  /** How long the database may be unavailable. Default: 10 s. */
  readonly timeoutMs?: number;
  /** How long the run waits without any worker. */
  readonly noWorkerMs: number;
}

/** A source that a worker reads. */
export interface JobSource extends Before {
  readonly spec: SourceSpec;
  readonly reads: EarlierReads;
}

/** The due sources of a host. */
export interface JobHost {
  readonly site: string;
  readonly sources: readonly JobSource[];
}

export type OnEnd = (spec: SourceSpec, read: ReadRecord) => void;

const TIMEOUT_MS = 10_000;
/** Time to disconnect: a silent server never answers. */
const DISCONNECT_MS = 2_000;
const POLL_MS = 500;
/** How often a waiting run checks that it reaches the store, too. */
const STORE_EVERY_MS = 5_000;

type FoundJob = JobWithMetadata<HostJob>;

/** A job that the run waits for. */
interface Waiting {
  readonly site: string;
  readonly ended: PromiseWithResolvers<FoundJob>;
  /** Retries that were printed. */
  retries: number;
}

/**
 * Connect to the queue, and cancel the jobs of killed runs: what they have read is in the store.
 * @throws SettingError or QueueUnavailable as openQueue does
 */
export async function openHostJobs(options: JobsOptions): Promise<HostJobs> {
  const token = randomUUID();
  const queue = await openQueue(options.url, 'run', token);
  try {
    const jobs = await queue.boss.findJobs<HostJob>(QUEUE);
    const alive = await queue.connected('run');
    const dead = jobs.filter(({ state, data }) => ACTIVE.includes(state) && !alive.includes(data.run));
    const ids = dead.map(({ id }) => id);
    if (ids.length > 0) await queue.boss.cancel(QUEUE, ids);
    // Their workers stop before another requests from the same hosts.
    if (dead.some(({ state }) => state === 'active')) await sleep(TOUCH_MS + POLL_MS);
  } catch (error) {
    await queue.close();
    throw error;
  }
  return new HostJobs(queue, token, await codeHash(), options);
}

const ACTIVE: readonly string[] = ['created', 'retry', 'active'];

export class HostJobs {
  readonly #queue: Queue;
  readonly #token: string;
  readonly #code: string;
  readonly #options: JobsOptions;
  readonly #waiting = new Map<string, Waiting>();
  /** Hosts and requests by worker. */
  readonly #counts = new Map<string, [hosts: number, requests: number]>();
  #polling: Promise<void> | undefined;
  #storeCheckedMs = Number.NEGATIVE_INFINITY;

  /** Use `openHostJobs`. @param token by which the queue knows that this run is alive */
  constructor(queue: Queue, token: string, code: string, options: JobsOptions) {
    this.#queue = queue;
    this.#token = token;
    this.#code = code;
    this.#options = options;
  }

  /**
   * Read and stage the sources of a host by a worker. If its job fails in all attempts, they are recorded as
   * unavailable.
   * @param onEnd called for each source, in their order
   * @throws QueueUnavailable, StoreUnavailable; Error for a defect of ours
   */
  async read(run: Ingest, { site, sources }: JobHost, onEnd: OnEnd): Promise<void> {
    const { archive, layout, runId } = run;
    const { store } = this.#options;
    const { id, data, state, output } = await this.#job(run, { site, sources });
    const { worker, defect } = state === 'failed' ? {} : JobOutput.parse(output);
    // A defect of ours ends the run, as it would in this process.
    if (defect !== undefined) throw new Error(`worker ${worker}, reading ${site}: ${defect}`);
    const segments = (await readSegments(store, data)).get(runId) ?? [];
    const reads = new Map(segments.flatMap((segment) => segment.reads).map((read) => [read.source, read]));
    const records = Map.groupBy(
      segments.flatMap((segment) => segment.records),
      (record) => record.source,
    );
    for (const { spec, ...before } of sources) {
      await archive.replaceRead({ source: spec.name, runId }, records.get(spec.name) ?? []);
      const read = reads.get(spec.name);
      if (read?.parquet)
        await downloadMissing(store, objectOf(read.parquet.sha256), stagedParquet(layout, spec.name, runId));
      if (read) await writeRead(layout, read);
      else if (state !== 'failed')
        throw new Error(`worker ${worker}, reading ${site}: job ${id} did not read ${spec.name}`);
      onEnd(spec, read ?? (await recordUnread(run, spec, before, failureOf(spec, output))));
    }
    if (worker === undefined) return;
    const [hosts, requests] = this.#counts.get(worker) ?? [0, 0];
    const more = [...reads.values()].reduce((sum, { traffic }) => sum + traffic.requests, 0);
    this.#counts.set(worker, [hosts + 1, requests + more]);
  }

  /** Lines about the workers of the run, for people. */
  summary(): readonly string[] {
    return [...this.#counts]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(
        ([worker, [hosts, requests]]) =>
          `  worker ${worker} read ${plural(hosts, 'host')} with ${plural(requests, 'request')}`,
      );
  }

  async close(): Promise<void> {
    this.#rejectAll(new Error('the run has ended'));
    await this.#polling;
    await Promise.race([this.#queue.close(), sleep(DISCONNECT_MS, undefined, { ref: false })]);
  }

  /** Send the job of a host and wait for its end. */
  async #job({ archive, clock, runId }: Ingest, { site, sources }: JobHost): Promise<FoundJob> {
    const { contact, sandboxUrl, secrets, store } = this.#options;
    const input = [];
    for (const { spec, lastGoodOn, reads } of sources) {
      const records = [];
      for (const earlier of await archive.runs(spec.name)) records.push(...(await archive.records(spec.name, earlier)));
      input.push({ source: spec.name, lastGoodOn, reads, records });
    }
    const names = [...new Set(sources.flatMap(({ spec }) => spec.secrets ?? []))].filter(
      (name) => secrets[name] !== undefined,
    );
    const job: HostJob = {
      run: this.#token,
      runId,
      asOf: clock.asOf,
      site,
      input: await putInput(store, { runId, site }, input),
      store: store.shown,
      code: this.#code,
      contact: contact ?? null,
      secrets: names,
      world:
        sandboxUrl === undefined
          ? null
          : { url: sandboxUrl, secrets: Object.fromEntries(names.map((name) => [name, secrets[name] ?? ''])) },
    };
    // The id is ours, so that a retried send does not add the job twice.
    const id = randomUUID();
    await this.#retry(() => this.#queue.boss.send(QUEUE, job, { id, singletonKey: site, group: { id: site } }));
    const ended = Promise.withResolvers<FoundJob>();
    this.#waiting.set(id, { site, ended, retries: 0 });
    this.#startPolling();
    return ended.promise;
  }

  #retry<T>(work: () => Promise<T>): Promise<T> {
    return retryQuery(this.#queue.shown, this.#options.timeoutMs ?? TIMEOUT_MS, work);
  }

  #rejectAll(error: unknown): void {
    for (const { ended } of this.#waiting.values()) ended.reject(error);
    this.#waiting.clear();
  }

  #startPolling(): void {
    this.#polling ??= this.#poll()
      .catch((error: unknown) => this.#rejectAll(error))
      .finally(() => {
        this.#polling = undefined;
        // A job may have been added while the last poll ended.
        if (this.#waiting.size > 0) this.#startPolling();
      });
  }

  async #poll(): Promise<void> {
    const { print, onWorkers, noWorkerMs } = this.#options;
    const { boss, shown, connected } = this.#queue;
    let withoutWorkersSince: number | undefined;
    for (; this.#waiting.size > 0; await sleep(POLL_MS)) {
      await this.#checkStore();
      const ids = [...this.#waiting.keys()];
      const jobs = await this.#retry(() => boss.findJobs<HostJob>(QUEUE, { data: { run: this.#token } }));
      const found = new Map(jobs.map((job) => [job.id, job]));
      for (const id of ids) this.#update(id, found.get(id));
      const workers = (await this.#retry(() => connected('worker'))).length;
      onWorkers?.(workers);
      if (workers > 0) withoutWorkersSince = undefined;
      else if (withoutWorkersSince === undefined) {
        withoutWorkersSince = performance.now();
        const hosts = plural(this.#waiting.size, 'host');
        print(`  no worker for ${hosts}: start one with make worker, with the same QUEUE and STORE`);
      } else if (performance.now() - withoutWorkersSince > noWorkerMs) {
        const minutes = Math.round(noWorkerMs / 60_000);
        throw new QueueUnavailable(
          `QUEUE is ${shown}, which has had no worker for ${minutes} minutes: start one with make worker`,
        );
      }
    }
  }

  /** Without the store no job can end well: wait for it, visibly. @throws StoreUnavailable after the store's wait */
  async #checkStore(): Promise<void> {
    if (performance.now() - this.#storeCheckedMs < STORE_EVERY_MS) return;
    await this.#options.store.pointer();
    this.#storeCheckedMs = performance.now();
  }

  /** Resolve a job that has ended; print that another worker has taken it over. */
  #update(id: string, job: FoundJob | undefined): void {
    const waiting = this.#waiting.get(id);
    if (!waiting) return;
    const { site, ended } = waiting;
    if (job?.state === 'active' && job.retryCount > waiting.retries) {
      waiting.retries = job.retryCount;
      this.#options.print(`  taken over  ${site}: its worker is gone or returned it, another continues from the store`);
    }
    if (job && ACTIVE.includes(job.state)) return;
    this.#waiting.delete(id);
    if (job && job.state !== 'cancelled') ended.resolve(job);
    else ended.reject(new QueueUnavailable(`QUEUE is ${this.#queue.shown}, from which the job of ${site} was removed`));
  }
}

/** The error of a source whose job failed in all attempts, with the last worker's report. */
function failureOf({ home }: SourceSpec, output: unknown): SourceUnavailable {
  const { data } = z.object({ message: z.string() }).safeParse(output);
  const report = data === undefined ? '' : `; the last reported: ${data.message.split('\n', 1)[0] ?? ''}`;
  return new SourceUnavailable('worker_lost', `no worker could read its host${report}`, home);
}
