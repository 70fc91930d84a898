/**
 * Reads sources by workers in other processes: each source is a job in pg-boss, its pages come back by the archive,
 * which the workers share with the run.
 */
import { constants } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import PQueue from 'p-queue';
import { PgBoss, type JobWithMetadata } from 'pg-boss';
import type { SourceSpec } from '../../sources/contract.ts';
import type { Archive } from '../../sources/fetch/archive.ts';
import { pagesOf } from '../commands/reparse.ts';
import { AT_ONCE, type Crawler, type OnUnreadable, type Reading, type SourceRead, type Traffic } from './crawler.ts';
import {
  ANSWERED,
  BOSS_SCHEMA,
  holdQueue,
  openCrawlDatabase,
  orRefused,
  patiently,
  QueueUnavailable,
  SCHEMA,
  WORKER_SILENT_SECONDS,
} from './database.ts';
import { takeQueue } from './folder.ts';
import { codeOf, errorOf, makeQueue, Outcome, Output, QUEUE, sitesOf, type CrawlJob } from './jobs.ts';

export interface QueueOptions {
  /** Address of the PostgreSQL database. */
  readonly url: string;
  readonly dataDir: string;
  readonly archive: Archive;
  /** All sources there are, by which it is known which of them share a host. */
  readonly sources: readonly SourceSpec[];
  readonly contact?: string | undefined;
  readonly sandboxUrl?: string | undefined;
  /** Values of the secrets that sources declare, by name. They leave this process for the sandbox world only. */
  readonly secrets: Readonly<Record<string, string | undefined>>;
  readonly say: (line: string) => void;
  readonly onProgress?: (progress: QueueProgress) => void;
  /** How long the database may be away. Default: 10 s. */
  readonly patienceMs?: number;
  /** How long the run waits while no worker is there. */
  readonly noWorkerMs: number;
}

/** How far the reading has come: sources by what they wait for, and the workers that are there. */
export interface QueueProgress {
  readonly waiting: number;
  readonly beingRead: number;
  readonly read: number;
  readonly workers: number;
}

export interface QueueCrawler extends Crawler {
  close(): Promise<void>;
}

const PATIENCE_MS = 10_000;
const LOOK_EVERY_MS = 250;
/** How long the server is waited for when it is left: one that is silent says no goodbye. */
const GOODBYE_MS = 2_000;
/** How often dead workers are looked for. */
const SUPERVISE_SECONDS = 2;

interface Waiting {
  readonly source: string;
  readonly result: PromiseWithResolvers<Output>;
  /** Times it was handed on, as far as it has been said. */
  handedOn: number;
  active: boolean;
}

