/** Opens the crawler of a run: this process, or with QUEUE its workers. */
import type { PipelineSettings } from '../../lib/settings.ts';
import type { Store } from '../../lib/store/store.ts';
import type { SourceSpec } from '../../sources/contract.ts';
import type { Archive } from '../../sources/fetch/archive.ts';
import { createFetcher } from '../../sources/fetch/fetcher.ts';
import { hostsOf, secretsOf } from '../../sources/index.ts';
import type { Clock } from '../clock.ts';
import { inThisProcess, type Crawler } from '../crawl/crawler.ts';
import type { Progress } from '../progress/progress.ts';

/** @param progress shows the requests and bytes of this process, or the sources that workers have read */
export async function openCrawler(
  settings: PipelineSettings,
  all: readonly SourceSpec[],
  archive: Archive,
  {
    clock,
    progress,
    store,
  }: {
    readonly clock: Clock;
    readonly progress: Progress;
    readonly store?: Store | undefined;
  },
): Promise<{ readonly crawler: Crawler; close(): Promise<void> }> {
  const sandboxUrl = settings.LIVE ? undefined : settings.SANDBOX_URL;
  const secrets = secretsOf(all);
  if (settings.QUEUE !== undefined) {
    // Imported on demand: most runs have no queue, and its packages load slowly.
    const { openQueueCrawler } = await import('../crawl/queue_crawler.ts');
    const crawler = await openQueueCrawler({
      url: settings.QUEUE,
      dataDir: settings.DATA_DIR,
      store,
      archive,
      sources: all,
      contact: settings.CONTACT,
      sandboxUrl,
      secrets,
      print: (line) => progress.line(line),
      onProgress: (counts) => progress.workers(counts),
      noWorkerMs: settings.QUEUE_WAIT_MINUTES * 60_000,
    });
    return { crawler, close: () => crawler.close() };
  }
  const fetcher = createFetcher({
    archive,
    clock,
    onProgress: (received) => progress.received(received),
    onNoNetwork: (message) => progress.line(message),
    hosts: hostsOf(all),
    secrets,
    ...(sandboxUrl === undefined ? {} : { sandboxUrl }),
    ...(settings.CHROMIUM_PATH === undefined ? {} : { chromiumPath: settings.CHROMIUM_PATH }),
    ...(settings.CONTACT === undefined ? {} : { contact: settings.CONTACT }),
  });
  return { crawler: inThisProcess(fetcher), close: () => fetcher.close() };
}
