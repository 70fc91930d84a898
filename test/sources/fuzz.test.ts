/**
 * Damaged pages never crash a parser, and no detectable damage gives a wrong value: 300 fixed variants of each family's
 * recorded pages, and 150 of the largest families. `make prove` runs 10,000 of each. ONLY=sources/fuzz N=500 SEED=2
 * runs others.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Draw } from '../../sandbox/world/random.ts';
import { fuzz, lostToOddCells, subjects, type Finding } from '../fuzz/fuzz.ts';
import { casesOf, seedFrom, thorough } from '../thorough.ts';

/** Families whose pages take most of the time. */
const LARGE = ['listings', 'auctions', 'register'];
const variantsOf = (family: string): number => casesOf(thorough(LARGE.includes(family) ? 150 : 300, 10_000));

/** Odd values in each column of a page. */
const ODD_ROUNDS = thorough(1, 20);

const SEED = seedFrom(thorough(20_261_120, 1));

const families = await subjects();

test('every family has recorded pages to damage', () => {
  for (const family of ['listings', 'fmr', 'tax', 'auctions', 'register', 'benchmarks'])
    assert.ok((families.get(family)?.length ?? 0) > 0, family);
});

test('an odd value in a cell of any page is at most a reject of its row', async () => {
  const lost: string[] = [];
  for (const subject of [...families.values()].flat()) {
    const { spec, name } = subject;
    for (let round = 0; round < ODD_ROUNDS; round += 1) {
      const found = await lostToOddCells(subject, new Draw(`odd ${SEED} ${round} ${spec.name} ${name}`));
      lost.push(...found.map((line) => `${spec.name} ${name}: ${line}`));
    }
  }
  assert.deepEqual(lost, []);
});

for (const [family, pages] of families) {
  test(`no damaged page of ${family} crashes its parser or gives a wrong value`, async () => {
    const findings: Finding[] = [];
    const variants = variantsOf(family);
    await fuzz(family, pages, variants, SEED, (finding) => findings.push(finding));
    assert.equal(findings.length, variants);
    assert.deepEqual(
      findings.filter((f) => f.outcome === 'crash' || f.outcome === 'wrong'),
      [],
    );
    const share = (outcome: Finding['outcome']): number =>
      findings.filter((f) => f.outcome === outcome).length / findings.length;
    assert.ok(share('quarantined') > 0.2, 'the damage has an effect');
    assert.ok(share('equal') > 0.05, 'some damaged pages are still accepted');
  });
}
