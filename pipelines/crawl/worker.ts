/** A worker: takes sources from the queue, reads them as a run would, and leaves what became of them. */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { PgBoss, type Job } from 'pg-boss';
import { SettingError } from '../../lib/settings.ts';
import type { SourceSpec } from '../../sources/contract.ts';
import { openArchive, type RequestRecord } from '../../sources/fetch/archive.ts';
import { createFetcher, type FetcherOptions } from '../../sources/fetch/fetcher.ts';
import { liveClock, sandboxClock } from '../clock.ts';
import { refOf } from '../ingest/reads.ts';
import { claimsIn } from './claims.ts';
import { readHere, type Traffic } from './crawler.ts';
import { BOSS_SCHEMA, openCrawlDatabase, orRefused, SCHEMA } from './database.ts';
import { folderId, wrongFolder } from './folder.ts';
import { codeOf, CrawlJob, failureOf, makeQueue, QUEUE, type Outcome, type Output } from './jobs.ts';

export interface WorkerOptions {
  /** Address of the PostgreSQL database. */
  readonly url: string;
  /** The data folder of the runs; its archive is shared with them. */
  readonly dataDir: string;
  readonly sources: readonly SourceSpec[];
  /** Sources read at the same time. */
  readonly atOnce: number;
  readonly secrets: Readonly<Record<string, string | undefined>>;
  readonly chromiumPath?: string | undefined;
  readonly limits?: FetcherOptions['limits'];
  readonly say: (line: string) => void;
}

export interface Worker {
  readonly name: string;
  /** Resolves only where the worker cannot go on: with what to say of it. */
  readonly unfit: Promise<SettingError>;
  /** Give what is being read back to the queue, and end. */
  close(): Promise<void>;
}

/** A worker is told of new jobs; it also looks so often, for those that are handed on and where it cannot be told. */
const POLL_SECONDS = 0.5;
/** How often a worker says that it still reads a source: well within the heartbeat that it owes. */
const REFRESH_SECONDS = 3;
const STOP_MS = 10_000;

/** What an earlier try asked of the site belongs to the read, too. */
function trafficOf(records: readonly RequestRecord[], attempt: number): Traffic {
  const sent = records.filter((r) => (r.attempt ?? 0) < attempt && (!r.fromCache || r.status === 304));
  return {
    requests: sent.length,
    notModified: sent.filter((r) => r.status === 304).length,
    bytes: sent.reduce((sum, r) => sum + r.bytes, 0),
    retries: 0,
  };
}

const sum = (a: Traffic, b: Traffic): Traffic => ({
  requests: a.requests + b.requests,
  notModified: a.notModified + b.notModified,
  bytes: a.bytes + b.bytes,
  retries: a.retries + b.retries,
});

