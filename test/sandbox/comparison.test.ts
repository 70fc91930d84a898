/** The comparison of `make reconcile` by itself: what counts as a difference, and what its report says. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  anyOf,
  compare,
  formatComparisons,
  isEqual,
  verdict,
  type Row,
  type TrueRow,
} from '../../sandbox/comparison/compare.ts';

const PAGE = 'ab'.repeat(32);
const row = (key: string, owner: string | null, city: string | null = 'AKRON'): Row => ({
  key,
  owner,
  city,
  page_sha256: PAGE,
  page_row: 3,
});
const truth = (key: string, owner: string | null, more: Partial<TrueRow> = {}): TrueRow => ({
  key,
  columns: { owner, city: anyOf(null, 'AKRON') },
  ...more,
});
const signals = (published: readonly Row[], rows: readonly TrueRow[]): ReturnType<typeof compare> =>
  compare({ record: 'signals', published, keyOf: (r) => String(r['key']), truth: rows });
/** Number of compared rows, and each difference in short. */
const compared = (published: readonly Row[], rows: readonly TrueRow[]): unknown[] => {
  const { compared: count, differences } = signals(published, rows);
  return [count, ...differences.map(({ kind, key, column }) => `${kind} ${key} ${column ?? 'row'}`)];
};

describe('a comparison', () => {
  it('finds equal rows equal, for each of the possible values', () => {
    assert.deepEqual(compared([row('1', 'ANN'), row('2', null, null)], [truth('1', 'ANN'), truth('2', null)]), [2]);
  });

  it('finds rows and values that differ, are missing or extra', () => {
    const published = [row('1', 'BEN', 'KENT'), row('2', null), row('3', 'CY'), row('9', 'EVE')];
    const rows = [truth('1', 'ANN'), truth('2', 'ANN'), truth('3', null), truth('4', 'DEE')];
    assert.deepEqual(compared(published, rows), [
      4,
      'differing 1 owner',
      'differing 1 city',
      'differing 2 owner',
      'differing 3 owner',
      'missing 4 row',
      'extra 9 row',
    ]);
  });

  it('never collapses a repeated key, on either side', () => {
    const twice = [row('1', 'ANN'), row('1', 'ANN')];
    assert.deepEqual(compared(twice, [truth('1', 'ANN')]), [1, 'repeated 1 row']);
    assert.deepEqual(compared(twice.slice(1), [truth('1', 'ANN'), truth('1', 'ANN')]), [2, 'repeated 1 row']);
    assert.deepEqual(compared(twice, [truth('1', 'ANN'), truth('1', 'ANN')]), [2]);
  });

  it('allows a row to be absent only if the rule says so', () => {
    assert.deepEqual(compared([], [truth('1', 'ANN', { isOptional: true })]), [0]);
    assert.deepEqual(compared([], [truth('1', 'ANN')]), [1, 'missing 1 row']);
  });
});

it('a report names column, key, both values and the archived page, and ends with a verdict', () => {
  const equal = [signals([row('1', 'ANN')], [truth('1', 'ANN')])];
  assert.ok(equal.every(isEqual));
  assert.equal(verdict(equal), 'Equal: all 1 true rows are published, and no others.');
  const different = [signals([row('1', 'BEN')], [truth('1', 'ANN')])];
  assert.deepEqual(
    formatComparisons(different).map((line) => line.replaceAll(/ +/gu, ' ')),
    [
      ' record compared missing extra repeated differing',
      ' signals 1 0 0 0 1',
      ' signals: owner: 1',
      ` 1 expected "ANN", found "BEN" (page ${PAGE} row 3)`,
    ],
  );
  assert.match(verdict(different), /^Different: signals: owner\./u);
});
