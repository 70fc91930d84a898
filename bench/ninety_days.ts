/**
 * The inputs of a build after ninety days of daily runs. The sandbox is read on a few of the days only: nearly all that
 * ninety reads would leave behind, debts, sales and filings, is in those few, since the sites show it for weeks. What is
 * missing, listings' versions between two reads, is counted in the world itself and filled up.
 */
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { openDuck, rowsOf } from '../lib/duck.ts';
import { currentAssumptions } from '../models/assumptions.ts';
import { loadModels, loadReferences, macrosSql } from '../models/index.ts';
import { Provenance } from '../models/inputs.ts';
import { identifier } from '../lib/sql.ts';
import { loadInputs } from '../pipelines/run/inputs.ts';
import { layoutOf } from '../pipelines/layout.ts';
import type { RunResult } from '../pipelines/run/run.ts';
import type { Manifest } from '../models/manifest.ts';
import { makeWorld, worldOn } from '../sandbox/world/world.ts';
import type { World, WorldOptions } from '../sandbox/world/types.ts';
import { loadRowRecords } from '../sources/index.ts';
import { runDay } from '../test/pipelines/runs.ts';
import { enlarge, enlargePublished } from './copies.ts';

const MS_PER_DAY = 86_400_000;
const NINETY = 90;
/** The world's events begin ninety days before. */
const TODAY = '2026-12-30';

/** A world that was read for ninety days. */
export interface History {
  readonly folder: string;
  /** Today's read. */
  readonly today: RunResult;
  /** The snapshot of the day before. */
  readonly before: Manifest;
  /** Versions of listings that ninety daily reads up to the day before see. */
  readonly versions: number;
}

const dayBefore = (days: number): string =>
  new Date(Date.parse(`${TODAY}T00:00:00Z`) - days * MS_PER_DAY).toISOString().slice(0, 10);

/** Versions of listings in ninety daily reads, the last of them yesterday. */
function versionsSeen(world: World): number {
  const latest = new Map<string, string>();
  let versions = 0;
  for (let back = NINETY; back >= 1; back -= 1) {
    for (const { site, listingId, price, capRate, noi, availability } of worldOn(world, dayBefore(back)).listings) {
      const [key, shown] = [`${site} ${listingId}`, JSON.stringify([price, capRate, noi, availability])];
      if (latest.get(key) !== shown) versions += 1;
      latest.set(key, shown);
    }
  }
  return versions;
}

/**
 * Read a world in a folder, yesterday and today.
 * @param back days before today on which it is read too, the first of them first
 */
export async function readHistory(folder: string, options: WorldOptions, back: readonly number[]): Promise<History> {
  const [world, layout] = [makeWorld(options), layoutOf(join(folder, 'data'))];
  const read = (days: number, families: readonly string[]): ReturnType<typeof runDay> =>
    runDay({ layout, world, day: dayBefore(days), only: ({ family }) => families.includes(family) });
  const daily = ['listings', 'tax', 'sheriff', 'parcels'];
  let before: Manifest | null = null;
  for (const [i, days] of [...back, 1].entries())
    before = (await read(days, i === 0 ? [...daily, 'fmr', 'register'] : daily)).manifest;
  if (!before) throw new Error('the day before was not published');
  return { folder, today: await read(0, [...daily, 'register']), before, versions: versionsSeen(world) };
}

/** Give listings an earlier version, as many as daily reads would have seen. */
async function fillVersions(connection: DuckDBConnection, wanted: number): Promise<void> {
  const [have] = await rowsOf(
    connection,
    'SELECT count(*) AS versions, count(*) FILTER (WHERE version = 1) AS listings FROM previous_listing_history',
  );
  const missing = Math.min(wanted - Number(have?.['versions']), Number(have?.['listings']));
  if (missing <= 0) return;
  await connection.run(
    `CREATE TEMP TABLE chosen AS SELECT source, listing_id FROM previous_listing_history WHERE version = 1 ORDER BY sha256(source || listing_id) LIMIT ${missing}`,
  );
  await connection.run(
    'UPDATE previous_listing_history SET version = version + 1 WHERE (source, listing_id) IN (SELECT (source, listing_id) FROM chosen)',
  );
  await connection.run(`INSERT INTO previous_listing_history BY NAME SELECT * REPLACE (1 AS version, false AS is_latest, listing_first_seen AS version_first_seen, listing_first_seen AS version_last_seen)
    FROM previous_listing_history WHERE version = 2 AND (source, listing_id) IN (SELECT (source, listing_id) FROM chosen)`);
  await connection.run('DROP TABLE chosen');
}

/** Put a table in place of each view of Parquet files, so that rows can be added. */
async function copyInputs(connection: DuckDBConnection): Promise<void> {
  for (const { view_name: view } of await rowsOf(
    connection,
    'SELECT view_name FROM duckdb_views() WHERE NOT internal',
  )) {
    const name = identifier(String(view));
    await connection.run(
      `CREATE TABLE copied AS FROM ${name}; DROP VIEW ${name}; ALTER TABLE copied RENAME TO ${name}`,
    );
  }
}

/** Write the inputs of today's build, each table `times` as large, into a database file. @returns rows that were staged today */
export async function writeInputs(
  path: string,
  { folder, today, before, versions }: History,
  times: number,
): Promise<number> {
  const [models, records] = [await loadModels(), await loadRowRecords()];
  const duck = await openDuck(path, { memoryLimit: '3GB' });
  try {
    const { connection } = duck;
    await loadInputs(connection, {
      layout: layoutOf(join(folder, 'data')),
      workDir: folder,
      asOf: TODAY,
      observedAt: `${TODAY}T12:00:00Z`,
      assumptions: currentAssumptions(),
      sources: today.sources,
      records,
      references: loadReferences(),
      models,
      previous: before,
      soldLeads: [],
    });
    await copyInputs(connection);
    await connection.run(macrosSql());
    await fillVersions(connection, versions);
    await enlargePublished(connection, models, times);
    let rows = 0;
    for (const record of records) {
      const table = `staged_${record.name}`;
      await enlarge(connection, table, [...record.columns, ...Provenance.columns], record.key, times);
      rows += Number((await rowsOf(connection, `SELECT count(*) AS n FROM ${table}`))[0]?.['n']);
    }
    await connection.run('CHECKPOINT');
    return rows;
  } finally {
    duck.close();
  }
}
