/** A worker: takes the jobs of hosts from the queue, several at a time. */
import { rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Job } from 'pg-boss';
import { namesIn } from '../../lib/files.ts';
import { SettingError } from '../../lib/settings.ts';
import { DAY_MS } from '../../lib/time.ts';
import { codeHash, openQueue, QUEUE } from './queue.ts';
import { jobsFolder, readHost, type WorkerOptions } from './read_host.ts';

export interface Worker {
  readonly name: string;
  /** Resolves with the reason if the worker cannot continue. */
  readonly unfit: Promise<SettingError>;
  /** Return unfinished jobs to the queue, and end. */
  close(): Promise<void>;
}

/** Notifications announce new jobs. Polling finds retried jobs, and those whose notification was lost. */
const POLL_SECONDS = 0.5;

/** @throws SettingError or QueueUnavailable as openQueue does */
export async function startWorker(options: WorkerOptions): Promise<Worker> {
  const name = `${hostname()}/${process.pid}`;
  const [code, stopping, unfit] = [await codeHash(), new AbortController(), Promise.withResolvers<SettingError>()];
  const { boss, close } = await openQueue(options.url, 'worker', name, { useListenNotify: true });
  const folder = jobsFolder(options.dataDir);
  // No job takes so long: its worker was killed.
  for (const path of (await namesIn(folder)).map((job) => join(folder, job)))
    if (Date.now() - (await stat(path)).mtimeMs > DAY_MS) await rm(path, { recursive: true, force: true });
  const context = { options, name, code, boss, stopping: stopping.signal };
  const work = async ([job]: Job[]): Promise<unknown> => {
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
  };
  await boss.work(
    QUEUE,
    {
      localConcurrency: options.atOnce,
      groupConcurrency: 1,
      pollingIntervalSeconds: POLL_SECONDS,
      notifyPollingIntervalSeconds: POLL_SECONDS,
    },
    work,
  );
  return {
    name,
    unfit: unfit.promise,
    async close() {
      stopping.abort(new Error('the worker is being stopped'));
      await close();
      options.store.close();
    },
  };
}
