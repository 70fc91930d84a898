/** Every source is read twice more on the same day, here and elsewhere: the same bytes in every table. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { makeWorld } from '../../../sandbox/world/world.ts';
import { hashesOf, newLayout, runDay, TINY, withoutChanges } from '../runs.ts';
import { afterFirstDay, FIRST_DAY, FIRST_RUN, publishedRun, type StartingPoint } from '../starting_points.ts';

describe('a run over one day', () => {
  let start: StartingPoint;
  let first: Awaited<ReturnType<typeof publishedRun>>;
  before(async () => {
    start = await afterFirstDay();
    first = await publishedRun(start, FIRST_RUN);
  });

  test('a second run over the same day gives the same bytes in a folder of its own', async () => {
    const second = await runDay({ ...start, day: FIRST_DAY, browser: true });
    assert.notEqual(second.runId, first.runId);
    assert.ok(
      second.sources.some((s) => (s.latest?.traffic.not_modified ?? 0) > 0),
      'unchanged pages were confirmed, not sent again',
    );
    assert.deepEqual(withoutChanges(second), withoutChanges(first));
  });

  test('a run elsewhere, without files of this one, gives the same bytes', async () => {
    const elsewhere = await runDay({
      layout: await newLayout(),
      world: makeWorld(TINY),
      day: FIRST_DAY,
      browser: true,
    });
    assert.deepEqual(hashesOf(elsewhere), hashesOf(first));
  });
});
