/**
 * A run's side of the queue: one job for each host. The worker's records, pages and rows come back through the store,
 * so the run has what it would have read itself.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JobWithMetadata } from 'pg-boss';
import { z } from 'zod';
import type { Store } from '../../lib/store/store.ts';
import { type SourceSpec, SourceUnavailable } from '../../sources/contract.ts';
import { plural } from '../format.ts';
import { type Before, type Ingest, recordUnread } from '../ingest/ingest.ts';
import { type EarlierReads, type ReadRecord, writeRead } from '../ingest/reads.ts';
import { pullRows } from '../store/pull.ts';
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

/** Time to disconnect: a silent server never answers. */
const DISCONNECT_MS = 2_000;
const POLL_MS = 500;
/** How often a waiting run checks that it reaches the store, too. */
const STORE_EVERY_MS = 5_000;

type FoundJob = JobWithMetadata<HostJob>;

const ACTIVE: readonly string[] = ['created', 'retry', 'active'];

/** Cancel the jobs of killed runs: what they have read is in the store. */
async function cancelDead({ boss, connected }: Queue): Promise<void> {
  const alive = await connected('run');
  const jobs = await boss.findJobs<HostJob>(QUEUE);
  const dead = jobs.filter(({ state, data }) => ACTIVE.includes(state) && !alive.includes(data.run));
  for (const { id } of dead) await boss.cancel(QUEUE, id);
  // Their workers stop before another requests from the same hosts.
  if (dead.some(({ state }) => state === 'active')) await sleep(TOUCH_MS + POLL_MS);
}

export type HostJobs = Awaited<ReturnType<typeof openHostJobs>>;

