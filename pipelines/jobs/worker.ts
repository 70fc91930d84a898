/**
 * `make worker`: takes the jobs of hosts from the queue, several at a time, and reads and stages the sources of each
 * host. Each attempt has a data folder of its own, which is removed at its end; what it archives and stages goes to the
 * store in segments. An attempt begins with the segments of the attempts before it, and of other runs of the day, so
 * their pages are not requested again.
 */
import { once } from 'node:events';
import { rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Job, PgBoss } from 'pg-boss';
import { openArchive } from '../../lib/archive.ts';
import { runCommand } from '../../lib/command.ts';
import { messageOf } from '../../lib/errors.ts';
import { namesIn } from '../../lib/files.ts';
import { print as printLine } from '../../lib/output.ts';
import type { RequestRecord } from '../../lib/request_record.ts';
import { pipelineSettings, readSettings, SettingError } from '../../lib/settings.ts';
import { openStore } from '../../lib/store/open.ts';
import { objectOf, readPacked, StoreUnavailable, type Store } from '../../lib/store/store.ts';
import { DAY_MS } from '../../lib/time.ts';
import type { SourceSpec } from '../../sources/contract.ts';
import { createFetcher, type FetcherOptions } from '../../sources/fetch/fetcher.ts';
import { retryAfterMs } from '../../sources/fetch/classify.ts';
import { MIN_INTERVAL_MS } from '../../sources/fetch/rate_limiter.ts';
import { LIMITS } from '../../sources/fetch/transport.ts';
import { hostsOf, loadSources, secretsOf } from '../../sources/index.ts';
import { liveClock, sandboxClock } from '../clock.ts';
import { failureText } from '../failure.ts';
import { ingest } from '../ingest/ingest.ts';
import { stagedParquet, type ReadRecord } from '../ingest/reads.ts';
import { layoutOf } from '../layout.ts';
import { HOSTS_AT_ONCE } from '../run/read_sources.ts';
import { objectFetcher, writeRequests } from '../store/folder.ts';
import { pullRows } from '../store/pull.ts';
import { codeHash, HostJob, openQueue, QUEUE, QueueUnavailable, TOUCH_MS, type JobOutput } from './queue.ts';
import { JobInput, readSegments, segmentWriter } from './segments.ts';

export interface WorkerOptions {
  /** Address of the PostgreSQL database. */
  readonly url: string;
  /** Folder for the jobs at work. */
  readonly dataDir: string;
  readonly store: Store;
  readonly sources: readonly SourceSpec[];
  /** Hosts read at the same time. */
  readonly atOnce: number;
  readonly secrets: Readonly<Record<string, string | undefined>>;
  readonly chromiumPath?: string | undefined;
  readonly limits?: FetcherOptions['limits'];
  readonly print: (line: string) => void;
}

interface Context extends WorkerOptions {
  readonly name: string;
  /** Hash of the worker's code. */
  readonly code: string;
  readonly boss: PgBoss;
  /** Folder of the jobs at work. */
  readonly folder: string;
  /** Aborted when the worker stops. */
  readonly stopping: AbortSignal;
}

const RETRY_MS = 250;
/** Notifications announce new jobs. Polling finds retried jobs, and those whose notification was lost. */
const POLLING = { pollingIntervalSeconds: 0.5, notifyPollingIntervalSeconds: 0.5, groupConcurrency: 1 };

/** @throws SettingError or QueueUnavailable as openQueue does */
export async function startWorker(options: WorkerOptions) {
  const name = `${hostname()}/${process.pid}`;
  const [code, stopping, unfit] = [await codeHash(), new AbortController(), Promise.withResolvers<SettingError>()];
  const { boss, close } = await openQueue(options.url, 'worker', name, { useListenNotify: true });
  const folder = join(options.dataDir, 'jobs');
  // No job takes so long: its worker was killed.
  for (const path of (await namesIn(folder)).map((job) => join(folder, job)))
    if (Date.now() - (await stat(path)).mtimeMs > DAY_MS) await rm(path, { recursive: true, force: true });
  const context = { ...options, name, code, boss, folder, stopping: stopping.signal };
  await boss.work(QUEUE, { localConcurrency: options.atOnce, ...POLLING }, async ([job]: Job[]) => {
    try {
      return job && (await readHost(context, job));
    } catch (error) {
      if (error instanceof SettingError) {
        // Otherwise it takes the job again, until its retries are used up.
        await boss.offWork(QUEUE, { wait: false });
        unfit.resolve(error);
      }
      throw error;
    }
  });
  return {
    name,
    /** Resolves with the reason if the worker cannot continue. */
    unfit: unfit.promise,
    /** Return unfinished jobs to the queue, and end. */
    async close(): Promise<void> {
      stopping.abort(new Error('this one is being stopped'));
      await close();
      options.store.close();
    },
  };
}

