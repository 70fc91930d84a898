/**
 * The joins of rows to properties in twenty worlds of 3,000 properties for sale. Each is served as pages, which the
 * pipeline reads, stages and builds.
 */
import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { print } from '../../../lib/output.ts';
import { JOINS, reconcile } from '../../../sandbox/comparison/records.ts';
import { makeWorld } from '../../../sandbox/world/world.ts';
import { newLayout, runDay } from '../../pipelines/runs.ts';

/** The larger worlds of the first five hold addresses that are hard to read. */
const SEEDS = [12, 13, 14, 15, 99, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 201, 202, 203, 204, 205];
/** Kinds of sources that show where a property is. */
const FAMILIES = ['listings', 'tax', 'parcels', 'auctions'];

describe('in a world of 3,000 properties for sale', () => {
  for (const seed of SEEDS) {
    test(`with seed ${seed}, listings, debts, sales and leads are of one property exactly if they are`, async () => {
      const layout = await newLayout();
      const world = makeWorld({ seed, listings: 3000, filings: 5, parcels: 4000, auctions: 600 });
      const { runId } = await runDay({
        layout,
        world,
        day: '2026-11-20',
        browser: true,
        only: ({ family }) => FAMILIES.includes(family),
        tables: ['deals', 'leads'],
      });
      const { comparisons: joins } = await reconcile(layout.snapshot(runId), world, {
        isCompared: (record) => record === JOINS,
      });
      await rm(layout.root, { recursive: true });
      print(`seed ${seed}: ${joins.map(({ compared, absent }) => `${compared} joined, ${absent} not`).join('; ')}`);
      assert.deepEqual(
        joins.flatMap(({ differences }) => differences),
        [],
      );
      assert.equal(joins[0]?.absent, 0);
    });
  }
});
