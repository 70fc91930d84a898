/** Clocks that are wrong at the worst moments, with whole servers. `make crash-clock` plays them on PostgreSQL too. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { played, scenarios } from './clock_scenarios.ts';

test(scenarios.map(({ name }) => name).join('; '), async () => {
  assert.deepEqual(await played('sqlite', scenarios), []);
});
