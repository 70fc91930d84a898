/** What operators wait for: a register's first load, its next day, the daily run, and staging of archived pages. */
import { deepStrictEqual } from 'node:assert/strict';
import { cp, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { literal } from '../../lib/sql.ts';
import type { Figure, Measure } from '../figures.ts';
import { FORMED, writeRegister, writeRegisterChanges } from '../../sandbox/large_register.ts';
import { beforeTomorrow, build, query, rowsPublished, tablesOf, TODAY, TOMORROW, WORLD } from '../enlarged.ts';
import { baseVersion, ROOT, runPipeline } from '../programs.ts';
import { newFolder, once, sized } from '../settings.ts';
import { openArchive } from '../../lib/archive.ts';
import { atOnce } from '../../lib/at_once.ts';
import { archivedRequests, listUnreadable, readPage, readsUpTo } from '../../pipelines/ingest/reads.ts';
import { stageRead } from '../../pipelines/ingest/stage/stage.ts';
import { layoutOf } from '../../pipelines/layout.ts';
import { HOSTS_AT_ONCE } from '../../pipelines/run/read_sources.ts';
import type { Page } from '../../sources/contract.ts';
import { openPage } from '../../sources/fetch/page.ts';
import { loadSources } from '../../sources/index.ts';

const REGISTER_ROWS = sized(3_000_000, 100_000);
export const registerExport = once(() => writeRegister(newFolder('register'), TODAY, REGISTER_ROWS));

/** Put Colorado's export or its changes into the drop folder, in place of the file before. */
export const dropRegister = (dataDir: string, csv: string): Promise<void> =>
  cp(csv, join(dataDir, 'drop', 'colorado_sos', basename(csv)));

/** One COPY of the export: its date typed, sorted and compressed as we publish it. */
const copyOf = (csv: string, folder: string): string => `COPY (
    SELECT * REPLACE (strptime(entityformdate, '%m/%d/%Y')::DATE AS entityformdate)
    FROM read_csv(${literal(csv)}, header = true, all_varchar = true) ORDER BY entityformdate DESC, entityid
  ) TO ${literal(`${folder}/copy.parquet`)} (FORMAT parquet, COMPRESSION zstd)`;

/** Read a dropped file and publish. @throws where so many filings are not published */
async function readDropped(DATA_DIR: string, csv: string, DAY: string, rows: number) {
  await dropRegister(DATA_DIR, csv);
  const ran = await runPipeline({ DATA_DIR, DAY, SOURCES: 'colorado_sos' }, { sandbox: false });
  const found = await rowsPublished(DATA_DIR, 'filings');
  if (found !== rows) throw new Error(`${found} filings were published on ${DAY}, expected ${rows}`);
  return ran;
}

export const colorado: Measure = {
  name: 'colorado',
  repetitions: 3,
  lines: {
    first: ['first load of Colorado, 3,000,000 rows', 'bare `COPY (SELECT typed … ORDER BY)`', 's', '≤ 6×'],
    firstPeak: ['peak memory of the first load', '', 'GiB', '≤ 3'],
    day: ['the next day, 2,000 rows', 'our first load', 's', '≤ 1.2×'],
    dayPeak: ['peak memory of the day', '', 'GiB', '≤ 3'],
  },
  async open() {
    const csv = await registerExport();
    const changes = await writeRegisterChanges(newFolder('changes'), TOMORROW, csv);
    return async () => {
      const [folder, startedMs] = [newFolder('colorado'), performance.now()];
      await query(copyOf(csv, folder));
      const copied = (performance.now() - startedMs) / 1000;
      const first = await readDropped(folder, csv, TODAY, REGISTER_ROWS);
      const day = await readDropped(folder, changes, TOMORROW, REGISTER_ROWS + FORMED);
      await rm(folder, { recursive: true });
      const seconds = { first: [first.seconds, copied], day: [day.seconds, first.seconds] } as const;
      return { ...seconds, firstPeak: [first.peakGib], dayPeak: [day.peakGib] };
    };
  },
};

/** Seconds of the world's first day, and of the next day. */
async function twoDays(root: string): Promise<readonly [first: number, day: number]> {
  const DATA_DIR = newFolder('daily');
  const first = await runPipeline({ ...WORLD, DATA_DIR, DAY: TODAY }, { root });
  const day = await runPipeline({ ...WORLD, DATA_DIR, DAY: TOMORROW }, { root });
  await rm(DATA_DIR, { recursive: true });
  return [first.seconds, day.seconds];
}

export const dailyRun: Measure = {
  name: 'daily_run',
  repetitions: 5,
  lines: {
    first: ['`make run` of the default world', 'commit BASE', 's', '≤ 1×'],
    day: ['`make run` of the next day', 'commit BASE', 's', '≤ 1×'],
  },
  async open() {
    const base = await baseVersion();
    // Fills the caches of compiled modules.
    for (const root of [base, ROOT]) await twoDays(root);
    return async () => {
      const [before, now] = [await twoDays(base), await twoDays(ROOT)];
      return { first: [now[0], before[0]], day: [now[1], before[1]] };
    };
  },
};

/** How many times as large the built worlds are, the memory of a build, and the GiB of its process at its peak. */
const LIMITS: readonly (readonly [times: number, limit: string, peak: number])[] = [
  [1, '512MB', 1.1],
  [25, '1GB', 1.6],
  [100, '1GB', 1.6],
  [400, '2GB', 2.6],
];

export const memory: Measure = {
  name: 'memory',
  repetitions: 1,
  lines: Object.fromEntries(
    LIMITS.flatMap(([times, limit, peak]) => [
      [`cpu${times}`, [`processor time of a day at ${times}×, ${limit}`, 'without a limit, same bytes', 's', '≤ 1.3×']],
      [`peak${times}`, [`peak memory of a day at ${times}×, ${limit}`, 'without a limit', 'GiB', `≤ ${peak}`]],
    ]),
  ),
  async open() {
    return async () => {
      const figures: Record<string, Figure> = {};
      for (const [times, limit] of sized(LIMITS, LIMITS.slice(0, 1))) {
        const [folder, copy] = [await beforeTomorrow(times), newFolder('limited')];
        await cp(folder, copy, { recursive: true, verbatimSymlinks: true });
        const [ours, free] = [await build(copy, TOMORROW, limit), await build(folder, TOMORROW, '20GB')];
        deepStrictEqual(await tablesOf(copy), await tablesOf(folder));
        // A small world stands for all of them.
        const all = LIMITS.map(([one]) => one);
        for (const one of sized([times], all)) {
          figures[`cpu${one}`] = [ours.cpuSeconds, free.cpuSeconds];
          figures[`peak${one}`] = [ours.peakGib, free.peakGib];
        }
        for (const used of [copy, folder]) await rm(used, { recursive: true });
      }
      return figures;
    };
  },
};

/** 100 times the default world's debts, parcels and filings, 10 times its listings and sales, read page by page. */
const MANY_ROWS = sized<Readonly<Record<string, string>>>(
  { LISTINGS: '6000', PARCELS: '400000', AUCTIONS: '2500', FILINGS: '400000', BUILD_MEMORY: '6GB' },
  WORLD,
);

/** The good reads of the world's first day. */
const worldReads = once(async () => {
  const dataDir = newFolder('many-rows');
  await runPipeline({ ...MANY_ROWS, DATA_DIR: dataDir, DAY: TODAY });
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
