/**
 * Runs over two months as an operator has them: gaps of days, jobs that read a part of the sources, sites that fail.
 * Each snapshot equals the truth of the days on which its sources were read: no false alarm.
 */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { formatComparisons } from '../../sandbox/comparison/compare.ts';
import { reconcile } from '../../sandbox/comparison/records.ts';
import { makeWorld } from '../../sandbox/world/world.ts';
import { addDays } from '../../sources/days.ts';
import type { Layout } from '../../pipelines/layout.ts';
import { newLayout, runDay, TINY } from '../pipelines/runs.ts';

interface Run {
  /** Days after the first run. */
  readonly at: number;
  /** Families that are read. Default: all. */
  readonly families?: readonly string[];
  /** Hosts that fail. */
  readonly down?: RegExp;
}

const LISTINGS = ['listings', 'auctions'];

const RUNS: readonly Run[] = [
  { at: 0 },
  { at: 1, families: [...LISTINGS, 'tax', 'parcels'] },
  { at: 2, families: LISTINGS },
  { at: 3, down: /gis\.cuyahogacounty|heartland/u },
  { at: 9 },
  { at: 9, families: ['tax'] },
  { at: 13, families: ['listings'] },
  { at: 20, down: /buckeye|cagisonline|mcohio/u },
  { at: 27, families: ['listings', 'tax', 'parcels'] },
  { at: 36 },
  { at: 37, families: ['register'] },
  { at: 44, down: /realforeclose|realauction|sheriffsale/u },
  { at: 52, families: ['listings', 'auctions', 'register'] },
  { at: 60 },
];

describe('runs over two months', () => {
  const world = makeWorld({ ...TINY, filings: 60 });
  let layout: Layout;
  before(async () => {
    layout = await newLayout();
  });

  let olderSources = 0;
  for (const { at, families, down } of RUNS) {
    const day = addDays('2026-10-15', at);
    const what = families ? `of ${families.join(', ')}` : down ? `with sites that fail` : 'of all sources';
    test(`the run on ${day} ${what} equals the truth`, async () => {
      const { runId } = await runDay({
        layout,
        world,
        day,
        ...(families ? { only: ({ family }) => families.includes(family) } : {}),
        ...(down
          ? { alter: ({ host }, response) => (down.test(host) ? { ...response, status: 503, headers: {} } : undefined) }
          : {}),
      });
      const { truth, comparisons } = await reconcile(layout.snapshot(runId), world);
      const different = comparisons.filter(({ differences }) => differences.length > 0);
      assert.deepEqual(different, [], formatComparisons(different).join('\n'));
      olderSources += truth.behind.length;
    });
  }

  test('the rules were needed: sources were behind on most days', () => assert.ok(olderSources > 60));
});
