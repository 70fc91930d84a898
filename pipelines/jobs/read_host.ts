/**
 * Reads and stages the sources of one host, for the job of a run. Each attempt has a data folder of its own, which is
 * removed at its end; what it archives and stages goes to the store in segments. An attempt begins with the segments of
 * the attempts before it, and of other runs of the day, so their pages are not requested again.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Job, PgBoss } from 'pg-boss';
import { openArchive, type Archive } from '../../lib/archive.ts';
import { messageOf } from '../../lib/errors.ts';
import type { RequestRecord } from '../../lib/request_record.ts';
import { SettingError } from '../../lib/settings.ts';
import { downloadMissing, objectOf, StoreUnavailable, type Store } from '../../lib/store/store.ts';
import type { SourceSpec } from '../../sources/contract.ts';
import { createFetcher, type Fetcher, type FetcherOptions } from '../../sources/fetch/fetcher.ts';
import { retryAfterMs } from '../../sources/fetch/http/classify.ts';
import { LIMITS } from '../../sources/fetch/limits.ts';
import { hostsOf } from '../../sources/index.ts';
import { liveClock, sandboxClock } from '../clock.ts';
import { ingest } from '../ingest/ingest.ts';
import { stagedParquet, type ReadRecord } from '../ingest/reads.ts';
import { layoutOf } from '../layout.ts';
import { objectFetcher } from '../store/stored_archive.ts';
import { HostJob, QUEUE, TOUCH_MS, type JobOutput } from './queue.ts';
import { readInput, readSegments, SegmentWriter } from './segments.ts';

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

export interface WorkerContext {
  readonly options: WorkerOptions;
  /** Name of the worker. */
  readonly name: string;
  /** Hash of the worker's code. */
  readonly code: string;
  readonly boss: PgBoss;
  /** Aborted when the worker stops. */
  readonly stopping: AbortSignal;
}

const RETRY_MS = 250;

/** Folder of the jobs at work. */
export const jobsFolder = (dataDir: string): string => join(dataDir, 'jobs');

