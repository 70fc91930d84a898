/** Searches for a schedule that a planted fault breaks. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { faults } from './faults.ts';
import { runSchedule, seedOf } from './schedule.ts';

export const SEED = 20_261_105;
const MAX_SCHEDULES_PER_FAULT = 3000;

/** Schedules far from the first that find a fault which few schedules find. The search begins there, to save time. */
const SEARCH_FROM: Readonly<Record<string, number>> = {
  'a canceled authorization counts as paid': 52,
  'a payment that moved to another block is not followed': 69,
  'an audit without the lease': 270,
  'a released purchase is sold without its lead': 343,
  'a transfer that was booked before its sale is never matched': 236,
  'leads of a payer are not counted': 258,
  'settlement is requested although "settling" may not be written': 101,
};

/** Each of these faults breaks an invariant in some schedule. */
export function findsFaults(planted: typeof faults): void {
  for (const { name, parts } of planted) {
    test(name, async () => {
      const faulty = await parts();
      const from = SEARCH_FROM[name] ?? 0;
      for (let n = from; n < from + MAX_SCHEDULES_PER_FAULT; n += 1) {
        if ((await runSchedule({ seed: seedOf(SEED, n), parts: faulty })).violations.length > 0) return;
      }
      assert.fail(`not found in ${MAX_SCHEDULES_PER_FAULT} schedules`);
    });
  }
}
