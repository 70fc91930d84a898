/** Yield and coverage are two numbers: a part that repeats the other one would only double its weight. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Built } from '../build_models.ts';
import { buildWorlds, correlations } from './score_parts.ts';

const SEEDS = [12, 13, 14];

describe(`the parts of the score in ${SEEDS.length} worlds`, () => {
  let built: Built;
  before(async () => {
    built = await buildWorlds(SEEDS, 370);
  });
  after(() => built.close());

  it('pass every audit', () => assert.deepEqual(built.failed, []));

  it('from yield and from coverage correlate by less than 0.9, and so do their figures', async () => {
    const worlds = await correlations(built);
    assert.equal(worlds.length, SEEDS.length);
    for (const world of worlds) {
      assert.ok(world.deals >= 300, JSON.stringify(world));
      assert.ok(Math.abs(world.points) < 0.9 && Math.abs(world.figures) < 0.9, JSON.stringify(world));
    }
  });
});
