/**
 * Precision and recall of identity in twenty worlds of 3,000 properties for sale. Each is served as pages, which the
 * pipeline reads, stages and builds; identity.test.ts stages the listings of the same worlds without pages.
 */
import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { inspect } from 'node:util';
import { print } from '../../lib/output.ts';
import { compareIdentity, precisionOf, recallOf } from '../../sandbox/comparison/identity.ts';
import { newLayout, runDay } from '../pipelines/runs.ts';
import { DAY, FAMILIES, largeWorld, SEEDS } from './worlds.ts';

describe('in a world of 3,000 properties for sale', () => {
  for (const seed of SEEDS) {
    test(`with seed ${seed}, listings, debts, sales and leads are of one property exactly if they are`, async () => {
      const layout = await newLayout();
      const world = largeWorld(seed, { parcels: 4000, auctions: 600 });
      const { runId } = await runDay({
        layout,
        world,
        day: DAY,
        browser: true,
        only: ({ family }) => FAMILIES.includes(family),
        tables: ['deals', 'leads'],
      });
      const counts = await compareIdentity(layout.snapshot(runId), world);
      await rm(layout.root, { recursive: true });
      const figures = counts.map(
        (c) => `${c.right} of ${c.same}, precision ${precisionOf(c).toFixed(4)}, recall ${recallOf(c).toFixed(4)}`,
      );
      print(`seed ${seed}: ${figures.join('; ')}`);
      const [listings] = counts;
      assert.deepEqual(
        [...counts.map(precisionOf), listings && recallOf(listings)],
        [1, 1, 1, 1, 1],
        inspect(counts, { depth: 3 }),
      );
      const missed = counts.flatMap((c) => c.missed);
      assert.deepEqual(
        missed.filter((m) => !/: no page prints its (?:ZIP|street|unit)$/u.test(m)),
        [],
      );
    });
  }
});
