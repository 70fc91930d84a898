/** Searches for a schedule that a planted fault breaks. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { faults } from './faults.ts';
import { runSchedule, seedOf, variantOf } from './schedule.ts';

export const SEED = 20_261_105;
const MAX_SCHEDULES_PER_FAULT = 3000;

/** Each of these faults breaks an invariant in some schedule. */
export function findsFaults(planted: typeof faults): void {
  for (const { name, parts, isOfRestore = false } of planted) {
    test(name, async () => {
      const faulty = await parts();
      for (let n = 0; n < MAX_SCHEDULES_PER_FAULT; n += 1) {
        const restore = isOfRestore ? variantOf(n).restore : undefined;
        if ((await runSchedule({ seed: seedOf(SEED, n), parts: faulty, restore })).violations.length > 0) return;
      }
      assert.fail(`not found in ${MAX_SCHEDULES_PER_FAULT} schedules`);
    });
  }
}
