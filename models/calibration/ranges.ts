/** Fits what owners earned given our own cap rate, in two blocks of units, and finds the range of one building. */
import type { Building } from './compare.ts';

type Range = readonly [low: number, middle: number, high: number];

/** A knot of the declared table: quartiles of the owners' NOI over the price, in percent. */
export interface Knot {
  readonly least_units: number;
  readonly most_units: number | null;
  /** Median of our cap rate of its buildings, in percent. */
  readonly cap_pct: number;
  readonly range: Range;
  readonly n: number;
  readonly n_eff: number;
}

/** Our cap rates, in percent, at which the buildings of a knot begin. */
const CAPS = [-Infinity, 5, 9];
const BLOCKS = [
  { least_units: 2, most_units: 12 },
  { least_units: 13, most_units: null },
] as const;
/** Units over which the first block fades into the second. */
const BLENDED = { from: 8, to: 24 };

export const rounded = (value: number, decimals: number): number => Number(value.toFixed(decimals));
export const weightOf = (rows: readonly Building[]): number => rows.reduce((total, { weight }) => total + weight, 0);
export const realCap = ({ real, price }: Building): number => (real / price) * 100;

/** The range is fitted on, and published for, buildings before 2000 whose price is within the limits of the rent. */
export const hasRange = ({ year, isInLimits }: Building): boolean => isInLimits && (year === null || year < 2000);

/** The least value at which the values up to it have at least this share of the weight. NaN without rows. */
export function weightedQuantile(rows: readonly Building[], share: number, valueOf: (row: Building) => number): number {
  const sorted = rows.map((row) => [valueOf(row), row.weight] as const).sort(([a], [b]) => a - b);
  let left = share * weightOf(rows);
  return (sorted.find(([, weight]) => (left -= weight) <= 0) ?? sorted.at(-1))?.[0] ?? NaN;
}

/** Quartiles by block and our cap rate. The middle never falls from one knot to the next. */
export function fitRanges(buildings: readonly Building[]): Knot[] {
  return BLOCKS.flatMap((block) => {
    let least = -Infinity;
    return CAPS.map((from, at) => {
      const rows = buildings
        .filter(hasRange)
        .filter(
          ({ units, cap }) =>
            units >= block.least_units &&
            units <= (block.most_units ?? Infinity) &&
            cap >= from &&
            cap < (CAPS[at + 1] ?? Infinity),
        );
      const [low = NaN, middle = NaN, high = NaN] = [0.25, 0.5, 0.75].map((share) =>
        rounded(weightedQuantile(rows, share, realCap), 2),
      );
      least = Math.max(least, middle);
      const squares = rows.reduce((total, { weight }) => total + weight ** 2, 0);
      return {
        ...block,
        cap_pct: rounded(
          weightedQuantile(rows, 0.5, ({ cap }) => cap),
          2,
        ),
        range: [low, least, high],
        n: rows.length,
        n_eff: rounded(weightOf(rows) ** 2 / squares, 1),
      };
    });
  });
}

/** Between two ranges: the part of the way that a value is from one point to another, at most the whole. */
function between(a: Range, b: Range, value: number, from: number, to: number): Range {
  const part = Math.min(1, Math.max(0, (value - from) / (to - from)));
  return [a[0] + (b[0] - a[0]) * part, a[1] + (b[1] - a[1]) * part, a[2] + (b[2] - a[2]) * part];
}

/**
 * The range of a building, as int_owner_incomes has it without its rounding: linear between the knots of a block, flat
 * above them, in step with our cap rate below them, and blended between the blocks.
 */
export function rangeOf(knots: readonly Knot[], { units, cap }: Pick<Building, 'units' | 'cap'>): Range {
  const [small, large] = BLOCKS.map(({ least_units }) => {
    const block = knots.filter((knot) => knot.least_units === least_units);
    const below = Math.min(0, cap - (block[0]?.cap_pct ?? cap));
    const { range } = block.reduce((a, b) => ({ ...b, range: between(a.range, b.range, cap, a.cap_pct, b.cap_pct) }));
    return range.map((rate) => rate + below) as unknown as Range;
  });
  if (!small || !large) throw new Error('the range has two blocks');
  return between(small, large, units, BLENDED.from, BLENDED.to);
}

/** Two halves of the places of some buildings, the same for the same seed. */
export function halvesOf(buildings: readonly Building[], seed: number): readonly [string[], string[]] {
  // mulberry32 (Tommy Ettinger, public domain)
  let state = Math.imul(seed, 0x9e3779b9);
  const draw = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return (t ^ (t >>> 14)) >>> 0;
  };
  const places = [...new Set(buildings.map(({ place }) => place))].sort();
  const names = places
    .map((place) => [draw(), place] as const)
    .sort(([a], [b]) => a - b)
    .map(([, place]) => place);
  return [names.slice(0, names.length >> 1), names.slice(names.length >> 1)];
}