export type Worker = Awaited<ReturnType<typeof startWorker>>;

/** @throws SettingError if the worker must not do a job, or lacks one of its secrets */
function checkJob({ store, secrets, code }: Context, job: HostJob): void {
  if (job.store !== store.shown)
    throw new SettingError(
      `STORE is ${store.shown}, which is not the store of run ${job.runId}; expected ${job.store}`,
    );
  if (job.code !== code)
    throw new SettingError(
      `the code of this worker is not that of run ${job.runId}; update it to the run's version of the project and ` +
        'start it again',
    );
  const missing = job.world ? undefined : job.secrets.find((secret) => secrets[secret] === undefined);
  if (missing !== undefined)
    throw new SettingError(`${missing} is not set, expected a value: run ${job.runId} has one, and reads ${job.site}`);
}

/**
 * A function that waits until the queue confirms that this worker still has its job, unless it just has. A worker that
 * was suspended, or has lost its connection, requests nothing from a host that another worker may have.
 */
function holdJob(boss: PgBoss, job: Job, lost: AbortController): () => Promise<void> {
  let heldMs = Date.now();
  return async () => {
    // The clock may be set back.
    while (Math.abs(Date.now() - heldMs) > TOUCH_MS) {
      const startedMs = Date.now();
      try {
        const [now] = await boss.findJobs(QUEUE, { id: job.id });
        if (now?.state !== 'active' || now.retryCount !== job.retryCount)
          lost.abort(new Error('another worker has its job, or its run has ended'));
        heldMs = startedMs;
      } catch {
        await sleep(RETRY_MS);
      }
      job.signal.throwIfAborted();
    }
    lost.signal.throwIfAborted();
  };
}

const wasSent = ({ method, fromCache, status }: RequestRecord): boolean =>
  method !== 'READ' && (!fromCache || status === 304);

/** Milliseconds for which hosts are left alone after requests of other workers: their interval, and Retry-After. */
function pausesAfter(requests: readonly RequestRecord[], sources: readonly SourceSpec[]): ReadonlyMap<string, number> {
  const pauses = new Map<string, number>();
  for (const { source, url, finalUrl = url, observedAt, responseHeaders } of requests.filter(wasSent)) {
    const sentMs = Date.parse(observedAt);
    const { minIntervalMs = MIN_INTERVAL_MS } = sources.find(({ name }) => name === source) ?? {};
    const asked = Math.min(retryAfterMs(responseHeaders, sentMs) ?? 0, LIMITS.maxRetryAfterMs);
    const { host } = new URL(finalUrl);
    // Records have whole seconds.
    const leftMs = sentMs + 1_000 + Math.max(minIntervalMs, asked) - Date.now();
    pauses.set(host, Math.max(pauses.get(host) ?? 0, leftMs));
  }
  return pauses;
}

/** A read with the traffic of earlier attempts, which belongs to it. */
const withTraffic = ({ traffic, ...read }: ReadRecord, earlier: readonly RequestRecord[]): ReadRecord => ({
  ...read,
  traffic: {
    requests: traffic.requests + earlier.length,
    not_modified: traffic.not_modified + earlier.filter(({ status }) => status === 304).length,
    bytes: traffic.bytes + earlier.reduce((sum, { bytes }) => sum + bytes, 0),
    retries: traffic.retries,
  },
});

/**
 * Read and stage the sources of a host that no earlier attempt has read.
 * @throws SettingError if the worker must not do the job; an error that returns the job to the queue if the worker is
 * being stopped, has lost it, or the store is unavailable
 */
