/** Opens the crawler of a run: this process, or with QUEUE its workers. Shows progress on a terminal. */
import { print } from '../../lib/output.ts';
import type { PipelineSettings } from '../../lib/settings.ts';
import type { SourceSpec } from '../../sources/contract.ts';
import type { Archive } from '../../sources/fetch/archive.ts';
import { createFetcher, type Progress } from '../../sources/fetch/fetcher.ts';
import { hostsOf, secretsOf } from '../../sources/index.ts';
import type { Clock } from '../clock.ts';
import { inThisProcess, type Crawler } from '../crawl/crawler.ts';
import type { QueueProgress } from '../crawl/queue_crawler.ts';

/** Replace the progress line of a terminal. Elsewhere the line per source is enough. */
const showProgress = (line: string): void => {
  if (process.stdout.isTTY) process.stdout.write(`\r\u001b[K  ${line}\r`);
};

const fetcherProgress = ({ source, requests, bytes }: Progress): void => {
  showProgress(`reading ${source}: ${requests} requests, ${(bytes / 1000).toFixed(0)} kB`);
};

const queueProgress = ({ waiting, beingRead, read, workers }: QueueProgress): void => {
  const workersText = `${workers} worker${workers === 1 ? '' : 's'}`;
  showProgress(`${read} sources read, ${beingRead} in progress, ${waiting} waiting; ${workersText}`);
};

export async function openCrawler(
  settings: PipelineSettings,
  all: readonly SourceSpec[],
  archive: Archive,
  clock: Clock,
): Promise<{ readonly crawler: Crawler; close(): Promise<void> }> {
  const sandboxUrl = settings.LIVE ? undefined : settings.SANDBOX_URL;
  const secrets = secretsOf(all);
  if (settings.QUEUE !== undefined) {
    // Imported on demand: most runs have no queue, and its packages load slowly.
    const { openQueueCrawler } = await import('../crawl/queue_crawler.ts');
    const crawler = await openQueueCrawler({
      url: settings.QUEUE,
      dataDir: settings.DATA_DIR,
      archive,
      sources: all,
      contact: settings.CONTACT,
      sandboxUrl,
      secrets,
      print,
      onProgress: queueProgress,
      noWorkerMs: settings.QUEUE_WAIT_MINUTES * 60_000,
    });
    return { crawler, close: () => crawler.close() };
  }
  const fetcher = createFetcher({
    archive,
    clock,
    onProgress: fetcherProgress,
    onNoNetwork: print,
    hosts: hostsOf(all),
    secrets,
    ...(sandboxUrl === undefined ? {} : { sandboxUrl }),
    ...(settings.CHROMIUM_PATH === undefined ? {} : { chromiumPath: settings.CHROMIUM_PATH }),
    ...(settings.CONTACT === undefined ? {} : { contact: settings.CONTACT }),
  });
  return { crawler: inThisProcess(fetcher), close: () => fetcher.close() };
}
