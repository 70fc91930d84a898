/** The comparison with real NOI by size of building, which the pages about underwriting show. */
import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { z } from 'zod';
import { REFERENCES, type AIMS, type POPULATIONS } from '../references.ts';

// models/index.ts would bring DuckDB into the server.
const CSV = new URL('../reference/noi_comparisons.csv', import.meta.url);

const SHOWN = {
  population: true,
  size: true,
  vintage: true,
  year: true,
  underwriting_q1: true,
  underwriting_median: true,
  underwriting_q3: true,
  proxy_q1: true,
  proxy_median: true,
  proxy_q3: true,
  aim: true,
} as const;
const Cell = z.object({ ...REFERENCES.noi_comparisons.schema.pick(SHOWN).shape, n: z.coerce.number().int() });

export type ComparedCell = z.infer<typeof Cell>;

/** Sources of the NOI that ours is compared with. */
export const WHOSE_NOI: Readonly<Record<(typeof POPULATIONS)[number], string>> = {
  survey: 'owners, in a national survey',
  assessor: "Cook County's assessor, by its own model",
  loans: 'statements and lenders of securitized loans',
};

/** Whether a cell reaches the aim: the median, and less spread than the simple proxy. */
export const AIM_WORDS: Readonly<Record<(typeof AIMS)[number], string>> = {
  reached: 'reached',
  median_not_reached: 'median missed',
  spread_not_reached: 'spread missed',
  neither_reached: 'both missed',
  too_few: 'too few to judge',
};

/** All cells: by source of the NOI, size, and vintage or year, in the order of the reference table. */
const comparedCells = (): readonly ComparedCell[] =>
  z.array(Cell).parse(parse(readFileSync(CSV, 'utf8'), { columns: true }));

/** The cells of all vintages and years together, one for each size. */
export const comparedSizes = (): readonly ComparedCell[] =>
  comparedCells().filter(({ vintage, year }) => vintage === 'any' && year === 'all');

/** Medians of the assessor's worksheets by year: one row for each year, with a cell for each size. */
export const comparedYears = (): ReadonlyMap<string, readonly ComparedCell[]> =>
  Map.groupBy(
    comparedCells().filter(({ year }) => year !== 'all'),
    ({ year }) => year,
  );

/** Whether there are enough properties to judge. */
export const isJudged = ({ aim }: ComparedCell): boolean => aim !== 'too_few';

/** A size for people: 5_12 is "5 to 12", 50_up "50 and more". */
export const unitsText = (size: ComparedCell['size']): string =>
  size === '50_up' ? '50 and more' : size.replace('_', ' to ');

/** Least and greatest median of ours over theirs in some cells: "1.06 to 1.29". @throws Error without cells */
export function medianRange(cells: readonly ComparedCell[]): string {
  const medians = cells.map(({ underwriting_median: median }) => median).sort((a, b) => Number(a) - Number(b));
  const [least, most] = [medians[0], medians.at(-1)];
  if (least === undefined || most === undefined) throw new Error('the comparison with real NOI has no such cells');
  return `${least} to ${most}`;
}

/** Where the underwriting errs, by the medians of owners and assessor; the loans are too few. */
export function errorRanges(): {
  readonly small: string;
  readonly large: string;
  readonly recent: string;
} {
  const cells = comparedCells().filter(({ population, year }) => population !== 'loans' && year === 'all');
  const anyVintage = cells.filter(({ vintage }) => vintage === 'any');
  return {
    small: medianRange(anyVintage.filter(({ size }) => size === '2_4' || size === '5_12')),
    large: medianRange(anyVintage.filter(({ size }) => size === '50_up')),
    recent: medianRange(cells.filter(({ vintage }) => vintage === 'from_2000')),
  };
}

/** "The aim is reached in 1 of 9 sizes with enough properties." */
export function aimsBySize(): string {
  const judged = comparedSizes().filter(isJudged);
  const reached = judged.filter(({ aim }) => aim === 'reached');
  return `The aim is reached in ${reached.length} of the ${judged.length} rows that have enough properties.`;
}
