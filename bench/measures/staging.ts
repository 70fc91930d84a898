/** What operators plan workers by: how long it takes to check and stage the rows of archived pages. */
import { join } from 'node:path';
import PQueue from 'p-queue';
import { archivedRequests, unreadableOf } from '../../pipelines/archived_pages.ts';
import { AT_ONCE } from '../../pipelines/crawl/crawler.ts';
import { openQueueCrawler } from '../../pipelines/crawl/queue_crawler.ts';
import { loadHere, type LoadRows } from '../../pipelines/ingest/stage/load_rows.ts';
import { readsUpTo, type ReadRecord } from '../../pipelines/ingest/reads.ts';
import type { ReadPage } from '../../pipelines/ingest/read_page.ts';
import { stageRead } from '../../pipelines/ingest/stage/stage.ts';
import { layoutOf } from '../../pipelines/layout.ts';
import type { SourceSpec } from '../../sources/contract.ts';
import { openArchive } from '../../sources/fetch/archive.ts';
import { loadSources } from '../../sources/index.ts';
import type { Measure } from '../figures.ts';
import { TODAY } from '../folders.ts';
import { startPostgres } from '../postgres.ts';
import { ROOT, runPipeline, start } from '../programs.ts';
import { newFolder, once, sized } from '../settings.ts';

/**
 * 1.87 million rows, 82 times those of the default world: a hundred times its debts, parcels and filings, which are the
 * bulk of the rows, and ten times its listings and sales, which are read page by page. Building it takes more memory.
 */
const WORLD = sized(
  { LISTINGS: '6000', PARCELS: '400000', AUCTIONS: '2500', FILINGS: '400000', BUILD_MEMORY: '6GB' },
  { LISTINGS: '120', PARCELS: '400', AUCTIONS: '120', FILINGS: '300' },
);

interface ReadToRepeat {
  readonly spec: SourceSpec;
  readonly record: ReadRecord;
  readonly pages: readonly ReadPage[];
}

/** The good reads of the world's first day. */
const worldReads = once(async (): Promise<{ readonly folder: string; readonly reads: readonly ReadToRepeat[] }> => {
  const folder = newFolder('many-rows');
  await runPipeline({ ...WORLD, DATA_DIR: folder, DAY: TODAY });
  const archive = await openArchive(folder);
  const reads: ReadToRepeat[] = [];
  for (const spec of await loadSources()) {
    const [record] = await readsUpTo(layoutOf(folder), spec.name, TODAY);
    if (record?.status !== 'good') continue;
    const pages: ReadPage[] = [];
    for (const request of await archivedRequests(archive, record)) {
      const { kind, url, context, sha256, observedAt, bytes } = await archive.page(request);
      const open = (): Promise<Awaited<ReturnType<typeof archive.page>>> => archive.page(request);
      pages.push({ kind, url, context, sha256, observedAt, size: bytes.length, open });
    }
    reads.push({ spec, record, pages });
  }
  return { folder, reads };
});

/** Stage all reads. @returns seconds @throws where the staged bytes are not those of the run that read the pages */
async function stageAll(
  atOnce: number,
  loadOf: (read: ReadToRepeat) => readonly [LoadRows, () => void],
): Promise<number> {
  const { reads } = await worldReads();
  const target = newFolder('staged');
  const started = performance.now();
  await new PQueue({ concurrency: atOnce }).addAll(
    reads.map((repeated) => async () => {
      const { spec, record, pages } = repeated;
      const [load, done] = loadOf(repeated);
      const path = join(target, `${spec.name}.parquet`);
      const toStage = { spec, pages, target: path, ...unreadableOf(record) };
      const staged = await stageRead(toStage, load);
      const { parquet } = await staged.write(undefined).finally(staged.close);
      done();
      if (parquet.sha256 !== record.parquet?.sha256) throw new Error(`${spec.name} was staged otherwise`);
    }),
  );
  return (performance.now() - started) / 1000;
}

/** The same by workers of one core each. @returns seconds, and processor seconds of the run */
async function byWorkers(count: number): Promise<readonly [seconds: number, ofRun: number]> {
  const { folder } = await worldReads();
  const url = await startPostgres(newFolder('postgres'));
  const crawler = await openQueueCrawler({
    url,
    dataDir: folder,
    archive: await openArchive(folder),
    sources: await loadSources(),
    secrets: {},
    print: () => {},
    noWorkerMs: 60_000,
  });
  const env = { QUEUE: url, DATA_DIR: folder };
  const workers = Array.from({ length: count }, (_, core) =>
    start('taskset', ['-c', String(core), process.execPath, join(ROOT, 'pipelines/crawl/cli.ts')], {
      env,
      stdio: 'ignore',
    }),
  );
  const reading = { asOf: TODAY, lastGoodOn: null, distrusts: [], resumes: [] };
  try {
    const loadOf = ({ spec, record }: ReadToRepeat): readonly [LoadRows, () => void] => {
      const read = crawler.read(spec, { ...reading, runId: record.run_id }, () => undefined);
      return [read.load, read.done];
    };
    const before = process.cpuUsage();
    const seconds = await stageAll(Number.POSITIVE_INFINITY, loadOf);
    const { user, system } = process.cpuUsage(before);
    return [seconds, (user + system) / 1e6];
  } finally {
    for (const worker of workers) await worker.stop();
    await crawler.close();
  }
}

export const staging: Measure = {
  name: 'staging',
  repetitions: 1,
  lines: {
    two: ['1.87 million rows staged by two workers of one core each', 'by one worker', 's', '≤ 0.6×'],
    run: ['processor time of the run, which puts the shards together', 'by one worker', 's', '≤ 0.25×'],
    one: ['the same by one worker of one core', 'by the run itself', 's', '≤ 1.3×'],
  },
  async open() {
    await worldReads();
    return async () => {
      const alone = await stageAll(AT_ONCE, () => [loadHere, () => undefined]);
      const [one] = await byWorkers(1);
      const [two, ofRun] = await byWorkers(2);
      return { two: [two, one], run: [ofRun, one], one: [one, alone] };
    };
  },
};