/** @throws SettingError or QueueUnavailable where the queue cannot be used, SettingError where the folder is not that of the runs */
export async function startWorker(options: WorkerOptions): Promise<Worker> {
  const { url, dataDir, say } = options;
  const [id, name] = [randomUUID(), `${hostname()}/${process.pid}`];
  const code = await codeOf();
  const database = await openCrawlDatabase(url);
  const boss = new PgBoss({
    connectionString: url,
    schema: BOSS_SCHEMA,
    application_name: `dealfeed worker ${name}`,
    max: 4,
    schedule: false,
    useListenNotify: true,
  });
  // The queue is away for a moment: the next look finds it, and claims that are too old are given up by themselves.
  boss.on('error', () => {});
  const unfit = Promise.withResolvers<SettingError>();
  const stopping = new AbortController();
  const register = async (): Promise<void> => {
    await database.query(
      `INSERT INTO ${SCHEMA}.worker (id, name, started_at, seen_at) VALUES ($1, $2, now(), now()) ON CONFLICT (id) DO UPDATE SET seen_at = now()`,
      id,
      name,
    );
  };
  const claims = claimsIn(database, register);

  /** Why this worker must not read this job; null where it may. */
  async function misfit(job: CrawlJob): Promise<string | null> {
    if (job.folder !== (await folderId(dataDir)))
      return (
        (await wrongFolder(database, dataDir)) ??
        `DATA_DIR is ${JSON.stringify(dataDir)}, which is not the data folder of run ${job.reading.runId}`
      );
    if (job.code !== code)
      return `the adapters in sources/ are not those of run ${job.reading.runId}; bring this worker to the run's version of the project and start it again`;
    const missing = job.world ? undefined : job.secrets.find((secret) => options.secrets[secret] === undefined);
    return missing === undefined
      ? null
      : `${missing} is null, expected a value: it is set for run ${job.reading.runId}, which reads ${job.source}`;
  }

  async function readJob({ id: jobId, data, retryCount: attempt, signal }: Job): Promise<Output> {
    const job = CrawlJob.parse(data);
    const { reading, world } = job;
    const why = await misfit(job);
    const spec = options.sources.find((s) => s.name === job.source);
    if (why !== null || !spec) {
      const error = new SettingError(why ?? `source is ${JSON.stringify(job.source)}, which this worker does not know`);
      unfit.resolve(error);
      throw error;
    }
    const archive = await openArchive(dataDir);
    const before = attempt === 0 ? [] : await archive.records(spec.name, reading.runId);
    say(
      `${spec.name}: ${attempt === 0 ? 'reading' : `taken over, ${before.filter((r) => r.error === null && r.sha256 !== null).length} answers are archived already,`} for run ${reading.runId}`,
    );
    const started = performance.now();
    const claim = claims.open(`${jobId}.${attempt}`, AbortSignal.any([signal, stopping.signal]));
    const fetcher = createFetcher({
      archive,
      clock: world ? sandboxClock(reading.asOf) : liveClock(reading.asOf),
      sharedLimiter: claim.turns,
      stop: claim.lost,
      secrets: world ? world.secrets : options.secrets,
      ...(world ? { sandboxUrl: world.url } : {}),
      ...(job.contact === null ? {} : { contact: job.contact }),
      ...(options.chromiumPath === undefined ? {} : { chromiumPath: options.chromiumPath }),
      ...(options.limits ? { limits: options.limits } : {}),
    });
    const [pages, unreadable]: [Outcome['pages'], Outcome['unreadable']] = [[], []];
    try {
      const read = readHere(fetcher, spec, { ...reading, attempt }, (key, error) => {
        const failure = failureOf(error);
        if (failure === undefined) throw error;
        unreadable.push({ key: { ...key }, failure });
      });
      let failure: Outcome['failure'] = null;
      try {
        for await (const page of read.pages()) pages.push(refOf(page));
      } catch (error) {
        failure = failureOf(error) ?? null;
        if (failure === null) throw error;
      }
      // What was asked while the claim was lost is another's to tell.
      claim.lost.throwIfAborted();
      const outcome: Outcome = { pages, unreadable, traffic: sum(read.traffic, trafficOf(before, attempt)), failure };
      say(
        `${spec.name}: ${pages.length} pages, ${read.traffic.requests} requests, ${Math.round(performance.now() - started)} ms${failure ? ` (${failure.reason}: ${failure.detail})` : ''}`,
      );
      return { worker: name, outcome: JSON.stringify(outcome) };
    } catch (error) {
      if (claim.lost.aborted) {
        say(
          `${spec.name}: left to another worker (${stopping.signal.aborted ? 'this one is being stopped' : claim.lost.reason instanceof Error ? claim.lost.reason.message : String(claim.lost.reason)})`,
        );
        throw error;
      }
      const defect = error instanceof Error ? (error.stack ?? error.message) : String(error);
      say(`${spec.name}: ${defect}`);
      return { worker: name, defect };
    } finally {
      await claim.release();
      await fetcher.close();
    }
  }

  const close = async (): Promise<void> => {
    stopping.abort(new Error('the worker is being stopped'));
    await boss.stop({ graceful: true, timeout: STOP_MS }).catch(() => {});
    claims.close();
    await database.query(`DELETE FROM ${SCHEMA}.worker WHERE id = $1`, id).catch(() => {});
    await database.close();
  };
  try {
    const wrong = await wrongFolder(database, dataDir);
    if (wrong !== null) throw new SettingError(wrong);
    await orRefused(database.shown, boss.start());
    await makeQueue(boss);
    await register();
    await boss.work(
      QUEUE,
      {
        localConcurrency: options.atOnce,
        pollingIntervalSeconds: POLL_SECONDS,
        notifyPollingIntervalSeconds: POLL_SECONDS,
        groupConcurrency: 1,
        heartbeatRefreshSeconds: REFRESH_SECONDS,
      },
      async ([job]: Job[]) => (job ? readJob(job) : undefined),
    );
  } catch (error) {
    await close();
    throw error;
  }
  return { name, unfit: unfit.promise, close };
}
