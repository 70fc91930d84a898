/** What operators plan by: the build at 100×, and start, memory and answers of a server at the real size. */
import { paidCalls, startDealfeed } from '../dealfeed.ts';
import { build, LARGER, largerFolder, SMALLER, smallerFolder } from '../enlarged.ts';
import type { Measure } from '../figures.ts';
import { sampleOf, TODAY, WORLD, type Row } from '../enlarged.ts';
import { load, type Call } from '../programs.ts';
import { memoryOf, runPipeline, startServer } from '../programs.ts';
import { newFolder, sized } from '../settings.ts';
import { dropRegister, registerExport } from './pipeline.ts';

export const realSize: Measure = {
  name: 'real_size',
  repetitions: 5,
  lines: {
    start: ['start of the server with 3,000,000 filings and 600 deals', '', 's', '≤ 3'],
    memory: ['its resident memory after 40 paid calls', '', 'GiB', '≤ 1'],
    page: ['a page of filings, p50 of 4 callers', '', 'ms', '≤ 100'],
    search: ['a search in names, p50 of 4 callers', '', 'ms', '≤ 600'],
  },
  async open() {
    const folder = newFolder('real');
    await dropRegister(folder, await registerExport());
    await runPipeline({ ...WORLD, DATA_DIR: folder, DAY: TODAY });
    const filings = await sampleOf(folder, 'filings', 'length(business_name) > 9', sized(200, 20));
    const pages = filings.map((filing) => ({ path: `/api/filings?to_date=${String(filing['filing_date'])}` }));
    const nameOf = (filing: Row): string => encodeURIComponent(String(filing['business_name']).slice(0, 9).trim());
    const searches = filings.map((filing) => ({ path: `/api/filings?name=${nameOf(filing)}` }));
    const some = [...pages.slice(0, 20), ...searches.slice(0, 20)];
    const routes = await startServer('routes.ts', [folder]);
    const p50 = async (calls: readonly Call[]): Promise<number> => (await load(routes, calls, 4)).p50;
    await p50(some);
    return async () => {
      const { url, child, seconds, stop } = await startDealfeed(folder);
      for (const { path } of some) await load(url, await paidCalls(url, path, 1), 1);
      const memory = memoryOf(child, 'VmRSS');
      await stop();
      return { start: [seconds], memory: [memory], page: [await p50(pages)], search: [await p50(searches)] };
    };
  },
};

export const large: Measure = {
  name: 'large',
  repetitions: 1,
  lines: {
    build: ['models at 100× with 90 days of history, published', 'time per row at 10×', 's', '≤ 1.2×'],
    start: ['start of the server at 100×, hashes verified', '', 's', '≤ 3'],
  },
  async open() {
    const [smaller, larger] = [await smallerFolder(), await largerFolder()];
    return async () => {
      const expected = (await build(smaller)).seconds * (LARGER / SMALLER);
      const { seconds, stop } = await startDealfeed(larger);
      await stop();
      return { build: [(await build(larger)).seconds, expected], start: [seconds] };
    };
  },
};
