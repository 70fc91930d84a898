/** What operators plan by: start, memory and answers of a server at the real size, at 100×, and over a long time. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pointAt } from '../../lib/files.ts';
import { paidCalls, startDealfeed } from '../dealfeed.ts';
import { build, LARGER, largerFolder, SMALLER, smallerFolder } from '../enlarged.ts';
import { median, type Measure } from '../figures.ts';
import { sampleOf, TODAY, WORLD, worldFolder, type Row } from '../folders.ts';
import { load, type Call } from '../load.ts';
import { baseVersion, memoryOf, ROOT, runPipeline, startServer } from '../programs.ts';
import { dropRegister, registerExport } from '../register.ts';
import { newFolder, sized } from '../settings.ts';

/** BASE cannot load the snapshots of later versions. */
const BASE = 'the version BASE on its own snapshot of the same world';

/** Seconds until a server is healthy, and GiB resident after these calls, each paid. */
async function started(folder: string, root: string, paths: readonly string[]): Promise<readonly [number, number]> {
  const { url, child, seconds, stop } = await startDealfeed(folder, root);
  for (const path of paths) await load(url, await paidCalls(url, path, 1), 1);
  const gib = memoryOf(child, 'VmRSS');
  await stop();
  return [seconds, gib];
}

/** The default world and the register in one snapshot, published by the version in `root`. */
async function realSizeFolder(root: string): Promise<string> {
  const folder = newFolder('real');
  await dropRegister(folder, await registerExport());
  await runPipeline({ ...WORLD, DATA_DIR: folder, DAY: TODAY }, { root });
  return folder;
}

export const realSize: Measure = {
  name: 'real_size',
  repetitions: 5,
  lines: {
    start: ['start of the server with 3,000,000 filings and 600 deals', BASE, 's', '≤ 3'],
    memory: ['its resident memory after 40 paid calls', BASE, 'GiB', '≤ 1'],
    page: ['a page of filings, p50 of 4 callers', '', 'ms', '≤ 100'],
    search: ['a search in names, p50 of 4 callers', '', 'ms', '≤ 600'],
  },
  async open() {
    const base = await baseVersion();
    const [folder, baseFolder] = [await realSizeFolder(ROOT), await realSizeFolder(base)];
    const filings = await sampleOf(folder, 'filings', 'length(business_name) > 9', sized(200, 20));
    const pages = filings.map((filing) => `/api/filings?to_date=${String(filing['filing_date'])}`);
    const nameOf = (filing: Row): string => encodeURIComponent(String(filing['business_name']).slice(0, 9).trim());
    const searches = filings.map((filing) => `/api/filings?name=${nameOf(filing)}`);
    const some = [...pages.slice(0, 20), ...searches.slice(0, 20)];
    const routes = await startServer('routes.ts', [folder]);
    const p50 = async (paths: readonly string[]): Promise<number> => (await load(routes, paths, 4)).p50;
    await p50(some);
    return async () => {
      const [before, now] = [await started(baseFolder, base, some), await started(folder, ROOT, some)];
      const served = { page: [await p50(pages)], search: [await p50(searches)] } as const;
      return { start: [now[0], before[0]], memory: [now[1], before[1]], ...served };
    };
  },
};

export const large: Measure = {
  name: 'large',
  repetitions: 1,
  lines: {
    build: ['models at 100× with 90 days of history, published', 'as long per row as at 10×', 's', '≤ 1.2×'],
    start: ['start of the server at 100×, hashes verified', '', 's', '≤ 3'],
  },
  async open() {
    const [smaller, larger] = [await smallerFolder(), await largerFolder()];
    return async () => {
      const expected = (await build(smaller)).seconds * (LARGER / SMALLER);
      const [start] = await started(larger, ROOT, []);
      return { build: [(await build(larger)).seconds, expected], start: [start] };
    };
  },
};

/**
 * Calls of the soak are made in parts, and memory is measured after each. The payments of a part are signed before it
 * starts and are valid for 300 s, in which a busy machine answers fewer than 10,000 calls.
 */
const [PARTS, PART] = sized([80, 2_500] as const, [8, 500] as const);
const PRICED = ['/api/deals?limit=20', '/api/signals?limit=20', '/api/filings?limit=20&state=CO'];
const FREE = ['/', '/api/meta', '/api/deals/ids', '/api/example_report', '/coverage', '/openapi.json', '/health'];
const UNPAID: readonly Call[] = [
  ...FREE.map((path) => ({ path, headers: { accept: 'text/html, application/json', 'accept-encoding': 'gzip, br' } })),
  ...[...PRICED, '/api/nothing', '/api/deals?state=XX'].map((path) => ({ path, isRefused: true })),
];

/** A part of the traffic, mixed. Of a hundred calls one pays for each of PRICED, the others are UNPAID in turn. */
async function traffic(url: string): Promise<readonly Call[]> {
  const paid = (await Promise.all(PRICED.map((path) => paidCalls(url, path, PART / 100)))).flat();
  const unpaid = Array.from({ length: PART - paid.length }, (_, i) => UNPAID[i % UNPAID.length] ?? { path: '/' });
  return [...paid, ...unpaid].sort(() => Math.random() - 0.5);
}

export const soak: Measure = {
  name: 'soak',
  repetitions: 1,
  lines: {
    p99: ['200,000 requests, none failed: p99 with a snapshot swap every 2 s', 'the second quarter', 'ms', '≤ 2×'],
    memory: ['resident memory in the last quarter of them', 'the second quarter', 'GiB', '≤ 1.1×'],
  },
  async open() {
    const folder = await worldFolder();
    const { url, child } = await startDealfeed(folder);
    const snapshots = await readdir(join(folder, 'snapshots'));
    const swap = (): void => {
      snapshots.push(snapshots.shift() ?? '');
      void pointAt(join(folder, 'current'), join('snapshots', snapshots[0] ?? ''));
    };
    return async () => {
      const parts: { readonly p99: number; readonly gib: number }[] = [];
      let swapping: NodeJS.Timeout | undefined;
      for (let i = 0; i < PARTS; i += 1) {
        if (i === PARTS / 2) swapping = setInterval(swap, sized(2_000, 500));
        const { p99 } = await load(url, await traffic(url), 16);
        parts.push({ p99, gib: memoryOf(child, 'VmRSS') });
      }
      clearInterval(swapping);
      const quarter = (n: number, field: 'p99' | 'gib'): number =>
        median(parts.slice((n * PARTS) / 4, ((n + 1) * PARTS) / 4).map((part) => part[field]));
      return { p99: [quarter(3, 'p99'), quarter(1, 'p99')], memory: [quarter(3, 'gib'), quarter(1, 'gib')] };
    };
  },
};
