/**
 * Underwriting, scores, leads and reports over worlds of growing size with ninety days of history: the time a row takes
 * must not grow with the number of rows. Built with the memory and in the files of a real run, up to what is published.
 */
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { auditModels } from '../../models/audit.ts';
import { buildModels } from '../../models/build.ts';
import { loadModels } from '../../models/index.ts';
import { openBuildDatabase, PUBLISHED } from '../../pipelines/run/build_database.ts';
import { BUILD_DATABASE } from '../../pipelines/run/partial_files.ts';
import { defineBench, type Size } from '../contract.ts';
import { readHistory, writeInputs } from '../ninety_days.ts';

/** Days before today on which the world is read, besides yesterday. */
const READS: Readonly<Record<Size, readonly number[]>> = { full: [90, 60, 30, 10], quick: [] };
const WORLD = {
  full: { seed: 7, listings: 600, parcels: 4000, auctions: 250, filings: 4000 },
  quick: { seed: 7, listings: 60, parcels: 200, auctions: 30, filings: 50 },
} as const;
const SCALES: Readonly<Record<Size, readonly [smaller: number, larger: number]>> = { full: [10, 100], quick: [2, 10] };

const SAMPLE_MS = 50;
const BYTES_PER_MIB = 2 ** 20;

/** A database with the inputs of a build, and how many rows were staged for it. */
interface Prepared {
  readonly path: string;
  readonly rows: number;
}

interface Built {
  readonly msPerRow: number;
  readonly seconds: number;
  /** Most resident memory of the process while it built. */
  readonly peakMib: number;
}

/** Build all models, audits included, in a database made anew each time. @throws where a blocking audit finds rows */
async function build({ path, rows }: Prepared): Promise<Built> {
  const folder = await mkdtemp(`${path}.build-`);
  await copyFile(path, join(folder, BUILD_DATABASE));
  const database = await openBuildDatabase(folder);
  let peak = 0;
  const look = (): void => {
    peak = Math.max(peak, process.memoryUsage.rss());
  };
  const looking = setInterval(look, SAMPLE_MS);
  try {
    const models = await loadModels();
    const started = performance.now();
    const results = await auditModels(database.connection, await buildModels(database.connection, models, PUBLISHED));
    const ms = performance.now() - started;
    look();
    const broken = results.flatMap((r) => r.audits).filter((a) => a.blocking && a.failing > 0);
    if (broken.length > 0) throw new Error(`audits find rows: ${broken.map((a) => a.name).join(', ')}`);
    return { msPerRow: ms / rows, seconds: ms / 1000, peakMib: peak / BYTES_PER_MIB };
  } finally {
    clearInterval(looking);
    await database.close();
    await rm(folder, { recursive: true });
  }
}

export default defineBench({
  name: 'models_as_the_world_grows',
  what: 'building all models with audits at 100 times the default world (quick: 10 times a small one), 90 days of history',
  baseline: 'the same at 10 times (quick: 2 times)',
  unit: 'ms/row',
  target: { atMost: 1.2 },
  limits: { peak_mib: { atMost: 3072, unit: 'MiB' } },
  repetitions: { full: 5, quick: 1 },
  async open(size) {
    const folder = await mkdtemp(join(tmpdir(), 'dealfeed-bench-models-'));
    const history = await readHistory(folder, WORLD[size], READS[size]);
    const prepare = async (times: number): Promise<Prepared> => {
      const path = join(folder, `${times}x.duckdb`);
      return { path, rows: await writeInputs(path, history, times) };
    };
    const [once, smaller, larger] = [await prepare(1), await prepare(SCALES[size][0]), await prepare(SCALES[size][1])];
    return {
      async measure() {
        const [single, baseline, ours] = [await build(once), await build(smaller), await build(larger)];
        return {
          ours: ours.msPerRow,
          baseline: baseline.msPerRow,
          also: {
            ms_per_row_at_1x: single.msPerRow,
            seconds_at_1x: single.seconds,
            seconds_baseline: baseline.seconds,
            seconds_ours: ours.seconds,
            rows: larger.rows,
            peak_mib: ours.peakMib,
          },
        };
      },
      close: () => rm(folder, { recursive: true }),
    };
  },
});
