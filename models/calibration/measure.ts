/** Fits the range on the owners' statements, and measures our figures and the range where nothing was fitted. */
import { fileURLToPath } from 'node:url';
import { ACCURACY_CSV, ACCURACY_PAGE, pageWith, type Accuracy } from './accuracy.ts';
import { csvText, SURVEY } from './calibrate.ts';
import { underwrite, type Building } from './compare.ts';
import {
  fitRanges,
  halvesOf,
  hasRange,
  rangeOf,
  realCap,
  rounded,
  weightedQuantile,
  weightOf,
  type Knot,
} from './ranges.ts';

type Group = readonly [by: Accuracy['by'], group: string, isIn: (building: Building) => boolean];

const built = (from: number, to: number) => (building: Building) =>
  building.year !== null && building.year >= from && building.year < to;
const atCap = (from: number, to: number) => (building: Building) =>
  hasRange(building) && building.cap >= from && building.cap < to;

const ALL: Group = ['all', 'all', () => true];
const GROUPS: readonly Group[] = [
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
  ALL,
];

/** Seeded halves of the rent groups on which every table of the survey is fitted again. */
const HALVES = 5;

const overReal = (rows: readonly Building[], ours: 'ours' | 'proxy'): number =>
  weightedQuantile(
    rows.filter(({ real }) => real > 0),
    0.5,
    (row) => row[ours] / row.real,
  );

/** Weighted percents of the buildings with a range that earned less than a figure of theirs, or within the range. */
export function coverageOf(knots: readonly Knot[], buildings: readonly Building[]) {
  const rows = buildings.filter(hasRange).map((row) => ({ row, real: realCap(row), range: rangeOf(knots, row) }));
  const percentOf = (found: readonly (typeof rows)[number][]): number =>
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

/** A group of one source: the mean over the trials. */
function accuracyOf([by, group, isIn]: Group, all: readonly Building[], trials: readonly Trial[]): Accuracy[] {
  const rows = all.filter(isIn);
  if (!rows[0]) return [];
  const tested = trials.map(([knots, buildings]): Trial => [knots, buildings.filter(isIn)]);
  const mean = (decimals: number, figureOf: (trial: Trial) => number): number | null => {
    const value = tested.reduce((total, trial) => total + figureOf(trial), 0) / trials.length;
    return Number.isFinite(value) ? rounded(value, decimals) : null;
  };
  const coverage = tested.map((trial) => coverageOf(...trial));
  const percent = (key: keyof ReturnType<typeof coverageOf>): number | null =>
    mean(0, (trial) => coverage[tested.indexOf(trial)]?.[key] ?? NaN);
  return [
    {
      source: rows[0].population,
      by,
      group,
      n: rows.length,
      ours_over_real: mean(2, () => overReal(rows, 'ours')),
      held_out: trials.length > 1 ? mean(2, ([, each]) => overReal(each, 'ours')) : null,
      shortcut_over_real: mean(2, () => overReal(rows, 'proxy')),
      below_ours_pct: percent('below_ours_pct'),
      below_middle_pct: percent('below_middle_pct'),
      below_low_pct: percent('below_low_pct'),
      within_pct: percent('within_pct'),
    },
  ];
}

/** The declared table of the range. */
export const rangesCsv = (knots: readonly Knot[]): string =>
  csvText(
    knots.map(({ least_units, most_units, cap_pct, range: [low, middle, high], n, n_eff }) => ({
      least_units,
      most_units,
      cap_pct: cap_pct.toFixed(2),
      low_pct: low.toFixed(2),
      middle_pct: middle.toFixed(2),
      high_pct: high.toFixed(2),
      n,
      n_eff: n_eff.toFixed(1),
      ...SURVEY,
    })),
  );

/** The texts of the declared range, of accuracy.csv and of the page with its table, by path. @throws MissingFile */
export async function measuredFiles(folder: string): Promise<ReadonlyMap<string, string>> {
  const owners = await underwrite(folder, true);
  const others = await underwrite(folder, false);
  const knots = fitRanges(owners);
  const trials: Trial[] = [];
  for (let seed = 1; seed <= HALVES; seed += 1)
    for (const fitted of halvesOf(owners, seed)) {
      const buildings = await underwrite(folder, true, fitted);
      const isFitted = ({ place }: Building): boolean => fitted.includes(place);
      trials.push([fitRanges(buildings.filter(isFitted)), buildings.filter((each) => !isFitted(each))]);
    }
  const assessor = others.filter(({ population }) => population === 'assessor');
  const loans = others.filter(({ population }) => population === 'loans');
  const accuracies: Accuracy[] = [
    ...GROUPS.flatMap((group) => accuracyOf(group, owners, trials)),
    ...[assessor, loans].flatMap((tested) => GROUPS.flatMap((group) => accuracyOf(group, tested, [[knots, tested]]))),
    ...accuracyOf(['transfer', 'all, by a range of the assessor', ALL[2]], owners, [[fitRanges(assessor), owners]]),
  ];
  return new Map([
    [fileURLToPath(new URL('../reference/noi_ranges.csv', import.meta.url)), rangesCsv(knots)],
    [fileURLToPath(ACCURACY_CSV), csvText(accuracies)],
    [fileURLToPath(ACCURACY_PAGE), pageWith(accuracies)],
  ]);
}
