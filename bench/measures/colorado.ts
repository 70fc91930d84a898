/**
 * The largest source: Colorado's full export of three million rows, read for the first time, and a day's changes upon it.
 * Ours is the whole `make run` as a process of its own: archive, parse, staged rows, models with their audits, published
 * Parquet and DuckDB files with their hashes.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { link, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openDuck, rowsOf } from '../../lib/duck.ts';
import { literal } from '../../lib/sql.ts';
import { defineBench, type Running, type Size } from '../contract.ts';
import { writeChangesCsv, writeRegisterCsv } from '../register_csv.ts';

const ROWS: Readonly<Record<Size, number>> = { full: 3_000_000, quick: 100_000 };
/**
 * What one day brings: of 2,000 rows, those formed in the last days, some 600 a day in a register of this size, and those
 * of all years that have fallen out of good standing. The new ones have agents that others have too, so that the number of
 * filings of an agent changes for a third of all rows.
 */
const CHANGES = { formed: 600, fallen: 1400 } as const;
const [FIRST, SECOND] = ['2026-11-20', '2026-11-21'] as const;
const root = fileURLToPath(new URL('../../', import.meta.url));
/** Compiled modules are kept, as `make run` keeps them: an operator's run does not compile ours anew. */
const COMPILED = process.env['NODE_COMPILE_CACHE'] ?? join(root, 'node_modules', '.cache', 'compiled');
const KIB = 1024;
/** How often the peak of a process is looked at: the system keeps it, and forgets it with the process. */
const LOOK_MS = 100;

interface Took {
  readonly seconds: number;
  readonly peakMib: number;
}

/** Read the drop folder of Colorado into a data folder and publish. @throws where nothing was published */
async function runDay(dataDir: string, day: string): Promise<Took> {
  const started = performance.now();
  const child = spawn(process.execPath, ['pipelines/commands/cli.ts', 'run'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    // Nothing is asked of the sandbox: the file lies in the drop folder.
    env: {
      PATH: process.env['PATH'] ?? '',
      UV_THREADPOOL_SIZE: '16',
      NODE_COMPILE_CACHE: COMPILED,
      DATA_DIR: dataDir,
      DAY: day,
      SOURCES: 'colorado_sos',
      SANDBOX_URL: 'http://127.0.0.1:9',
    },
  });
  let peakMib = 0;
  const look = setInterval(() => {
    try {
      peakMib = Math.max(
        peakMib,
        Number(/VmHWM:\s+(\d+)/u.exec(readFileSync(`/proc/${child.pid ?? 0}/status`, 'utf8'))?.[1] ?? 0) / KIB,
      );
    } catch {
      /* it has ended */
    }
  }, LOOK_MS);
  let out = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      out += chunk.toString('utf8');
    });
  const status = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject).on('close', resolve);
  });
  clearInterval(look);
  if (status !== 0) throw new Error(`the run of ${day} ended with ${status ?? 'a signal'}: ${out.slice(-500)}`);
  return { seconds: (performance.now() - started) / 1000, peakMib };
}

/** One COPY of the same file: its columns typed, in our order, compressed as we compress. */
async function copySeconds(csv: string, target: string): Promise<number> {
  const duck = await openDuck(':memory:', { memoryLimit: '2GB' });
  try {
    const started = performance.now();
    await duck.connection.run(`COPY (
      SELECT * REPLACE (CAST(strptime(entityformdate, '%m/%d/%Y') AS DATE) AS entityformdate)
      FROM read_csv(${literal(csv)}, header = true, all_varchar = true)
      ORDER BY entityformdate DESC, entityid
    ) TO ${literal(target)} (FORMAT parquet, COMPRESSION zstd)`);
    return (performance.now() - started) / 1000;
  } finally {
    duck.close();
    await rm(target, { force: true });
  }
}

/** A data folder with one file in Colorado's drop folder. */
async function folderWith(folder: string, csv: string): Promise<string> {
  const dataDir = await mkdtemp(join(folder, 'data-'));
  await drop(dataDir, csv, 'business_entities_in_colorado.csv');
  return dataDir;
}

async function drop(dataDir: string, csv: string, name: string): Promise<void> {
  const to = join(dataDir, 'drop', 'colorado_sos');
  await rm(to, { recursive: true, force: true });
  await mkdir(to, { recursive: true });
  await link(csv, join(to, name));
}

async function publishedRows(dataDir: string): Promise<number> {
  const duck = await openDuck();
  try {
    const [count] = await rowsOf(
      duck.connection,
      `SELECT count(*) AS n FROM read_parquet(${literal(join(dataDir, 'current', 'filings.parquet'))})`,
    );
    return Number(count?.['n']);
  } finally {
    duck.close();
  }
}

/** The export in a folder of its own, and measures over it. */
async function over(
  size: Size,
  measure: (folder: string, csv: string) => ReturnType<Running['measure']>,
): Promise<Running> {
  const folder = await mkdtemp(join(tmpdir(), 'dealfeed-colorado-'));
  const csv = join(folder, 'export.csv');
  const written = await writeRegisterCsv(csv, { rows: ROWS[size], day: FIRST, seed: 1 });
  if (written !== ROWS[size]) throw new Error(`the export has ${written} rows, expected ${ROWS[size]}`);
  return { measure: () => measure(folder, csv), close: () => rm(folder, { recursive: true }) };
}

async function firstLoad(folder: string, csv: string): Promise<{ readonly dataDir: string; readonly took: Took }> {
  const dataDir = await folderWith(folder, csv);
  const took = await runDay(dataDir, FIRST);
  return { dataDir, took };
}

const PEAK = { peak_mib: { atMost: 3072, unit: 'MiB' } } as const;

export default [
  defineBench({
    name: 'colorado_first_load',
    what: 'first load of the Colorado register: export of 3,000,000 rows to published filings',
    baseline: 'one DuckDB COPY (SELECT typed columns ORDER BY date, id) TO Parquet, zstd',
    unit: 's',
    target: { atMost: 1.5 },
    limits: PEAK,
    repetitions: { full: 5, quick: 1 },
    open: (size) =>
      over(size, async (folder, csv) => {
        const baseline = await copySeconds(csv, join(folder, 'copy.parquet'));
        const { dataDir, took } = await firstLoad(folder, csv);
        const rows = await publishedRows(dataDir);
        if (rows !== ROWS[size]) throw new Error(`${rows} filings were published, expected ${ROWS[size]}`);
        await rm(dataDir, { recursive: true });
        return { ours: took.seconds, baseline, also: { peak_mib: took.peakMib } };
      }),
  }),
  defineBench({
    name: 'colorado_increment',
    what: 'a day of 2,000 changed rows upon the Colorado register',
    baseline: 'our own first load',
    unit: 's',
    target: { atMost: 0.1 },
    limits: PEAK,
    repetitions: { full: 5, quick: 1 },
    fullOnly: true,
    open: (size) =>
      over(size, async (folder, csv) => {
        const { dataDir, took: first } = await firstLoad(folder, csv);
        const changes = join(folder, 'changes.csv');
        await writeChangesCsv(csv, changes, { ...CHANGES, day: SECOND });
        await drop(dataDir, changes, 'business_entities_in_colorado_changes.csv');
        const took = await runDay(dataDir, SECOND);
        const rows = await publishedRows(dataDir);
        const expected = ROWS[size] + CHANGES.formed;
        if (rows !== expected) throw new Error(`${rows} filings were published, expected ${expected}`);
        await rm(dataDir, { recursive: true });
        return { ours: took.seconds, baseline: first.seconds, also: { peak_mib: took.peakMib } };
      }),
  }),
];
