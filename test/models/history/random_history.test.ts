/**
 * Whatever sources show from day to day, a run can publish: no blocking audit and no foreign key fails. Addresses are
 * corrected, parcels written in another way, sales moved, sites away and leads sold.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { thorough } from '../../thorough.ts';
import { randomDay } from './random_history/days.ts';
import { failuresOf } from './random_history/history.ts';

test('random days can be published, each on the tables of the previous day', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(randomDay, { minLength: 2, maxLength: thorough(3, 6) }), async (days) => {
      assert.deepEqual(await failuresOf(days), []);
    }),
    { numRuns: thorough(1, 60), endOnFailure: true },
  );
});
