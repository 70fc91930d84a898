/**
 * Clocks that jump at random instants under servers that sell. clock_moments.test.ts moves one clock between two
 * requests; this adds random instants, restarts, lost replies and PostgreSQL.
 * `make prove ONLY=sales_clocks N=200 SEED=1` makes 200 jumps on each kind of ledger.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { casesOf, seedFrom } from '../thorough.ts';
import { sellUnderClocks } from './sales_clocks.ts';

const JUMPS = casesOf(10);

describe('clocks that jump', { concurrency: 2 }, () => {
  for (const ledger of ['sqlite', 'postgres'] as const) {
    test(`on ${ledger}, after ${JUMPS} jumps, the books equal the chain, and buyers have answers`, async () => {
      const result = await sellUnderClocks({ ledger, jumps: JUMPS, seed: seedFrom(7), collect: 20 });
      assert.deepEqual(result.broken, []);
      assert.ok(result.jumps >= JUMPS, JSON.stringify(result));
      assert.ok(
        result.sold > 5 && result.answered > 5 && result.open.settling + result.open.unknown > 3,
        `sales were made: ${JSON.stringify(result)}`,
      );
    });
  }
});
