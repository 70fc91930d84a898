/**
 * Underwriting, scores, leads and reports over worlds of growing size with three months of history: the time a row
 * takes must not grow with the number of rows.
 */
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDuck, rowsOf } from '../../lib/duck.ts';
import { literal } from '../../lib/sql.ts';
import { currentAssumptions } from '../../models/assumptions.ts';
import { buildModels } from '../../models/build.ts';
import { loadModels, loadReferences } from '../../models/index.ts';
import { Provenance } from '../../models/inputs.ts';
import { loadInputs } from '../../pipelines/inputs.ts';
import { layoutOf } from '../../pipelines/layout.ts';
import type { RunResult } from '../../pipelines/run.ts';
import { makeWorld } from '../../sandbox/world/world.ts';
import { loadRowRecords } from '../../sources/index.ts';
import { runDay } from '../../test/pipelines/runs.ts';
import { defineBench, type Size } from '../contract.ts';
import { enlarge } from '../copies.ts';

/** Days that are read, the last of which is measured. */
const DAYS: Readonly<Record<Size, readonly string[]>> = {
  full: ['2026-08-22', '2026-10-06', '2026-11-20'],
  quick: ['2026-08-22', '2026-11-20'],
};
const WORLD: Readonly<Record<Size, { readonly listings: number; readonly parcels: number; readonly auctions: number; readonly filings: number }>> = {
  full: { listings: 600, parcels: 4000, auctions: 250, filings: 4000 },
  quick: { listings: 200, parcels: 800, auctions: 100, filings: 500 },
};
const SCALES: Readonly<Record<Size, readonly [smaller: number, larger: number]>> = { full: [10, 100], quick: [2, 10] };

interface Day { readonly asOf: string; readonly result: RunResult }

/** A database with the inputs of the last day, and how many staged rows it holds. */
interface Prepared { readonly path: string; readonly rows: number }

/** Build the days before and load the last one, each `times` as large. */
async function prepare(folder: string, days: readonly Day[], times: number): Promise<Prepared> {
  const layout = layoutOf(join(folder, 'data'));
  const [models, records] = [await loadModels(), await loadRowRecords()];
  let before: string | undefined;
  let rows = 0;
  for (const [i, { asOf, result }] of days.entries()) {
    const path = join(folder, `${times}x-${asOf}.duckdb`);
    const duck = await openDuck(path, { memoryLimit: '10GB' });
    try {
      const { connection } = duck;
      await loadInputs(connection, {
        layout, workDir: folder, asOf, observedAt: `${asOf}T12:00:00Z`, assumptions: currentAssumptions(), sources: result.sources,
        records, references: loadReferences(), models, previous: null, soldLeads: [],
      });
      rows = 0;
      for (const record of records) {
        const table = `staged_${record.name}`;
        await enlarge(connection, table, [...record.columns, ...Provenance.columns], record.key, times);
        rows += Number((await rowsOf(connection, `SELECT count(*) AS n FROM ${table}`))[0]?.['n']);
      }
      if (before !== undefined) {
        await connection.run(`ATTACH ${literal(before)} AS before (READ_ONLY)`);
        for (const { name, contract } of models) if (contract.publish) await connection.run(`INSERT INTO previous_${name} BY NAME SELECT * FROM before.${name}`);
        await connection.run('DETACH before');
        await rm(before);
      }
      if (i < days.length - 1) await buildModels(connection, { models });
      await connection.run('CHECKPOINT');
    } finally { duck.close(); }
    before = path;
  }
  return { path: before ?? '', rows };
}

/** Milliseconds a staged row takes, audits included, in a database made anew each time. */
async function build({ path, rows }: Prepared): Promise<number> {
  const copy = `${path}.build`;
  await copyFile(path, copy);
  const duck = await openDuck(copy, { memoryLimit: '10GB' });
  try {
    const models = await loadModels();
    const started = performance.now();
    await buildModels(duck.connection, { models });
    return (performance.now() - started) / rows;
  } finally {
    duck.close();
    await rm(copy);
  }
}

export default defineBench({
  name: 'models_as_the_world_grows',
  what: 'building all models with audits at 100 times the default world (quick: 10 times a small one)',
  baseline: 'the same at 10 times (quick: 2 times)',
  unit: 'ms/row',
  target: { atMost: 1.2 },
  repetitions: { full: 5, quick: 2 },
  async open(size) {
    const folder = await mkdtemp(join(tmpdir(), 'dealfeed-bench-models-'));
    const world = makeWorld({ seed: 7, ...WORLD[size] });
    const days: Day[] = [];
    for (const day of DAYS[size]) days.push({ asOf: day, result: await runDay({ layout: layoutOf(join(folder, 'data')), world, day }) });
    const [smaller, larger] = [await prepare(folder, days, SCALES[size][0]), await prepare(folder, days, SCALES[size][1])];
    return {
      measure: async () => ({ baseline: await build(smaller), ours: await build(larger), also: { rows: larger.rows } }),
      close: () => rm(folder, { recursive: true }),
    };
  },
});
