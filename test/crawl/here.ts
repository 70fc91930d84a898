/** Runs and workers of a queue in the process of a test. */

import { type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Store } from '../../lib/store/store.ts';
import { openQueueCrawler, type QueueOptions } from '../../pipelines/crawl/queue_crawler.ts';
import { sandboxClock } from '../../pipelines/clock.ts';
import { type Crawler } from '../../pipelines/crawl/crawler.ts';
import type { Layout } from '../../pipelines/layout.ts';
import { startWorker, type Worker } from '../../pipelines/crawl/worker/worker.ts';
import { run, type RunOptions, type RunResult } from '../../pipelines/run/run.ts';
import { SANDBOX_SECRETS } from '../../sandbox/pages/reso_mls.ts';
import { openArchive } from '../../lib/archive.ts';
import { loadSources } from '../../sources/index.ts';
import { JOIN_RATES, modelsOf } from '../pipelines/some_tables.ts';
import '../environment.ts';

export const DAY = '2026-11-20';

/** A run that reads sources with a crawler, and builds the table of the sources only. */
export const runHere = async (
  layout: Layout,
  crawler: Crawler,
  options: Pick<RunOptions, 'due'> & Partial<RunOptions>,
): Promise<RunResult> =>
  run({
    layout,
    clock: sandboxClock(DAY),
    dataClock: 'sandbox',
    archive: await openArchive(layout.root),
    crawler,
    sources: await loadSources(),
    models: await modelsOf(['sources'], [JOIN_RATES]),
    ...options,
  });

/** Ends a run before it builds anything, where nobody asks what it would build. */
export const ALL_READ = new Error('all is read');
export const endAfterReading = (): Promise<never> => Promise.reject(ALL_READ);

/** A crawler for a run in this process. */
export const queueFor = async ({ root }: Layout, options: Pick<QueueOptions, 'url'> & Partial<QueueOptions>) =>
  openQueueCrawler({
    dataDir: root,
    archive: await openArchive(root),
    sources: await loadSources(),
    secrets: SANDBOX_SECRETS,
    print: () => {},
    noWorkerMs: 600_000,
    ...options,
  });

export interface WorkerHere extends Worker {
  readonly lines: string[];
  said(pattern: RegExp): Promise<void>;
}

/** A worker in this process, which ends with the test. */
export async function workerHere(
  t: TestContext,
  url: string,
  { root }: Layout,
  secrets: Readonly<Record<string, string>> = {},
  store?: Store,
): Promise<WorkerHere> {
  const lines: string[] = [];
  const worker = await startWorker({
    url,
    dataDir: root,
    store: store && { store, cacheMb: 100 },
    sources: await loadSources(),
    atOnce: 2,
    secrets,
    print: (line) => lines.push(line),
  });
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => (closed ??= worker.close());
  t.after(close);
  const said = (pattern: RegExp): Promise<void> => until(() => lines.some((line) => pattern.test(line)));
  return { ...worker, close, lines, said };
}

export async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await sleep(10);
}
