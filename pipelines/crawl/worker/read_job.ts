/** Reads the source of one job. */
import type { Job } from 'pg-boss';
import { messageOf } from '../../../lib/errors.ts';
import { SettingError } from '../../../lib/settings.ts';
import { StoreUnavailable } from '../../../lib/store/store.ts';
import type { SourceSpec } from '../../../sources/contract.ts';
import { openArchive, type Archive } from '../../../lib/archive.ts';
import type { RequestRecord } from '../../../lib/request_record.ts';
import { createFetcher, type Fetcher } from '../../../sources/fetch/fetcher.ts';
import { hostsOf } from '../../../sources/index.ts';
import { liveClock, sandboxClock } from '../../clock.ts';
import { refOf } from '../../ingest/reads.ts';
import type { Claim } from './claims.ts';
import { readHere, type Traffic } from '../crawler.ts';
import { BYTES_PER_MB, findJobSpec, type JobContext } from './job_context.ts';
import { CrawlJob, toFailure, type Outcome, type Output } from '../jobs.ts';
import { fetchRequests, openWorkerArchive, trimPages } from '../../store/worker_store.ts';

/** The adapter of a job. @throws SettingError if the worker must not read it, or lacks one of its secrets */
async function readableSpec(context: JobContext, job: CrawlJob): Promise<SourceSpec> {
  const { runId } = job.reading;
  const spec = await findJobSpec(context, job, runId);
  const missing = job.world ? undefined : job.secrets.find((secret) => context.options.secrets[secret] === undefined);
  if (missing === undefined) return spec;
  throw new SettingError(`${missing} is null, expected a value: run ${runId} has one, and reads ${job.source}`);
}

/** Traffic of earlier attempts, which belongs to the read. */
function earlierTraffic(records: readonly RequestRecord[], attempt: number): Traffic {
  const sent = records.filter(
    (record) => (record.attempt ?? 0) < attempt && (!record.fromCache || record.status === 304),
  );
  return {
    requests: sent.length,
    notModified: sent.filter((record) => record.status === 304).length,
    bytes: sent.reduce((sum, r) => sum + r.bytes, 0),
    retries: 0,
  };
}

const add = (a: Traffic, b: Traffic): Traffic => ({
  requests: a.requests + b.requests,
  notModified: a.notModified + b.notModified,
  bytes: a.bytes + b.bytes,
  retries: a.retries + b.retries,
});

function fetcherFor({ options }: JobContext, job: CrawlJob, archive: Archive, claim: Claim): Fetcher {
  const { world, reading, contact } = job;
  return createFetcher({
    archive,
    clock: world ? sandboxClock(reading.asOf) : liveClock(reading.asOf),
    sharedLimiter: claim.turns,
    stop: claim.lost,
    secrets: world ? world.secrets : options.secrets,
    hosts: hostsOf(options.sources),
    onNoNetwork: options.print,
    ...(world ? { sandboxUrl: world.url } : {}),
    ...(contact === null ? {} : { contact }),
    ...(options.chromiumPath === undefined ? {} : { chromiumPath: options.chromiumPath }),
    ...(options.limits ? { limits: options.limits } : {}),
  });
}

/** Read the pages of a source. A failure of the site is in the outcome. @throws for a defect of ours */
async function readPages(fetcher: Fetcher, spec: SourceSpec, job: CrawlJob, attempt: number): Promise<Outcome> {
  const pages: Outcome['pages'] = [];
  const unreadable: Outcome['unreadable'] = [];
  const read = readHere(fetcher, spec, { ...job.reading, attempt }, (key, error) => {
    const failure = toFailure(error);
    if (failure === undefined) throw error;
    unreadable.push({ key: { ...key }, failure });
  });
  let failure: Outcome['failure'] = null;
  try {
    for await (const page of read.pages()) pages.push({ ...refOf(page), size: page.size });
  } catch (error) {
    failure = toFailure(error) ?? null;
    if (failure === null) throw error;
  }
  return { pages, unreadable, traffic: { ...read.traffic }, failure };
}

/** The archive for a job: the shared folder's, or a cache of the store with the lists that the read needs. */
async function archiveFor({ options, earlier }: JobContext, job: CrawlJob, attempt: number): Promise<Archive> {
  const { dataDir, store: cache, print } = options;
  if (!cache) return openArchive(dataDir);
  const { source, reading } = job;
  const archive = await openWorkerArchive(dataDir, cache.store, { source, runId: reading.runId, attempt }, print);
  await earlier?.fetch(archive);
  for (const runId of [...reading.resumes, reading.runId])
    await fetchRequests(cache.store, dataDir, archive, { source, runId });
  return archive;
}

/**
 * @throws SettingError if the worker must not read the job; an error that returns the job to the queue if it lost it
 */
export async function readJob(context: JobContext, { id, data, retryCount: attempt, signal }: Job): Promise<Output> {
  const { options, name, claims, stopping } = context;
  const { print } = options;
  const job = CrawlJob.parse(data);
  const spec = await readableSpec(context, job);
  const archive = await archiveFor(context, job, attempt);
  const earlier = attempt === 0 ? [] : await archive.records(spec.name, job.reading.runId);
  const archived = earlier.filter((request) => request.error === null && request.sha256 !== null).length;
  const start = attempt === 0 ? 'reading' : `taken over with ${archived} archived answers,`;
  print(`${spec.name}: ${start} for run ${job.reading.runId}`);
  const startedAt = performance.now();
  const claim = claims.open(`${id}.${attempt}`, AbortSignal.any([signal, stopping]));
  const fetcher = fetcherFor(context, job, archive, claim);
  try {
    const outcome = await readPages(fetcher, spec, job, attempt);
    // Requests after the claim was lost belong to another worker.
    claim.lost.throwIfAborted();
    await archive.endRead({ source: spec.name, runId: job.reading.runId });
    const { pages, traffic, failure } = outcome;
    const took = `${Math.round(performance.now() - startedAt)} ms`;
    const reason = failure ? ` (${failure.reason}: ${failure.detail})` : '';
    print(`${spec.name}: ${pages.length} pages, ${traffic.requests} requests, ${took}${reason}`);
    return {
      worker: name,
      outcome: JSON.stringify({ ...outcome, traffic: add(traffic, earlierTraffic(earlier, attempt)) }),
    };
  } catch (error) {
    if (claim.lost.aborted) {
      const reason = stopping.aborted ? 'this one is being stopped' : messageOf(claim.lost.reason);
      print(`${spec.name}: left to another worker (${reason})`);
      throw error;
    }
    if (error instanceof StoreUnavailable) {
      print(`${spec.name}: left to another worker (${error.message})`);
      throw error;
    }
    const defect = error instanceof Error ? (error.stack ?? error.message) : String(error);
    print(`${spec.name}: ${defect}`);
    return { worker: name, defect };
  } finally {
    await claim.release();
    await fetcher.close();
    if (options.store) await trimPages(options.dataDir, archive, options.store.cacheMb * BYTES_PER_MB);
    await archive.close();
  }
}
