/**
 * Faults in the handling of clocks, planted into real servers: the scenario meant for each one fails. The scenarios
 * themselves run without a fault in clock_moments.test.ts.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { clockFaults } from './clock_faults.ts';
import { played, scenarios } from './clock_scenarios.ts';

/** What is left open for longer is broken: with the fault it stays so. */
const PATIENCE_MS = 3_000;

describe('planted faults are found:', { concurrency: 2 }, () => {
  for (const { name } of clockFaults) {
    test(name, async () => {
      const scenario = scenarios.find(({ fault }) => fault === name);
      assert.ok(scenario, 'a scenario is meant to find it');
      assert.notDeepEqual(await played('sqlite', [scenario], { fault: name, patienceMs: PATIENCE_MS }), []);
    });
  }
});