/** @throws SettingError if the worker must not do a job, or lacks one of its secrets */
function checkJob({ options, code }: WorkerContext, job: HostJob): void {
  const { store, secrets } = options;
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
function pausesAfter(records: readonly RequestRecord[], sources: readonly SourceSpec[]): ReadonlyMap<string, number> {
  const pauses = new Map<string, number>();
  for (const record of records.filter(wasSent)) {
    const sentMs = Date.parse(record.observedAt);
    const { minIntervalMs = 0 } = sources.find(({ name }) => name === record.source)?.politeness ?? {};
    const asked = Math.min(retryAfterMs(record.responseHeaders, sentMs) ?? 0, LIMITS.maxRetryAfterMs);
    const { host } = new URL(record.finalUrl ?? record.url);
    // Records have whole seconds.
    const leftMs = sentMs + 1_000 + Math.max(minIntervalMs, asked) - Date.now();
    pauses.set(host, Math.max(pauses.get(host) ?? 0, leftMs));
  }
  return pauses;
}

/** Traffic of earlier attempts, which belongs to the read. */
const withTraffic = (read: ReadRecord, earlier: readonly RequestRecord[]): ReadRecord => ({
  ...read,
  traffic: {
    requests: read.traffic.requests + earlier.length,
    not_modified: read.traffic.not_modified + earlier.filter(({ status }) => status === 304).length,
    bytes: read.traffic.bytes + earlier.reduce((sum, { bytes }) => sum + bytes, 0),
    retries: read.traffic.retries,
  },
});

/** Give the archive of an attempt the records of earlier runs and attempts. */
async function addRecords(archive: Archive, records: readonly RequestRecord[]): Promise<void> {
  const keyOf = ({ source, runId }: RequestRecord): string => `${source} ${runId}`;
  for (const [first, ...rest] of Map.groupBy(records, keyOf).values())
    if (first) await archive.replaceRead({ source: first.source, runId: first.runId }, [first, ...rest]);
}

function fetcherFor(
  { options }: WorkerContext,
  job: HostJob,
  more: Partial<FetcherOptions>,
  archive: Archive,
): Fetcher {
  const { world, asOf, contact } = job;
  const { secrets, sources, print, chromiumPath, limits } = options;
  return createFetcher({
    archive,
    clock: world ? sandboxClock(asOf) : liveClock(asOf),
    secrets: world ? world.secrets : secrets,
    hosts: hostsOf(sources),
    onNoNetwork: print,
    ...more,
    ...(world ? { sandboxUrl: world.url } : {}),
    ...(contact === null ? {} : { contact }),
    ...(chromiumPath === undefined ? {} : { chromiumPath }),
    ...(limits ? { limits } : {}),
  });
}

/**
 * @throws SettingError if the worker must not do the job; an error that returns the job to the queue if the worker is
 * being stopped, has lost it, or the store is unavailable
 */
export async function readHost(context: WorkerContext, job: Job): Promise<JobOutput> {
  const { options, name, boss, stopping } = context;
  const { store, print } = options;
  const [data, attempt] = [HostJob.parse(job.data), job.retryCount];
  const { runId, site } = data;
  checkJob(context, data);
  const input = await readInput(store, data.input);
  // The code is that of the run, so it has the sources.
  const specs = input.flatMap(({ source }) => options.sources.find(({ name: known }) => known === source) ?? []);
  const folder = join(jobsFolder(options.dataDir), `${job.id}.${attempt}`);
  const segments = new SegmentWriter(store, data, attempt);
  const archive = await openArchive(folder, {
    fetchObject: objectFetcher(store, print),
    onObject: (hash, bytes) => segments.addBody(hash, bytes),
    onRecord: (record) => segments.addRecord(record),
  });
  const lost = new AbortController();
  const stop = AbortSignal.any([job.signal, stopping, lost.signal]);
  let fetcher: Fetcher | undefined;
  try {
    const others = await readSegments(store, data);
    const found = [...others.values()].flat();
    const records = found.flatMap((segment) => segment.records);
    await addRecords(
      archive,
      input.flatMap((source) => source.records),
    );
    await addRecords(archive, records);
    const isLive = data.world === null;
    const own = records.filter((record) => record.runId === runId);
    print(`${site}: ${attempt > 0 ? `taken over with ${own.length} archived answers,` : 'reading'} for run ${runId}`);
    const pauses = isLive ? pausesAfter(records, specs) : new Map<string, number>();
    fetcher = fetcherFor(context, data, { stop, beforeRequest: holdJob(boss, job, lost), pauses }, archive);
    const ended = new Set((others.get(runId) ?? []).flatMap(({ reads }) => reads.map(({ source }) => source)));
    const layout = layoutOf(folder);
    const run = {
      layout,
      archive,
      fetcher,
      clock: isLive ? liveClock(data.asOf) : sandboxClock(data.asOf),
      runId,
      attempt,
      async fetchRows({ parquet, source, run_id, version }: ReadRecord) {
        if (parquet)
          await downloadMissing(store, objectOf(parquet.sha256), stagedParquet(layout, source, run_id, version));
      },
    };
    for (const [index, spec] of specs.entries()) {
      const { lastGoodOn = null, reads } = input[index] ?? {};
      if (ended.has(spec.name) || !reads) continue;
      const startedAt = performance.now();
      const read = await ingest(run, spec, { lastGoodOn, reads });
      // Requests after the job was lost belong to another worker.
      stop.throwIfAborted();
      if (read === null) throw new Error(`${spec.name} has nothing to read`);
      const { parquet } = read;
      if (parquet) await store.putFile(objectOf(parquet.sha256), stagedParquet(layout, spec.name, runId));
      const earlier = own.filter((record) => record.source === spec.name && wasSent(record));
      await segments.addRead(withTraffic(read, earlier));
      const { pages, counts, traffic, reason, detail } = read;
      const failure = reason === null ? '' : ` (${reason}: ${detail})`;
      const took = `${Math.round(performance.now() - startedAt)} ms`;
      print(
        `${spec.name}: ${pages.length} pages, ${traffic.requests} requests, ${counts.rows_in} rows, ${took}${failure}`,
      );
    }
    return { worker: name };
  } catch (error) {
    if (stop.aborted || error instanceof StoreUnavailable) {
      const reason = stopping.aborted ? 'this one is being stopped' : messageOf(stop.aborted ? stop.reason : error);
      print(`${site}: left to another worker (${reason})`);
      throw error;
    }
    if (error instanceof SettingError) throw error;
    const defect = error instanceof Error ? (error.stack ?? error.message) : String(error);
    print(`${site}: ${defect}`);
    return { worker: name, defect };
  } finally {
    await segments.close();
    await fetcher?.close();
    await archive.close();
    await rm(folder, { recursive: true, force: true });
  }
}
