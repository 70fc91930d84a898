/** Figures that committed pages state. A figure is read from its page and never typed again. */
import { readFileSync } from 'node:fs';

const PERFORMANCE = 'docs/performance/README.md';
const textOf = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

const numberOf = (text: string): number => Number(text.replaceAll(',', ''));

export interface BenchFigure {
  readonly value: number;
  readonly unit: string;
  /** Bound of its aim, such as 600 of "≤ 600 ms". */
  readonly aim: number;
  /** Day and machine. */
  readonly measuredOn: string;
}

/**
 * A figure of the table of `make bench`.
 * @param what beginning of the second cell
 * @throws if the page has no such line, or the line has not been measured
 */
export function benchFigure(measure: string, what: string, page = textOf(PERFORMANCE)): BenchFigure {
  const rows = page.split('\n').map((line) => line.split('|').map((cell) => cell.trim()));
  const found = rows.filter(([, name, about]) => name === measure && about?.startsWith(what));
  const [row] = found;
  if (!row || found.length > 1) throw new Error(`${PERFORMANCE}: ${found.length} lines of ${measure}: ${what}`);
  const [, value, unit] = /^([\d.,]+) (\S+)$/u.exec(row[5] ?? '') ?? [];
  if (value === undefined || unit === undefined)
    throw new Error(`${PERFORMANCE}: ${measure}: ${what} is not measured yet`);
  const aim = numberOf(/[\d.,]+/u.exec(row[4] ?? '')?.[0] ?? '');
  return { value: numberOf(value), unit, aim, measuredOn: row[10] ?? '' };
}

/** The number that the first group of a pattern matches in a page. Line breaks match a space. @throws if none does */
export function figureIn(path: string, pattern: RegExp): number {
  const value = pattern.exec(textOf(path).replaceAll(/\s*\n\s*/gu, ' '))?.[1];
  if (value === undefined) throw new Error(`${path} has no figure of the form ${pattern.source}`);
  return numberOf(value);
}
