/** Ranges of counts. Their bounds are fixed, so that few changes of one record move a count into another range. */

/** Smallest counts of the ranges below 100; the larger ones are these times 10, 100, ... */
const STEPS = [10, 25, 50];
const TEN = 10;

export interface Range {
  readonly at_least: number;
  readonly at_most: number;
}

/**
 * The range of a count: 0 to 9, 10 to 24, 25 to 49, 50 to 99, 100 to 249, ...
 * @param hasZero whether 0 is a range of its own, apart from 1 to 9
 */
export function rangeOf(count: number, hasZero: boolean): Range {
  let least = 0;
  for (let factor = 1; ; factor *= TEN) {
    for (const step of STEPS) {
      const next = step * factor;
      if (count < next) {
        if (least > 0 || !hasZero) return { at_least: least, at_most: next - 1 };
        return count === 0 ? { at_least: 0, at_most: 0 } : { at_least: 1, at_most: next - 1 };
      }
      least = next;
    }
  }
}
