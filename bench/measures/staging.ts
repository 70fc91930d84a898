/** What operators plan reading by: how long it takes to check and stage the rows of archived pages. */
import { join } from 'node:path';
import { openArchive } from '../../lib/archive.ts';
import { atOnce } from '../../lib/at_once.ts';
import { archivedRequests, listUnreadable, readPage, readsUpTo } from '../../pipelines/ingest/reads.ts';
import { stageRead } from '../../pipelines/ingest/stage/stage.ts';
import { layoutOf } from '../../pipelines/layout.ts';
import { HOSTS_AT_ONCE } from '../../pipelines/run/read_sources.ts';
import type { Page } from '../../sources/contract.ts';
import { openPage } from '../../sources/fetch/page.ts';
import { loadSources } from '../../sources/index.ts';
import type { Measure } from '../figures.ts';
import { TODAY } from '../enlarged.ts';
import { runPipeline } from '../programs.ts';
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
    for (const request of await archivedRequests(archive, record)) {
      const open = (): Promise<Page> => openPage(archive, request);
      pages.push({ ...readPage(await open()), open });
    }
    reads.push({ spec, record, pages });
  }
  return { reads };
});
/** Stage all reads. @returns seconds @throws where the staged bytes are not those of the run that read the pages */
async function stageAll(): Promise<number> {
  const [{ reads }, folder] = [await worldReads(), newFolder('staged')];
  const startedMs = performance.now();
  await atOnce(
    reads,
    async ({ spec, pages, record }) => {
      const target = join(folder, `${spec.name}.parquet`);
      const staged = await stageRead({ spec, pages, target, ...listUnreadable(record) });
      const { parquet } = await staged.write(undefined).finally(staged.close);
      if (parquet.sha256 !== record.parquet?.sha256) throw new Error(`${spec.name} was staged otherwise`);
    },
    HOSTS_AT_ONCE,
  );
  return (performance.now() - startedMs) / 1000;
}

export const staging: Measure = {
  name: 'staging',
  repetitions: 1,
  lines: { rows: ['1.87 million rows staged by one process', '', 's', '≤ 100'] },
  async open() {
    await worldReads();
    return async () => ({ rows: [await stageAll()] });
  },
};
