/**
 * Fits what owners earned given our own cap rate, in two blocks of units, finds the range of one building, and measures
 * our figures and the range where nothing was fitted.
 */
import { fileURLToPath } from 'node:url';
import { ACCURACY_CSV, ACCURACY_PAGE, pageWith, type Accuracy } from './accuracy.ts';
import { csvText, SURVEY } from './calibrate.ts';
import { underwrite, type Building } from './compare.ts';

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

const rounded = (value: number, decimals: number): number => Number(value.toFixed(decimals));
const weightOf = (rows: readonly Building[]): number => rows.reduce((total, { weight }) => total + weight, 0);
const realCap = ({ real, price }: Building): number => (real / price) * 100;

/** The range is fitted on, and published for, buildings before 2000 whose price is within the limits of the rent. */
const hasRange = ({ year, isInLimits }: Building): boolean => isInLimits && (year === null || year < 2000);

/** The least value at which the values up to it have at least this share of the weight. NaN without rows. */
function weightedQuantile(rows: readonly Building[], share: number, valueOf: (row: Building) => number): number {
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
        .filter(({ cap }) => cap >= from && cap < (CAPS[at + 1] ?? Infinity))
        .filter(({ units }) => units >= block.least_units && units <= (block.most_units ?? Infinity));
      const quantile = (share: number, valueOf: (row: Building) => number): number =>
        rounded(weightedQuantile(rows, share, valueOf), 2);
      least = Math.max(least, quantile(0.5, realCap));
      const squares = rows.reduce((total, { weight }) => total + weight ** 2, 0);
      return {
        ...block,
        cap_pct: quantile(0.5, ({ cap }) => cap),
        range: [quantile(0.25, realCap), least, quantile(0.75, realCap)],
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

type IsIn = (building: Building) => boolean;

const built =
  (from: number, to: number): IsIn =>
  ({ year }) =>
    year !== null && year >= from && year < to;
const atCap =
  (from: number, to: number): IsIn =>
  (building) =>
    hasRange(building) && building.cap >= from && building.cap < to;

const GROUPS: readonly (readonly [by: Accuracy['by'], group: string, isIn: IsIn])[] = [
  ['units', '2 to 4 units', ({ units }) => units <= 4],
  ['units', '5 to 12 units', ({ units }) => units > 4 && units <= 12],
  ['units', '13 to 49 units', ({ units }) => units > 12 && units <= 49],
  ['units', '50 units and more', ({ units }) => units > 49],
  ['year', 'built before 1960', built(0, 1960)],
  ['year', 'built 1960 to 1999', built(1960, 2000)],
  ['year', 'built from 2000', built(2000, Infinity)],
  ['year', 'year unknown', ({ year }) => year === null],
  ['cap', 'our cap rate under 4 %', atCap(-Infinity, 4)],
  ['cap', 'our cap rate 4 to 6 %', atCap(4, 6)],
  ['cap', 'our cap rate 6 to 8 %', atCap(6, 8)],
  ['cap', 'our cap rate 8 % and more', atCap(8, Infinity)],
  ['all', 'all', () => true],
];

/** Seeded halves of the rent groups on which every table of the survey is fitted again. */
const HALVES = 5;

const overReal = (rows: readonly Building[], ours: 'ours' | 'proxy'): number =>
  weightedQuantile(
    rows.filter(({ real }) => real > 0),
    0.5,
    (row) => row[ours] / row.real,
  );

type Coverage = Readonly<Record<'below_ours_pct' | 'below_middle_pct' | 'below_low_pct' | 'within_pct', number>>;

/** Weighted percents of the buildings with a range that earned less than a figure of theirs, or within the range. */
export function coverageOf(knots: readonly Knot[], buildings: readonly Building[]): Coverage {
  const rows = buildings.filter(hasRange).map((row) => ({ row, real: realCap(row), range: rangeOf(knots, row) }));
  const percentOf = (found: typeof rows): number =>
    (weightOf(found.map(({ row }) => row)) / weightOf(rows.map(({ row }) => row))) * 100;
  return {
    below_ours_pct: percentOf(rows.filter(({ row }) => row.real < row.ours)),
    below_middle_pct: percentOf(rows.filter(({ real, range }) => real < range[1])),
    below_low_pct: percentOf(rows.filter(({ real, range }) => real < range[0])),
    within_pct: percentOf(rows.filter(({ real, range }) => real >= range[0] && real <= range[2])),
  };
}

/** Buildings of places in which nothing was fitted, and the range that was fitted elsewhere. */
type Trial = readonly [knots: readonly Knot[], tested: readonly Building[]];

/** The mean, rounded; null if a trial has no such building. */
function meanOf(values: readonly number[], decimals: number): number | null {
  const value = values.reduce((total, each) => total + each, 0) / values.length;
  return Number.isFinite(value) ? rounded(value, decimals) : null;
}

/** Each group of one source: the mean over the trials; null where one has no such building. */
const accuraciesOf = (all: readonly Building[], trials: readonly Trial[]): Accuracy[] =>
  GROUPS.flatMap(([by, group, isIn]) => {
    const rows = all.filter(isIn);
    const tested = trials.map(([knots, buildings]) => [knots, buildings.filter(isIn)] as const);
    const covered = tested.map(([knots, found]) => coverageOf(knots, found));
    const percent = (key: keyof Coverage): number | null =>
      meanOf(
        covered.map((each) => each[key]),
        0,
      );
    const heldOut = tested.map(([, found]) => (trials.length > 1 ? overReal(found, 'ours') : NaN));
    return rows.slice(0, 1).map(({ population }) => ({
      source: population,
      by,
      group,
      n: rows.length,
      ours_over_real: meanOf([overReal(rows, 'ours')], 2),
      held_out: meanOf(heldOut, 2),
      shortcut_over_real: meanOf([overReal(rows, 'proxy')], 2),
      below_ours_pct: percent('below_ours_pct'),
      below_middle_pct: percent('below_middle_pct'),
      below_low_pct: percent('below_low_pct'),
      within_pct: percent('within_pct'),
    }));
  });

/** The declared table of the range. */
export const rangesCsv = (knots: readonly Knot[]): string =>
  csvText(
    knots.map(({ least_units, most_units, cap_pct, range, n, n_eff }) => {
      const [low_pct, middle_pct, high_pct] = range.map((share) => share.toFixed(2));
      const shares = { cap_pct: cap_pct.toFixed(2), low_pct, middle_pct, high_pct };
      return { least_units, most_units, ...shares, n, n_eff: n_eff.toFixed(1), ...SURVEY };
    }),
  );

/** The texts of the declared range, of accuracy.csv and of the page with its table. @throws Error: a missing file */
export async function measuredFiles(folder: string): Promise<ReadonlyMap<string, string>> {
  const owners = await underwrite(folder, true);
  const others = await underwrite(folder, false);
  const knots = fitRanges(owners);
  const trials: Trial[] = [];
  for (let seed = 1; seed <= HALVES; seed += 1)
    for (const fitted of halvesOf(owners, seed)) {
      const buildings = await underwrite(folder, true, fitted);
      const isFitted: IsIn = ({ place }) => fitted.includes(place);
      trials.push([fitRanges(buildings.filter(isFitted)), buildings.filter((each) => !isFitted(each))]);
    }
  const [assessor, loans] = ['assessor', 'loans'].map((name) => others.filter(({ population }) => population === name));
  const transfer = accuraciesOf(owners, [[fitRanges(assessor ?? []), owners]]).filter(({ by }) => by === 'all');
  const accuracies = [
    ...accuraciesOf(owners, trials),
    ...[assessor ?? [], loans ?? []].flatMap((tested) => accuraciesOf(tested, [[knots, tested]])),
    ...transfer.map((row) => ({ ...row, by: 'transfer' as const, group: 'all, by a range of the assessor' })),
  ];
  return new Map([
    [fileURLToPath(new URL('../reference/noi_ranges.csv', import.meta.url)), rangesCsv(knots)],
    [fileURLToPath(ACCURACY_CSV), csvText(accuracies)],
    [fileURLToPath(ACCURACY_PAGE), pageWith(accuracies)],
  ]);
}
