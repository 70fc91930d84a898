/** Blends figures by size and age between their knots, as docs/underwriting.md lists them. */
import { fraction, type Fraction } from '../../../lib/fraction.ts';
import { yearBuilt, type Values } from './record.ts';

type Knots = readonly (readonly [name: string, at: number])[];
type Weights = readonly (readonly [name: string, weight: Fraction])[];

const SIZES: Knots = [
  ['2_4', 3],
  ['5_12', 12],
  ['25_49', 36],
  ['50_up', 113],
];
const AGES: Knots = [
  ['before_1960', 1940],
  ['1960_1999', 1978],
  ['from_2000', 2005],
];

function weightsAt(knots: Knots, value: number): Weights {
  const above = knots.findIndex(([, at]) => value < at);
  const [before, after] = [knots.at(above < 0 ? -1 : above - 1), knots[above]];
  if (above === 0 || !before || !after) return [[(above === 0 ? knots[0] : before)?.[0] ?? '', fraction(1)]];
  const way = fraction(
    fraction(value - before[1])
      .over(fraction(after[1] - before[1]))
      .rounded(4),
  );
  return [
    [before[0], fraction(1).minus(way)],
    [after[0], way],
  ];
}

export const weightsBySize = ({ record }: Values): Weights => weightsAt(SIZES, Number(record['units']));

export function weightsByAge(values: Values): Weights {
  const year = yearBuilt(values);
  return year === null ? [['any', fraction(1)]] : weightsAt(AGES, year);
}

/** The sum of a figure by name, each with its weight. */
export const blend = (weights: Weights, figureOf: (name: string) => Fraction): Fraction =>
  weights.reduce((sum, [name, weight]) => sum.plus(weight.times(figureOf(name))), fraction(0));
