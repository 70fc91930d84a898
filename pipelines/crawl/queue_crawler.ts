/**
 * Reads sources by workers in other processes: each source is a job in pg-boss. The pages come back through the
 * archive, which the workers share with the run.
 */
import { constants } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import PQueue from 'p-queue';
import { PgBoss } from 'pg-boss';
import type { Store } from '../../lib/store/store.ts';
import type { Page, SourceSpec } from '../../sources/contract.ts';
import type { Archive } from '../../sources/fetch/archive.ts';
import { archivedPages } from '../archived_pages.ts';
import { fetchRequests } from '../store/worker_store.ts';
import { AT_ONCE, type Crawler, type OnUnreadable, type Reading, type SourceRead, type Traffic } from './crawler.ts';
import { BOSS_SCHEMA, connecting, holdQueue, openCrawlDatabase, retryQuery, SCHEMA, TIMEOUTS } from './database.ts';
import { assignQueue } from './folder.ts';
import { JobWatcher, type QueueProgress } from './job_watcher.ts';
import { adapterHash, createQueue, errorOf, Outcome, QUEUE, sitesOf, type CrawlJob, type Output } from './jobs.ts';

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

/**
 * Connect to the queue and hold it for this run.
 * @throws SettingError or QueueUnavailable as openCrawlDatabase does; SettingError if the queue belongs to another
 * folder
 */
export async function openQueueCrawler(options: QueueOptions): Promise<QueueCrawler> {
  const { url, timeoutMs = TIMEOUT_MS } = options;
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
  let folder: string;
  const code = await adapterHash();
  try {
    release = await holdQueue(url, shown);
    folder = await assignQueue(database, { dataDir: options.dataDir, store: options.store?.shown });
    await connecting(shown, boss.start());
    await createQueue(boss);
    // Jobs of a killed run. This run finds their pages in the archive.
    await boss.deleteAllJobs(QUEUE);
    await database.query(`DELETE FROM ${SCHEMA}.worker WHERE seen_at < now() - interval '1 day'`);
  } catch (error) {
    await disconnect();
    throw error;
  }

  const { noWorkerMs, print, onProgress = () => undefined } = options;
  const watcher = new JobWatcher({ boss, database, timeoutMs, noWorkerMs, print, onProgress });
  const sites = sitesOf(options.sources);
  const counts = new WorkerCounts();
  /** Limits the results in memory to those of a run without a queue. */
  const parsing = new PQueue({ concurrency: AT_ONCE });

  /** Send the job of a source and wait for its output. */
  const readByWorker = async (spec: SourceSpec, reading: Reading): Promise<Output> => {
    const id = randomUUID();
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
    // The id is ours, so that a retried send does not add the job twice.
    const group = { id: sites.get(spec.name) ?? spec.name };
    await retryQuery(shown, timeoutMs, () => boss.send(QUEUE, job, { id, group }));
    return watcher.wait(id, spec.name);
  };

  /** Wait for a parsing slot, which is free again when `parsed` resolves. */
  const takeParsingSlot = (parsed: Promise<void>): Promise<void> =>
    new Promise<void>((begin) => {
      void parsing.add(() => {
        begin();
        return parsed;
      });
    });

  return {
    atOnce: Number.POSITIVE_INFINITY,
    read(spec: SourceSpec, reading: Reading, onUnreadable: OnUnreadable): SourceRead {
      const traffic: { -readonly [name in keyof Traffic]: number } = {
        requests: 0,
        notModified: 0,
        bytes: 0,
        retries: 0,
      };
      const parsed = Promise.withResolvers<void>();
      async function* pages(): AsyncGenerator<Page> {
        const output = await readByWorker(spec, reading);
        // A defect of ours ends the run, as it would in this process.
        if (output.outcome === undefined)
          throw new Error(`worker ${output.worker}, reading ${spec.name}: ${output.defect ?? 'no output'}`);
        const outcome = Outcome.parse(JSON.parse(output.outcome));
        Object.assign(traffic, outcome.traffic);
        counts.add(output.worker, outcome.traffic.requests);
        await takeParsingSlot(parsed.promise);
        for (const { key, failure } of outcome.unreadable) onUnreadable(key, errorOf(failure));
        if (options.store)
          await fetchRequests(options.store, options.dataDir, { source: spec.name, runId: reading.runId });
        const record = { source: spec.name, run_id: reading.runId, pages: outcome.pages };
        // The worker's fetcher has checked the size limits, which differ between requests.
        yield* await archivedPages(options.archive, record, constants.MAX_LENGTH);
        if (outcome.failure) throw errorOf(outcome.failure);
      }
      return {
        traffic,
        pages,
        done: () => {
          parsed.resolve();
        },
      };
    },
    summary: () => counts.lines(),
    async close() {
      await watcher.close();
      await disconnect();
    },
  };
}
