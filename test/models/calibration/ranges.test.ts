/** The fit of the range over invented buildings, and the pages that name the measured errors. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { ACCURACY_PAGE, bySize, pageWith, readAccuracies } from '../../../models/calibration/accuracy.ts';
import type { Building } from '../../../models/calibration/compare.ts';
import { coverageOf } from '../../../models/calibration/measure.ts';
import { fitRanges, rangeOf, weightedQuantile } from '../../../models/calibration/ranges.ts';

const FIXED = { population: 'owners', place: '900', weight: 1, year: 1950, proxy: 0, isInLimits: true } as const;

/** A building priced at 100, of our cap rate and the owner's. */
const building = (cap: number, real: number, changes: Partial<Building> = {}): Building => ({
  ...FIXED,
  units: 4,
  price: 100,
  cap,
  ours: cap,
  real,
  ...changes,
});

/** Four owners a knot: in the small block 1 to 4, 5 to 8 and 3 to 6 percent; 1 more in the large one. */
const BUILDINGS = (
  [
    [3, 0],
    [5, 4],
    [10, 2],
  ] as const
).flatMap(([cap, more]) =>
  [1, 2, 3, 4].flatMap((place) =>
    [4, 30].map((units) => building(cap, place + more + (units > 12 ? 1 : 0), { units, place: String(place) })),
  ),
);

describe('the range', () => {
  const knots = fitRanges(BUILDINGS);
  const at = (units: number, cap: number) => rangeOf(knots, { units, cap });

  it('has the weighted quartiles of the owners at our median cap rate, and its middle never falls', () => {
    assert.deepEqual(
      knots.slice(0, 3).map(({ cap_pct, range, n }) => [cap_pct, ...range, n]),
      [
        [3, 1, 2, 3, 4],
        [5, 5, 6, 7, 4],
        [10, 3, 6, 5, 4],
      ],
    );
    const rows = [building(4, 1), building(4, 2, { weight: 3 }), building(4, 9)];
    assert.equal(
      weightedQuantile(rows, 0.75, ({ real }) => real),
      2,
    );
  });
  it('is linear between the knots, flat beyond them, and blended from 8 to 24 units', () => {
    assert.deepEqual(at(4, 4), [3, 4, 5]);
    assert.deepEqual(at(2, 0), at(8, 3));
    assert.deepEqual(at(4, 99), at(4, 10));
    assert.deepEqual(at(24, 3), [2, 3, 4]);
    assert.deepEqual(at(16, 3), [1.5, 2.5, 3.5]);
  });
  it('leaves out buildings from 2000 and prices outside the limits of the rent', () => {
    const others = [building(4, 99, { year: 2000 }), building(4, 99, { isInLimits: false })];
    assert.deepEqual(fitRanges([...BUILDINGS, ...others]), knots);
    assert.deepEqual(coverageOf(knots, [...BUILDINGS, ...others]), coverageOf(knots, BUILDINGS));
  });
});

describe('the measured errors', () => {
  it('are those of docs/calibration.md, and README names the sizes, 2 to 4 units first', () => {
    assert.equal(pageWith(readAccuracies()), readFileSync(ACCURACY_PAGE, 'utf8'));
    const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8').replaceAll('\n', ' ');
    const errors = bySize('owners').map(({ group, held_out }) => {
      const error = Math.round((Number(held_out) - 1) * 100);
      return `${error > 0 ? '+' : ''}${error} % at ${group}`;
    });
    assert.equal(errors.length, 4);
    assert.ok(
      readme.includes(
        errors
          .join(', ')
          .replace(/, (?=[^,]*$)/u, ' and ')
          .replaceAll(/ units(?=,| and [-+\d])/gu, ''),
      ),
      errors.join(', '),
    );
    const atEight = readAccuracies().find(
      ({ source, group }) => source === 'owners' && group.startsWith('our cap rate 8'),
    );
    assert.ok(readme.includes(`${atEight?.below_ours_pct} % of the owners earned less`));
    assert.ok(readme.includes(`${atEight?.below_middle_pct} % earned less than the middle`));
  });
});
