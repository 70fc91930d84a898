/** Correlation of the two parts from income in twenty worlds, and the distribution of the score, printed. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { print } from '../../../lib/output.ts';
import { SEEDS } from '../../identity/worlds.ts';
import type { Built } from '../build_models.ts';
import { buildWorlds, correlations, distribution } from './score_parts.ts';

describe('the parts of the score in twenty worlds of 400 properties for sale', () => {
  let built: Built;
  before(async () => {
    built = await buildWorlds(SEEDS, 400);
  });
  after(() => built.close());

  it('correlate by less than 0.9', async () => {
    const worlds = await correlations(built);
    assert.equal(worlds.length, 20);
    for (const { seed, deals, points, figures } of worlds) {
      print(`${seed}: ${deals} deals, r of points ${points.toFixed(3)}, r of figures ${figures.toFixed(3)}`);
      assert.ok(deals >= 300 && Math.abs(points) < 0.9 && Math.abs(figures) < 0.9, seed);
    }
    for (const row of await distribution(built)) print(JSON.stringify(row));
  });
});
