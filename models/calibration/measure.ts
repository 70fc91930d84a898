/** Fits the range on the owners' statements, and measures our figures and the range where nothing was fitted. */
import { fileURLToPath } from 'node:url';
import { ACCURACY_CSV, ACCURACY_PAGE, pageWith, type Accuracy } from './accuracy.ts';
import { csvText, SURVEY } from './calibrate.ts';
import { underwrite, type Building } from './compare.ts';
import * as ranges from './ranges.ts';
import { fitRanges, hasRange, weightOf, type Knot } from './ranges.ts';

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
  ranges.weightedQuantile(
    rows.filter(({ real }) => real > 0),
    0.5,
    (row) => row[ours] / row.real,
  );

type Coverage = Readonly<Record<'below_ours_pct' | 'below_middle_pct' | 'below_low_pct' | 'within_pct', number>>;

/** Weighted percents of the buildings with a range that earned less than a figure of theirs, or within the range. */
export function coverageOf(knots: readonly Knot[], buildings: readonly Building[]): Coverage {
  const rows = buildings
    .filter(hasRange)
    .map((row) => ({ row, real: ranges.realCap(row), range: ranges.rangeOf(knots, row) }));
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

/** Each group of one source: the mean over the trials; null where one has no such building. */
const accuraciesOf = (all: readonly Building[], trials: readonly Trial[]): Accuracy[] =>
  GROUPS.flatMap(([by, group, isIn]) => {
    const rows = all.filter(isIn);
    const tested = trials.map(([knots, buildings]) => {
      const found = buildings.filter(isIn);
      return { held_out: trials.length > 1 ? overReal(found, 'ours') : NaN, ...coverageOf(knots, found) };
    });
    const mean = (decimals: number, values: readonly number[]): number | null => {
      const value = values.reduce((total, each) => total + each, 0) / values.length;
      return Number.isFinite(value) ? ranges.rounded(value, decimals) : null;
    };
    const percent = (key: keyof Coverage): number | null =>
      mean(
        0,
        tested.map((each) => each[key]),
      );
    return rows.slice(0, 1).map(({ population }) => ({
      source: population,
      by,
      group,
      n: rows.length,
      ours_over_real: mean(2, [overReal(rows, 'ours')]),
      held_out: mean(
        2,
        tested.map((each) => each.held_out),
      ),
      shortcut_over_real: mean(2, [overReal(rows, 'proxy')]),
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
    for (const fitted of ranges.halvesOf(owners, seed)) {
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
