/**
 * Reads and stages sources by workers in other processes: each source, and each shard of its pages, is a job in
 * pg-boss. Pages and rows come back through the folder that the workers share with the run, or through the store.
 */
import { constants } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import PQueue from 'p-queue';
import { PgBoss, type SendOptions } from 'pg-boss';
import type { Store } from '../../lib/store/store.ts';
import type { SourceSpec } from '../../sources/contract.ts';
import type { Archive } from '../../lib/archive.ts';
import type { RequestRecord } from '../../lib/request_record.ts';
import { openPage } from '../../sources/fetch/page.ts';
import { archivedRequests, type ReadPage } from '../ingest/reads.ts';
import { layoutOf } from '../layout.ts';
import { begunReads } from '../store/begun_reads.ts';
import { fetchRequests } from '../store/worker_store.ts';
import { AT_ONCE, type Crawler, type OnUnreadable, type Reading, type SourceRead, type Traffic } from './crawler.ts';
import { untilReleased } from './worker/claims.ts';
import {
  BOSS_SCHEMA,
  connecting,
  holdQueue,
  openCrawlDatabase,
  retryQuery,
  SCHEMA,
  TIMEOUTS,
  type CrawlDatabase,
} from './database.ts';
import { assignQueue } from './folder.ts';
import { JobWatcher, type QueueProgress } from './job_watcher.ts';
import {
  codeHash,
  createQueues,
  errorOf,
  Outcome,
  Output,
  QUEUE,
  groupBySharedHost,
  STAGE_QUEUE,
  type CrawlJob,
  type StageJob,
} from './jobs.ts';
import { loadByWorkers, type StagingOptions } from './stage_by_workers.ts';

export type { QueueProgress } from './job_watcher.ts';

export interface QueueOptions {
  /** Address of the PostgreSQL database. */
  readonly url: string;
  readonly dataDir: string;
  /** Store in which the workers put the pages. Default: they share the folder. */
  readonly store?: Store | undefined;
  readonly archive: Archive;
  /** All sources, to find those that share a host. */
  readonly sources: readonly SourceSpec[];
  readonly contact?: string | undefined;
  readonly sandboxUrl?: string | undefined;
  /** Values of the sources' secrets by name. They leave this process only for the sandbox world. */
  readonly secrets: Readonly<Record<string, string | undefined>>;
  readonly print: (line: string) => void;
  readonly onProgress?: (progress: QueueProgress) => void;
  /** How long the database may be unavailable. Default: 10 s. */
  readonly timeoutMs?: number;
  /** How long the run waits without any worker. */
  readonly noWorkerMs: number;
}

export interface QueueCrawler extends Crawler {
  close(): Promise<void>;
}

const TIMEOUT_MS = 10_000;
/** Time to disconnect: a silent server never answers. */
const DISCONNECT_MS = 2_000;
/** How often pg-boss looks for dead workers. */
const SUPERVISE_SECONDS = 2;

const startBoss = (url: string): PgBoss => {
  const boss = new PgBoss({
    connectionString: url,
    schema: BOSS_SCHEMA,
    application_name: 'dealfeed run',
    max: 4,
    schedule: false,
    superviseIntervalSeconds: SUPERVISE_SECONDS,
    monitorIntervalSeconds: SUPERVISE_SECONDS,
    // pg-boss passes unknown options to its connections.
    ...TIMEOUTS,
  });
  // The next poll reports an unavailable database.
  boss.on('error', () => {});
  return boss;
};

/** The secrets of a source that are set. */
const secretsFor = ({ secrets = [] }: SourceSpec, values: QueueOptions['secrets']): string[] =>
  secrets.filter((name) => values[name] !== undefined);

/** The sandbox world of a job. Only its made-up secrets go through the queue. */
function worldOf({ sandboxUrl, secrets }: QueueOptions, names: readonly string[]): CrawlJob['world'] {
  if (sandboxUrl === undefined) return null;
  return { url: sandboxUrl, secrets: Object.fromEntries(names.map((name) => [name, secrets[name] ?? ''])) };
}

/** A page whose body is opened where it is needed. The worker's fetcher has checked the limits of its size. */
export const archivedPage = (archive: Archive, request: RequestRecord, size: number): ReadPage => ({
  kind: request.kind,
  url: request.url,
  context: request.context,
  sha256: request.sha256 ?? '',
  observedAt: request.observedAt,
  size,
  open: () => openPage(archive, request, constants.MAX_LENGTH),
});

/** Counts what each worker has read. */
class WorkerCounts {
  readonly #counts = new Map<string, { sources: number; requests: number }>();

  add(worker: string, requests: number): void {
    const before = this.#counts.get(worker) ?? { sources: 0, requests: 0 };
    this.#counts.set(worker, { sources: before.sources + 1, requests: before.requests + requests });
  }

  lines(): string[] {
    return [...this.#counts]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([worker, { sources, requests }]) => {
        const count = `${sources} source${sources === 1 ? '' : 's'}`;
        return `  worker ${worker} read ${count} with ${requests} requests`;
      });
  }
}

/** The queue of one run, held until it is disconnected. */
interface RunQueue {
  readonly database: CrawlDatabase;
  readonly boss: PgBoss;
  /** Id of the place of the pages. */
  readonly folder: string;
  readonly disconnect: () => Promise<void>;
}

