/** Sets of rows and their indexes give what going through the rows one by one gives, however many there are. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { add, allRows, firstOf, has, keep, membersOf, noRows, NumberIndex, orderOf, sizeOf, unite, without, WordIndex, type RowSet } from '../../api/row_sets.ts';

const SEED = 20_261_120;
const RUNS = 60;

/** Numbers that are always the same for a seed. */
function draws(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return Math.floor((state / 4_294_967_296) * below);
  };
}
/** Tables around the ends of a set's numbers, and larger than what is gone through row by row. */
const tables = fc.record({ rows: fc.oneof(fc.integer({ min: 0, max: 70 }), fc.integer({ min: 4_000, max: 6_000 })), seed: fc.nat() });
const rowsOf = (rows: number): number[] => Array.from({ length: rows }, (_, row) => row);
const setOf = (rows: number, members: readonly number[]): RowSet => {
  const set = noRows(rows);
  add(set, Int32Array.from(members));
  return set;
};

test('sets of rows are sets', () => {
  fc.assert(fc.property(tables, ({ rows, seed }) => {
    const draw = draws(seed);
    const [a, b] = [rowsOf(rows).filter(() => draw(3) === 0), rowsOf(rows).filter(() => draw(2) === 0)];
    const [inA, inB] = [new Set(a), new Set(b)];
    const after = (change: (set: RowSet, other: RowSet) => void): number[] => {
      const set = setOf(rows, a);
      change(set, setOf(rows, b));
      assert.equal(sizeOf(set), membersOf(set).length);
      return membersOf(set);
    };
    assert.deepEqual(after(keep), a.filter((row) => inB.has(row)));
    assert.deepEqual(after(without), a.filter((row) => !inB.has(row)));
    assert.deepEqual(after(unite), rowsOf(rows).filter((row) => inA.has(row) || inB.has(row)));
    assert.deepEqual(membersOf(allRows(rows)), rowsOf(rows));
    const [start, most] = [draw(rows + 2), draw(40)];
    assert.deepEqual(membersOf(setOf(rows, a), start, most), a.filter((row) => row >= start).slice(0, most));
  }), { seed: SEED, numRuns: RUNS });
});

test('the first of a set in an order are those that a walk through the order finds', () => {
  fc.assert(fc.property(tables, fc.boolean(), fc.constantFrom(1, 2, 50), ({ rows, seed }, stored, oneIn) => {
    const draw = draws(seed);
    const order = orderOf(Int32Array.from(stored ? rowsOf(rows) : rowsOf(rows).map((row) => [draw(1_000_000), row] as const).sort(([a], [b]) => a - b).map(([, row]) => row)));
    const set = setOf(rows, rowsOf(rows).filter(() => draw(oneIn) === 0));
    const [start, most] = [draw(rows + 2), 1 + draw(101)];
    assert.deepEqual(firstOf(set, sizeOf(set), order, start, most), [...order.rows.subarray(start)].filter((row) => has(set, row)).slice(0, most));
  }), { seed: SEED, numRuns: RUNS });
});

test('rows between two numbers, whatever is missing and however often a number occurs', () => {
  fc.assert(fc.property(tables, fc.constantFrom(1, 3, 40, 1_000_000), ({ rows, seed }, kinds) => {
    const draw = draws(seed);
    const numbers = Float64Array.from(rowsOf(rows), () => (draw(7) === 0 ? Number.NaN : draw(kinds)));
    const index = new NumberIndex(numbers, Int32Array.from(rowsOf(rows).filter((row) => !Number.isNaN(numbers[row])).sort((a, b) => (numbers[a] ?? 0) - (numbers[b] ?? 0))));
    for (const [low, high] of [[draw(kinds), draw(kinds)], [Number.NEGATIVE_INFINITY, draw(kinds)], [draw(kinds), Number.POSITIVE_INFINITY], [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY], [1, 1]] as const) {
      assert.deepEqual(membersOf(index.between(low, high)), rowsOf(rows).filter((row) => (numbers[row] ?? Number.NaN) >= low && (numbers[row] ?? Number.NaN) <= high));
    }
  }), { seed: SEED, numRuns: RUNS });
});

test('rows by their text, whether it is one of few or of many', () => {
  fc.assert(fc.property(tables, fc.constantFrom(1, 3, 2_000), ({ rows, seed }, kinds) => {
    const draw = draws(seed);
    const words = Array.from({ length: kinds }, (_, i) => `Word ${i}`);
    const codes = Int32Array.from(rowsOf(rows), () => draw(kinds + 1) - 1);
    const index = new WordIndex(new Map(words.map((word, code) => [word, code])), codes);
    const wordOf = (row: number): string | null => words[codes[row] ?? -1] ?? null;
    const one = `Word ${draw(kinds)}`;
    assert.deepEqual([...index.rowsWith(one)], rowsOf(rows).filter((row) => wordOf(row) === one));
    assert.deepEqual([...index.rowsWith('no word')], []);
    for (const word of [one, 'no word']) assert.deepEqual(membersOf(index.equal(word)), rowsOf(rows).filter((row) => wordOf(row) === word));
    assert.deepEqual(membersOf(index.absent()), rowsOf(rows).filter((row) => wordOf(row) === null));
    assert.deepEqual(rowsOf(rows).map((row) => index.wordOf(row)), rowsOf(rows).map(wordOf));
    for (const wanted of ['1', 'word', 'Word']) {
      assert.deepEqual(membersOf(index.meeting((word) => word.includes(wanted))), rowsOf(rows).filter((row) => wordOf(row)?.includes(wanted)));
      assert.deepEqual(membersOf(index.meeting((word) => word.includes(wanted), true)), rowsOf(rows).filter((row) => wordOf(row)?.toLowerCase().includes(wanted)));
    }
  }), { seed: SEED, numRuns: RUNS });
});
