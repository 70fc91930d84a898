/** An update: a folder whose snapshot lacks columns, tables and files of this version is continued by the next run. */
import assert from 'node:assert/strict';
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openSmall } from '../../lib/duck.ts';
import { sha256 } from '../../lib/files.ts';
import { literal } from '../../lib/sql.ts';
import type { Manifest } from '../../models/manifest.ts';
import type { Layout } from '../../pipelines/layout.ts';
import { checkHealth } from '../../pipelines/operate/health.ts';
import { loadSources } from '../../sources/index.ts';
import { removeFromSnapshot } from './older_snapshot.ts';
import { published, runDay } from '../pipelines/runs.ts';
import { afterFirstDay, FIRST_DAY, FIRST_RUN } from '../pipelines/starting_points.ts';

/** Columns and tables that came later. The run reads the first table of the day before. */
const COLUMNS = [
  ['listing_history', 'gone_on'],
  ['leads', 'geo_basis'],
] as const;
const TABLES = ['changes', 'change_feeds', 'reports'] as const;
const FILES = ['kind.json', 'alerts.json', 'lock.sqlite'];

/** Write a table's Parquet file without a column, and state its hash in the manifest. */
async function dropFromParquet(folder: string, manifest: Manifest, table: string, column: string): Promise<void> {
  const stated = manifest.tables[table]?.files[0] ?? assert.fail(table);
  const [path, shorter] = [join(folder, stated.file), join(folder, 'shorter')];
  const duck = await openSmall();
  try {
    await duck.connection.run(
      `COPY (SELECT * EXCLUDE (${column}) FROM read_parquet(${literal(path)})) TO ${literal(shorter)} (FORMAT parquet)`,
    );
  } finally {
    await duck.close();
  }
  renameSync(shorter, path);
  Object.assign(stated, { bytes: statSync(path).size, sha256: sha256(readFileSync(path)) });
}

async function makeOlder(layout: Layout): Promise<void> {
  const folder = layout.snapshot(FIRST_RUN);
  await removeFromSnapshot(folder, { columns: COLUMNS, tables: TABLES });
  const path = join(folder, 'manifest.json');
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as Manifest;
  for (const [table, column] of COLUMNS) await dropFromParquet(folder, manifest, table, column);
  for (const table of TABLES) rmSync(join(folder, `${table}.parquet`));
  writeFileSync(path, JSON.stringify(manifest));
  for (const name of FILES) rmSync(join(layout.root, name), { force: true });
}

test('the next run continues the history of an older snapshot', async () => {
  const { layout, world } = await afterFirstDay();
  /** When each version of the listings of the first day was first seen. */
  const firstSeen = async (snapshot: string): Promise<unknown[]> =>
    (
      await published(
        layout,
        snapshot,
        'listing_history',
        `WHERE version_first_seen < DATE '${FIRST_DAY}' + 1 ORDER BY source, listing_id, version`,
      )
    ).map((row) => [row['source'], row['listing_id'], String(row['version_first_seen'])]);
  const before = await firstSeen(FIRST_RUN);
  assert.ok(before.length > 0);
  await makeOlder(layout);
  const troubles = async (): Promise<string[]> =>
    (await checkHealth(layout, await loadSources(), { ledger: { DATA_DIR: layout.root } })).troubles.map(
      ({ kind }) => kind,
    );
  assert.deepEqual(await troubles(), []);
  const { manifest, current, runId } = await runDay({
    layout,
    world,
    day: '2026-11-21',
    only: ({ name }) => name === 'heartland_multifamily',
    tables: ['listing_history'],
  });
  assert.deepEqual([manifest?.previous, current], [FIRST_RUN, true]);
  assert.deepEqual(await firstSeen(runId), before);
  assert.deepEqual(await troubles(), []);
});
