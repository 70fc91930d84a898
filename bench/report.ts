/** The outcomes as a table, for the terminal and in Markdown, and as a plot. */
import { parse, View } from 'vega';
import { compile } from 'vega-lite';
import type { Outcome, Summary } from './contract.ts';

const figure = (value: number): string =>
  value >= 1000 ? Math.round(value).toLocaleString('en-US') : value.toPrecision(3);

const spread = ({ median, least, most }: Summary): string => `${figure(median)} (${figure(least)}..${figure(most)})`;

const targetOf = ({ target }: Outcome): string => ('atMost' in target ? `<= ${target.atMost}` : `>= ${target.atLeast}`);

const HEAD = ['benchmark', 'ours', 'baseline', 'unit', 'ratio', 'target', 'met', 'runs'];

/** Cells of a benchmark and of its further figures: medians, with least and most in brackets. */
const rowsOf = (o: Outcome): string[][] => [
  [
    o.name,
    spread(o.ours),
    spread(o.base),
    o.unit,
    spread(o.ratio),
    targetOf(o),
    o.met ? 'yes' : 'NO',
    String(o.repetitions),
  ],
  ...Object.entries(o.also).map(([name, also]) => [
    `  ${name}`,
    spread(also),
    '',
    also.unit ?? '',
    '',
    also.atMost === undefined ? '' : `<= ${also.atMost}`,
    also.atMost === undefined ? '' : also.median <= also.atMost ? 'yes' : 'NO',
    '',
  ]),
];

/** Lines of a table in Markdown, and beneath it what each benchmark measures against what. @param on when and where each was measured */
export const markdownOf = (outcomes: readonly Outcome[], on: readonly string[]): string[] => [
  `| ${[...HEAD, 'measured'].join(' | ')} |`,
  `|${'---|'.repeat(HEAD.length + 1)}`,
  ...outcomes
    .flatMap((o, i) => rowsOf(o).map((cells, row) => [...cells, row === 0 ? (on[i] ?? '') : '']))
    .map((cells) => `| ${cells.map((cell) => cell.trim().replaceAll('..', ' to ')).join(' | ')} |`),
  '',
  ...outcomes.map((o) => `- \`${o.name}\`: ${o.what}; against ${o.baseline}.`),
];

/** Lines of a table for the terminal. */
export function tableOf(outcomes: readonly Outcome[]): string[] {
  const rows = outcomes.flatMap(rowsOf);
  const widths = HEAD.map((h, i) => Math.max(h.length, ...rows.map((r) => r[i]?.length ?? 0)));
  return [HEAD, ...rows].map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** Each ratio as a multiple of its target, as an SVG: what a benchmark may cost is 1, to the left of it is better. */
export async function plotOf(outcomes: readonly Outcome[]): Promise<string> {
  const cost = (o: Outcome, ratio: number): number =>
    'atMost' in o.target ? ratio / o.target.atMost : o.target.atLeast / ratio;
  const values = outcomes.map((o) => {
    const ends = [cost(o, o.ratio.least), cost(o, o.ratio.most)].sort((a, b) => a - b);
    return {
      name: o.name,
      cost: cost(o, o.ratio.median),
      low: ends[0],
      high: ends[1],
      met: o.met ? 'target met' : 'target missed',
    };
  });
  const x = {
    type: 'quantitative',
    scale: { type: 'log' },
    title: 'multiple of the target (1 is the target, smaller is better)',
  } as const;
  const y = { field: 'name', type: 'nominal', sort: null, title: null, axis: { labelLimit: 0 } } as const;
  const color = {
    field: 'met',
    type: 'nominal',
    title: null,
    scale: { domain: ['target met', 'target missed'], range: ['#1a7f5a', '#c0392b'] },
  } as const;
  const { spec } = compile({
    width: 520,
    background: 'white',
    data: { values },
    layer: [
      {
        mark: { type: 'rule', strokeDash: [4, 3], color: '#777' },
        encoding: { x: { datum: 1, type: 'quantitative' } },
      },
      { mark: 'rule', encoding: { y, x: { ...x, field: 'low' }, x2: { field: 'high' }, color } },
      { mark: { type: 'point', filled: true, size: 70 }, encoding: { y, x: { ...x, field: 'cost' }, color } },
    ],
  });
  return new View(parse(spec), { renderer: 'none' }).toSVG();
}
