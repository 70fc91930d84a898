/**
 * Pages a second of the reading phase of a real run: robots.txt, conversation, archive, hand-over, parse and staged rows,
 * up to the moment at which models would be built. Ours and the baseline differ in the number of worker processes.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sandboxClock } from '../../pipelines/clock.ts';
import { openQueueCrawler } from '../../pipelines/crawl/queue_crawler.ts';
import { AT_ONCE, inThisProcess, type Crawler } from '../../pipelines/crawl/crawler.ts';
import { layoutOf } from '../../pipelines/layout.ts';
import { readRecord } from '../../pipelines/ingest/reads.ts';
import { run } from '../../pipelines/run/run.ts';
import { openArchive, type Archive } from '../../sources/fetch/archive.ts';
import { createFetcher } from '../../sources/fetch/fetcher.ts';
import { startPostgres } from '../../test/ledger/postgres_started.ts';
import { defineBench, type Size } from '../contract.ts';
import { manySites } from '../many_sites.ts';
import { startProgram } from '../programs.ts';

const DAY = '2026-11-20';
const SIZES: Readonly<Record<Size, { readonly sites: number; readonly auctions: number; readonly latencyMs: number }>> =
  {
    full: { sites: 32, auctions: 60, latencyMs: 120 },
    quick: { sites: 8, auctions: 60, latencyMs: 120 },
  };

/** Ends a run where its models would be built. */
class AllRead extends Error {}

/** A crawler for a data folder, and how it is put away. */
type Opened = { readonly crawler: Crawler; close(): Promise<void> };

export default defineBench({
  name: 'crawl_two_workers',
  what: `reading many sites of some 120 ms latency by two workers of ${AT_ONCE} sources at once`,
  baseline: 'the same by one worker',
  unit: 'pages/s',
  target: { atLeast: 1.6 },
  repetitions: { full: 5, quick: 1 },
  fullOnly: true,
  async open(size) {
    const { sites, auctions, latencyMs } = SIZES[size];
    const sources = manySites(sites);
    const postgres = await startPostgres();
    const web = await startProgram('many_sites.ts', [String(latencyMs), String(auctions)]);
    const clock = sandboxClock(DAY);

    /** Pages a second from the first word of the run to the last read. */
    const rate = async (open: (dataDir: string, archive: Archive) => Promise<Opened>): Promise<number> => {
      const dataDir = await mkdtemp(join(tmpdir(), 'dealfeed-bench-crawl-'));
      const layout = layoutOf(dataDir);
      const archive = await openArchive(dataDir);
      const { crawler, close } = await open(dataDir, archive);
      let [began, ended] = [0, 0];
      try {
        await run({
          layout,
          clock,
          dataClock: 'sandbox',
          sources,
          archive,
          crawler,
          due: () => true,
          print: (line) => {
            if (line.startsWith('reading')) began = performance.now();
          },
          soldLeads: async () => {
            ended = performance.now();
            throw new AllRead();
          },
        });
      } catch (error) {
        if (!(error instanceof AllRead)) throw error;
      } finally {
        await close();
      }
      const reads = await Promise.all(sources.map(({ name }) => readRecord(layout, name, `${DAY}.01`)));
      const bad = reads.find((read) => read?.status !== 'good');
      if (bad !== undefined) throw new Error(`${bad.source} was not read: ${bad.detail ?? ''}`);
      await rm(dataDir, { recursive: true });
      return reads.reduce((sum, read) => sum + (read?.traffic.requests ?? 0), 0) / ((ended - began) / 1000);
    };
    const byWorkers =
      (count: number) =>
      async (dataDir: string, archive: Archive): Promise<Opened> => {
        const url = await postgres.database();
        const crawler = await openQueueCrawler({
          url,
          dataDir,
          archive,
          sources,
          sandboxUrl: web.url,
          secrets: {},
          print: () => {},
          noWorkerMs: 60_000,
        });
        const workers = await Promise.all(
          Array.from({ length: count }, () =>
            startProgram('crawl_worker.ts', [url, dataDir, String(sites), String(AT_ONCE)]),
          ),
        );
        return {
          crawler,
          close: async () => {
            for (const worker of workers) await worker.stop();
            await crawler.close();
          },
        };
      };
    const byOurselves = async (_dataDir: string, archive: Archive): Promise<Opened> => {
      const fetcher = createFetcher({ archive, clock, sandboxUrl: web.url });
      return { crawler: inThisProcess(fetcher), close: () => fetcher.close() };
    };
    return {
      measure: async () => ({
        ours: await rate(byWorkers(2)),
        baseline: await rate(byWorkers(1)),
        also: { without_a_queue: await rate(byOurselves) },
      }),
      close: async () => {
        await web.stop();
        await postgres.remove();
      },
    };
  },
});
