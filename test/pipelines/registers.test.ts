/** The registers day by day: what was read stays, what is corrected is corrected, what stands unchanged gets no younger. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Layout } from '../../pipelines/layout.ts';
import type { RunResult } from '../../pipelines/run.ts';
import type { Alter } from '../../sandbox/server.ts';
import type { World, WorldDay } from '../../sandbox/world/types.ts';
import { makeWorld } from '../../sandbox/world/world.ts';
import { newLayout, published, runDay } from './runs.ts';

const registers = (): World => makeWorld({ seed: 5, listings: 0, parcels: 0, auctions: 0, filings: 2_500 });

const runOf = (layout: Layout, world: World, day: string, alter?: Alter): Promise<RunResult & { truth: WorldDay }> =>
  runDay({ layout, world, day, only: ({ family }) => family === 'register', ...(alter ? { alter } : {}) });

test('Colorado: increments keep the register as true as a full export would, name, standing and agent', async () => {
  const [layout, world] = [await newLayout(), registers()];
  const seen = { added: 0, fallen: 0, agents: 0, renamed: 0 };
  let before = new Map<unknown, Record<string, unknown>>();
  for (const day of ['2026-11-18', '2026-11-20', '2026-12-01']) {
    const { runId, truth, sources } = await runOf(layout, world, day);
    const rows = new Map((await published(layout, runId, 'filings', "WHERE source = 'colorado_sos'")).map((row) => [row['document_number'], row]));
    assert.equal(rows.size, truth.colorado.length, day);
    for (const { entityId, name, row } of truth.colorado) {
      const agent = row['agentorganizationname'] ?? (['agentfirstname', 'agentmiddlename', 'agentlastname', 'agentsuffix'].map((column) => row[column]).filter(Boolean).join(' ') || null);
      const found = rows.get(entityId);
      assert.deepEqual([found?.['business_name'], found?.['entity_status'], found?.['entity_status_raw'], found?.['registered_agent_name']], [name, row['entitystatus'], row['entitystatus'], agent], `${entityId} on ${day}`);
      const earlier = before.get(entityId);
      if (before.size === 0) continue;
      seen.added += earlier ? 0 : 1;
      seen.fallen += earlier && earlier['entity_status'] !== found?.['entity_status'] ? 1 : 0;
      seen.agents += earlier && earlier['registered_agent_name'] === null && agent !== null ? 1 : 0;
      seen.renamed += earlier && earlier['business_name'] !== name ? 1 : 0;
    }
    const read = sources.find(({ row }) => row.source === 'colorado_sos')?.latest;
    if (before.size > 0) assert.ok((read?.counts.rows_in ?? 0) < rows.size / 3, `an increment is small: ${read?.counts.rows_in} of ${rows.size} rows`);
    before = rows;
  }
  assert.ok(Object.values(seen).every((count) => count > 0), `each kind of change happened: ${JSON.stringify(seen)}`);
});
