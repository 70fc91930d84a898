/** Rows that are too many to be copied into a build are read where they lie, and give the same tables. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openDuck, rowsOf } from '../../lib/duck.ts';
import { currentAssumptions } from '../../models/assumptions.ts';
import { buildModels } from '../../models/build.ts';
import { loadModels, loadReferences } from '../../models/index.ts';
import { loadInputs } from '../../pipelines/inputs.ts';
import { readManifest } from '../../pipelines/snapshots.ts';
import { loadRowRecords } from '../../sources/index.ts';
import { newLayout, runDay, smallWorld } from './runs.ts';

test('a build from Parquet files in place makes the tables that a build from copies makes', async () => {
  const [layout, world] = [await newLayout(), smallWorld()];
  // Of the sheriffs, who have a page a sale, two.
  const only = ({ family, name }: { readonly family: string; readonly name: string }): boolean => family !== 'sheriff' || ['oh_cuyahoga_sheriff', 'oh_stark_sheriff_page'].includes(name);
  const first = await runDay({ layout, world, day: '2026-11-20', only });
  const second = await runDay({ layout, world, day: '2026-11-21', only });
  const models = await loadModels();
  const workDir = await mkdtemp(join(tmpdir(), 'dealfeed-inputs-'));
  const contents = async (inPlaceFrom: number): Promise<Record<string, unknown>> => {
    const duck = await openDuck();
    try {
      await loadInputs(duck.connection, {
        layout, workDir, asOf: '2026-11-21', observedAt: '2026-11-21T12:00:00Z', assumptions: currentAssumptions(), sources: second.sources, soldLeads: [],
        records: await loadRowRecords(), references: loadReferences(), models, previous: await readManifest(layout, first.runId), inPlaceFrom,
      });
      const [views] = await rowsOf(duck.connection, 'SELECT count(*) AS n FROM duckdb_views() WHERE NOT internal');
      assert.equal(Number(views?.['n']) > 10, inPlaceFrom === 0);
      await buildModels(duck.connection, { models });
      const found: Record<string, unknown> = {};
      for (const { name, contract } of models) {
        if (contract.publish) found[name] = await rowsOf(duck.connection, `SELECT * FROM ${name} ORDER BY ${contract.publish.orderBy.join(', ')}`);
      }
      return found;
    } finally { duck.close(); }
  };
  try {
    const copied = await contents(Number.POSITIVE_INFINITY);
    assert.ok((copied['filings'] as unknown[]).length > 100 && (copied['deals'] as unknown[]).length > 50);
    assert.deepEqual(await contents(0), copied);
  } finally { await rm(workDir, { recursive: true }); }
});
