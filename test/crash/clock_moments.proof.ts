/** Every moment at which a wrong clock does the most harm. clock_moments.test.ts plays the two short ones. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { played, scenarios } from './clock_scenarios.ts';

test(scenarios.map(({ name }) => name).join('; '), async () => {
  assert.deepEqual(await played('sqlite', scenarios), []);
});
