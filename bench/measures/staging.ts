/** What operators plan workers by: how long it takes to check and stage the rows of archived pages. */
import { join } from 'node:path';
import PQueue from 'p-queue';
import { archivedRequests, listUnreadable, readsUpTo } from '../../pipelines/ingest/reads.ts';
import { AT_ONCE, type SourceRead } from '../../pipelines/crawl/crawler.ts';
import { archivedPage, openQueueCrawler } from '../../pipelines/crawl/queue_crawler.ts';
import { loadHere } from '../../pipelines/ingest/stage/load_rows.ts';
import { stageRead } from '../../pipelines/ingest/stage/stage.ts';
import { layoutOf } from '../../pipelines/layout.ts';
import { openArchive } from '../../lib/archive.ts';
import { openPage } from '../../sources/fetch/page.ts';
import { loadSources } from '../../sources/index.ts';
import type { Measure } from '../figures.ts';
import { TODAY } from '../enlarged.ts';
import { startPostgres } from '../postgres.ts';
import { ROOT, runPipeline, start } from '../programs.ts';
import { newFolder, once, sized } from '../settings.ts';

/** 100 times the default world's debts, parcels and filings, 10 times its listings and sales, read page by page. */
const WORLD = sized(
  { LISTINGS: '6000', PARCELS: '400000', AUCTIONS: '2500', FILINGS: '400000', BUILD_MEMORY: '6GB' },
  { LISTINGS: '120', PARCELS: '400', AUCTIONS: '120', FILINGS: '300' },
);

/** The good reads of the world's first day. */
const worldReads = once(async () => {
  const dataDir = newFolder('many-rows');
  await runPipeline({ ...WORLD, DATA_DIR: dataDir, DAY: TODAY });
  const [archive, sources] = [await openArchive(dataDir), await loadSources()];
  const reads = [];
  for (const spec of sources) {
    const [record] = await readsUpTo(layoutOf(dataDir), spec.name, TODAY);
    if (record?.status !== 'good') continue;
    const pages = [];
    for (const request of await archivedRequests(archive, record))
      pages.push(archivedPage(archive, request, (await openPage(archive, request)).bytes.length));
    reads.push({ spec, record, pages });
  }
  return { dataDir, archive, sources, reads };
});
type ReadToRepeat = Awaited<ReturnType<typeof worldReads>>['reads'][number];

/** Stage all reads. @returns seconds @throws where the staged bytes are not those of the run that read the pages */
async function stageAll(concurrency: number, open: (read: ReadToRepeat) => Pick<SourceRead, 'load' | 'done'>) {
  const [{ reads }, folder] = [await worldReads(), newFolder('staged')];
  const startedMs = performance.now();
  const stage = async (read: ReadToRepeat): Promise<void> => {
    const { spec, pages, record } = read;
    const { load, done } = open(read);
    const target = join(folder, `${spec.name}.parquet`);
    const staged = await stageRead({ spec, pages, target, ...listUnreadable(record) }, load);
    const { parquet } = await staged.write(undefined).finally(staged.close);
    done();
    if (parquet.sha256 !== record.parquet?.sha256) throw new Error(`${spec.name} was staged otherwise`);
  };
  await new PQueue({ concurrency }).addAll(reads.map((read) => () => stage(read)));
  return (performance.now() - startedMs) / 1000;
}

/** The same by workers of one core each. @returns seconds, and processor seconds of the run */
async function byWorkers(count: number): Promise<readonly [seconds: number, ofRun: number]> {
  const { dataDir, archive, sources } = await worldReads();
  const url = await startPostgres(newFolder('postgres'));
  const none = { secrets: {}, print: () => {} };
  const crawler = await openQueueCrawler({ url, dataDir, archive, sources, noWorkerMs: 60_000, ...none });
  const [env, program] = [{ QUEUE: url, DATA_DIR: dataDir }, [process.execPath, join(ROOT, 'pipelines/crawl/cli.ts')]];
  const work = (core: number) => start('taskset', ['-c', String(core), ...program], { env, stdio: 'ignore' });
  const workers = Array.from({ length: count }, (_, core) => work(core));
  const reading = { asOf: TODAY, lastGoodOn: null, distrusts: [], resumes: [] };
  try {
    const before = process.cpuUsage();
    const seconds = await stageAll(Number.POSITIVE_INFINITY, ({ spec, record }) =>
      crawler.read(spec, { ...reading, runId: record.run_id }, () => undefined),
    );
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
    run: ['processor time of the run, which assembles the shards', 'by one worker', 's', '≤ 0.25×'],
    one: ['the same by one worker of one core', 'by the run itself', 's', '≤ 1.3×'],
  },
  async open() {
    await worldReads();
    return async () => {
      const alone = await stageAll(AT_ONCE, () => ({ load: loadHere, done: () => {} }));
      const [one] = await byWorkers(1);
      const [two, ofRun] = await byWorkers(2);
      return { two: [two, one], run: [ofRun, one], one: [one, alone] };
    };
  },
};
