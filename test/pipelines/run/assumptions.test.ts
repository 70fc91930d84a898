/** Other assumptions re-underwrite what is staged; what was published under the old ones stays. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { currentAssumptions } from '../../../models/assumptions.ts';
import { verifySnapshot } from '../../../pipelines/snapshots.ts';
import { published, runDay } from '../runs.ts';
import { COUNTY_RECORDS } from '../some_tables.ts';
import { afterFirstDay, FIRST_RUN, publishedRun } from '../starting_points.ts';

/** Tables whose rows name their assumption set. */
const TABLES = ['deals', 'reports', 'assumptions'];

test('a new set underwrites the next snapshot, and the old one keeps its own', async () => {
  const start = await afterFirstDay();
  const { layout } = start;
  const before = await publishedRun(start, FIRST_RUN);
  const assumptions = currentAssumptions(new Map([['vacancy', '0.10']]));
  const after = await runDay({
    ...start,
    day: '2026-11-21',
    only: () => false,
    tables: TABLES,
    empty: COUNTY_RECORDS,
    assumptions,
  });
  assert.equal(before.manifest.assumption_set_id, 'uw-2026.3');
  assert.equal(after.manifest?.assumption_set_id, assumptions.id);
  const noi = async (runId: string): Promise<Map<unknown, number>> =>
    new Map(
      (await published(layout, runId, 'deals', 'WHERE noi_hud_2br IS NOT NULL')).map((d) => [
        d['id'],
        Number(d['noi_hud_2br']),
      ]),
    );
  const [old, lower] = [await noi(before.runId), await noi(after.runId)];
  assert.ok(lower.size > 10);
  for (const [id, amount] of lower) assert.ok(Math.abs(amount / (old.get(id) ?? 0) - 0.9 / 0.93) < 0.0001, String(id));
  assert.deepEqual(await verifySnapshot(layout, before.runId), []);
  for (const [runId, id] of [
    [before.runId, 'uw-2026.3'],
    [after.runId, assumptions.id],
  ] as const) {
    for (const table of TABLES)
      assert.deepEqual(
        [...new Set((await published(layout, runId, table)).map((r) => r['assumption_set_id']))],
        [id],
        table,
      );
  }
});
