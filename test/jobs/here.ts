/** Runs and workers of a queue in the process of a test. */
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openStore } from '../../lib/store/open.ts';
import type { Store } from '../../lib/store/store.ts';
import { sandboxClock } from '../../pipelines/clock.ts';
import { openHostJobs, type HostJobs, type JobsOptions } from '../../pipelines/jobs/send.ts';
import { startWorker, type Worker } from '../../pipelines/jobs/worker.ts';
import type { Layout } from '../../pipelines/layout.ts';
import { run, type RunOptions, type RunResult } from '../../pipelines/run/run.ts';
import { RunStore } from '../../pipelines/store/run_store.ts';
import { openStoredArchive } from '../../pipelines/store/folder.ts';
import { SANDBOX_SECRETS } from '../../sandbox/pages/reso_mls.ts';
import { createFetcher } from '../../sources/fetch/fetcher.ts';
import { loadSources } from '../../sources/index.ts';
import { JOIN_RATES, modelsOf } from '../pipelines/some_tables.ts';
import { newLayout } from '../pipelines/runs.ts';
import '../environment.ts';

export const DAY = '2026-11-20';

/** Ends a run before it builds anything, where nobody asks what it would build. */
export const ALL_READ = new Error('all is read');
export const endAfterReading = (): Promise<never> => Promise.reject(ALL_READ);

export type HereOptions = Pick<RunOptions, 'due'> & Partial<RunOptions> & { readonly sandboxUrl: string };

/** A run that reads the sources of a sandbox, and builds the table of the sources only. */
export async function runHere(layout: Layout, { sandboxUrl, store, ...options }: HereOptions): Promise<RunResult> {
  const [clock, archive] = [sandboxClock(DAY), await openStoredArchive(layout.root, store?.store, () => {})];
  const fetcher = createFetcher({ archive, clock, sandboxUrl, secrets: SANDBOX_SECRETS });
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(() => archive.close());
  cleanup.defer(() => fetcher.close());
  return await run({
    layout,
    clock,
    dataClock: 'sandbox',
    archive,
    fetcher,
    store,
    sources: await loadSources(),
    models: await modelsOf(['sources'], [JOIN_RATES]),
    ...options,
  });
}

export interface QueuedRun {
  readonly layout: Layout;
  readonly jobs: HostJobs;
  readonly lines: readonly string[];
  /** Its result; text of the error if it ended with one. */
  readonly ended: Promise<RunResult | string>;
}

export type QueuedOptions = Omit<HereOptions, 'store'> &
  Pick<JobsOptions, 'url' | 'timeoutMs'> & { readonly STORE: string };

/** A run on a host of its own with an empty disk, whose hosts are read by workers. */
export async function queuedRun({ url, STORE, sandboxUrl, timeoutMs, ...options }: QueuedOptions): Promise<QueuedRun> {
  const [layout, lines] = [await newLayout(), [] as string[]];
  const print = (line: string): number => lines.push(line);
  const store = new RunStore({ store: await openStore(STORE, 0), layout, print });
  const queue = { url, store: store.store, sandboxUrl, secrets: SANDBOX_SECRETS, noWorkerMs: 600_000 };
  const jobs = await openHostJobs({ ...queue, print, ...(timeoutMs === undefined ? {} : { timeoutMs }) });
  const ended = runHere(layout, { sandboxUrl, store, jobs, ...options })
    .catch(String)
    .finally(async () => {
      await jobs.close();
      store.close();
    });
  return { layout, jobs, lines, ended };
}

export interface WorkerHere extends Worker {
  readonly lines: readonly string[];
  said(pattern: RegExp): Promise<void>;
}

/** A worker in this process with a disk of its own, which ends with the test. */
export async function workerHere(
  t: TestContext,
  { url, STORE, store }: { readonly url: string; readonly STORE: string; readonly store?: Store },
): Promise<WorkerHere> {
  const lines: string[] = [];
  const worker = await startWorker({
    url,
    dataDir: (await newLayout()).root,
    store: store ?? (await openStore(STORE, 0)),
    sources: await loadSources(),
    atOnce: 2,
    secrets: {},
    print: (line) => lines.push(line),
  });
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => (closed ??= worker.close());
  t.after(close);
  return { ...worker, close, lines, said: (pattern) => until(() => lines.some((line) => pattern.test(line))) };
}

export async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await sleep(10);
}