/** @throws SettingError or QueueUnavailable as openCrawlDatabase does; SettingError where the queue is another folder's */
export async function openQueueCrawler(options: QueueOptions): Promise<QueueCrawler> {
  const { url, say, patienceMs = PATIENCE_MS } = options;
  const database = await openCrawlDatabase(url);
  const { shown } = database;
  let letGo: (() => Promise<void>) | undefined;
  const boss = new PgBoss({
    connectionString: url,
    schema: BOSS_SCHEMA,
    application_name: 'dealfeed run',
    max: 4,
    schedule: false,
    superviseIntervalSeconds: SUPERVISE_SECONDS,
    monitorIntervalSeconds: SUPERVISE_SECONDS,
    // It hands on to its connections what is not its own.
    ...ANSWERED,
  });
  // What it cannot ask, the next look cannot either, and says so.
  boss.on('error', () => {});
  /** Let go of everything, as far as the server hears it. */
  const leave = async (): Promise<void> => {
    const goodbye = async (): Promise<void> => {
      await boss.stop({ graceful: false }).catch(() => {});
      await letGo?.();
      await database.close();
    };
    await Promise.race([goodbye(), sleep(GOODBYE_MS, undefined, { ref: false })]);
  };
  let folder: string;
  const code = await codeOf();
  try {
    letGo = await holdQueue(url, shown);
    folder = await takeQueue(database, options.dataDir);
    await orRefused(shown, boss.start());
    await makeQueue(boss);
    // Of a run that was killed: its pages are in the archive, where this one finds them.
    await boss.deleteAllJobs(QUEUE);
    await database.query(`DELETE FROM ${SCHEMA}.worker WHERE seen_at < now() - interval '1 day'`);
  } catch (error) {
    await leave();
    throw error;
  }

  const sites = sitesOf(options.sources);
  const waiting = new Map<string, Waiting>();
  /** What each worker has read. */
  const readBy = new Map<string, { sources: number; requests: number }>();
  /** Results are held in memory only while they are parsed: as many at once as a run without a queue reads. */
  const parsing = new PQueue({ concurrency: AT_ONCE });
  let read = 0;
  let looking: Promise<void> | undefined;

  const endAll = (error: unknown): void => {
    for (const { result } of waiting.values()) result.reject(error);
    waiting.clear();
  };

  /** A job as it stands now: told of, resolved or still waited for. */
  const lookAt = (id: string, entry: Waiting, job: JobWithMetadata<unknown> | undefined): void => {
    const settle = (resolve: () => void): void => {
      waiting.delete(id);
      resolve();
    };
    if (job === undefined || job.state === 'cancelled') {
      settle(() => {
        entry.result.reject(
          new QueueUnavailable(`QUEUE is ${shown}, from which the job that reads ${entry.source} was taken away`),
        );
      });
    } else if (job.state === 'failed') {
      settle(() => {
        entry.result.reject(
          new QueueUnavailable(
            `QUEUE is ${shown}, where ${job.retryCount + 1} workers in turn did not finish reading ${entry.source}`,
          ),
        );
      });
    } else if (job.state === 'completed') {
      const output = Output.safeParse(job.output);
      read += 1;
      settle(() => {
        if (output.success) entry.result.resolve(output.data);
        else
          entry.result.reject(
            new Error(`the job that reads ${entry.source} ended with ${JSON.stringify(job.output).slice(0, 200)}`),
          );
      });
    } else {
      entry.active = job.state === 'active';
      // A job that waits to be tried again counts as handed on when somebody takes it.
      if (entry.active && job.retryCount > entry.handedOn) {
        entry.handedOn = job.retryCount;
        say(
          `  taken over  ${entry.source}: the worker that read it is gone or gave it back, another goes on from what is archived`,
        );
      }
    }
  };

  const look = async (): Promise<void> => {
    let lonelySince: number | undefined;
    for (let said = false; waiting.size > 0; await sleep(LOOK_EVERY_MS)) {
      for (const [id, entry] of waiting) {
        const [job] = await patiently(shown, patienceMs, () => boss.findJobs(QUEUE, { id }));
        lookAt(id, entry, job);
      }
      const [row] = await patiently(shown, patienceMs, () =>
        database.query(
          `SELECT count(*)::int AS workers FROM ${SCHEMA}.worker WHERE seen_at > now() - $1::int * interval '1 s'`,
          WORKER_SILENT_SECONDS,
        ),
      );
      const workers = Number(row?.['workers']);
      const beingRead = [...waiting.values()].filter(({ active }) => active).length;
      options.onProgress?.({ waiting: waiting.size - beingRead, beingRead, read, workers });
      lonelySince = workers > 0 ? undefined : (lonelySince ?? performance.now());
      if (lonelySince === undefined) said = false;
      else if (!said) {
        said = true;
        say(
          `  no worker is there to read ${waiting.size} sources: start one with make worker, with the same QUEUE and DATA_DIR`,
        );
      }
      if (lonelySince !== undefined && performance.now() - lonelySince > options.noWorkerMs) {
        throw new QueueUnavailable(
          `QUEUE is ${shown}, where no worker has been for ${Math.round(options.noWorkerMs / 60_000)} minutes: start one with make worker`,
        );
      }
    }
  };

  const keepLooking = (): void => {
    looking ??= look()
      .catch(endAll)
      .finally(() => {
        looking = undefined;
        // Somebody may have begun to wait in the moment in which the last look ended.
        if (waiting.size > 0) keepLooking();
      });
  };

  const resultOf = async (spec: SourceSpec, reading: Reading): Promise<Output> => {
    const id = randomUUID();
    const secrets = (spec.secrets ?? []).filter((name) => options.secrets[name] !== undefined);
    const job: CrawlJob = {
      source: spec.name,
      reading: { ...reading, distrusts: [...reading.distrusts], resumes: [...reading.resumes] },
      folder,
      code,
      contact: options.contact ?? null,
      secrets,
      world:
        options.sandboxUrl === undefined
          ? null
          : {
              url: options.sandboxUrl,
              secrets: Object.fromEntries(secrets.map((name) => [name, options.secrets[name] ?? ''])),
            },
    };
    // The id is given, so that a job whose sending is not known to have succeeded is not sent twice.
    await patiently(shown, patienceMs, () =>
      boss.send(QUEUE, job, { id, group: { id: sites.get(spec.name) ?? spec.name } }),
    );
    const entry: Waiting = { source: spec.name, result: Promise.withResolvers<Output>(), handedOn: 0, active: false };
    waiting.set(id, entry);
    keepLooking();
    return entry.result.promise;
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
      const parsed = Promise.withResolvers<void>();
      return {
        traffic,
        done: () => {
          parsed.resolve();
        },
        async *pages() {
          const output = await resultOf(spec, reading);
          // A defect is ours, wherever it showed: it ends the run as it would have here.
          if (output.outcome === undefined)
            throw new Error(`worker ${output.worker}, reading ${spec.name}: ${output.defect ?? 'nothing came back'}`);
          const outcome = Outcome.parse(JSON.parse(output.outcome));
          Object.assign(traffic, outcome.traffic);
          const before = readBy.get(output.worker) ?? { sources: 0, requests: 0 };
          readBy.set(output.worker, {
            sources: before.sources + 1,
            requests: before.requests + outcome.traffic.requests,
          });
          await new Promise<void>((begin) => {
            void parsing.add(() => {
              begin();
              return parsed.promise;
            });
          });
          for (const { key, failure } of outcome.unreadable) onUnreadable(key, errorOf(failure));
          // The fetcher has kept its limits already, which differ from request to request.
          yield* await pagesOf(
            options.archive,
            { source: spec.name, run_id: reading.runId, pages: outcome.pages },
            constants.MAX_LENGTH,
          );
          if (outcome.failure) throw errorOf(outcome.failure);
        },
      };
    },
    account: () =>
      [...readBy]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(
          ([worker, { sources, requests }]) =>
            `  worker ${worker} read ${sources} source${sources === 1 ? '' : 's'} with ${requests} requests`,
        ),
    async close() {
      endAll(new Error('the run has ended'));
      await looking;
      await leave();
    },
  };
}