/** Connect to the queue. @throws SettingError or QueueUnavailable as openQueue does */
export async function openHostJobs(options: JobsOptions) {
  const { store, print, secrets, timeoutMs = 10_000 } = options;
  const code = await codeHash();
  /** By which the queue knows that this run is alive. */
  const token = randomUUID();
  const queue = await openQueue(options.url, 'run', token);
  const { boss, connected, shown } = queue;
  await cancelDead(queue).catch(async (error: unknown) => {
    await queue.close();
    throw error;
  });
  /** The jobs that the run waits for, with the retries that were printed. */
  const waiting = new Map<string, { site: string; ended: PromiseWithResolvers<FoundJob>; retries: number }>();
  const closing = new AbortController();
  /** Why the run cannot continue. */
  let failure: unknown;

  const retry = <T>(work: () => Promise<T>): Promise<T> => retryQuery(shown, timeoutMs, work);

  /** End every wait. */
  const fail = (error: unknown): void => {
    failure ??= error;
    for (const { ended } of waiting.values()) ended.reject(error);
    waiting.clear();
  };

  /** Resolve a job that has ended; print that another worker has taken it over. */
  const update = (id: string, job: FoundJob | undefined): void => {
    const one = waiting.get(id);
    if (!one) return;
    const { site, ended } = one;
    if (job?.state === 'active' && job.retryCount > one.retries) {
      one.retries = job.retryCount;
      print(`  taken over  ${site}: its worker is gone or returned it, another continues from the store`);
    }
    if (job && ACTIVE.includes(job.state)) return;
    waiting.delete(id);
    if (job && job.state !== 'cancelled') ended.resolve(job);
    else ended.reject(new QueueUnavailable(`QUEUE is ${shown}, from which the job of ${site} was removed`));
  };

  /** Resolve the jobs that end. @throws QueueUnavailable, also after a long time without a worker; StoreUnavailable */
  const poll = async (): Promise<void> => {
    let storeCheckedMs = Number.NEGATIVE_INFINITY;
    /** Since when no worker is connected. */
    let aloneSinceMs: number | null = null;
    for (; !closing.signal.aborted; await sleep(POLL_MS)) {
      if (waiting.size === 0) continue;
      // Without the store no job can end well: wait for it, visibly.
      if (performance.now() - storeCheckedMs > STORE_EVERY_MS) {
        await store.pointer();
        storeCheckedMs = performance.now();
      }
      const ids = [...waiting.keys()];
      const jobs = await retry(() => boss.findJobs<HostJob>(QUEUE, { data: { run: token } }));
      const byId = new Map(jobs.map((job) => [job.id, job]));
      for (const id of ids) update(id, byId.get(id));
      if ((await retry(() => connected('worker'))).length > 0) aloneSinceMs = null;
      else if (aloneSinceMs === null) {
        aloneSinceMs = performance.now();
        const hosts = plural(waiting.size, 'host');
        print(`  no worker for ${hosts}: start one with make worker, with the same QUEUE and STORE`);
      } else if (performance.now() - aloneSinceMs > options.noWorkerMs)
        throw new QueueUnavailable(
          `QUEUE is ${shown}, which has had no worker for ${Math.round(options.noWorkerMs / 60_000)} minutes: start ` +
            'one with make worker',
        );
    }
  };
  const polling = poll().catch(fail);

  /** Send the job of a host and wait for its end. */
  const runJob = async ({ archive, clock, runId }: Ingest, { site, sources }: JobHost): Promise<FoundJob> => {
    const input = [];
    for (const { spec, lastGoodOn, reads } of sources) {
      const requests = [];
      for (const earlier of await archive.runs(spec.name))
        requests.push(...(await archive.records(spec.name, earlier)));
      input.push({ source: spec.name, lastGoodOn, reads, requests });
    }
    const wanted = new Set(sources.flatMap(({ spec }) => spec.secrets ?? []));
    const set = [...wanted].flatMap((name) => (secrets[name] ? [[name, secrets[name]] as const] : []));
    const { contact = null, sandboxUrl } = options;
    const job: HostJob = {
      run: token,
      runId,
      asOf: clock.asOf,
      site,
      input: await putInput(store, { runId, site }, input),
      store: store.shown,
      code,
      contact,
      secrets: set.map(([name]) => name),
      world: sandboxUrl === undefined ? null : { url: sandboxUrl, secrets: Object.fromEntries(set) },
    };
    // The id is ours, so that a retried send does not add the job twice.
    const id = randomUUID();
    await retry(() => boss.send(QUEUE, job, { id, singletonKey: site, group: { id: site } }));
    if (failure !== undefined) throw failure;
    const ended = Promise.withResolvers<FoundJob>();
    waiting.set(id, { site, ended, retries: 0 });
    return ended.promise;
  };

  return {
    /**
     * Read and stage the sources of a host by a worker. If its job fails in all attempts, they are recorded as
     * unavailable.
     * @param onEnd called for each source, in their order
     * @throws QueueUnavailable, StoreUnavailable; Error for a defect of ours
     */
    async read(run: Ingest, host: JobHost, onEnd: (spec: SourceSpec, read: ReadRecord) => void): Promise<void> {
      const { archive, layout, runId } = run;
      const { id, data, state, output } = await runJob(run, host);
      const { worker, defect } = state === 'failed' ? {} : JobOutput.parse(output);
      // A defect of ours ends the run, as it would in this process.
      if (defect !== undefined) throw new Error(`worker ${worker}, reading ${host.site}: ${defect}`);
      const { requests = [], reads = [] } = (await readSegments(store, data)).get(runId) ?? {};
      for (const { spec, ...before } of host.sources) {
        const own = requests.filter(({ source }) => source === spec.name);
        await archive.replaceRead({ source: spec.name, runId }, own);
        const read = reads.findLast(({ source }) => source === spec.name);
        if (read) {
          await pullRows(store, layout, read);
          await writeRead(layout, read);
        } else if (state !== 'failed')
          throw new Error(`worker ${worker}, reading ${host.site}: job ${id} did not read ${spec.name}`);
        onEnd(spec, read ?? (await recordUnread(run, spec, before, failureOf(spec, output))));
      }
    },
    async close(): Promise<void> {
      closing.abort();
      await polling;
      fail(new Error('the run has ended'));
      await Promise.race([queue.close(), sleep(DISCONNECT_MS, undefined, { ref: false })]);
    },
  };
}

/** The error of a source whose job failed in all attempts, with the last worker's report. */
function failureOf({ home }: SourceSpec, output: unknown): SourceUnavailable {
  const { data } = z.object({ message: z.string() }).safeParse(output);
  const report = data === undefined ? '' : `; the last reported: ${data.message.split('\n', 1)[0] ?? ''}`;
  return new SourceUnavailable('worker_lost', `no worker could read its host${report}`, home);
}
