/** After a prune with KEEP_DAYS=0, the next day of all sources and tables has the bytes that it has without a prune. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { prune } from '../../pipelines/operate/prune.ts';
import { listSnapshots } from '../../pipelines/snapshots.ts';
import { copyOf, hashesOf, runDay } from '../pipelines/runs.ts';
import { afterFirstDay } from '../pipelines/starting_points.ts';

test('after the strictest policy the next day builds the same bytes', async () => {
  const { layout, world } = await afterFirstDay();
  for (const day of ['2026-11-28', '2026-11-30']) await runDay({ layout, world, day });
  const pruned = await copyOf(layout);
  await prune(pruned, 0, { apply: true });
  assert.deepEqual(await listSnapshots(pruned), ['2026-11-28.01', '2026-11-30.01']);
  const next = { world, day: '2026-12-01' };
  const [after, without] = [await runDay({ ...next, layout: pruned }), await runDay({ ...next, layout })];
  assert.deepEqual(hashesOf(after), hashesOf(without));
});
