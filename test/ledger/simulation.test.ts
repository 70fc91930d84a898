/** Money and exclusivity in simulated worlds: a short run of what `make simulate` does at length. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { faults } from './simulation/faults.ts';
import { runSchedule, seedOf } from './simulation/schedule.ts';

const SEED = 20_261_121;
const SCHEDULES = 300;
const MOST_TO_FIND_A_FAULT = 3000;

test(`${SCHEDULES} schedules keep every promise, and meet what they are meant to meet`, async () => {
  const met = { sold: 0, unknown: 0, kills: 0, released: 0, undoneBlocks: 0, capped: 0 };
  const seldom = { madeGood: 0, owed: 0, undone: 0 };
  for (let n = 0; n < SCHEDULES; n += 1) {
    const schedule = await runSchedule({ seed: seedOf(SEED, n) });
    assert.deepEqual(schedule.broken, [], `make simulate SEED=${SEED} ONLY=${n} shows how it came to this`);
    for (const name of ['sold', 'unknown', 'kills', 'released', 'undoneBlocks', 'capped'] as const)
      met[name] += schedule[name];
    for (const name of ['madeGood', 'owed', 'undone'] as const) seldom[name] += schedule[name];
  }
  for (const [name, count] of Object.entries(met)) assert.ok(count > SCHEDULES / 2, `${name}: ${count}`);
  for (const [name, count] of Object.entries(seldom)) assert.ok(count > 0, `${name}: ${count}`);
});

test('schedules that once broke a promise keep every one', async () => {
  // The first audit began after the payment; a paid lead was left to a reservation (two of them);
  // of several released purchases of one payment, only the last was tried.
  for (const [seed, n] of [
    [20_261_121, 1529],
    [20_261_122, 19_962],
    [20_261_122, 21_656],
    [20_261_124, 60_355],
  ] as const) {
    assert.deepEqual((await runSchedule({ seed: seedOf(seed, n) })).broken, [], `SEED=${seed} ONLY=${n}`);
  }
});

test('a seed is one order of events, to the last step', async () => {
  for (const n of [1, 2, 3]) {
    const [first, second] = [
      await runSchedule({ seed: seedOf(SEED, n), tracing: true }),
      await runSchedule({ seed: seedOf(SEED, n), tracing: true }),
    ];
    assert.deepEqual(second.trace, first.trace);
    assert.ok(first.trace.length > 20);
  }
});

describe('planted faults are found:', () => {
  for (const { name, parts } of faults) {
    test(name, async () => {
      const faulty = await parts();
      for (let n = 0; n < MOST_TO_FIND_A_FAULT; n += 1) {
        if ((await runSchedule({ seed: seedOf(SEED, n), parts: faulty })).broken.length > 0) return;
      }
      assert.fail(`not found in ${MOST_TO_FIND_A_FAULT} schedules`);
    });
  }
});