/** Connect to the queue, hold it for this run, and remove the jobs of killed runs. */
async function connectQueue({ url, dataDir, store }: QueueOptions): Promise<RunQueue> {
  const database = await openCrawlDatabase(url);
  const { shown } = database;
  const boss = startBoss(url);
  let release: (() => Promise<void>) | undefined;
  const disconnect = async (): Promise<void> => {
    const goodbye = async (): Promise<void> => {
      await boss.stop({ graceful: false }).catch(() => {});
      await release?.();
      await database.close();
    };
    await Promise.race([goodbye(), sleep(DISCONNECT_MS, undefined, { ref: false })]);
  };
  try {
    release = await holdQueue(url, shown);
    const folder = await assignQueue(database, { dataDir, store: store?.shown });
    await connecting(shown, boss.start());
    await createQueues(boss);
    // This run finds the pages of killed runs in the archive, also those that a worker still reads.
    for (const queue of [QUEUE, STAGE_QUEUE]) await boss.deleteAllJobs(queue);
    await connecting(shown, untilReleased(database));
    await database.query(`DELETE FROM ${SCHEMA}.worker WHERE seen_at < now() - interval '1 day'`);
    return { database, boss, folder, disconnect };
  } catch (error) {
    await disconnect();
    throw error;
  }
}

/** Wait for a turn to concatenate a read; the turn ends when `staged` resolves. */
const takeTurn = (assembling: PQueue, staged: Promise<void>): Promise<void> =>
  new Promise<void>((begin) => {
    void assembling.add(() => {
      begin();
      return staged;
    });
  });

/**
 * Connect to the queue and hold it for this run.
 * @throws SettingError or QueueUnavailable as openCrawlDatabase does; SettingError if the queue belongs to another
 * folder
 */
export async function openQueueCrawler(options: QueueOptions): Promise<QueueCrawler> {
  const { timeoutMs = TIMEOUT_MS } = options;
  const code = await codeHash();
  const { database, boss, folder, disconnect } = await connectQueue(options);
  const { shown } = database;
  const { noWorkerMs, print, onProgress = () => undefined } = options;
  const watcher = new JobWatcher({ database, timeoutMs, noWorkerMs, store: options.store, print, onProgress });
  const sites = groupBySharedHost(options.sources);
  const counts = new WorkerCounts();
  /** Limits how many reads are concatenated at the same time to the limit of a run without a queue. */
  const assembling = new PQueue({ concurrency: AT_ONCE });

  /** Send a job. The id is ours, so that a retried send does not add the job twice. @returns its output */
  const send = async (queue: string, job: CrawlJob | StageJob, more: SendOptions = {}): Promise<unknown> => {
    const id = randomUUID();
    await retryQuery(shown, timeoutMs, () => boss.send(queue, job, { ...more, id }));
    return watcher.wait(queue, id, job.source);
  };

  /** Send the job of a source and wait for its output. */
  const readByWorker = async (spec: SourceSpec, reading: Reading): Promise<Output> => {
    const secrets = secretsFor(spec, options.secrets);
    const job: CrawlJob = {
      source: spec.name,
      reading: { ...reading, distrusts: [...reading.distrusts], resumes: [...reading.resumes] },
      folder,
      code,
      contact: options.contact ?? null,
      secrets,
      world: worldOf(options, secrets),
    };
    return Output.parse(await send(QUEUE, job, { group: { id: sites.get(spec.name) ?? spec.name } }));
  };

  return {
    atOnce: Number.POSITIVE_INFINITY,
    read(spec: SourceSpec, reading: Reading, onUnreadable: OnUnreadable): SourceRead {
      const traffic: { -readonly [name in keyof Traffic]: number } = {
        requests: 0,
        notModified: 0,
        bytes: 0,
        retries: 0,
      };
      const staged = Promise.withResolvers<void>();
      const { archive, store, dataDir } = options;
      async function* pages(): AsyncGenerator<ReadPage> {
        const output = await readByWorker(spec, reading);
        // A defect of ours ends the run, as it would in this process.
        if (output.outcome === undefined)
          throw new Error(`worker ${output.worker}, reading ${spec.name}: ${output.defect ?? 'no output'}`);
        const outcome = Outcome.parse(JSON.parse(output.outcome));
        Object.assign(traffic, outcome.traffic);
        counts.add(output.worker, outcome.traffic.requests);
        for (const { key, failure } of outcome.unreadable) onUnreadable(key, errorOf(failure));
        if (store) await fetchRequests(store, dataDir, archive, { source: spec.name, runId: reading.runId });
        const record = { source: spec.name, run_id: reading.runId, pages: outcome.pages };
        for (const [index, request] of (await archivedRequests(archive, record)).entries())
          yield archivedPage(archive, request, outcome.pages[index]?.size ?? 0);
        if (outcome.failure) throw errorOf(outcome.failure);
      }
      // The largest first: a large shard sent last would keep one worker busy while the others wait.
      const stage: StagingOptions['stage'] = (job, bytes) =>
        send(STAGE_QUEUE, { ...job, folder, code }, { priority: Math.round(bytes / 1000) });
      const turn = (): Promise<void> => takeTurn(assembling, staged.promise);
      return {
        traffic,
        pages,
        load: loadByWorkers({ dataDir, store, archive, stage, takeTurn: turn }, reading.runId),
        done: () => {
          staged.resolve();
        },
      };
    },
    ...(options.store ? { begun: begunReads(options.store) } : {}),
    summary: () => counts.lines(),
    async close() {
      await watcher.close();
      await disconnect();
      await rm(layoutOf(options.dataDir).shards, { recursive: true, force: true });
    },
  };
}
