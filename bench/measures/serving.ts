/** What operators plan by: the build at 100×, and start, memory and answers of a server at the real size. */
import { paidCalls, startDealfeed } from '../dealfeed.ts';
import { build, LARGER, largerFolder, SMALLER, smallerFolder } from '../enlarged.ts';
import type { Measure } from '../figures.ts';
import { sampleOf, TODAY, WORLD, type Row } from '../enlarged.ts';
import { load, memoryOf, runPipeline, startServer, type Call } from '../programs.ts';
import { newFolder, sized } from '../settings.ts';
import { dropRegister, registerExport } from './pipeline.ts';

/** Megabytes of a GiB. */
const GIB_MB = 2 ** 30 / 1e6;
/** Names are searched by their first letters, as people type them. */
const NAME_LETTERS = 9;

export const realSize: Measure = {
  name: 'real_size',
  repetitions: 5,
  lines: {
    start: ['start of the server with 3,000,000 filings and 600 deals', '', 's', '≤ 0.5'],
    memory: ['its resident memory after 40 paid calls', '', 'MB', '≤ 300'],
    page: ['a page of filings, p50 of 4 callers', '', 'ms', '≤ 60'],
    search: ['a search in names, p50 of 4 callers', '', 'ms', '≤ 60'],
    held: ['longest time that a search or a page holds the event loop', '', 'ms', '≤ 10'],
    light: ['a lookup beside 2 callers of searches, p99', '', 'ms', '≤ 60'],
  },
  async open() {
    const folder = newFolder('real');
    await dropRegister(folder, await registerExport());
    await runPipeline({ ...WORLD, DATA_DIR: folder, DAY: TODAY });
    const filings = await sampleOf(folder, 'filings', `length(business_name) > ${NAME_LETTERS}`, sized(200, 20));
    const deals = await sampleOf(folder, 'deals', 'address_key IS NOT NULL', sized(200, 20));
    const pages = filings.map((filing) => ({ path: `/api/filings?to_date=${String(filing['filing_date'])}` }));
    const nameOf = (filing: Row): string =>
      encodeURIComponent(String(filing['business_name']).slice(0, NAME_LETTERS).trim());
    const searches = filings.map((filing) => ({ path: `/api/filings?name=${nameOf(filing)}` }));
    const lookups = deals.map(({ address }) => ({
      path: `/api/lookup?address=${encodeURIComponent(String(address))}`,
    }));
    const some = [...pages.slice(0, 20), ...searches.slice(0, 20)];
    const routes = await startServer('routes.ts', [folder]);
    const p50 = async (calls: readonly Call[]): Promise<number> => (await load(routes, calls, 4)).p50;
    const heldMs = async (): Promise<number> => Number(await (await fetch(`${routes}/held`)).text());
    await p50(some);
    return async () => {
      const { url, child, seconds, stop } = await startDealfeed(folder);
      for (const { path } of some) await load(url, await paidCalls(url, path, 1), 1);
      const memory = memoryOf(child, 'VmRSS') * GIB_MB;
      await stop();
      await heldMs();
      const [page, search] = [await p50(pages), await p50(searches)];
      const held = await heldMs();
      const [{ p99 }] = await Promise.all([load(routes, lookups, 1), load(routes, searches, 2)]);
      return { start: [seconds], memory: [memory], page: [page], search: [search], held: [held], light: [p99] };
    };
  },
};

/** Calls after which the memory of a server is measured. */
const PAID = ['/api/deals?limit=20', '/api/signals?state=OH', '/api/auctions', '/api/filings?name=llc'];

export const large: Measure = {
  name: 'large',
  repetitions: 1,
  lines: {
    build: ['models at 100× with 90 days of history, published', 'time per row at 10×', 's', '≤ 1.2×'],
    start: ['start of the server at 100×', '', 's', '≤ 0.5'],
    resident: ['its resident memory after 40 paid calls', '', 'MB', '≤ 300'],
  },
  async open() {
    const [smaller, larger] = [await smallerFolder(), await largerFolder()];
    return async () => {
      const expected = (await build(smaller)).seconds * (LARGER / SMALLER);
      const { url, child, seconds, stop } = await startDealfeed(larger);
      for (const path of PAID) await load(url, await paidCalls(url, path, 10), 1);
      const resident = memoryOf(child, 'VmRSS') * GIB_MB;
      await stop();
      return { build: [(await build(larger)).seconds, expected], start: [seconds], resident: [resident] };
    };
  },
};
