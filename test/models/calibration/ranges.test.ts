/** The pages that name the measured errors. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { ACCURACY_PAGE, bySize, pageWith, readAccuracies } from '../../../models/calibration/accuracy.ts';

describe('the measured errors', () => {
  it('match docs/calibration.md, and README names the sizes, 2 to 4 units first', () => {
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