async function readHost(context: Context, job: Job): Promise<JobOutput> {
  const { store, print, sources, secrets, chromiumPath, limits, name: worker, boss, stopping } = context;
  const [data, attempt] = [HostJob.parse(job.data), job.retryCount];
  const { runId, site, world, asOf, contact } = data;
  checkJob(context, data);
  const input = await readPacked(store, data.input, JobInput);
  const folder = join(context.folder, `${job.id}.${attempt}`);
  const segments = segmentWriter(store, data, attempt);
  const archive = await openArchive(folder, {
    fetchObject: objectFetcher(store, print),
    onObject: (hash, bytes) => store.put(objectOf(hash), bytes),
    onRecord: (request) => segments.addRequest(request),
  });
  const lost = new AbortController();
  const stop = AbortSignal.any([job.signal, stopping, lost.signal]);
  const [clock, layout] = [world ? sandboxClock(asOf) : liveClock(asOf), layoutOf(folder)];
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(() => rm(folder, { recursive: true, force: true }));
  cleanup.defer(() => archive.close());
  cleanup.defer(() => segments.close());
  try {
    const byRun = await readSegments(store, data);
    const stored = [...byRun.values()].flatMap(({ requests }) => requests);
    await writeRequests(archive, [...input.flatMap(({ requests }) => requests), ...stored]);
    const { requests = [], reads = [] } = byRun.get(runId) ?? {};
    print(
      `${site}: ${attempt > 0 ? `taken over with ${requests.length} archived answers,` : 'reading'} for run ${runId}`,
    );
    const fetcher = createFetcher({
      archive,
      clock,
      stop,
      beforeRequest: holdJob(boss, job, lost),
      pauses: world ? new Map<string, number>() : pausesAfter(stored, sources),
      secrets: world ? world.secrets : secrets,
      hosts: hostsOf(sources),
      onNoNetwork: print,
      sandboxUrl: world?.url,
      contact: contact ?? undefined,
      chromiumPath,
      limits,
    });
    cleanup.defer(() => fetcher.close());
    const fetchRows = (read: ReadRecord): Promise<void> => pullRows(store, layout, read);
    for (const known of input.filter(({ source }) => !reads.some((read) => read.source === source))) {
      // The code is that of the run, so it has the sources.
      const spec = sources.find(({ name }) => name === known.source);
      const startedAt = performance.now();
      const read = spec && (await ingest({ layout, archive, fetcher, clock, runId, attempt, fetchRows }, spec, known));
      // Requests after the job was lost belong to another worker.
      stop.throwIfAborted();
      if (!read) throw new Error(`${known.source} has nothing to read`);
      if (read.parquet) await store.putFile(objectOf(read.parquet.sha256), stagedParquet(layout, read.source, runId));
      const earlier = requests.filter((request) => request.source === read.source && wasSent(request));
      await segments.addRead(withTraffic(read, earlier));
      const { pages, counts, traffic, reason, detail } = read;
      print(
        `${read.source}: ${pages.length} pages, ${traffic.requests} requests, ${counts.rows_in} rows, ` +
          `${Math.round(performance.now() - startedAt)} ms${reason === null ? '' : ` (${reason}: ${detail})`}`,
      );
    }
    return { worker };
  } catch (error) {
    if (stop.aborted || error instanceof StoreUnavailable) {
      print(`${site}: left to another worker (${messageOf(stop.aborted ? stop.reason : error)})`);
      throw error;
    }
    if (error instanceof SettingError) throw error;
    const defect = error instanceof Error ? (error.stack ?? error.message) : String(error);
    print(`${site}: ${defect}`);
    return { worker, defect };
  }
}

async function main(): Promise<number> {
  const { QUEUE: url, DATA_DIR: dataDir, STORE, CHROMIUM_PATH: chromiumPath } = readSettings(pipelineSettings);
  if (url === undefined || STORE === undefined)
    throw new SettingError(
      `${url === undefined ? 'QUEUE' : 'STORE'} is not set, expected that of the runs; see docs/scaling.md#workers`,
    );
  const [sources, store] = [await loadSources(), await openStore(STORE, undefined, printLine)];
  const [atOnce, secrets, print] = [HOSTS_AT_ONCE, secretsOf(sources), printLine];
  const worker = await startWorker({ url, dataDir, store, sources, atOnce, secrets, chromiumPath, print });
  print(
    `worker ${worker.name} reads up to ${atOnce} hosts at a time; Ctrl-C stops it and returns unfinished hosts to ` +
      'the queue',
  );
  const reason = await Promise.race([worker.unfit, once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  await worker.close();
  if (reason instanceof SettingError) throw reason;
  print(`worker ${worker.name} has stopped`);
  return 0;
}

if (import.meta.main)
  await runCommand(main, (error) => (error instanceof QueueUnavailable ? error.message : failureText(error)));
