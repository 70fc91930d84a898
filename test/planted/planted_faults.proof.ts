/** Each planted fault is caught by each check it names, and without faults nothing fails. */
import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { copyOfTree, findingsOn, runTests, withFault } from './copy.ts';
import { catcherText, DAY, HISTORY_DAYS, type Catcher, type Findings } from './fault.ts';
import { modelFaults } from './model_faults.ts';
import { paymentFaults } from './payment_faults.ts';
import { sourceFaults } from './source_faults.ts';

const faults = [...sourceFaults, ...modelFaults, ...paymentFaults];

let copy: string;
before(async () => {
  copy = await copyOfTree();
});
after(() => rm(copy, { recursive: true, force: true }));

const daysOf = (catcher: Catcher): readonly string[] => (catcher.by === 'reconcile' && catcher.days) || [DAY];

const isFound = (catcher: Catcher, found: Findings): boolean => {
  switch (catcher.by) {
    case 'reconcile':
      return found.lines.includes(catcher.line);
    case 'join rate':
      return found.degraded.includes(catcher.source);
    case 'expectation':
      return found.quarantined.includes(catcher.source);
    case 'audit':
      return found.audits.includes(catcher.audit);
    case 'test':
      return false;
  }
};

/** The catchers that do not catch. */
async function missedBy(catchers: readonly Catcher[]): Promise<string[]> {
  const runs = new Map<string, Findings>();
  const missed: string[] = [];
  for (const catcher of catchers) {
    if (catcher.by === 'test') {
      const { failed } = await runTests(copy, catcher.file, catcher.test);
      if (failed === 0) missed.push(catcherText(catcher));
      continue;
    }
    const days = daysOf(catcher);
    const found = runs.get(days.join(' ')) ?? (await findingsOn(copy, days));
    runs.set(days.join(' '), found);
    if (!isFound(catcher, found)) missed.push(`${catcherText(catcher)}; found ${JSON.stringify(found)}`);
  }
  return missed;
}

describe('without a fault', () => {
  const NOTHING = { degraded: [], quarantined: [], audits: [], lines: [] };
  test('a tiny world is published as it is', async () => {
    assert.deepEqual(await findingsOn(copy, [DAY]), NOTHING);
    assert.deepEqual(await findingsOn(copy, HISTORY_DAYS), NOTHING);
  });

  const tests = new Map(
    faults.flatMap(({ caughtBy }) => caughtBy.flatMap((c) => (c.by === 'test' ? [[catcherText(c), c] as const] : []))),
  );
  for (const [text, { file, test: name }] of tests)
    test(`passes ${text}`, async () => {
      const { passed, failed } = await runTests(copy, file, name);
      assert.equal(failed, 0);
      assert.ok(passed > 0, 'no test has this name');
    });
});

describe('a planted fault is caught:', () => {
  for (const { name, changes, caughtBy } of faults)
    test(name, async () => {
      assert.deepEqual(await withFault(copy, changes, () => missedBy(caughtBy)), []);
    });
});
