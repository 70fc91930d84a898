/** Measures, the lines of the table that they fill, and how a line is printed. */
import { availableParallelism } from 'node:os';

/** A line of the table. Its aim bounds the ratio to the baseline ("≤ 1.2×") or the value itself ("≤ 3"). */
export type Line = readonly [what: string, baseline: string, unit: string, aim: string];
/** Ours, and the baseline where there is one. */
export type Figure = readonly [ours: number, baseline?: number];

export interface Measure {
  readonly name: string;
  /** Repetitions of a full run. QUICK=1 makes one. */
  readonly repetitions: number;
  readonly lines: Readonly<Record<string, Line>>;
  /** Prepare data and warm up. @returns makes one repetition: a figure for each line */
  open(): Promise<() => Promise<Readonly<Record<string, Figure>>>>;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

export const HEAD = '| measure | what | baseline | aim | ours | baseline | ratio | met | runs | measured on |';

/** First cells of a line, by which it is found in docs/performance.md. */
export const cellsOf = (name: string, [what, baseline]: Line): string => `| ${name} | ${what} | ${baseline} |`;

const shown = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString('en-US') : String(Number(value.toPrecision(3)));

/** A line of the table in Markdown: medians, and the least and most of the ratios. */
export function tableLine(name: string, line: Line, figures: readonly Figure[]): string {
  const [, , unit, aim] = line;
  const ours = median(figures.map(([value]) => value));
  const baselines = figures.flatMap(([, value]) => value ?? []);
  const ratios = figures.flatMap(([value, baseline]) => (baseline === undefined ? [] : [value / baseline]));
  const [, sign, bound, times] = /^(≤|≥) ([\d.]+)(×?)$/u.exec(aim) ?? [];
  const value = times === '×' ? median(ratios) : ours;
  const isMet = sign === '≤' ? value <= Number(bound) : value >= Number(bound);
  const spread = `${shown(median(ratios))} (${shown(Math.min(...ratios))} to ${shown(Math.max(...ratios))})`;
  const compared = ratios.length === 0 ? ' | ' : `${shown(median(baselines))} ${unit} | ${spread}`;
  const measured = `${times === '×' ? aim : `${aim} ${unit}`} | ${shown(ours)} ${unit} | ${compared}`;
  const day = `${new Date().toISOString().slice(0, 10)}, ${availableParallelism()} cores`;
  return `${cellsOf(name, line)} ${measured} | ${isMet ? 'yes' : 'no'} | ${figures.length} | ${day} |`;
}
